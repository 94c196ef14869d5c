import { discover, type Discovery, type RouteFile } from "./discover.ts";
import {
  load,
  loadAll,
  type LoadedFile,
  type ModuleExports,
  settled,
} from "./load.ts";
import type { Faults } from "./route_error.ts";
import { escapePath, type LabelledFolder, namesBelow } from "./paths.ts";

/** Where the files of an application come from. */
export interface RouteSource {
  /** How messages spell it, and the flag that permits reading it. */
  readonly label: string;
  /** Finds the files, and tells what is wrong with them. */
  readonly discover: (faults: Faults) => Discovery;
  /** Imports files, each once, and gives their exports or errors in order. */
  readonly loadAll: (files: readonly RouteFile[]) => Promise<LoadedFile[]>;
  /** Imports one file; `attempt` is how many imports of it failed before. */
  readonly load: (file: RouteFile, attempt: number) => Promise<ModuleExports>;
}

/**
 * Imports a file of `apiDir` in the user's own module, so that Deno knows of it
 * before the program runs. A file whose path has `%`, `?` or `#` in it is imported
 * by Bough: in an import, those begin an escape, a query or a fragment.
 *
 * @param dir The folder of the file below `apiDir`: `"users/[id]"`; `"."` for
 * `apiDir` itself.
 * @param path The path of the file below `apiDir`: `"users/[id]/route.ts"`; of a
 * link, that of the file it leads to.
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

/** The files of a folder, found by walking through it. */
export function folderSource(
  folder: LabelledFolder,
  loader?: RouteLoader,
): RouteSource {
  const { root, label } = folder;
  const found = {
    label,
    discover: (faults: Faults) => discover(folder, faults),
  };
  if (loader === undefined) return { ...found, loadAll, load };
  const loadOne = async (
    file: RouteFile,
    attempt: number,
  ): Promise<ModuleExports> => {
    const names = namesBelow(root, file.location);
    const path = names.join("/");
    // A folder `%2e%2e` would lead the import out of `apiDir`; and
    // `(dir) => import(`./api/${dir}/route.ts`)` imports nothing else.
    const isBeyond = escapePath(path) !== path ||
      (loader.length < 2 && !path.endsWith("/route.ts"));
    if (isBeyond) return await load(file, attempt);
    return { ...await loader(names.slice(0, -1).join("/") || ".", path) };
  };
  return {
    ...found,
    loadAll: (files) => loadEach(files, loadOne),
    load: loadOne,
  };
}

/** Imports files one by one, and gives their exports or errors in order. */
export async function loadEach(
  files: readonly RouteFile[],
  load: (file: RouteFile, attempt: number) => Promise<ModuleExports>,
): Promise<LoadedFile[]> {
  return await Promise.all(
    files.map((file) => settled(file, load(file, 0))),
  );
}
