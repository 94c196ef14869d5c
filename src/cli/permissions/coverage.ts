import { dirname } from "@std/path/dirname";
import { isAbsolute } from "@std/path/is-absolute";
import { resolve } from "@std/path/resolve";
import { contains } from "../../core/common/paths.ts";
import {
  type Permission,
  PERMISSION_KINDS,
  type PermissionKind,
} from "../../core/exports/permissions.ts";

/** The maximum number of files in one folder to list instead of the folder. */
const LISTED = 3;

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

/** The host of an address, without its port. */
export function hostOf(address: string): string {
  return address.replace(/:\d+$/, "");
}

export function isPath(kind: PermissionKind): boolean {
  return kind === "read" || kind === "write" || kind === "ffi";
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

/**
 * The smallest readable list of permissions. The list omits covered permissions, and
 * names a folder instead of many files.
 *
 * @param used The permissions to cover.
 * @param kept The permissions that stay unchanged, because a person wrote them.
 */
export function smallest(
  used: readonly Permission[],
  kept: readonly Permission[],
): Permission[] {
  const rest = used.filter((use) => !kept.some((each) => covers(each, use)));
  const all = unique([...kept, ...inFolders(unique(rest), kept)]);
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
 * Replaces many files with their folder, unless the folder contains the working
 * directory or a kept path.
 */
function inFolders(
  permissions: readonly Permission[],
  kept: readonly Permission[],
): Permission[] {
  const folderOf = ({ kind, value }: Permission) =>
    isPath(kind) && value !== true ? `${kind} ${dirname(value)}` : "";
  const byFolder = Map.groupBy(permissions, folderOf);
  const listed = kept.flatMap(({ kind, value }) =>
    isPath(kind) && value !== true ? [value] : []
  );
  return [...byFolder].flatMap(([key, all]) => {
    if (key === "" || all.length <= LISTED) return all;
    const { kind } = all[0]!;
    const folder = key.slice(kind.length + 1);
    return [Deno.cwd(), ...listed].some((path) => isWithin(folder, path))
      ? all
      : [{ kind, value: folder }];
  });
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
