import { walkSync } from "@std/fs/walk";
import { join } from "@std/path/join";
import { printable } from "../common/printable.ts";
import { placesOf, resolveLink, type Root } from "./links.ts";
import type { LabelledFolder } from "./paths.ts";
import type { Faults } from "./route_error.ts";
import { fileKind, folderMiss, guardMiss, routeMiss } from "./near_misses.ts";

/** A file below `apiDir` that serves requests, or runs around those that do. */
export interface RouteFile {
  /**
   * Where it is, for messages: as `apiDir` spells it, with slashes, and without
   * control characters: `api/users/route.ts`.
   */
  readonly path: string;
  /** Its absolute path on disk; of a link, that of the file it leads to. */
  readonly location: string;
  /** The folders it stands in, from `apiDir` down: `["users", "[id]"]`. */
  readonly folders: readonly string[];
  /**
   * The paths below `apiDir` that a link to it leads through, the real one last:
   * `["(staff)/users/route.ts"]`. Their middleware runs around it, too.
   */
  readonly otherPaths?: readonly string[];
}

/** The path of a file below `apiDir`: `users/[id]/route.ts`. */
export function pathBelow({ path, folders }: RouteFile): string {
  return [...folders, path.slice(path.lastIndexOf("/") + 1)].join("/");
}

/** What is unwise, and about which file or folder. */
export interface Warning {
  /** The file or folder concerned. */
  readonly path: string;
  /** What is unwise, and what to do. */
  readonly message: string;
}

/** What a walk through `apiDir` found. */
export interface Discovery {
  /** The route files, in path order. */
  readonly files: readonly RouteFile[];
  /** The middleware files, in path order. */
  readonly middleware: readonly RouteFile[];
  /** Every folder that was entered, as its folder names below `apiDir`. */
  readonly folders: readonly (readonly string[])[];
  /** What was passed over, and what may not be what it was meant to be. */
  readonly warnings: readonly Warning[];
}

/** A file or folder on the walk. */
interface Place {
  /** Its names below `apiDir`, as the walk came to it. */
  readonly names: readonly string[];
  /** Its real names below `apiDir`. */
  readonly real: readonly string[];
  /** Its names by the other ways that links led through, the real one last. */
  readonly others: readonly (readonly string[])[];
  /** The real folders of the links that led here, so that a link back ends. */
  readonly links: readonly (readonly string[])[];
}

/** What is at a place. */
type Found = Place & Pick<Deno.DirEntry, "isFile" | "isDirectory">;

const TOP: Place = { names: [], real: [], others: [], links: [] };

/**
 * Walks `apiDir` and finds its route files, `route.ts`, `.tsx`, `.js` or `.jsx`,
 * and those of its middleware, `middleware.ts` and so on. Other files and whatever
 * is no regular file are passed over, and `node_modules` is never entered.
 *
 * Symbolic links are followed where they lead to a place inside `apiDir`, so
 * that nothing outside is ever imported as a route; `apiDir` may itself be one. A
 * route may be passed over; a guard that would be is a fault.
 *
 * It waits for the disk, since nothing else is to be done at the start: going
 * through thousands of folders takes several times longer with promises.
 *
 * @param faults Takes what cannot be read, and guards that are or may be off.
 * @throws {Deno.errors.NotFound} If there is no such folder.
 * @throws {Deno.errors.NotADirectory} If it is no folder.
 * @throws {Deno.errors.NotCapable} If reading it is not permitted.
 */
export function discover(
  { root, label }: LabelledFolder,
  faults: Faults,
): Discovery {
  if (!Deno.statSync(root).isDirectory) {
    throw new Deno.errors.NotADirectory(`"${label}" is no folder`);
  }
  const base: Root = { root, label, realRoot: Deno.realPathSync(root) };
  const files: RouteFile[] = [];
  const middleware: RouteFile[] = [];
  const folders: (readonly string[])[] = [];
  const warnings: Warning[] = [];

  const pathOf = ({ names }: Place) => printable([label, ...names].join("/"));
  const fail = (place: Place, reason: string | undefined) => {
    if (reason !== undefined) faults.at(pathOf(place))(reason);
  };
  const warn = (place: Place, message: string | undefined) => {
    if (message !== undefined) warnings.push({ path: pathOf(place), message });
  };

  function enter(folder: Place): void {
    const name = folder.names.at(-1);
    if (name !== undefined) {
      folders.push(folder.names);
      warn(folder, folderMiss(name));
    }
    const entries = read(folder, name);
    const names = entries.filter((entry) => !entry.isDirectory)
      .map((entry) => entry.name);
    for (const entry of entries) {
      if (entry.name === "node_modules") continue;
      const place = below(folder, entry.name);
      fail(place, guardMiss(entry.name));
      if (!entry.isDirectory) warn(place, routeMiss(entry.name, names));
      look(place, entry);
    }
  }

  function read(folder: Place, name: string | undefined): Deno.DirEntry[] {
    try {
      return entriesOf(join(root, ...folder.real));
    } catch (error) {
      if (name === undefined) throw error;
      fail(folder, unreadable(name, error));
      return [];
    }
  }

  function look(place: Place, entry: Deno.DirEntry): void {
    const { isSymlink, isFile, isDirectory } = entry;
    const found = isSymlink ? follow(place) : { ...place, isFile, isDirectory };
    const kind = fileKind(entry.name);
    if (typeof found === "string") {
      if (kind === "middleware") fail(place, offGuard(`is a link ${found}`));
      else warn(place, `it is skipped, since it is a link ${found}`);
      return;
    }
    if (found.isDirectory) enter(found);
    if (found.isFile && kind === "route") files.push(fileAt(found));
    if (kind !== "middleware") return;
    if (found.isFile) middleware.push(fileAt(found));
    else fail(place, offGuard("is no regular file"));
  }

  /** Finds what a link leads to, or why it is not followed. */
  function follow(link: Place): Found | string {
    const target = resolveLink(link.real, base);
    if (typeof target === "string") return target;
    const links = [...link.links, link.real.slice(0, -1)];
    const isAbove = links.some((folder) =>
      target.real.every((name, index) => name === folder[index])
    );
    if (target.isDirectory && isAbove) return "to a folder above it";
    const others = [...link.others, ...placesOf(link.real, target.real, base)];
    return { ...link, ...target, links, others };
  }

  function fileAt(place: Place): RouteFile {
    const { names, real, others } = place;
    return {
      path: pathOf(place),
      location: join(root, ...real),
      folders: names.slice(0, -1),
      ...(others.length > 0 &&
        { otherPaths: others.map((names) => names.join("/")) }),
    };
  }

  enter(TOP);
  for (const found of [files, middleware]) {
    found.sort((a, b) => compare(a.path, b.path));
  }
  return { files, middleware, folders, warnings };
}

/** What is in a folder itself, by name. */
function entriesOf(folder: string): Deno.DirEntry[] {
  return listed(folder).sort((a, b) => compare(a.name, b.name));
}

function listed(folder: string): Deno.DirEntry[] {
  try {
    const options = { maxDepth: 1, includeSymlinks: true };
    return [...walkSync(folder, options)].slice(1);
  } catch {
    // A walk fails as a whole where one subfolder cannot be looked at. That one is
    // told by its name when it is entered, and the others are served.
    return [...Deno.readDirSync(folder)];
  }
}

function below({ names, real, others, links }: Place, name: string): Place {
  return {
    names: [...names, name],
    real: [...real, name],
    others: others.map((each) => [...each, name]),
    links,
  };
}

function offGuard(what: string): string {
  return `it ${what}, and would guard nothing; put a file in its place, which may import what it shares, or remove it`;
}

function unreadable(name: string, error: unknown): string {
  // Deno reads such a name with U+FFFD in it, and then there is no such folder.
  return name.includes("\ufffd") && error instanceof Deno.errors.NotFound
    ? 'its name is not valid UTF-8 where it has "\ufffd"; rename the folder'
    : `reading it failed: ${error instanceof Error ? error.message : error}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
