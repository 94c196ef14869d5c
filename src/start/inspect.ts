import { RouteError, type RouteFault } from "../faults.ts";
import type { Plugin, RouteInfo } from "../options/plugin.ts";
import type { ResolvedOptions } from "./options.ts";
import { build } from "./build.ts";
import type { Warning } from "./discover.ts";

/**
 * What a tool sees of an application: all that its start would find. The command
 * `bough` is made on it.
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
  /** Where the files come from, as messages spell it: `api`. */
  readonly source: string;
  /** What would stop the start, in path order. */
  readonly faults: readonly RouteFault[];
  /** What the start would warn of. */
  readonly warnings: readonly Warning[];
  /** The route files whose folders can be served, whatever they export. */
  readonly files: readonly RoutePlace[];
  /** The middleware files, in path order. */
  readonly middleware: readonly string[];
  /** The routes of `apiDir` that could be served, in path order. */
  readonly routes: readonly RouteInfo[];
  /** The routes of plugins; the file of each is its plugin: `plugin openapi`. */
  readonly pluginRoutes: readonly RouteInfo[];
  /** The plugins, as the option has them. */
  readonly plugins: readonly Plugin[];
}

/** Where a route is: its file, its folders and its URL pattern. */
export type RoutePlace = Pick<
  RouteInfo,
  "path" | "segments" | "file" | "folders"
>;

/** Does what the start does, with every file imported, and collects what it finds. */
export async function inspect(options: ResolvedOptions): Promise<Inspection> {
  // Nor are those files lazy for which a manifest has functions.
  const source = { ...options.source, isLazy: () => false };
  const { faults, warnings, compilation, routes, added, describe } =
    await build(
      { ...options, source, lazy: false },
      { asksForPermissions: false },
    );
  return {
    source: options.source.label,
    faults: new RouteError(faults).faults,
    warnings,
    files: compilation?.compiled.map(({ file, pattern }) => ({
      path: pattern.text,
      segments: pattern.segments,
      file: file.path,
      folders: file.folders,
    })) ?? [],
    middleware: compilation?.discovery.middleware.map(({ path }) => path) ?? [],
    routes: await Promise.all(routes.map(describe)),
    pluginRoutes: await Promise.all(added.map(describe)),
    plugins: options.plugins,
  };
}
