import { RouteError, type RouteFault } from "../errors.ts";
import type { Route } from "../http/handler.ts";
import { loadRoutes } from "./load_routes.ts";
import { pluginLabel, pluginRoutes, uncoveredRoutes } from "./plugin_routes.ts";
import type { ResolvedOptions } from "./resolve_options.ts";
import type { RouteInfo } from "./plugin.ts";
import { printable, printableLines } from "../printable.ts";
import type { Warning } from "../routes/discover.ts";
import { findConflicts, scanFiles } from "../routes/scan.ts";
import { RouteTree } from "../routing/tree.ts";

/** The routes of an application that has started. */
export interface Routes {
  /** The tree of all routes, to be matched by. */
  readonly tree: RouteTree<Route>;
  /** Lists the routes of `apiDir`; see {@linkcode PluginContext.listRoutes}. */
  readonly list: () => Promise<readonly RouteInfo[]>;
}

/**
 * The start-up half of the application, top to bottom: discover the files,
 * compile their folder names, load the modules, build the tree.
 *
 * @param warn Takes what does not stop the start, and is printed by default.
 * @throws {RouteError} If anything in the tree cannot be served; it tells all
 * faults together.
 */
export async function buildRoutes(
  options: ResolvedOptions,
  warn: (warning: Warning) => void = printWarning,
): Promise<Routes> {
  const faults: RouteFault[] = [];
  const { discovery, compiled } = scanFiles(options, faults);
  discovery.warnings.forEach(warn);
  if (discovery.files.length === 0) {
    print(`No route file in "${options.source.label}": every request is a 404`);
  }

  const routes = await loadRoutes(compiled, discovery.middleware, {
    options,
    faults,
  });
  const list = () => Promise.all(routes.map(describe));
  const added = addedRoutes(list, options, faults);
  findConflicts([
    ...compiled.map(({ file, pattern }) => ({ file: file.path, pattern })),
    ...added,
  ], faults);

  if (faults.length > 0) throw new RouteError(faults);
  uncoveredRoutes(added, discovery.middleware, options.prefix).forEach(warn);
  const tree = new RouteTree(
    [...routes, ...added].map((route) => ({
      pattern: route.pattern,
      value: route,
    })),
  );
  return { tree, list };
}

async function describe(route: Route): Promise<RouteInfo> {
  const { methods, handlers, schema } = await route.endpoints.load();
  const { pattern, file, folders } = route;
  // A file that lists several is one.
  const middleware = [...new Set(route.middleware.map(({ file }) => file))];
  const path = pattern.text;
  return { path, file, folders, methods, handlers, middleware, schema };
}

function addedRoutes(
  listRoutes: () => Promise<readonly RouteInfo[]>,
  options: ResolvedOptions,
  faults: RouteFault[],
): Route[] {
  return options.plugins.flatMap((plugin) => {
    try {
      return pluginRoutes(plugin, { listRoutes }, options);
    } catch (cause) {
      if (cause instanceof RouteError) {
        faults.push(...cause.faults);
        return [];
      }
      const reason = printableLines(
        cause instanceof Error ? cause.message : String(cause),
      );
      faults.push({ path: pluginLabel(plugin), reason, cause });
      return [];
    }
  });
}

function printWarning({ path, message }: Warning): void {
  print(`"${path}": ${message}`);
}

function print(message: string): void {
  console.warn(`[bough] ${printable(message)}`);
}
