import { SEPARATOR } from "@std/path/constants";
import { fromFileUrl } from "@std/path/from-file-url";
import { isAbsolute } from "@std/path/is-absolute";
import { relative } from "@std/path/relative";
import { resolve } from "@std/path/resolve";
import { toFileUrl } from "@std/path/to-file-url";

/**
 * What is used of `@std/path`. Tests put its modules `windows` and `posix` in the
 * place of the one for the running system.
 */
export interface PathModule {
  /** What stands between the names of a path. */
  readonly SEPARATOR: "/" | "\\";
  /** The path of a `file:` URL. */
  readonly fromFileUrl: (url: URL) => string;
  /** Whether a path begins at a root, or on a drive. */
  readonly isAbsolute: (path: string) => boolean;
  /** The way from one path to another. */
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

/** A folder, and how messages and flags spell it. */
export interface LabelledFolder {
  /** Its absolute path. */
  readonly root: string;
  /** How it was spelled, with slashes: `api` for `./api/` and for `.\api`. */
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

/** A path as messages spell it, and as flags may: `api\users` is `api/users`. */
function withSlashes(text: string, { SEPARATOR }: PathModule): string {
  return text.replaceAll(SEPARATOR, "/");
}

/** The names from `root` down to `path`; both are spelled alike. */
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

/** Matches the paths of what has a name and lies anywhere below `root`. */
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

/** What an `import()` takes to import a file. */
export function importUrl(location: string, path: PathModule = NATIVE): URL {
  return path.toFileUrl(location);
}

/** What a module in `folder` writes to import a file. */
export function importSpecifier(
  folder: string,
  location: string,
  path: PathModule = NATIVE,
): string {
  const way = path.relative(folder, location);
  // There is no way from one drive of Windows to another.
  if (path.isAbsolute(way)) return path.toFileUrl(location).href;
  const specifier = escapePath(withSlashes(way, path));
  return specifier.startsWith("../") ? specifier : `./${specifier}`;
}

/**
 * A path as an import spells it: what would end it there, be left out of it, or count
 * as an escape or a slash is escaped.
 */
export function escapePath(path: string): string {
  return path.replaceAll(/[%?#\\\t\n\r]/g, encodeURIComponent);
}
