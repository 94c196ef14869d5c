import { fromFileUrl } from "@std/path/posix/from-file-url";
import { isAbsolute } from "@std/path/posix/is-absolute";
import { resolve } from "@std/path/posix/resolve";
import { toFileUrl } from "@std/path/posix/to-file-url";

/**
 * The path functions of the current system. The modules of `@std/path` that select them
 * read `process`. Deno would then load Node's modules, which adds 15 ms to startup.
 */
export const NATIVE: PathModule = globalThis.Deno?.build.os === "windows"
  ? (await import("./windows_paths.ts")).WINDOWS
  : { SEPARATOR: "/", fromFileUrl, isAbsolute, resolve, toFileUrl };

/** A folder, and its path in messages and flags. */
export interface LabelledFolder {
  /** The absolute path. */
  readonly root: string;
  /** The path with slashes: `api` for `./api/` and for `.\api`. */
  readonly label: string;
}

/** The folder that a path or a `file:` URL names. */
export function folderOf(
  apiDir: string | URL,
  path: PathModule = NATIVE,
): LabelledFolder {
  const given = apiDir instanceof URL ? path.fromFileUrl(apiDir) : apiDir;
  const root = path.resolve(given);
  const label = path.isAbsolute(given) ? fromHere(root, path) : given;
  const plain = withSlashes(label, path)
    .replace(/^(?:\.\/+)+(?=.)|(?<=.)\/+$/g, "");
  return { root, label: plain };
}

/** A path in the form of Deno's flags: `api` for `/srv/app/api` in `/srv/app`. */
function fromHere(root: string, path: PathModule): string {
  const here = path.resolve(".");
  return root !== here && contains(here, root, path)
    ? namesBelow(here, root, path).join(path.SEPARATOR)
    : root;
}

/** A path for messages and flags: `api\users` becomes `api/users`. */
export function withSlashes(
  text: string,
  { SEPARATOR }: Pick<PathModule, "SEPARATOR">,
): string {
  return text.replaceAll(SEPARATOR, "/");
}

/** The names from `root` down to `path`; `path` begins with `root`. */
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

/** The URL from which to import a file. */
export function importUrl(location: string, path: PathModule = NATIVE): URL {
  return path.toFileUrl(location);
}

/**
 * Escapes the characters that end the path of an import, that URLs drop, or that URLs
 * read as an escape or a slash.
 */
export function escapePath(path: string): string {
  return path.replaceAll(/[%?#\\\t\n\r]/g, encodeURIComponent);
}

/**
 * The parts of `@std/path` that Bough uses. Tests pass its modules `windows` and
 * `posix` instead of the module for the current system.
 */
export interface PathModule {
  readonly SEPARATOR: "/" | "\\";
  readonly fromFileUrl: (url: URL) => string;
  readonly isAbsolute: (path: string) => boolean;
  readonly resolve: (path: string) => string;
  readonly toFileUrl: (path: string) => URL;
}
