import { contains, namesBelow, NATIVE, pathTo } from "./paths.ts";

/** `apiDir`, and its real folder: `apiDir` may be a link. */
export interface Root {
  /** The absolute path of `apiDir`. */
  readonly root: string;
  /** How messages spell it. */
  readonly label: string;
  /** Its real path. */
  readonly realRoot: string;
}

/** The target of a link inside `apiDir`. */
export interface LinkTarget {
  /** Its real path below `apiDir`, as names. */
  readonly real: readonly string[];
  /** Whether it is a regular file. */
  readonly isFile: boolean;
  /** Whether it is a folder. */
  readonly isDirectory: boolean;
}

/**
 * Finds the target of a link, or says why the link is not followed.
 *
 * @param link The path of the link below `apiDir`, as names.
 */
export function resolveLink(
  link: readonly string[],
  { root, realRoot, label }: Root,
): LinkTarget | string {
  const path = pathTo(root, link);
  try {
    const target = Deno.realPathSync(path);
    if (!contains(realRoot, target)) return `that leaves "${label}"`;
    const real = namesBelow(realRoot, target);
    // The walk skips this folder, and so it would skip the guards in it.
    if (real.includes("node_modules")) return 'into "node_modules"';
    const { isFile, isDirectory } = Deno.statSync(path);
    return { real, isFile, isDirectory };
  } catch (error) {
    // A broken link, or a ring of links, must not stop the start.
    if (error instanceof Deno.errors.NotFound) return "that leads nowhere";
    if (error instanceof Deno.errors.FilesystemLoop) {
      return "that leads nowhere";
    }
    if (error instanceof Deno.errors.InvalidData) {
      return "to a name that is not valid UTF-8";
    }
    throw error;
  }
}

/**
 * The places that a link leads through, the real one last. If `people` links to
 * `staff/users`, and that to `lib/users`, these are `staff/users` and `lib/users`:
 * either may be guarded.
 *
 * @param link The real path of the link below `apiDir`, as names.
 * @param real The target, as {@linkcode resolveLink} found it.
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
      // There are no guards above `apiDir`.
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
