import { walkSync } from "@std/fs/walk";
import { printable } from "../common/log.ts";
import { messageOf } from "../common/values.ts";
import {
  contains,
  type LabelledFolder,
  namesBelow,
  NATIVE,
  pathTo,
} from "../common/paths.ts";
import type { RoutePermissions } from "../types/permissions.ts";
import type { Faults } from "../common/faults.ts";
import {
  fileKind,
  suspiciousFolder,
  suspiciousGuard,
  suspiciousRoute,
} from "./file_names.ts";

/** A route file or a middleware file below `apiDir`. */
export interface RouteFile {
  /**
   * The path in messages: `api/users/route.ts`. The path includes `apiDir`, uses
   * slashes, and contains control characters only in escaped form.
   */
  readonly path: string;
  /** The absolute path on disk; for a link, the path of the target file. */
  readonly location: string;
  /** The folders, from `apiDir` down: `["users", "[id]"]`. */
  readonly folders: readonly string[];
  /**
   * The other paths below `apiDir` through which links reach the file; the last is the
   * real path: `["(staff)/users/route.ts"]`. The middleware on these paths runs, too.
   */
  readonly otherPaths?: readonly string[];
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
  /**
   * Folders, as arrays of names below `apiDir`. Folders above a route file may be
   * absent, since `RouteFile.folders` contains their names.
   */
  readonly folders: readonly (readonly string[])[];
  /** Warnings about skipped files and suspicious names. */
  readonly warnings: readonly Warning[];
}

/** A file or folder on the walk. */
interface Place {
  /** The names below `apiDir`, on the path through which the walk reached the place. */
  readonly names: readonly string[];
  /** The real names below `apiDir`. */
  readonly real: readonly string[];
  /**
   * The other paths, as names, through which links led to the place; the last is the
   * real path.
   */
  readonly others: readonly (readonly string[])[];
  /** The real names of the links that the walk followed, to detect cycles. */
  readonly links: readonly (readonly string[])[];
}

type Kind = Pick<Deno.DirEntry, "isFile" | "isDirectory">;

const TOP: Place = { names: [], real: [], others: [], links: [] };

/**
 * Walks `apiDir` and finds its route files (`route.ts`, `.tsx`, `.js` or `.jsx`) and
 * its middleware files (`middleware.ts` and so on). The walk ignores other files, and
 * skips `node_modules`.
 *
 * The walk follows symbolic links only within `apiDir`, so that Bough imports no file
 * outside `apiDir` as a route. `apiDir` may itself be a link. Bough warns about a
 * skipped route. A skipped middleware file is a fault, since the file may guard routes.
 *
 * The walk is synchronous, since promises would take several times as long for
 * thousands of folders. A synchronous walk delays no other work, because nothing else
 * happens at startup.
 *
 * @param faults Receives unreadable folders, and middleware files that would not run.
 * @throws {Error} If `apiDir` is not a readable folder.
 */
export function discover(
  { root, label }: LabelledFolder,
  faults: Faults,
): Discovery {
  if (!Deno.statSync(root).isDirectory) {
    throw new Deno.errors.NotADirectory(`"${label}" is not a folder`);
  }
  const byFolder = walkTree(root);
  const base: Root = { root, label, realRoot: Deno.realPathSync(root) };
  const files: RouteFile[] = [];
  const middleware: RouteFile[] = [];
  const folders: (readonly string[])[] = [];
  const warnings: Warning[] = [];

  const pathOf = ({ names }: Place) => printable([label, ...names].join("/"));
  const guardOff = (place: Place, reason: string | undefined) => {
    if (reason !== undefined) faults.at(pathOf(place), "guard-off")(reason);
  };
  const warn = (place: Place, rule: string, message: string | undefined) => {
    if (message === undefined) return;
    warnings.push({ path: pathOf(place), rule, message });
  };

  function enter(folder: Place): void {
    const name = folder.names.at(-1);
    if (name !== undefined) {
      folders.push(folder.names);
      warn(folder, "folder-notation", suspiciousFolder(name));
    }
    const entries = read(folder, name);
    const names = entries.filter((entry) => !entry.isDirectory)
      .map((entry) => entry.name);
    const isGuarded = names.some((file) => fileKind(file) === "middleware");
    for (const entry of entries) {
      if (entry.name === "node_modules") continue;
      const place = below(folder, entry.name);
      const isDirectory = visit(place, entry);
      // A folder named `middleware` is a static segment, not a misnamed middleware
      // file.
      if (!isDirectory || entry.name.includes(".")) {
        guardOff(place, suspiciousGuard(entry.name, isGuarded));
      }
      if (!entry.isDirectory) {
        warn(place, "route-name", suspiciousRoute(entry.name, names));
      }
    }
  }

  function read(folder: Place, name: string | undefined): Deno.DirEntry[] {
    const path = pathTo(root, folder.real);
    try {
      const entries = byFolder?.get(path) ?? [...Deno.readDirSync(path)];
      return entries.sort((a, b) => compare(a.name, b.name));
    } catch (error) {
      if (name === undefined) throw error;
      faults.at(pathOf(folder), "unreadable")(unreadable(name, error));
      return [];
    }
  }

  /** Returns whether the entry is a folder, or a followed link to a folder. */
  function visit(place: Place, entry: Deno.DirEntry): boolean {
    const { isSymlink, isFile, isDirectory } = entry;
    const found = isSymlink ? follow(place) : { ...place, isFile, isDirectory };
    const kind = fileKind(entry.name);
    if (typeof found === "string") {
      const reason = `this is a link ${found}, so it`;
      if (kind === "middleware") guardOff(place, `${reason} ${NOT_RUN}`);
      else warn(place, "skipped", `${reason} is skipped`);
      return false;
    }
    if (found.isDirectory) enter(found);
    if (found.isFile && kind === "route") files.push(fileAt(found));
    if (kind === "middleware") {
      if (found.isFile) middleware.push(fileAt(found));
      else guardOff(place, `only a regular file runs, so this ${NOT_RUN}`);
    }
    return found.isDirectory;
  }

  /** Returns the target of a link, or the reason not to follow the link. */
  function follow(link: Place): Place & Kind | string {
    const target = resolveLink(link.real, base);
    if (typeof target === "string") return target;
    const links = [...link.links, link.real];
    const isAbove = links.some((names) =>
      target.real.every((name, index) => name === names[index])
    );
    if (target.isDirectory && isAbove) return "to a folder above it";
    const others = [...link.others, ...placesOf(link.real, target.real, base)];
    return { ...link, ...target, links, others };
  }

  function fileAt(place: Place): RouteFile {
    const { names, real, others } = place;
    return {
      path: pathOf(place),
      location: pathTo(root, real),
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

/**
 * Reads the entries of all folders in one walk, since reading folder by folder takes
 * 1.4 times as long. Empty folders and the content of `node_modules` are absent.
 *
 * @returns `undefined` if a folder cannot be read.
 */
function walkTree(root: string): Map<string, Deno.DirEntry[]> | undefined {
  const byFolder = new Map<string, Deno.DirEntry[]>();
  try {
    const options = { includeSymlinks: true, skip: [/[/\\]node_modules$/] };
    for (const entry of walkSync(root, options)) {
      const { path, name } = entry;
      if (path === root) continue;
      const folder = path.slice(0, -name.length - 1);
      byFolder.getOrInsertComputed(folder, () => []).push(entry);
    }
  } catch {
    return undefined;
  }
  return byFolder;
}

function below({ names, real, others, links }: Place, name: string): Place {
  return {
    names: [...names, name],
    real: [...real, name],
    others: others.map((each) => [...each, name]),
    links,
  };
}

const NOT_RUN =
  "would not run; use a regular file, which may import shared code, or remove this entry";

function unreadable(name: string, error: unknown): string {
  // Deno replaces invalid bytes with U+FFFD, and a folder with the resulting name does
  // not exist.
  return name.includes("\ufffd") && error instanceof Deno.errors.NotFound
    ? 'the name is not valid UTF-8 at "\ufffd"; rename the folder'
    : `reading the folder failed: ${messageOf(error)}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}

/** `apiDir` and its real folder, which differ if `apiDir` is a link. */
export interface Root extends LabelledFolder {
  readonly realRoot: string;
}

/**
 * Returns the target of a link, or the reason not to follow the link, such as
 * `that leads nowhere`.
 *
 * @param link The path of the link below `apiDir`, as names.
 */
export function resolveLink(
  link: readonly string[],
  { root, realRoot, label }: Root,
): Pick<Place, "real"> & Kind | string {
  const path = pathTo(root, link);
  try {
    const target = Deno.realPathSync(path);
    if (!contains(realRoot, target)) return `that leaves "${label}"`;
    const real = namesBelow(realRoot, target);
    // The walk skips `node_modules`, so the guards in that folder would not run.
    if (real.includes("node_modules")) return 'into "node_modules"';
    const { isFile, isDirectory } = Deno.statSync(path);
    return { real, isFile, isDirectory };
  } catch (error) {
    // A broken link, or a cycle of links, must not prevent startup.
    const { NotFound, FilesystemLoop, InvalidData } = Deno.errors;
    if (error instanceof NotFound || error instanceof FilesystemLoop) {
      return "that leads nowhere";
    }
    if (!(error instanceof InvalidData)) throw error;
    return "to a name that is not valid UTF-8";
  }
}

/**
 * Returns the places through which a link leads; the last is the real place. If
 * `people` links to `staff/users`, and `staff/users` links to `lib/users`, the result
 * is `staff/users` and `lib/users`, since either folder may be guarded.
 *
 * @param link The real path of the link below `apiDir`, as names.
 * @param real The target that {@linkcode resolveLink} found.
 */
export function placesOf(
  link: readonly string[],
  real: readonly string[],
  { root, realRoot }: Root,
): string[][] {
  const places: string[][] = [];
  const done: string[] = [];
  let rest = [...link];
  while (rest.length > 0) {
    const name = rest.shift()!;
    if (name === "..") {
      // Stop above `apiDir`, where there are no guards.
      if (done.pop() === undefined) break;
      continue;
    }
    const path = pathTo(root, [...done, name]);
    if (!Deno.lstatSync(path).isSymlink) {
      done.push(name);
      continue;
    }
    if (!rest.includes("..")) places.push([...done, name, ...rest]);
    const target = Deno.readLinkSync(path).replaceAll("/", NATIVE.SEPARATOR);
    const top = NATIVE.isAbsolute(target)
      ? [realRoot, root].find((folder) => contains(folder, target))
      : "";
    if (top === undefined) break;
    if (top !== "") done.length = 0;
    rest = [
      ...namesBelow(top, target).filter((name) => name !== "."),
      ...rest,
    ];
  }
  return [...places.slice(1), [...real]];
}
