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
  /** The absolute form of a path. */
  readonly resolve: (path: string) => string;
  /** The `file:` URL of an absolute path. */
  readonly toFileUrl: (path: string) => URL;
}
