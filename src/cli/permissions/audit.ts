import type { PermissionKind } from "../../core/types/permissions.ts";

export interface Frame {
  /** The URL of the module, without its query. */
  readonly url: string;
  /** The number of the line in the module, from 1. */
  readonly line: number;
}

/** A place in the code where an access may have been made. */
export interface AccessPlace {
  /** The frames of the program, innermost first. */
  readonly frames: readonly Frame[];
  /** Whether the Deno function in the stack makes accesses of this kind. */
  readonly fits: boolean;
  /** Whether the stack certainly belongs to this access. */
  readonly isSure: boolean;
  /** The number of accesses that logged their own stack. */
  readonly count: number;
}

/** A line of the audit in the format of Deno 2.9. */
interface Line {
  readonly permission: string;
  readonly value: string | null;
  readonly stack?: readonly string[];
}

const FRAME =
  /^(?:async )?(?:.* \()?((?:file|https?):.*?)(?:[?#].*?)?:(\d+):\d+\)?$/;
/** The Deno modules that make accesses of each kind, without some functions. */
const MAKERS: Readonly<Record<string, RegExp>> = {
  read: /^(?!.*(?:_next|fchmod|fchown)).*(?:fs|worker)/s,
  write: /^(?!.*(?:_next|fchmod|fchown)).*fs/s,
  net: /net|fetch|http|websocket|tls/,
  env: /os|process/,
  sys: /os|process/,
  ffi: /ffi/,
};

/** The beginning of a line that `fetch()` logs before the line of its host. */
const URL_LINE = /^"permission":"net","value":"\w+:\/\//;

/** The beginning of the line of an access to one variable, which logs its own stack. */
const TRACED = /^"permission":"env","value":"/;

/** The module that leaves notes in the audit, and is not part of the program. */
export const RECORDER = "bough_recorder.cjs";

/**
 * The places of accesses, from Deno's audit. Some functions, such as those of
 * `node:net` and `node:sqlite`, log the stack of an earlier access. So a stack is
 * certain only for the first access with this stack, and only if the stack fits the
 * kind of the access.
 */
export class Audit {
  readonly #places = new Map<string, AccessPlace[]>();
  readonly #frames = new Map<string, Frame | undefined>();
  readonly #known = new Map<string, { count: number } | undefined>();
  #last = "";
  readonly #firstUses = new Map<string, string>();
  readonly #fetched = new Set<string>();

  /** The places of an access. `value` is the value that Deno sends. */
  placesOf(kind: PermissionKind, value: string | null): readonly AccessPlace[] {
    return this.#places.get(keyOf(kind, value)) ?? [];
  }

  /** The URLs of all modules in stacks. */
  get modules(): string[] {
    const urls = [...this.#frames.values()].map((frame) => frame?.url);
    return [...new Set(urls)].filter((url) => url !== undefined);
  }

  add(text: string): void {
    // Repeated accesses have equal lines, except for the time before this member.
    const line = text.slice(text.indexOf('"permission"'));
    // Some functions repeat the stack of the preceding line.
    const isNew = stackOf(line) !== stackOf(this.#last) ||
      URL_LINE.test(this.#last) || TRACED.test(line);
    this.#last = line;
    const known = this.#known.get(line);
    if (known !== undefined && isNew) known.count++;
    if (this.#known.has(line)) return;
    this.#known.set(line, undefined);
    const { permission, value, stack = [] } = parsed(text) ?? {};
    if (permission === undefined) return;
    const key = keyOf(permission, value);
    const id = stack.join("\n");
    if (!this.#firstUses.has(id)) this.#firstUses.set(id, key);
    if (URL_LINE.test(line)) {
      // `fetch()` logs a URL, and then logs the host in the next line.
      return void this.#fetched.add(keyOf("net", hostOf(value!)) + id);
    }
    const frames = stack.map((each) => this.#frameOf(each));
    const count = frames.findIndex((frame) => frame !== undefined);
    const inner = stack.slice(0, count === -1 ? undefined : count).join("\n");
    const fits = MAKERS[permission]?.test(inner) ?? false;
    const isFirst = /fetch/i.test(inner)
      ? this.#fetched.has(key + id)
      : this.#firstUses.get(id) === key;
    const place = {
      frames: frames.filter((frame) => frame !== undefined),
      fits,
      isSure: fits && (TRACED.test(line) || isFirst),
      count: isNew ? 1 : 0,
    };
    this.#places.getOrInsertComputed(key, () => []).push(place);
    this.#known.set(line, place);
  }

  /** A frame of the program; `undefined` for a frame of Deno. */
  #frameOf(text: string): Frame | undefined {
    return this.#frames.getOrInsertComputed(text, () => {
      const [, url, line] = FRAME.exec(text) ?? [];
      if (url === undefined || url.endsWith(RECORDER)) return undefined;
      // Stacks contain some characters unescaped.
      const { href } = URL.parse(url) ?? { href: url };
      return { url: href, line: Number(line) };
    });
  }
}

function stackOf(line: string): string {
  return line.slice(line.indexOf('"stack"'));
}

function keyOf(kind: string, value: string | null | undefined): string {
  return JSON.stringify([kind, value]);
}

/** The JSON of a line; `undefined` for the incomplete last line of a killed process. */
function parsed(text: string): Line | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The host of a URL, always with a port. */
function hostOf(url: string): string {
  const { protocol = "", hostname, port } = URL.parse(url) ?? {};
  return `${hostname}:${port || (/^(?:http|ws):/.test(protocol) ? 80 : 443)}`;
}

/** Splits a stream into lines. */
export async function* linesOf(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<string, void> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}
