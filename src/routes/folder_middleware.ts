import { RouteError } from "../errors.ts";
import type { PlacedMiddleware } from "../http/middleware.ts";
import type { RouteFile } from "./discover.ts";
import type { ModuleExports } from "./load.ts";
import { checkMiddleware } from "./middleware_module.ts";

/** The middleware of an application, by the folders that it stands in. */
export class FolderMiddleware {
  readonly #global: readonly PlacedMiddleware[];
  readonly #byFolder = new Map<string, PlacedMiddleware[]>();
  readonly #files = new Map<string, string>();
  readonly #rawBodies = new Set<string>();

  /** Begins with the middleware around all of the application. */
  constructor(global: readonly PlacedMiddleware[]) {
    this.#global = global;
  }

  /**
   * Takes in a middleware file.
   *
   * @throws {RouteError} If its exports are none of such a file.
   */
  add({ path, folders }: RouteFile, exports: ModuleExports): void {
    const folder = folders.join("/");
    const other = this.#files.get(folder);
    const reasons = other === undefined
      ? []
      : [`"${other}" is middleware of the same folder; keep one of them`];
    const checked = checkMiddleware(exports);
    if ("faults" in checked) reasons.push(...checked.faults);
    if (reasons.length > 0 || "faults" in checked) {
      throw new RouteError(reasons.map((reason) => ({ path, reason })));
    }
    this.#files.set(folder, path);
    this.#byFolder.set(
      folder,
      checked.middleware.map((run) => ({ run, file: path })),
    );
    if (checked.config.rawBody) this.#rawBodies.add(folder);
  }

  /** What runs around the routes of some folder, outermost first. */
  around(folders: readonly string[]): readonly PlacedMiddleware[] {
    return [
      ...this.#global,
      ...pathsDown(folders).flatMap((path) => this.#byFolder.get(path) ?? []),
    ];
  }

  /** Whether middleware there wants the exact bytes of bodies kept. */
  wantsRawBody(folders: readonly string[]): boolean {
    return pathsDown(folders).some((path) => this.#rawBodies.has(path));
  }
}

/** The paths of the folders from `apiDir` down: `""`, `"users"`, `"users/[id]"`. */
function pathsDown(folders: readonly string[]): string[] {
  return ["", ...folders].map((_, depth) => folders.slice(0, depth).join("/"));
}
