import { dirname } from "@std/path/dirname";
import { isAbsolute } from "@std/path/is-absolute";
import { resolve } from "@std/path/resolve";
import { contains } from "../../common/paths.ts";
import {
  type Permission,
  PERMISSION_KINDS,
  type PermissionKind,
} from "../../exports/permissions.ts";

/** How many paths of one folder are listed; where there are more, the folder is. */
const LISTED = 3;

/** Whether a permission that is given or declared is enough for what is used. */
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
  // A host without a port stands for all of its ports.
  const host = hostOf(used.value);
  return given.value.startsWith("*.")
    ? `.${host}`.endsWith(given.value.slice(1))
    : given.value === host;
}

/** A host and its port, without the port. */
export function hostOf(address: string): string {
  return address.replace(/:\d+$/, "");
}

/** Whether values of a kind are paths. */
export function isPath(kind: PermissionKind): boolean {
  return kind === "read" || kind === "write" || kind === "ffi";
}

/** Whether a path is a folder, or in it. */
export function isWithin(folder: string, path: string): boolean {
  return contains(absolute(folder), absolute(path));
}

/** A path as it is where that is possible: to resolve it takes long. */
function absolute(path: string): string {
  return isAbsolute(path) && !path.includes("..") ? path : resolve(path);
}

/** A text that is the same for the same permission. */
export function keyOf({ kind, value }: Permission): string {
  // The program "true" is not all programs.
  return JSON.stringify([
    kind,
    isPath(kind) && value !== true ? absolute(value) : value,
  ]);
}

/**
 * The smallest list that a person can read: what something else covers is left out, and
 * many files of a folder become the folder.
 *
 * @param used What has to be covered.
 * @param kept What is listed as it is, since a person wrote it.
 */
export function smallest(
  used: readonly Permission[],
  kept: readonly Permission[],
): Permission[] {
  const rest = used.filter((want) => !kept.some((each) => covers(each, want)));
  const all = unique([...kept, ...inFolders(unique(rest), kept)]);
  const left = all.filter((want) =>
    !all.some((each) => each !== want && covers(each, want))
  );
  return PERMISSION_KINDS.flatMap((kind) =>
    left.flatMap((want) => want.kind === kind ? [want.value] : [])
      .sort((a, b) => String(a) < String(b) ? -1 : 1)
      .map((value) => ({ kind, value }))
  );
}

/** Of two ways to write one path, the first is kept. */
function unique(wants: readonly Permission[]): Permission[] {
  const byKey = new Map(wants.toReversed().map((want) => [keyOf(want), want]));
  return [...byKey.values()].reverse();
}

/**
 * Puts the folder in the place of its files, where there are many: but not one that
 * what is kept lies in, such as that of the whole project, which has more than these.
 */
function inFolders(
  wants: readonly Permission[],
  kept: readonly Permission[],
): Permission[] {
  const folderOf = ({ kind, value }: Permission) =>
    isPath(kind) && value !== true ? `${kind} ${dirname(value)}` : "";
  const byFolder = Map.groupBy(wants, folderOf);
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

/** The folder of temporary files. */
export function temporaryFolder(): string {
  const found = ["TMPDIR", "TEMP", "TMP"].map((name) => Deno.env.get(name));
  return resolve(found.find((value) => value) ?? "/tmp");
}

/** Temporary files have other names each time: their folder stands for them. */
export function withoutTemporary(want: Permission): Permission {
  const folder = temporaryFolder();
  // The files of a project in that folder are not temporary.
  const isTemporary = isPath(want.kind) && want.value !== true &&
    isWithin(folder, want.value) && !isWithin(folder, Deno.cwd());
  return isTemporary ? { ...want, value: folder } : want;
}
