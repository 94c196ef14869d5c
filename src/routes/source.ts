import { isAbsolute } from "@std/path/is-absolute";
import {
  discover,
  type Discovery,
  FILE_NAME,
  pathBelow,
  type RouteFile,
} from "./discover.ts";
import {
  load,
  loadAll,
  type LoadedFile,
  type ModuleExports,
  settled,
} from "./load.ts";
import type { LabelledFolder } from "./paths.ts";

/** Where the files of an application come from. */
export interface RouteSource {
  /** How messages spell it, and the flag that permits reading it. */
  readonly label: string;
  /** Finds the files. */
  readonly discover: () => Discovery;
  /** Imports files, each once, and gives their exports or errors in order. */
  readonly loadAll: (files: readonly RouteFile[]) => Promise<LoadedFile[]>;
  /** Imports one file; `attempt` is how many imports of it failed before. */
  readonly load: (file: RouteFile, attempt: number) => Promise<ModuleExports>;
}

/**
 * Imports a file of `apiDir` in the user's own module, so that Deno knows of it
 * before the program runs.
 *
 * @param dir The folder of the file below `apiDir`: `"users/[id]"`; `"."` for
 * `apiDir` itself.
 * @param path The path of the file below `apiDir`: `"users/[id]/route.ts"`.
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

/**
 * The files of an application by their paths below `apiDir`, such as
 * `"users/[id]/route.ts"`: what they export, or a function that imports them. The
 * command `bough build` writes one.
 *
 * @example By hand
 * ```ts
 * import { Framework, type RouteManifest } from "@bough/framework";
 * import { assertEquals } from "@std/assert";
 *
 * const manifest: RouteManifest = {
 *   "users/[id]/route.ts": { GET: () => new Response("a user") },
 * };
 * const app = new Framework({ manifest });
 * const response = await app.fetch(new Request("http://localhost/api/users/7"));
 * assertEquals(await response.text(), "a user");
 * ```
 */
export interface RouteManifest {
  /** What the file at this path exports, or how to import it. */
  readonly [path: string]: object | (() => Promise<object>);
}

/** The files of a folder, found by walking through it. */
export function folderSource(
  { root, label }: LabelledFolder,
  loader?: RouteLoader,
): RouteSource {
  const found = { label, discover: () => discover(root, label) };
  if (loader === undefined) return { ...found, loadAll, load };
  const loadOne = async (
    file: RouteFile,
    attempt: number,
  ): Promise<ModuleExports> => {
    const path = pathBelow(file);
    // `(dir) => import(`./api/${dir}/route.ts`)` can import nothing else.
    if (loader.length < 2 && !path.endsWith("/route.ts")) {
      return await load(file, attempt);
    }
    return { ...await loader(file.folders.join("/") || ".", path) };
  };
  return {
    ...found,
    loadAll: (files) => loadEach(files, loadOne),
    load: loadOne,
  };
}

/** The files that a manifest lists; no directory is read. */
export function manifestSource(manifest: RouteManifest): RouteSource {
  const found: Record<"route" | "middleware", RouteFile[]> = {
    route: [],
    middleware: [],
  };
  const warnings: string[] = [];
  for (const path of Object.keys(manifest).sort()) {
    const folders = path.split("/");
    const kind = FILE_NAME.exec(folders.pop()!)?.[1] as keyof typeof found;
    if (kind === undefined || isAbsolute(path)) {
      warnings.push(`Skipped "${path}": it is no path of a route file`);
    } else {
      found[kind].push({ path, location: path, folders });
    }
  }
  const loadOne = async ({ path }: RouteFile): Promise<ModuleExports> => {
    const entry = manifest[path]!;
    return { ...(typeof entry === "function" ? await entry() : entry) };
  };
  return {
    label: "the manifest",
    discover: () => ({
      files: found.route,
      middleware: found.middleware,
      folders: [],
      warnings,
    }),
    loadAll: (files) => loadEach(files, loadOne),
    load: loadOne,
  };
}

async function loadEach(
  files: readonly RouteFile[],
  load: (file: RouteFile, attempt: number) => Promise<ModuleExports>,
): Promise<LoadedFile[]> {
  return await Promise.all(
    files.map((file) => settled(file, load(file, 0))),
  );
}
