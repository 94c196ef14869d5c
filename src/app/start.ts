import type { BodyRules } from "../http/body/rules.ts";
import type { Route } from "../http/route.ts";
import { loadRoutes } from "./load_routes.ts";
import { pluginLabel, pluginRoutes, uncoveredRoutes } from "./plugin_routes.ts";
import type { ResolvedOptions } from "./resolve_options.ts";
import type { RouteInfo } from "./plugin.ts";
import { printable } from "../common/printable.ts";
import type { Warning } from "../routes/discover.ts";
import { Faults } from "../routes/route_error.ts";
import { findConflicts, scanFiles } from "../routes/scan.ts";
import { RouteTree } from "../routing/tree.ts";

/** The routes of an application that has started. */
export interface Routes {
  /** The tree that finds a route by its path. */
  readonly tree: RouteTree<Route>;
  /** Lists the routes of `apiDir`; see {@linkcode PluginContext.routes}. */
  readonly list: () => Promise<readonly RouteInfo[]>;
}

/**
 * Starts the application, in four steps: discover the files, compile their folder
 * names, import the modules, build the tree.
 *
 * @param warn Receives the warnings; by default they are printed.
 * @throws {RouteError} If anything in the tree cannot be served; it has all faults.
 */
export async function buildRoutes(
  options: ResolvedOptions,
  warn: (warning: Warning) => void = printWarning,
): Promise<Routes> {
  const faults = new Faults();
  const found = scanFiles(options, faults);
  const { discovery, compiled } = found;
  discovery.warnings.forEach(warn);
  if (discovery.files.length === 0) {
    print(`No route file in "${options.source.label}": every request is a 404`);
  }

  const routes = await loadRoutes(found, options, faults);
  const list = () => Promise.all(routes.map(describe));
  const added = options.plugins.flatMap((plugin) =>
    pluginRoutes(plugin, options, {
      context: { routes: list },
      report: faults.at(pluginLabel(plugin)),
    })
  );
  findConflicts([
    ...compiled.map(({ file, pattern }) => ({ file: file.path, pattern })),
    ...added,
  ], faults);
  faults.throwIfAny();

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
  const { methods, handlers, schema, bodyRules } = await route.endpoints.load();
  // Only before the import of a file do its rules have to be waited for.
  const { limit, timeout } = bodyRules as BodyRules;
  const { pattern, file, folders } = route;
  // A file may export several; it is listed once.
  const middleware = [...new Set(route.middleware.map(({ file }) => file))];
  const { text: path, segments } = pattern;
  return {
    path,
    segments,
    file,
    folders,
    methods,
    handlers,
    middleware,
    schema,
    bodyLimit: limit,
    bodyTimeout: timeout,
  };
}

function printWarning({ path, message }: Warning): void {
  print(`"${path}": ${message}`);
}

function print(message: string): void {
  console.warn(`[bough] ${printable(message)}`);
}
