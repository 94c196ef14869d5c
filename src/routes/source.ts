import type { Discovery, RouteFile } from "./route_file.ts";
import {
  load,
  loadAll,
  type LoadedFile,
  type ModuleExports,
  settled,
} from "./load.ts";
import type { Faults } from "./route_error.ts";
import { escapePath, type LabelledFolder, namesBelow } from "./paths.ts";

/** The source of an application's files: a folder or a manifest. */
export interface RouteSource {
  /** Its spelling in messages, and in the flag that permits reading it. */
  readonly label: string;
  /** Finds the files, and reports what is wrong with them. */
  readonly discover: (faults: Faults) => Discovery | Promise<Discovery>;
  /** Whether a file is imported at the first request that needs it. */
  readonly isLazy: (file: RouteFile) => boolean;
  /** Imports files, each once; returns their exports or errors in order. */
  readonly loadAll: (files: readonly RouteFile[]) => Promise<LoadedFile[]>;
  /** Imports one file; `attempt` is how many imports of it failed before. */
  readonly load: (file: RouteFile, attempt: number) => Promise<ModuleExports>;
}

/**
 * Imports a file of `apiDir` in your own module, so that Deno knows of it before the
 * program runs. If the path has a `%`, `?` or `#`, Bough imports the file itself: in an
 * import, these begin an escape, a query or a fragment.
 *
 * @param dir The folder of the file below `apiDir`: `"users/[id]"`, or `"."` for
 * `apiDir` itself.
 * @param path The path of the file below `apiDir`: `"users/[id]/route.ts"`; for a
 * link, that of the target file.
 *
 * @example Usage
 * ```ts
 * import { Framework, type RouteLoader } from "@bough/framework";
 *
 * const load: RouteLoader = (_dir, path) => import(`./api/${path}`);
 * new Framework({ apiDir: "examples/minimal/api", load });
 * ```
 */
export type RouteLoader = (dir: string, path: string) => Promise<object>;

/** A folder as the source of files. */
export function folderSource(
  folder: LabelledFolder,
  loader?: RouteLoader,
): RouteSource {
  const { root, label } = folder;
  const found = {
    label,
    // Imported only here: the walk of `@std/fs` loads Node's modules, and whoever has a
    // manifest needs none of that.
    discover: async (faults: Faults) => {
      const { discover } = await import("./discover.ts");
      return discover(folder, faults);
    },
    isLazy: () => false,
  };
  if (loader === undefined) return { ...found, loadAll, load };
  const loadOne = async (
    file: RouteFile,
    attempt: number,
  ): Promise<ModuleExports> => {
    const names = namesBelow(root, file.location);
    const path = names.join("/");
    // A folder `%2e%2e` would lead the import out of `apiDir`. And a loader
    // `(dir) => import(`./api/${dir}/route.ts`)` can import only `route.ts` files.
    const isBeyond = escapePath(path) !== path ||
      (loader.length < 2 && names.at(-1) !== "route.ts");
    if (isBeyond) return await load(file, attempt);
    return { ...await loader(names.slice(0, -1).join("/") || ".", path) };
  };
  return {
    ...found,
    loadAll: (files) => loadEach(files, loadOne),
    load: loadOne,
  };
}

/** Imports each file by `load`; returns their exports or errors in order. */
async function loadEach(
  files: readonly RouteFile[],
  load: (file: RouteFile, attempt: number) => Promise<ModuleExports>,
): Promise<LoadedFile[]> {
  return await Promise.all(
    files.map((file) => settled(file, load(file, 0))),
  );
}
