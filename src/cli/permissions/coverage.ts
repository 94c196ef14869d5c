import { dirname } from "@std/path/dirname";
import { relative } from "@std/path/relative";
import { resolve } from "@std/path/resolve";
import type { Want } from "../../routes/permission_flags.ts";
import {
  PERMISSION_KINDS,
  type PermissionKind,
} from "../../routes/permissions_export.ts";

/** How many paths of one folder are listed; where there are more, the folder is. */
const LISTED = 3;

/** Whether a permission that is given or declared is enough for what is used. */
export function covers(given: Want, used: Want): boolean {
  if (given.kind !== used.kind) return false;
  if (given.value === true) return true;
  if (used.value === true) return false;
  if (isPath(given.kind)) return isWithin(given.value, used.value);
  if (given.kind === "env" && given.value.endsWith("*")) {
    return used.value.startsWith(given.value.slice(0, -1));
  }
  if (given.kind === "net" || given.kind === "import") {
    return coversHost(given.value, used.value);
  }
  return given.value === used.value;
}

/** Whether values of a kind are paths. */
export function isPath(kind: PermissionKind): boolean {
  return kind === "read" || kind === "write" || kind === "ffi";
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return way === "" || (!/^\.\.(?:[\\/]|$)/.test(way) && way !== resolve(path));
}

/** A host without a port stands for all of its ports. */
function coversHost(given: string, used: string): boolean {
  if (given === used) return true;
  const host = used.replace(/:\d+$/, "");
  if (given.startsWith("*.")) return host.endsWith(given.slice(1));
  return given === host;
}

/**
 * The smallest list that a person can read: what something else covers is left out, and
 * many files of a folder become the folder. Temporary files have other names each time,
 * so the folder of all of them stands for them.
 *
 * @param used What has to be covered.
 * @param kept What is listed as it is, since a person wrote it.
 */
export function smallest(
  used: readonly Want[],
  kept: readonly Want[],
): Want[] {
  const rest = used.filter((want) => !kept.some((each) => covers(each, want)));
  const folded = rest.map((want) =>
    isPath(want.kind) && want.value !== true
      ? { ...want, value: withoutTemporary(want.value) }
      : want
  );
  const all = withoutCovered([
    ...kept,
    ...inFolders(withoutCovered(folded), kept),
  ]);
  return PERMISSION_KINDS.flatMap((kind) =>
    all.filter((want) => want.kind === kind)
      .sort((a, b) => String(a.value) < String(b.value) ? -1 : 1)
  );
}

function withoutTemporary(path: string): string {
  const folder = ["TMPDIR", "TEMP", "TMP"].map((name) => Deno.env.get(name))
    .find((found) => found !== undefined && found !== "") ?? "/tmp";
  // Of a project that lies there itself, the files are no temporary ones.
  const isTemporary = isWithin(folder, path) &&
    !isWithin(folder, Deno.cwd());
  return isTemporary ? resolve(folder) : path;
}

/**
 * Puts the folder in the place of its files, where there are many: but not one that
 * what is kept lies in, such as that of the whole project, which has more than these.
 */
function inFolders(
  wants: readonly Want[],
  kept: readonly Want[],
): Want[] {
  const listed = kept.flatMap(({ kind, value }) =>
    isPath(kind) && value !== true ? [value] : []
  );
  const byFolder = new Map<string, Want[]>();
  for (const want of wants) {
    const folder = isPath(want.kind) && want.value !== true
      ? dirname(want.value)
      : "";
    const key = `${want.kind} ${folder}`;
    byFolder.set(key, [...byFolder.get(key) ?? [], want]);
  }
  return [...byFolder].flatMap(([key, all]) => {
    const { kind } = all[0]!;
    const folder = key.slice(kind.length + 1);
    const isListed = folder === "" || all.length <= LISTED ||
      [Deno.cwd(), ...listed].some((path) => isWithin(folder, path));
    return isListed ? all : [{ kind, value: folder }];
  });
}

/** Leaves out what others cover. Of two ways to write one path, the first is kept. */
function withoutCovered(wants: readonly Want[]): Want[] {
  const unique = new Map<string, Want>();
  for (const want of wants) {
    const key = keyOf(want);
    if (!unique.has(key)) unique.set(key, want);
  }
  const patterns = [...unique.values()].filter(({ value }) =>
    value !== true && value.includes("*")
  );
  return [...unique.values()].filter((want) =>
    !broader(want).some((each) => unique.has(keyOf(each))) &&
    !patterns.some((each) => each !== want && covers(each, want))
  );
}

function keyOf({ kind, value }: Want): string {
  // The program "true" is not all programs.
  return JSON.stringify([
    kind,
    isPath(kind) && value !== true ? resolve(value) : value,
  ]);
}

/** What covers a permission, patterns aside: all, its folders, its host. */
function broader({ kind, value }: Want): Want[] {
  if (value === true) return [];
  const values: (string | true)[] = [true];
  if (isPath(kind)) {
    let path = resolve(value);
    while (dirname(path) !== path) values.push(path = dirname(path));
  } else if (kind === "net" || kind === "import") {
    const host = value.replace(/:\d+$/, "");
    if (host !== value) values.push(host);
  }
  return values.map((value) => ({ kind, value }));
}
