import { SEPARATOR } from "@std/path/constants";
import { fromFileUrl } from "@std/path/from-file-url";
import { isAbsolute } from "@std/path/is-absolute";
import { relative } from "@std/path/relative";
import { resolve } from "@std/path/resolve";
import { toFileUrl } from "@std/path/to-file-url";

/**
 * The parts of `@std/path` that Bough uses. Tests pass its modules `windows` and
 * `posix` in place of that of the running system.
 */
export interface PathModule {
  /** The separator between the names of a path. */
  readonly SEPARATOR: "/" | "\\";
  /** The path of a `file:` URL. */
  readonly fromFileUrl: (url: URL) => string;
  /** Whether a path begins at a root, or on a drive. */
  readonly isAbsolute: (path: string) => boolean;
  /** The relative path from one path to another. */
  readonly relative: (from: string, to: string) => string;
  /** The absolute form of a path. */
  readonly resolve: (path: string) => string;
  /** The `file:` URL of an absolute path. */
  readonly toFileUrl: (path: string) => URL;
}

const NATIVE: PathModule = {
  SEPARATOR,
  fromFileUrl,
  isAbsolute,
  relative,
  resolve,
  toFileUrl,
};

/** A folder, and its spelling in messages and flags. */
export interface LabelledFolder {
  /** Its absolute path. */
  readonly root: string;
  /** Its spelling, with slashes: `api` for `./api/` and for `.\api`. */
  readonly label: string;
}

/** The folder that a path or a `file:` URL names. */
export function folderOf(
  apiDir: string | URL,
  path: PathModule = NATIVE,
): LabelledFolder {
  if (apiDir instanceof URL) {
    const root = path.resolve(path.fromFileUrl(apiDir));
    return { root, label: withSlashes(root, path) };
  }
  const label = withSlashes(apiDir, path)
    .replace(/^(?:\.\/+)+(?=.)|(?<=.)\/+$/g, "");
  return { root: path.resolve(apiDir), label };
}

/** A path for messages and flags: `api\users` becomes `api/users`. */
function withSlashes(text: string, { SEPARATOR }: PathModule): string {
  return text.replaceAll(SEPARATOR, "/");
}

/** The names from `root` down to `path`, which begins with `root`. */
export function namesBelow(
  root: string,
  path: string,
  { SEPARATOR }: PathModule = NATIVE,
): string[] {
  return path.slice(root.length).split(SEPARATOR).filter((name) => name !== "");
}

/** Whether `path` is `folder` or lies below it; both are real paths. */
export function contains(
  folder: string,
  path: string,
  { SEPARATOR }: PathModule = NATIVE,
): boolean {
  return path === folder || path.startsWith(
    folder.endsWith(SEPARATOR) ? folder : folder + SEPARATOR,
  );
}

/** Matches the paths of all files and folders with this name below `root`. */
export function namedBelow(
  root: string,
  name: string,
  { SEPARATOR }: PathModule = NATIVE,
): RegExp {
  const separator = RegExp.escape(SEPARATOR);
  // A root such as `C:\` ends in a separator already.
  const top = RegExp.escape(
    root.endsWith(SEPARATOR) ? root.slice(0, -1) : root,
  );
  return new RegExp(
    `^${top}${separator}(?:.*${separator})?${RegExp.escape(name)}$`,
    "s",
  );
}

/** The URL to import a file by. */
export function importUrl(location: string, path: PathModule = NATIVE): URL {
  return path.toFileUrl(location);
}

/** The specifier by which a module in `folder` imports a file. */
export function importSpecifier(
  folder: string,
  location: string,
  path: PathModule = NATIVE,
): string {
  const relativePath = path.relative(folder, location);
  // On Windows, no relative path leads from one drive to another.
  if (path.isAbsolute(relativePath)) return path.toFileUrl(location).href;
  const specifier = escapePath(withSlashes(relativePath, path));
  return specifier.startsWith("../") ? specifier : `./${specifier}`;
}

/**
 * Escapes a path for an import: the characters that would end it, be dropped, or
 * count as an escape or a slash.
 */
export function escapePath(path: string): string {
  return path.replaceAll(/[%?#\\\t\n\r]/g, encodeURIComponent);
}
