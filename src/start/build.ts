import type { BodyRules } from "../body/read.ts";
import { printable } from "../common/log.ts";
import { Faults, RouteError, type RouteFault } from "../faults.ts";
import type { RouteInfo } from "../options/plugin.ts";
import type { ResolvedOptions } from "../options/resolve.ts";
import type { Route } from "../request/endpoints.ts";
import { ConflictError } from "../routing/radix.ts";
import { RouteTree } from "../routing/tree.ts";
import { findConflicts, type Scan, scanFiles } from "./compile.ts";
import type { Warning } from "./discover.ts";
import { loadRoutes } from "./load.ts";
import { Declarations, reportLacks } from "./permissions.ts";

/** The routes of an application that has started. */
export interface Routes {
  /** The tree that finds a route by its path. */
  readonly tree: RouteTree<Route>;
  /** Lists the routes of `apiDir`; see {@linkcode PluginContext.routes}. */
  readonly list: () => Promise<readonly RouteInfo[]>;
}

/** What was found of an application on its way to its routes. */
export interface Examination {
  /** What stops the start, in the order in which it was found. */
  readonly faults: readonly RouteFault[];
  /** What does not stop it. */
  readonly warnings: readonly Warning[];
  /** The files, where the folder can be read. */
  readonly scan: Scan | undefined;
  /** The routes of `apiDir` that could be created. */
  readonly routes: readonly Route[];
  /** The routes that plugins add. */
  readonly added: readonly Route[];
  /** The tree of all routes, unless there are faults. */
  readonly tree: RouteTree<Route> | undefined;
  /** Describes a route for plugins and tools. */
  readonly describe: (route: Route) => Promise<RouteInfo>;
}

/**
 * Starts the application: examines it, and prints what does not stop it.
 *
 * @throws {RouteError} If anything in the tree cannot be served; it has all faults.
 */
export async function buildRoutes(options: ResolvedOptions): Promise<Routes> {
  const { faults, warnings, scan, routes, tree, describe } = await examine(
    options,
    { asksForPermissions: true },
  );
  warnings.forEach(printWarning);
  if (scan?.discovery.files.length === 0) {
    print(`No route file in "${options.source.label}": every request is a 404`);
  }
  if (tree === undefined) throw new RouteError(faults);
  return { tree, list: () => Promise.all(routes.map(describe)) };
}

/**
 * Does what a start does, in four steps: discover the files, compile their folder
 * names, import the modules, build the tree. It goes on after a fault, to find them
 * all.
 *
 * @param how Whether declared permissions that are missing are faults: to a tool they
 * are not, since it has its own permissions and not those of the application.
 */
export async function examine(
  options: ResolvedOptions,
  { asksForPermissions }: { readonly asksForPermissions: boolean },
): Promise<Examination> {
  const faults = new Faults();
  const declarations = new Declarations(options.permissions);
  const describe = (route: Route) => describeRoute(route, declarations);
  let scan: Scan;
  try {
    scan = await scanFiles(options, faults);
  } catch (error) {
    if (!(error instanceof RouteError)) throw error;
    const { faults } = error;
    const none = { warnings: [], scan: undefined, tree: undefined };
    return { faults, ...none, routes: [], added: [], describe };
  }
  const { discovery, compiled } = scan;
  const routes = await loadRoutes(scan, options, { faults, declarations });
  if (asksForPermissions) {
    reportLacks(declarations.all, faults, options.source.label);
  }
  // Few applications have plugins; the others load nothing for them.
  const plugins = options.plugins.length === 0
    ? undefined
    : await import("./plugins.ts");
  const added = await plugins?.addRoutes(routes, options, {
    describe,
    faults,
  }) ?? [];
  const tree = buildTree([...routes, ...added], faults);
  if (tree === undefined) {
    findConflicts([
      ...compiled.map(({ file, pattern }) => ({ file: file.path, pattern })),
      ...added,
    ], faults);
  }
  // Folders that are malformed have no URL to compare.
  const uncovered = faults.all.length > 0
    ? []
    : plugins?.uncoveredRoutes(added, discovery.middleware, options.prefix) ??
      [];
  const warnings = [...discovery.warnings, ...uncovered];
  return { faults: faults.all, warnings, scan, routes, added, tree, describe };
}

/** Builds the tree, unless there are faults, or routes that match the same paths. */
function buildTree(
  routes: readonly Route[],
  faults: Faults,
): RouteTree<Route> | undefined {
  if (faults.all.length > 0) return undefined;
  try {
    return new RouteTree(routes);
  } catch (error) {
    if (error instanceof ConflictError) return undefined;
    throw error;
  }
}

async function describeRoute(
  route: Route,
  declarations: Declarations,
): Promise<RouteInfo> {
  const { methods, handlers, schema, bodyRules } = await route.endpoints.load();
  // Only before the import of a file do its rules have to be waited for.
  const { limit, timeout } = bodyRules as BodyRules;
  const { pattern, file, folders, contracts } = route;
  const runs = route.middleware.filter(({ run }) => run !== undefined);
  // A file may export several; it is listed once.
  const middleware = [...new Set(runs.map(({ file }) => file))];
  const { text: path, segments } = pattern;
  return {
    path,
    segments,
    file,
    folders,
    methods,
    handlers,
    middleware,
    contracts,
    schema,
    bodyLimit: limit,
    bodyTimeout: timeout,
    permissions: declarations.around(route),
  };
}

function printWarning({ path, message }: Warning): void {
  print(`"${path}": ${message}`);
}

function print(message: string): void {
  console.warn(`[bough] ${printable(message)}`);
}
