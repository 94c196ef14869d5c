import { type WalkEntry, walkSync } from "@std/fs/walk";
import { dirname } from "@std/path/dirname";
import { contains, namedBelow, namesBelow } from "./paths.ts";

/** A file below `apiDir` that serves requests, or runs around those that do. */
export interface RouteFile {
  /** Where it is, as `apiDir` spells it, with slashes: `api/users/route.ts`. */
  readonly path: string;
  /** Its absolute path on disk. */
  readonly location: string;
  /** The folders it stands in, from `apiDir` down: `["users", "[id]"]`. */
  readonly folders: readonly string[];
}

/** The path of a file below `apiDir`: `users/[id]/route.ts`. */
export function pathBelow({ path, folders }: RouteFile): string {
  return [...folders, path.slice(path.lastIndexOf("/") + 1)].join("/");
}

/** What a walk through `apiDir` found. */
export interface Discovery {
  /** The route files, in path order. */
  readonly files: readonly RouteFile[];
  /** The middleware files, in path order. */
  readonly middleware: readonly RouteFile[];
  /** Every folder that was entered, as its folder names below `apiDir`. */
  readonly folders: readonly (readonly string[])[];
  /** What was passed over, and why. */
  readonly warnings: readonly string[];
}

/** The names of files that count, and what they are. */
export const FILE_NAME = /^(route|middleware)\.(?:ts|tsx|js|jsx)$/;

/**
 * Walks `apiDir` and finds its route files, `route.ts`, `.tsx`, `.js` or `.jsx`,
 * and those of its middleware, `middleware.ts` and so on. Other files and whatever
 * is no regular file are passed over, and `node_modules` is never entered.
 *
 * Symbolic links are followed where they lead to a place inside `apiDir`, so
 * that nothing outside is ever imported as a route; `apiDir` may itself be one.
 *
 * It waits for the disk, since nothing else is to be done at the start: going
 * through thousands of folders takes several times longer with promises.
 *
 * @param root The absolute path of `apiDir`.
 * @param label How faults and warnings spell it.
 * @throws {Deno.errors.NotFound} If there is no such folder.
 * @throws {Deno.errors.NotADirectory} If it is no folder.
 * @throws {Deno.errors.NotCapable} If reading it is not permitted.
 */
export function discover(root: string, label: string): Discovery {
  if (!Deno.statSync(root).isDirectory) {
    throw new Deno.errors.NotADirectory(`"${label}" is no folder`);
  }
  const realRoot = Deno.realPathSync(root);
  const files: RouteFile[] = [];
  const middleware: RouteFile[] = [];
  const folders: string[][] = [];
  const warnings: string[] = [];

  /**
   * Takes in the folder at `top`. `realFolders` are the real paths of the
   * links that led here, outermost first, so that a link back ends there.
   */
  function enter(top: string, realFolders: string[]): void {
    for (const entry of entries(top)) {
      if (entry.isSymlink) follow(entry, realFolders);
      else take(entry);
    }
  }

  /** Notes a folder or a route file; whatever else it is stays out. */
  function take({ path, name, isDirectory, isFile }: WalkEntry): void {
    const names = namesBelow(root, path);
    if (isDirectory) {
      if (names.length > 0) folders.push(names);
      return;
    }
    const kind = isFile ? FILE_NAME.exec(name)?.[1] : undefined;
    if (kind === undefined) return;
    (kind === "route" ? files : middleware).push({
      path: [label, ...names].join("/"),
      location: path,
      folders: names.slice(0, -1),
    });
  }

  function follow(link: WalkEntry, realFolders: string[]): void {
    const target = resolveLink(link);
    const here = Deno.realPathSync(dirname(link.path));
    const skip = (why: string) => {
      const path = [label, ...namesBelow(root, link.path)].join("/");
      warnings.push(`Skipped "${path}": it is a link ${why}`);
    };
    if (target === undefined) {
      skip("that leads nowhere");
    } else if (!contains(realRoot, target.path)) {
      skip(`that leaves "${label}"`);
    } else if (!target.isDirectory) {
      take({ ...target, path: link.path });
    } else if (
      [...realFolders, here].some((folder) => contains(target.path, folder))
    ) {
      skip("to a folder above it");
    } else {
      enter(link.path, [...realFolders, here]);
    }
  }

  enter(root, []);
  for (const found of [files, middleware]) {
    found.sort((a, b) => compare(a.path, b.path));
  }
  return { files, middleware, folders, warnings };
}

/** Everything from `top` down, links not followed, `node_modules` left out. */
function entries(top: string): IterableIterator<WalkEntry> {
  // Anchored at `top`, since `apiDir` may itself lie below a `node_modules`.
  const modules = namedBelow(top, "node_modules");
  return walkSync(top, { skip: [modules], includeSymlinks: true });
}

/** What a link leads to, under the link's own name. */
function resolveLink(link: WalkEntry): WalkEntry | undefined {
  try {
    const path = Deno.realPathSync(link.path);
    const { isFile, isDirectory } = Deno.statSync(path);
    return { ...link, path, isFile, isDirectory, isSymlink: false };
  } catch (error) {
    // A link that is broken, or one of a ring of links, must not stop the start.
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof Deno.errors.FilesystemLoop) return undefined;
    throw error;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
