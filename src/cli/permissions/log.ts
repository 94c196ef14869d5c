import { fromFileUrl } from "@std/path/from-file-url";
import { resolve } from "@std/path/resolve";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Want } from "../../routes/permission_flags.ts";
import {
  PERMISSION_KINDS,
  type PermissionKind,
} from "../../routes/permissions_export.ts";
import { FOLDER_NOTE, RUN_NOTE } from "./run_note.ts";

/** One line of a stack. */
export interface Frame {
  /** The URL of the module, without its query. */
  readonly url: string;
  /** The line in it, from 1. */
  readonly line: number;
  /** The function, unless it has no name or the code is at the top level. */
  readonly name?: string;
}

/** Something that a process used, with the stack that used it, the innermost first. */
export interface Access extends Want {
  /** Whether it is to listen on an address. */
  readonly isListening?: boolean;
  readonly frames: readonly Frame[];
}

/** A frame, with a number to compare it by. */
interface KnownFrame {
  readonly frame: Frame;
  readonly id: number;
}

/** An entry of the log, as Deno 2.9 writes it. */
interface Entry {
  readonly permission: string;
  readonly value: string | null;
  readonly stack?: readonly string[];
}

const FRAME =
  /^(?:(.*) \()?((?:file|https?|ext|node|blob|data):.*?)(?::(\d+))?(?::\d+)?\)?$/;
/** Functions that only read. Unscoped, Deno logs a `write` of each of them as well. */
const READS =
  /\b(?:op_fs_)?(?:read|stat|lstat|realPath|access|exists|opendir|open_?dir)/i;
/** What the URLs of modules in this folder begin with: they are no part of a program. */
const OWN = new URL("./", import.meta.url).href;

/** How many lines are remembered, to skip the same ones; most come soon again. */
const REMEMBERED = 10_000;

/** The logs of the processes of one command, each different entry once. */
export class Log {
  readonly #cwd: string;
  readonly #accesses = new Map<string, Access>();
  readonly #frames = new Map<string, KnownFrame | undefined>();
  #seesRun = true;

  /** @param cwd The folder that the command was run in. */
  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** What was used, in order. */
  get accesses(): readonly Access[] {
    return [...this.#accesses.values()];
  }

  /** Whether all processes had the preload, which sees the programs that they run. */
  get seesRun(): boolean {
    return this.#seesRun;
  }

  /** Adds the log of a process. */
  async add(path: string): Promise<void> {
    const known = new Set<string>();
    const traced = new Set<string>();
    let cwd: string | undefined;
    let isProgram = false;
    for await (
      const line of createInterface({ input: createReadStream(path) })
    ) {
      // The same access has the same line, but for its time.
      const start = line.indexOf('"permission"');
      if (start === -1 || known.has(line.slice(start))) continue;
      if (known.size < REMEMBERED) known.add(line.slice(start));
      const entry = parsed(line);
      if (entry === undefined) continue;
      const use = `${entry.permission} ${entry.value}`;
      if (isUntraced(entry) && traced.has(use)) continue;
      traced.add(use);
      const folder = noted(entry, FOLDER_NOTE);
      if (folder !== undefined) cwd = folder || this.#cwd;
      else this.#keep(entry, cwd ?? this.#cwd);
      // Commands such as "deno check" ask for no more than imports.
      isProgram ||= entry.permission !== "import";
    }
    if (isProgram && cwd === undefined) this.#seesRun = false;
  }

  /** A line of a stack. In a large log, most are the same, and so are their objects. */
  #frameOf(text: string): KnownFrame | undefined {
    if (this.#frames.has(text)) return this.#frames.get(text);
    const frame = frameOf(text);
    let known: KnownFrame | undefined;
    if (frame !== undefined) {
      // The column makes no difference.
      const key = `${frame.url}:${frame.line} ${frame.name}`;
      known = this.#frames.get(key) ?? { frame, id: this.#frames.size };
      this.#frames.set(key, known);
    }
    this.#frames.set(text, known);
    return known;
  }

  #keep(entry: Entry, cwd: string): void {
    const all = (entry.stack ?? []).map((text) => this.#frameOf(text));
    const known = all.filter((each) => each !== undefined);
    const program = noted(entry, RUN_NOTE);
    const want = program === undefined
      ? wantOf(entry, cwd)
      : { kind: "run" as const, value: program };
    if (want === undefined || (want.kind === "write" && isRead(entry))) return;
    const { kind, value } = want;
    const ids = known.map(({ id }) => id);
    // The variable "true" is not all variables.
    const key = `${kind} ${ids} ${value === true ? "" : `=${value}`}`;
    if (this.#accesses.has(key)) return;
    const isListening = entry.stack?.[0]?.startsWith("listen ");
    this.#accesses.set(key, {
      ...want,
      frames: known.map(({ frame }) => frame),
      ...(isListening && { isListening }),
    });
  }
}

/** An entry; a process that was ended may leave half of its last one. */
function parsed(line: string): Entry | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Whether the stack was left out, since the preload knew it. */
function isUntraced({ stack }: Entry): boolean {
  return stack?.length === 1 && stack[0]!.startsWith("<anonymous> (ext:");
}

/** What our own preload told the audit. */
function noted(
  { permission, value }: Entry,
  prefix: string,
): string | undefined {
  return permission === "env" && value?.startsWith(prefix)
    ? decodeURIComponent(value.slice(prefix.length))
    : undefined;
}

function wantOf(
  { permission, value, stack = [] }: Entry,
  cwd: string,
): Want | undefined {
  const kind = PERMISSION_KINDS.find((kind) => kind === permission);
  if (kind === undefined) return undefined;
  if (value === null) return { kind, value: true };
  return { kind, value: normalized(kind, value, { cwd, stack }) };
}

function normalized(
  kind: PermissionKind,
  value: string,
  { cwd, stack }: { readonly cwd: string; readonly stack: readonly string[] },
): string {
  if (kind === "read" || kind === "write" || kind === "ffi") {
    return value.startsWith("file:") ? fromFileUrl(value) : resolve(cwd, value);
  }
  if (kind !== "net" && kind !== "import") return value;
  if (/^[a-z]+:\/\//.test(value)) return new URL(value).host;
  // After a fetch, its host is looked up, with the port that belongs to the scheme.
  const isFetch = kind === "import" ||
    stack.some((each) => /fetch/i.test(each));
  return isFetch ? value.replace(/:(?:443|80)$/, "") : value;
}

function isRead({ stack = [] }: Entry): boolean {
  const [name = ""] = stack[0]?.split(" (") ?? [];
  return READS.test(name);
}

/** A frame of a module; those of Deno itself have no part in what a program needs. */
function frameOf(text: string): Frame | undefined {
  const [, name, url, line] = FRAME.exec(text.replace(/^async /, "")) ?? [];
  if (url === undefined || /^(?:ext|node|blob|data):/.test(url)) {
    return undefined;
  }
  if (url.startsWith(OWN)) return undefined;
  return {
    url: url.replace(/[?#].*$/, ""),
    line: Number(line),
    ...(name !== undefined && { name }),
  };
}
