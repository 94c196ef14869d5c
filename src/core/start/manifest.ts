import { printable } from "../common/log.ts";
import { checkForm, type Form, recordOf, STRINGS } from "../common/forms.ts";
import { PERMISSIONS as PERMISSIONS_FORM } from "./permissions.ts";
import type { RoutePermissions } from "../types/permissions.ts";
import type { Faults } from "../common/faults.ts";
import type { RouteManifest } from "../types/options.ts";
import { fileKind, suspiciousFolder, suspiciousGuard } from "./file_names.ts";
import type { Discovery, RouteFile, Warning } from "./discover.ts";

/** The manifest member with the other paths of linked files. */
export const LINKS = "links";
/** The manifest member with the declared permissions of files. */
export const PERMISSIONS = "permissions";
/** The members that are not files. Earlier versions of `bough build` wrote `security`. */
const MEMBERS: readonly string[] = [LINKS, PERMISSIONS, "security"];

/** Finds the files that a manifest lists, and reports the faults of the manifest. */
export function discoverListed(
  manifest: RouteManifest,
  faults: Faults,
): Discovery {
  const files: Record<"route" | "middleware", RouteFile[]> = {
    route: [],
    middleware: [],
  };
  const warnings: Warning[] = [];
  const links = recordIn<readonly string[]>(manifest, LINKS, STRINGS, faults);
  const permissions = recordIn<RoutePermissions>(
    manifest,
    PERMISSIONS,
    PERMISSIONS_FORM,
    faults,
  );

  const keys = Object.keys(manifest).sort();
  const guarded = new Set(
    keys.filter((key) => key.includes("middleware"))
      .map((key) => key.split("/"))
      .filter((names) => fileKind(names.at(-1)!) === "middleware")
      .map((names) => names.slice(0, -1).join("/")),
  );
  for (const key of keys) {
    if (MEMBERS.includes(key)) continue;
    const path = printable(key);
    const names = key.split("/");
    const malformed = keyFault(key, names);
    const name = names.pop()!;
    const kind = fileKind(name);
    const guardOff = kind === undefined
      ? suspiciousGuard(name, guarded.has(names.join("/")))
      : undefined;
    if (malformed !== undefined) {
      faults.at(path, "manifest")(malformed);
    } else if (guardOff !== undefined) {
      faults.at(path, "guard-off")(guardOff);
    } else if (kind === undefined) {
      const message =
        "Bough serves only paths of route files, so this entry is skipped";
      warnings.push({ path, rule: "skipped", message });
    } else {
      const otherPaths = links[key];
      const declared = permissions[key];
      const location = otherPaths?.at(-1) ?? key;
      // Read the entry only once, so that later changes to the manifest have no effect.
      const entry = manifest[key]!;
      let file: RouteFile = { path, location, folders: names, entry };
      if (otherPaths !== undefined) file = { ...file, otherPaths };
      if (declared !== undefined) file = { ...file, permissions: declared };
      files[kind].push(file);
    }
  }
  const all = [...files.route, ...files.middleware];
  const isForeign = all.some(({ folders }) =>
    folders.some((name) => suspiciousFolder(name) !== undefined)
  );
  // List the folders of routes only if a name is suspicious, since listing thousands of
  // folders would delay startup.
  const folders = foldersOf(isForeign ? all : files.middleware);
  for (const [path, names] of folders) {
    const message = suspiciousFolder(names.at(-1)!);
    if (message === undefined) continue;
    warnings.push({ path: printable(path), rule: "folder-notation", message });
  }
  return {
    files: files.route,
    middleware: files.middleware,
    folders: [...folders.values()],
    warnings,
  };
}

/** Returns the folders of files by path, parents first. */
function foldersOf(
  files: readonly RouteFile[],
): Map<string, readonly string[]> {
  const byPath = new Map<string, readonly string[]>();
  for (const { folders } of files) {
    for (let depth = 1; depth <= folders.length; depth++) {
      const names = folders.slice(0, depth);
      byPath.set(names.join("/"), names);
    }
  }
  return byPath;
}

/**
 * Describes the fault of a key; `undefined` if the key is valid. For example,
 * `./(staff)/middleware.ts` would guard a folder named `.`, but not the routes in
 * `(staff)`.
 */
function keyFault(key: string, names: readonly string[]): string | undefined {
  return !key.includes("\\") && !names.some((name) => /^\.{0,2}$/.test(name))
    ? undefined
    : 'the path has a backslash, ".", ".." or an empty segment; write a path such as "users/[id]/route.ts"';
}

/** Reads a manifest member that maps paths of files to values. */
function recordIn<Value>(
  manifest: RouteManifest,
  name: string,
  form: Form,
  faults: Faults,
): Readonly<Record<string, Value>> {
  const all = Object.hasOwn(manifest, name) ? manifest[name] : {};
  const expected = 'must map paths of files, as "bough build" writes it';
  const report = faults.at(name, "manifest");
  const isValid = checkForm(recordOf(form, expected), all, name, report);
  return { __proto__: null, ...isValid && all } as never;
}
