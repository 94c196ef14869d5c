import { printable } from "../common/printable.ts";
import {
  type Discovery,
  pathBelow,
  type RouteFile,
  type Warning,
} from "./route_file.ts";
import { isObject } from "./kind.ts";
import { type LoadedFile, type ModuleExports, settled } from "./load.ts";
import { fileKind, folderMiss, guardMiss } from "./near_misses.ts";
import { isPermissions, type RoutePermissions } from "./permissions_export.ts";
import type { Faults, Report } from "./route_error.ts";
import type { RouteSource } from "./source.ts";

/**
 * The files of an application by their paths below `apiDir`, such as
 * `"users/[id]/route.ts"`: the exports of each, or a function that imports it. The
 * command `bough build` writes one. If links lead to files, its member `links` has
 * the other paths of each, the real one last; the middleware on them runs, too. Its
 * member `permissions` has what files declare, by path, for those imported later.
 *
 * @example By hand
 * ```ts
 * import { Framework, type RouteManifest } from "@bough/framework";
 * import { assertEquals } from "@std/assert";
 *
 * const manifest: RouteManifest = {
 *   "users/[id]/route.ts": { GET: () => new Response("a user") },
 * };
 * const app = new Framework({ manifest });
 * const response = await app.fetch(new Request("http://localhost/api/users/7"));
 * assertEquals(await response.text(), "a user");
 * ```
 */
export interface RouteManifest {
  /** The exports of the file at this path, or a function that imports it. */
  readonly [path: string]: object | (() => Promise<object>);
}

/** The member of a manifest that has the other paths of files. */
export const LINKS = "links";
/** The member of a manifest that has the permissions that files declare. */
export const PERMISSIONS = "permissions";

/** The files that a manifest lists; no folder is read. */
export function manifestSource(manifest: RouteManifest): RouteSource {
  // Weak, since each `app.inspect()` lists the files anew.
  const entries = new WeakMap<RouteFile, RouteManifest[string]>();
  const entryOf = (file: RouteFile) => entries.get(file)!;
  const isLazy = (file: RouteFile) => typeof entryOf(file) === "function";
  const load = async (file: RouteFile): Promise<ModuleExports> => {
    const entry = entryOf(file);
    return (typeof entry === "function" ? await entry() : entry) as never;
  };
  const loadNow = (file: RouteFile): LoadedFile | Promise<LoadedFile> =>
    isLazy(file)
      ? settled(file, load(file))
      : { file, exports: entryOf(file) as never };
  return {
    label: "the manifest",
    discover(faults) {
      const discovery = listed(manifest, faults);
      for (const file of [...discovery.files, ...discovery.middleware]) {
        entries.set(file, manifest[pathBelow(file)]!);
      }
      return discovery;
    },
    isLazy,
    loadAll: async (files) => await Promise.all(files.map(loadNow)),
    load,
  };
}

function listed(manifest: RouteManifest, faults: Faults): Discovery {
  const files: Record<"route" | "middleware", RouteFile[]> = {
    route: [],
    middleware: [],
  };
  const folders = new Map<string, readonly string[]>();
  const warnings: Warning[] = [];
  const links = linksOf(manifest, faults.at(LINKS, "manifest"));
  const permissions = permissionsOf(manifest, faults);

  const keys = Object.keys(manifest).sort();
  const guarded = new Set(
    keys.filter((key) => key.includes("middleware"))
      .map((key) => key.split("/"))
      .filter((names) => fileKind(names.at(-1)!) === "middleware")
      .map((names) => names.slice(0, -1).join("/")),
  );
  for (const key of keys) {
    if (key === LINKS || key === PERMISSIONS) continue;
    const path = printable(key);
    const names = key.split("/");
    const name = names.pop()!;
    const malformed = keyFault(key);
    const guardOff = guardMiss(name, guarded.has(names.join("/")));
    const kind = fileKind(name);
    if (malformed !== undefined) {
      faults.at(path, "manifest")(malformed);
    } else if (guardOff !== undefined) {
      faults.at(path, "guard-off")(guardOff);
    } else if (kind === undefined) {
      const message = "it is skipped, since it is no path of a route file";
      warnings.push({ path, rule: "skipped", message });
    } else {
      const otherPaths = links[key];
      files[kind].push({
        path,
        location: otherPaths?.at(-1) ?? key,
        folders: names,
        ...(otherPaths !== undefined && { otherPaths }),
        ...(permissions[key] && { permissions: permissions[key] }),
      });
      addFolders(folders, names);
    }
  }
  for (const [path, names] of folders) {
    const message = folderMiss(names.at(-1)!);
    if (message !== undefined) {
      warnings.push({
        path: printable(path),
        rule: "folder-notation",
        message,
      });
    }
  }
  return {
    files: files.route,
    middleware: files.middleware,
    folders: [...folders.values()],
    warnings,
  };
}

/** Adds a folder by its path, after those above it. */
function addFolders(
  folders: Map<string, readonly string[]>,
  names: readonly string[],
): void {
  const pathOf = (depth: number) => names.slice(0, depth).join("/");
  let known = names.length;
  while (known > 0 && !folders.has(pathOf(known))) known--;
  for (let depth = known + 1; depth <= names.length; depth++) {
    folders.set(pathOf(depth), names.slice(0, depth));
  }
}

/**
 * Says what is wrong with a key. `./(staff)/middleware.ts` would guard a folder named
 * `.`, and none of the routes in `(staff)`.
 */
function keyFault(key: string): string | undefined {
  const isPath = !key.includes("\\") &&
    key.split("/").every((name) => !["", ".", ".."].includes(name));
  return isPath
    ? undefined
    : 'it is no path below apiDir; write it as "users/[id]/route.ts": with slashes, and without ".", ".." or empty segments';
}

function linksOf(
  manifest: RouteManifest,
  report: Report,
): Readonly<Record<string, readonly string[]>> {
  const links: unknown = Object.hasOwn(manifest, LINKS) ? manifest[LINKS] : {};
  const isSound = isObject(links) &&
    Object.values(links).every((paths) =>
      Array.isArray(paths) && paths.every((path) => typeof path === "string")
    );
  if (isSound) return { __proto__: null, ...links } as never;
  report(
    "it must be as bough build writes it: lists of paths, by the path of a file",
  );
  return {};
}

function permissionsOf(
  manifest: RouteManifest,
  faults: Faults,
): Readonly<Record<string, RoutePermissions>> {
  const all: unknown = Object.hasOwn(manifest, PERMISSIONS)
    ? manifest[PERMISSIONS]
    : {};
  if (isObject(all) && Object.values(all).every(isPermissions)) {
    return { __proto__: null, ...all } as never;
  }
  faults.at(PERMISSIONS, "manifest")(
    "it must be as bough build writes it: permissions, by the path of a file",
  );
  return {};
}
