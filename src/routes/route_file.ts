import type { RoutePermissions } from "./permissions_export.ts";

/** A route file or a middleware file below `apiDir`. */
export interface RouteFile {
  /**
   * Its path for messages: it begins with `apiDir`, has slashes, and no control
   * characters: `api/users/route.ts`.
   */
  readonly path: string;
  /** Its absolute path on disk; for a link, that of the target file. */
  readonly location: string;
  /** Its folders, from `apiDir` down: `["users", "[id]"]`. */
  readonly folders: readonly string[];
  /**
   * The other paths below `apiDir` by which links reach it, the real one last:
   * `["(staff)/users/route.ts"]`. The middleware on them runs around it, too.
   */
  readonly otherPaths?: readonly string[];
  /** What it declares, where a manifest says that before the file is imported. */
  readonly permissions?: RoutePermissions;
  /** What a manifest has for it: its exports, or a function that imports it. */
  readonly entry?: object | (() => Promise<object>);
}

/** The path of a file below `apiDir`: `users/[id]/route.ts`. */
export function pathBelow({ path, folders }: RouteFile): string {
  return [...folders, path.slice(path.lastIndexOf("/") + 1)].join("/");
}

/** A warning about one file or folder. */
export interface Warning {
  /** The file or folder. */
  readonly path: string;
  /** What may be wrong, and what to do. */
  readonly message: string;
  /** What kind of warning it is, by the name that `bough check` has for it. */
  readonly rule: string;
}

/** The result of a walk through `apiDir`. */
export interface Discovery {
  /** The route files, in path order. */
  readonly files: readonly RouteFile[];
  /** The middleware files, in path order. */
  readonly middleware: readonly RouteFile[];
  /**
   * Folders, as their folder names below `apiDir`. Those above a route file, whose
   * names are known from the file, may be absent.
   */
  readonly folders: readonly (readonly string[])[];
  /** What was skipped, and what may have a wrong name. */
  readonly warnings: readonly Warning[];
}
