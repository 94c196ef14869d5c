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
  }

  /** What runs around the routes of some folder, outermost first. */
  around(folders: readonly string[]): readonly PlacedMiddleware[] {
    const all = [...this.#global];
    for (let depth = 0; depth <= folders.length; depth++) {
      all.push(...this.#byFolder.get(folders.slice(0, depth).join("/")) ?? []);
    }
    return all;
  }
}
