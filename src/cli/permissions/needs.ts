import { dirname } from "@std/path/dirname";
import { isAbsolute } from "@std/path/is-absolute";
import { resolve } from "@std/path/resolve";
import { homedir, tmpdir } from "node:os";
import { contains } from "../../core/common/paths.ts";
import type { Permission } from "../../core/start/permissions.ts";
import type { PermissionKind } from "../../core/types/permissions.ts";
import { exists } from "../files.ts";
import type { Question } from "./broker.ts";

/** The maximum number of files in one folder to list. */
const LISTED = 2;
/** An address of this machine, whose port may differ on other machines. */
const LOCAL = /^(?:0\.0\.0\.0|127(?:\.\d+){3}|localhost|\[::1?\]):\d+$/;
/** The addresses that a server listens on, inside and outside of a container. */
const LISTENING = ["0.0.0.0", "127.0.0.1"];

/** A permission that a process used, and the entries of a set that grant it. */
export interface Need {
  readonly used: Permission;
  readonly entries: readonly Permission[];
}

function isPath(kind: PermissionKind): boolean {
  return kind === "read" || kind === "write" || kind === "ffi";
}

/** Whether the value of a permission is a path: of a file, or of a program. */
export function hasPath<Each extends Permission>(
  each: Each,
): each is Each & { readonly value: string } {
  const { kind, value } = each;
  return value !== true &&
    (isPath(kind) || (kind === "run" && /[\\/]/.test(value)));
}

/** Whether an entry of a set includes another permission. */
export function covers(entry: Permission, other: Permission): boolean {
  if (entry.kind !== other.kind) return false;
  if (entry.value === true || entry.value === other.value) return true;
  if (other.value === true) return false;
  if (isPath(entry.kind)) return contains(entry.value, other.value);
  if (entry.kind === "env" && entry.value.endsWith("*")) {
    return other.value.startsWith(entry.value.slice(0, -1));
  }
  if (entry.kind !== "net" && entry.kind !== "import") return false;
  // A host without a port includes all ports.
  const host = other.value.replace(/:\d+$/, "");
  return entry.value.startsWith("*.")
    ? host.endsWith(entry.value.slice(1))
    : entry.value === host;
}

/** The permissions that processes use, in forms that suit other runs and machines. */
export class Needs {
  readonly #closed: readonly string[];
  readonly #all = new Map<string, Need>();
  readonly #missing = new Set<string>();

  /** @param closed Folders that no entry includes, even if a process uses many files. */
  constructor(closed: readonly string[]) {
    this.#closed = [...closed, homedir()];
  }

  get all(): readonly Need[] {
    return [...this.#all.values()];
  }

  /** Adds the permission that a process asks for. */
  ask(question: Question): void {
    const used = permissionOf(question);
    const key = JSON.stringify(used);
    if (this.#all.has(key)) return;
    this.#all.set(key, { used, entries: this.#entriesFor(used) });
  }

  /** Adds a permission that is an entry itself. */
  declare(used: Permission): void {
    this.#all.set(JSON.stringify(used), { used, entries: [used] });
  }

  #entriesFor(used: Permission): readonly Permission[] {
    const { kind, value } = used;
    if (value === true) return [used];
    if (isPath(kind)) {
      const folder = tmpdir();
      const isTemporary = contains(folder, value) &&
        !contains(Deno.cwd(), value);
      return [{ kind, value: isTemporary ? folder : this.#stable(value) }];
    }
    if (kind === "net" && LOCAL.test(value)) {
      const host = value.replace(/:\d+$/, "");
      const hosts = LISTENING.includes(host) ? LISTENING : [host];
      return hosts.map((value) => ({ kind, value }));
    }
    if (kind === "run" && value === Deno.execPath()) {
      return [{ kind, value: "deno" }];
    }
    return [used];
  }

  /** The nearest folder of a path that existed before the run, since new names differ. */
  #stable(path: string): string {
    const folder = dirname(path);
    if (!this.#missing.has(path) && exists(path)) return path;
    this.#missing.add(path);
    return this.#isClosed(folder) ? path : this.#stable(folder);
  }

  /** Whether a folder is too general: the project, home, a folder around them, `/etc`. */
  #isClosed(folder: string): boolean {
    const parent = dirname(folder);
    return parent === dirname(parent) ||
      this.#closed.some((path) => contains(folder, path));
  }

  /**
   * A short list of entries for some needs, without duplicates. It names a folder in
   * place of many files.
   *
   * @param kept The entries that stay as they are.
   */
  entries(
    needs: readonly Need[],
    kept: readonly Permission[],
  ): readonly Permission[] {
    const own = needs.flatMap(({ entries }) => entries)
      .filter((each) => !kept.some((other) => covers(other, each)));
    return withoutCovered([...kept, ...this.#grouped(own)]);
  }

  #grouped(entries: readonly Permission[]): readonly Permission[] {
    const unique = new Map(entries.map((each) => [JSON.stringify(each), each]));
    const groups = Map.groupBy(
      unique.values(),
      ({ kind, value }) =>
        isPath(kind) && value !== true ? `${kind} ${dirname(value)}` : "",
    );
    const all = [...groups].flatMap(([key, group]): readonly Permission[] => {
      const [{ kind, value }] = group as [Permission];
      const folder = dirname(`${value}`);
      return key === "" || group.length <= LISTED || this.#isClosed(folder)
        ? group
        : [{ kind, value: folder }];
    });
    return all.length === unique.size ? all : this.#grouped(all);
  }
}

/** Omits each entry that another entry includes; of equal entries, the first stays. */
function withoutCovered(entries: readonly Permission[]): Permission[] {
  return entries.filter((each, index) =>
    !entries.some((other, at) =>
      at !== index && covers(other, each) &&
      (at < index || !covers(each, other))
    )
  );
}

/** The permission of a question, with an absolute path. */
function permissionOf({ kind, value, pid }: Question): Permission {
  if (value === null) return { kind, value: true };
  if (value === "<TMP>") return { kind, value: tmpdir() };
  if (!hasPath({ kind, value })) return { kind, value };
  const folder = isAbsolute(value) ? "" : folderOf(pid);
  return { kind, value: resolve(folder, value) };
}

/** The working directory of a process on Linux; elsewhere, of this process. */
function folderOf(pid: number): string {
  try {
    return Deno.readLinkSync(`/proc/${pid}/cwd`);
  } catch {
    return Deno.cwd();
  }
}
