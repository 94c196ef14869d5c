import type { WalkEntry } from "@std/fs/walk";
import { isNear } from "../common/forms.ts";
import { printable } from "../common/log.ts";
import { groupBy, messageOf } from "../common/values.ts";
import { type LabelledFolder, namesBelow } from "../common/paths.ts";
import type { RoutePermissions } from "../types/permissions.ts";
import type { Faults } from "../common/faults.ts";

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
export async function discover(
  { root, label }: LabelledFolder,
  faults: Faults,
): Promise<Discovery> {
  const found = { route: [] as RouteFile[], middleware: [] as RouteFile[] };
  const warnings: Warning[] = [];
  const byFolder = await entriesByFolder({ root, label }, faults);
  for (const [folder, entries] of byFolder) {
    const folders = namesBelow(root, folder);
    const place = [label, ...folders].join("/");
    const fileNames = entries.filter(({ isDirectory }) => !isDirectory)
      .map(({ name }) => name);
    for (const entry of entries) {
      const { name, path: location, isFile, isDirectory, isSymlink } = entry;
      const path = printable(`${place}/${name}`);
      const kind = fileKind(name);
      if (kind !== undefined && isFile) {
        found[kind].push({ path, location, folders });
      } else if (kind !== undefined || isSymlink && !leadsToFile(entry)) {
        faults.at(path, "link")(isSymlink ? LINK : NOT_A_FILE);
      }
      if (isDirectory || kind !== undefined) continue;
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
async function entriesByFolder(
  { root, label }: LabelledFolder,
  faults: Faults,
): Promise<ReadonlyMap<string, readonly WalkEntry[]>> {
  // Fails if the folder itself is missing or unreadable.
  Deno.readDirSync(root);
  // Imported on demand, since a manifest needs no walk: `@std/fs` reads `process`, and
  // Deno then loads its modules for Node, which takes 0.17 of a start by hand (see
  // `tests/instruments/bench/ablation/start.md`).
  const { walkSync } = await import("@std/fs/walk");
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
  return groupBy(entries, ({ path, name }) => path.slice(0, -name.length));
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

/** The names of route files and middleware files. */
const FILE_NAME = /^(?:route|middleware)\.(?:ts|tsx|js|jsx)$/;

/**
 * The name of a code file or of a file without an extension: `_middleware.mts`. Includes
 * invisible characters at the end, and excludes `middleware.test.ts` and the files of
 * editors (`.#middleware.ts`, `middleware.ts~`).
 */
const CODE_FILE = /^([^.#]+)(?:\.[cm]?[jt]sx?)*[^\w~#]*$/i;
/** The notation of other frameworks for `[id]` and `[...]`. */
const FOREIGN_FOLDER = /^[:$]|^\{.+\}$|^<.+>$|^\*+$/;

const EXTENSIONS = '".ts", ".tsx", ".js" or ".jsx"';

/** Returns the kind of a file by its name; `undefined` for other files. */
export function fileKind(name: string): "route" | "middleware" | undefined {
  if (!FILE_NAME.test(name)) return undefined;
  return name.startsWith("route") ? "route" : "middleware";
}

/**
 * Reports a file name that resembles the name of a middleware file, such as
 * `middlewares.ts`, `_middleware.ts`, `Middleware.ts`, `middleware.mts` or
 * `middleware`. Such a file would not run.
 *
 * @returns The message; `undefined` for other names.
 */
export function suspiciousGuard(name: string): string | undefined {
  if (fileKind(name) !== undefined) return undefined;
  const letters = lettersOf(name)?.replace(/s$/, "");
  if (letters === undefined || !isNear(letters, "middleware")) return undefined;
  return `the name resembles "middleware", but the file would not run; name it "middleware" with ${EXTENSIONS}, or something dissimilar`;
}

/**
 * Reports a file name that resembles the name of a route file: `routes.ts`, `Route.ts`,
 * or `index.ts` alone in its folder. Bough would not serve the file.
 *
 * @param files The names of all files in its folder.
 * @returns The message; `undefined` for other names.
 */
export function suspiciousRoute(
  name: string,
  files: readonly string[],
): string | undefined {
  const letters = lettersOf(name);
  if (!/^(?:routes?|index)$/.test(letters ?? "")) return undefined;
  const kinds = files.map(fileKind);
  if (kinds.includes("route")) return undefined;
  // Next to other files, `index.ts` may export those files to other folders.
  const isAlone = files.every((file, index) =>
    file === name || kinds[index] === "middleware" || !CODE_FILE.test(file)
  );
  if (letters === "index" && !isAlone) return undefined;
  return `this is not a route file; to make it a route file, name it "route" with ${EXTENSIONS}`;
}

/**
 * Reports a folder name in the notation of another framework: `:id`, `$id`, `{id}`,
 * `<id>`, `*`.
 *
 * @returns The message; `undefined` for other names.
 */
export function suspiciousFolder(name: string): string | undefined {
  if (!FOREIGN_FOLDER.test(name)) return undefined;
  // Unicode property escapes compile slowly, so this check applies one only to names
  // that begin with `:` or `$`.
  if (/^[:$]/.test(name) && !/^.\p{ID_Start}/u.test(name)) return undefined;
  return 'this folder is a static segment; rename it to "[name]" for a parameter, or "[...]" for a wildcard';
}

/** Returns the letters in the name of a code file, before its extensions. */
function lettersOf(name: string): string | undefined {
  return CODE_FILE.exec(name)?.[1]?.toLowerCase().replaceAll(/[^a-z]/g, "");
}
