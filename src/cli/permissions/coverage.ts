import { dirname } from "@std/path/dirname";
import { isAbsolute } from "@std/path/is-absolute";
import { relative } from "@std/path/relative";
import { resolve } from "@std/path/resolve";
import { contains } from "../../core/common/paths.ts";
import {
  type Permission,
  PERMISSION_KINDS,
} from "../../core/start/permissions.ts";
import type { PermissionKind } from "../../core/types/permissions.ts";
import { readIfExists } from "../files.ts";

/** The maximum number of files in one folder, or of ports of one host, to list. */
const LISTED = 2;
/** A generated name, which differs in each run. */
const RANDOM = /[\da-f]{8}|\d{6}/i;
/** Ports from here are chosen by the system, and so is 0. */
const EPHEMERAL = 32_768;

/** Whether a granted or declared permission includes a used permission. */
export function covers(given: Permission, used: Permission): boolean {
  if (given.kind !== used.kind) return false;
  if (given.value === true) return true;
  if (used.value === true) return false;
  if (isPath(given.kind)) return isWithin(given.value, used.value);
  if (given.kind === "env" && given.value.endsWith("*")) {
    return used.value.startsWith(given.value.slice(0, -1));
  }
  if (given.value === used.value) return true;
  if (given.kind !== "net" && given.kind !== "import") return false;
  // A host without a port includes all ports.
  const host = hostOf(used.value);
  return given.value.startsWith("*.")
    ? `.${host}`.endsWith(given.value.slice(1))
    : given.value === host;
}

export function hostOf(address: string): string {
  return address.replace(/:\d+$/, "");
}

export function isPath(kind: PermissionKind): boolean {
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

/** Whether a path is the folder itself, or inside the folder. */
export function isWithin(folder: string, path: string): boolean {
  return contains(absolute(folder), absolute(path));
}

/** The absolute path. Calls `resolve()` only if necessary, because `resolve()` is slow. */
function absolute(path: string): string {
  return isAbsolute(path) && !path.includes("..") ? path : resolve(path);
}

/** A string that is equal for equal permissions. */
export function keyOf({ kind, value }: Permission): string {
  // JSON distinguishes the program named "true" from `true`, which means all programs.
  return JSON.stringify([
    kind,
    isPath(kind) && value !== true ? absolute(value) : value,
  ]);
}

/** Whether a list has an equal permission. */
export function isIn(
  entries: readonly Permission[],
  entry: Permission,
): boolean {
  return entries.some((each) => keyOf(each) === keyOf(entry));
}

/**
 * The smallest readable list of permissions. The list omits covered permissions, and
 * names a folder instead of many files.
 *
 * @param used The permissions to cover.
 * @param kept The permissions that stay unchanged, because a person wrote them.
 */
export function smallest(
  used: readonly Used[],
  kept: readonly Permission[],
): Permission[] {
  const rest = used.filter((use) => !kept.some((each) => covers(each, use)));
  const all = unique([...kept, ...grouped(unique(rest), kept)]);
  const left = all.filter((one) =>
    !all.some((other) => other !== one && covers(other, one))
  );
  return PERMISSION_KINDS.flatMap((kind) =>
    left.flatMap((each) => each.kind === kind ? [each.value] : [])
      .sort((a, b) => String(a) < String(b) ? -1 : 1)
      .map((value) => ({ kind, value }))
  );
}

/** Removes duplicates, and keeps the first notation of a path. */
function unique(permissions: readonly Permission[]): Permission[] {
  const byKey = new Map(
    permissions.toReversed().map((each) => [keyOf(each), each]),
  );
  return [...byKey.values()].reverse();
}

/**
 * Replaces values that differ in each run, then many files with their folder and many
 * ports with their host, until nothing changes.
 */
function grouped(
  permissions: readonly Used[],
  kept: readonly Permission[],
): Permission[] {
  // A folder that contains one of these would allow too much.
  const closed = [Deno.cwd(), homeFolder() ?? Deno.cwd()];
  const paths = kept.flatMap(({ kind, value }) =>
    isPath(kind) && value !== true ? [value] : []
  );
  const widerOf = ({ kind, value }: Permission): string | undefined => {
    if (value === true) return undefined;
    if (kind === "net" || kind === "import") return hostOf(value);
    if (!isPath(kind)) return undefined;
    const folder = dirname(value);
    // On Windows, each drive has a root.
    const isClosed = dirname(folder) === folder ||
      closed.some((path) => isWithin(folder, path));
    return isClosed ? undefined : folder;
  };
  const widened = (each: Used): Permission => {
    const value = isArbitrary(each) ? widerOf(each) : undefined;
    return value === undefined ? each : widened({ kind: each.kind, value });
  };
  const groupOf = (each: Permission): string | undefined => {
    const wider = widerOf(each);
    const isClosed = wider !== undefined && isPath(each.kind) &&
      // The files of a folder such as "/etc" belong to many programs.
      (dirname(wider) === dirname(dirname(wider)) ||
        paths.some((path) => isWithin(wider, path)));
    return isClosed ? undefined : wider;
  };
  const fixed = unique(permissions.map(widened));
  const groups = Map.groupBy(fixed, (each) => `${each.kind} ${groupOf(each)}`);
  const wider = [...groups.values()].flatMap((all): readonly Permission[] => {
    const [{ kind }] = all as [Permission];
    const value = groupOf(all[0]!);
    return value === undefined || all.length <= LISTED
      ? all
      : [{ kind, value }];
  });
  return wider.length === permissions.length ? wider : grouped(wider, kept);
}

/** A permission to cover; `isNew` if its path did not exist before. */
type Used = Permission & { readonly isNew?: boolean };

/** Whether a value may differ in each run: a new or random name, or a port of the system. */
function isArbitrary({ kind, value, isNew }: Used): boolean {
  if (isNew === true) return true;
  if (value === true) return false;
  if (isPath(kind)) {
    return RANDOM.test(
      isWithin(Deno.cwd(), value)
        ? relative(Deno.cwd(), value)
        : value.slice(dirname(value).length),
    );
  }
  const port = Number(/:(\d+)$/.exec(value)?.[1] ?? 1);
  return kind === "net" && (port === 0 || port >= EPHEMERAL);
}

export function homeFolder(): string | undefined {
  return Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
}

export function temporaryFolder(): string {
  const found = ["TMPDIR", "TEMP", "TMP"].map((name) => Deno.env.get(name));
  return resolve(found.find((value) => value) ?? "/tmp");
}

/** Replaces a temporary file, whose name differs in each run, with its folder. */
export function withoutTemporary(permission: Permission): Permission {
  const folder = temporaryFolder();
  // If the project is in this folder, its files are not temporary.
  const isTemporary = isPath(permission.kind) && permission.value !== true &&
    isWithin(folder, permission.value) && !isWithin(folder, Deno.cwd());
  return isTemporary ? { ...permission, value: folder } : permission;
}

/** Whether a path is in Deno's cache, which no portable set can name. */
export function isCached({ kind, value }: Permission): boolean {
  if (!isPath(kind) || value === true) return false;
  const folder = Deno.env.get("DENO_DIR");
  return (folder ? isWithin(folder, value) : false) ||
    /[\\/](?:\.cache|Caches|Local)[\\/]deno[\\/]/.test(value);
}

/** The names of a folder for temporary files, on Linux, macOS and Windows. */
const TEMPORARY = /^\/tmp$|^(?:\/private)?\/var\/folders\/|\\Temp$/i;
const DNS = /:53$/;

/** The addresses of the DNS servers of this machine, which Deno asks for as hosts. */
function nameServers(): string[] {
  const text = readIfExists("/etc/resolv.conf") ?? "";
  return [...text.matchAll(/^nameserver\s+(\S+)/gm)].map(([, ip]) =>
    `${ip}:53`
  );
}

/**
 * Whether a set has the place of another machine for an access: that machine's folder for
 * temporary files, or its DNS server.
 */
export function hasElsewhere(
  allow: readonly Permission[],
  { kind, value }: Permission,
): boolean {
  const pattern = value === temporaryFolder()
    ? TEMPORARY
    : kind === "net" && nameServers().includes(String(value))
    ? DNS
    : undefined;
  return pattern !== undefined &&
    allow.some((each) =>
      each.kind === kind && pattern.test(String(each.value))
    );
}
