import { type WalkEntry, walkSync } from "@std/fs/walk";
import { printable } from "../common/log.ts";
import { groupBy, messageOf } from "../common/values.ts";
import { type LabelledFolder, namesBelow } from "../common/paths.ts";
import type { RoutePermissions } from "../types/permissions.ts";
import type { Faults } from "../common/faults.ts";
import { fileKind, suspiciousGuard, suspiciousRoute } from "./file_names.ts";

/** A route file or a middleware file below `apiDir`. */
export interface RouteFile {
  /**
   * The path in messages: `api/users/route.ts`. The path includes `apiDir`, uses
   * slashes, and contains control characters only in escaped form.
   */
  readonly path: string;
  /** The absolute path on disk; in a manifest, the key of the file. */
  readonly location: string;
  /** The folders, from `apiDir` down: `["users", "[id]"]`. */
  readonly folders: readonly string[];
  /**
   * The permissions of the file, if they are known from a manifest before the import.
   */
  readonly permissions?: RoutePermissions;
  /** The manifest entry: the exports of the file, or a function that imports it. */
  readonly entry?: object | (() => Promise<object>);
}

/** Returns the path of a file below `apiDir`: `users/[id]/route.ts`. */
export function pathBelow({ path, folders }: RouteFile): string {
  return [...folders, path.slice(path.lastIndexOf("/") + 1)].join("/");
}

/** A warning about one file or folder. */
export interface Warning {
  /** The file or folder. */
  readonly path: string;
  /** The problem and its remedy. */
  readonly message: string;
  /** The name of the rule in `bough check`. */
  readonly rule: string;
}

/** The result of a walk through `apiDir`. */
export interface Discovery {
  /** The route files, in path order. */
  readonly files: readonly RouteFile[];
  /** The middleware files, in path order. */
  readonly middleware: readonly RouteFile[];
  /** Warnings about skipped files and suspicious names. */
  readonly warnings: readonly Warning[];
}

/**
 * Walks `apiDir` and finds its route files (`route.ts`, `.tsx`, `.js` or `.jsx`) and
 * its middleware files (`middleware.ts` and so on). The walk ignores other files, and
 * skips `node_modules`. It follows no symbolic link, but `apiDir` may itself be a link.
 *
 * The walk is synchronous, since promises would take several times as long for
 * thousands of folders. A synchronous walk delays no other work, because nothing else
 * happens at startup.
 *
 * @param faults Receives links, and middleware files that would not run.
 * @throws {Error} If `apiDir` is not a readable folder.
 */
export function discover(
  { root, label }: LabelledFolder,
  faults: Faults,
): Discovery {
  const found = { route: [] as RouteFile[], middleware: [] as RouteFile[] };
  const warnings: Warning[] = [];
  for (const entries of entriesByFolder({ root, label }, faults)) {
    const fileNames = entries.filter(({ isDirectory }) => !isDirectory)
      .map(({ name }) => name);
    for (const entry of entries) {
      const { name, path: location, isFile, isDirectory, isSymlink } = entry;
      const names = namesBelow(root, location);
      const path = printable([label, ...names].join("/"));
      const kind = fileKind(name);
      if (kind !== undefined && isFile) {
        const folders = names.slice(0, -1);
        found[kind].push({ path, location, folders });
      } else if (kind !== undefined || isSymlink && !leadsToFile(entry)) {
        faults.at(path, "link")(isSymlink ? LINK : NOT_A_FILE);
      }
      if (isDirectory) continue;
      const guardOff = suspiciousGuard(name);
      if (guardOff !== undefined) faults.at(path, "guard-off")(guardOff);
      const message = suspiciousRoute(name, fileNames);
      if (message !== undefined) {
        warnings.push({ path, rule: "route-name", message });
      }
    }
  }
  return {
    files: found.route.sort(byPath),
    middleware: found.middleware.sort(byPath),
    warnings: warnings.sort(byPath),
  };
}

/** Reads the entries of all folders in one walk, which skips `node_modules`. */
function entriesByFolder(
  { root, label }: LabelledFolder,
  faults: Faults,
): Iterable<readonly WalkEntry[]> {
  // Fails if the folder itself is missing or unreadable.
  Deno.readDirSync(root);
  const entries: WalkEntry[] = [];
  try {
    for (const entry of walkSync(root, { skip: [/[/\\]node_modules$/] })) {
      if (entry.path !== root) entries.push(entry);
    }
  } catch (error) {
    // The message of Deno names the folder below `apiDir`.
    faults.at(label, "unreadable")(
      `reading a folder failed: ${
        messageOf(error)
      }; allow the program to read it, or rename it if its name is not valid UTF-8`,
    );
  }
  const folderOf = ({ path, name }: WalkEntry) => path.slice(0, -name.length);
  return groupBy(entries, folderOf).values();
}

/** Whether a link leads to a file. The lock of an editor counts as one. */
function leadsToFile({ name, path }: WalkEntry): boolean {
  // While a file has unsaved changes, Emacs keeps a broken link `.#route.ts`.
  if (name.startsWith(".#")) return true;
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false; // a broken link, or a circle of links
  }
}

const LINK =
  "this is a link, whose folders do not show the guards of its target; use a regular file, which may import shared code, or a folder. If a tool made the link, as for a Kubernetes ConfigMap or in Bazel, copy all files before startup, or use a manifest";

const NOT_A_FILE =
  "only a regular file runs, so this would not run; rename or remove it";

function byPath(
  a: { readonly path: string },
  b: { readonly path: string },
): number {
  return a.path < b.path ? -1 : 1;
}
