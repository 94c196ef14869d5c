import { resultWithin } from "../common/deadline.ts";
import { log } from "../common/log.ts";
import { RouteError, type RouteFault } from "../common/faults.ts";
import type { Plugin, RouteInfo } from "../types/plugin.ts";
import type { ResolvedOptions } from "./options.ts";
import { build } from "./build.ts";
import type { RouteFile, Warning } from "./discover.ts";
import {
  loadAll,
  loadAlone,
  type LoadedFile,
  type RouteSource,
  settled,
} from "./source.ts";

/**
 * The findings of startup, for tools such as the command `bough`: faults, warnings,
 * files and routes.
 *
 * @example Usage
 * ```ts
 * import { Framework, type Inspection } from "@bough/framework";
 *
 * const app = new Framework({ apiDir: "examples/minimal/api" });
 * const { faults, routes }: Inspection = await app.inspect();
 * console.log(faults.length, routes.map(({ path }) => path));
 * ```
 */
export interface Inspection {
  /** The name of the source of the files, as messages print it: `api`. */
  readonly source: string;
  /** The faults that would prevent startup, in path order. */
  readonly faults: readonly RouteFault[];
  /** The warnings that startup would print. */
  readonly warnings: readonly Warning[];
  /** The route files with valid folder names, even if their exports are invalid. */
  readonly files: readonly RoutePlace[];
  /** The middleware files, in path order. */
  readonly middleware: readonly string[];
  /** The routes of `apiDir` that could be served, in path order. */
  readonly routes: readonly RouteInfo[];
  /** The routes of plugins; the file of each names its plugin: `plugin openapi`. */
  readonly pluginRoutes: readonly RouteInfo[];
  /** The plugins that the option `plugins` lists. */
  readonly plugins: readonly Plugin[];
}

/** The location of a route: its file, its folders and its URL pattern. */
export type RoutePlace = Pick<
  RouteInfo,
  "path" | "segments" | "file" | "folders"
>;

/**
 * Waits up to a minute for an import: a module may wait at its top level for an event
 * that never happens. The wait does not keep the process alive.
 *
 * @param find Finds the module that the import waits for, to log it after 3 seconds.
 * @throws {Error} After a minute.
 */
export async function inTime<Result>(
  work: Promise<Result>,
  find: () => string | Promise<string | undefined>,
): Promise<Result> {
  const done = work.then((result) => ({ result }));
  let found = await resultWithin(done, 3_000, false);
  if (found === undefined) {
    void Promise.resolve(find()).then((path) => {
      if (path === undefined) return;
      const message = `the import of "${path}" has not ended after 3 seconds`;
      log({ level: "notice", message });
    });
    found = await resultWithin(done, 57_000, false);
  }
  if (found !== undefined) return found.result;
  throw new Error(NOT_ENDED);
}

const NOT_ENDED =
  "it has not ended after 60 seconds; it may wait for an event that never happens";

/** Imports files; a file whose import does not end has an error. */
async function loadInTime(
  source: RouteSource,
  files: readonly RouteFile[],
): Promise<LoadedFile[]> {
  // A folder is imported by a few modules. An import of one file ends after its module.
  const loading = source.loadAll === loadAll
    ? undefined
    : files.map((file) => settled(file, source.load(file, 0)));
  const loaded = (file: RouteFile, index: number) =>
    loading?.[index] ?? loadAlone(file);
  const firstPending = async () => {
    // One by one, since imports of thousands of files take quadratic time.
    for (const [index, file] of files.entries()) {
      const isLoaded = await resultWithin(loaded(file, index), 1_000, false);
      if (isLoaded === undefined) return file.path;
    }
  };
  const all = loading === undefined ? loadAll(files) : Promise.all(loading);
  return await inTime(all, firstPending).catch(() =>
    Promise.all(
      files.map(async (file, index) =>
        await resultWithin(loaded(file, index), 10_000, false) ??
          { file, error: new Error(NOT_ENDED) }
      ),
    )
  );
}

/** Runs the steps of startup, imports every file, and collects the findings. */
export async function inspect(options: ResolvedOptions): Promise<Inspection> {
  // Functions in a manifest import files lazily by default; this source calls the
  // functions immediately.
  const source: RouteSource = {
    ...options.source,
    isLazy: () => false,
    loadAll: (files) => loadInTime(options.source, files),
  };
  const { faults, warnings, compilation, routes, added, describe } =
    await build(
      { ...options, source, lazy: false },
      { requiresPermissions: false, fetch: unavailable },
    );
  return {
    source: options.source.label,
    faults: new RouteError(faults).faults,
    warnings,
    files: compilation.compiled.map(({ file, pattern }) => ({
      path: pattern.text,
      segments: pattern.segments,
      file: file.path,
      folders: file.folders,
    })),
    middleware: compilation.discovery.middleware.map(({ path }) => path),
    routes: await Promise.all(routes.map(describe)),
    pluginRoutes: await Promise.all(added.map(describe)),
    plugins: options.plugins,
  };
}

function unavailable(): never {
  throw new TypeError("Cannot fetch: the application is inspected, not served");
}
