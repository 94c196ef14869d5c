import { RouteError, type RouteFault } from "./errors.ts";
import type { Route } from "./http/handler.ts";
import { type CompiledFile, loadRoutes } from "./load_routes.ts";
import { pluginLabel, pluginRoutes } from "./plugin_routes.ts";
import type { ResolvedOptions } from "./options.ts";
import type { RouteInfo } from "./plugin.ts";
import type { Discovery } from "./routes/discover.ts";
import { compilePattern } from "./routing/pattern.ts";
import { compileSegment } from "./routing/segment.ts";
import { RouteTree } from "./routing/tree.ts";

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
 * @throws {RouteError} If anything in the tree cannot be served; it tells all
 * faults together.
 */
export async function buildRoutes(options: ResolvedOptions): Promise<Routes> {
  const faults: RouteFault[] = [];
  const discovery = discoverOrExplain(options);
  for (const warning of discovery.warnings) warn(warning);
  if (discovery.files.length === 0) {
    warn(`No route file in "${options.source.label}": every request is a 404`);
  }

  const compiled = compileFiles(discovery, options, faults);
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
  const tree = new RouteTree(
    [...routes, ...added].map((route) => ({
      pattern: route.pattern,
      value: route,
    })),
  );
  return { tree, list };
}

async function describe(route: Route): Promise<RouteInfo> {
  const { methods, schema } = route.endpoints ?? await route.load!();
  const { pattern, file, folders } = route;
  // A file that lists several is one.
  const middleware = [...new Set(route.middleware.map(({ file }) => file))];
  return { path: pattern.text, file, folders, methods, middleware, schema };
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
      const reason = cause instanceof Error ? cause.message : String(cause);
      faults.push({ path: pluginLabel(plugin), reason, cause });
      return [];
    }
  });
}

function discoverOrExplain({ source }: ResolvedOptions): Discovery {
  const { label } = source;
  try {
    return source.discover();
  } catch (cause) {
    throw new RouteError([{
      path: label,
      reason: unreadable(cause, label),
      cause,
    }]);
  }
}

function unreadable(error: unknown, label: string): string {
  if (error instanceof Deno.errors.NotFound) {
    return `there is no such folder; set apiDir to the folder of your routes (it is relative to the working directory)`;
  }
  if (error instanceof Deno.errors.NotADirectory) {
    return "it is no folder; set apiDir to the folder of your routes";
  }
  if (error instanceof Deno.errors.NotCapable) {
    return `reading it is not permitted; run deno with --allow-read=${label}`;
  }
  return `reading it failed: ${error instanceof Error ? error.message : error}`;
}

function compileFiles(
  { files, folders }: Discovery,
  { source, prefix }: ResolvedOptions,
  faults: RouteFault[],
): CompiledFile[] {
  const compiled = [];
  for (const file of files) {
    try {
      compiled.push({ file, pattern: compilePattern(prefix, file.folders) });
    } catch (error) {
      faults.push({ path: file.path, reason: (error as Error).message });
    }
  }
  // A malformed folder without a route file below it is told of as well.
  for (const names of folders) {
    try {
      compileSegment(names.at(-1)!);
    } catch (error) {
      const path = [source.label, ...names].join("/");
      if (files.some((file) => file.path.startsWith(path + "/"))) continue;
      faults.push({ path, reason: (error as Error).message });
    }
  }
  return compiled;
}

function findConflicts(
  routes: readonly Pick<Route, "file" | "pattern">[],
  faults: RouteFault[],
): void {
  for (
    const group of Map.groupBy(routes, ({ pattern }) => pattern.key).values()
  ) {
    const [first, ...others] = group;
    if (others.length === 0) continue;
    const files = others.map(({ file }) => `"${file}"`).join(" and ");
    faults.push({
      path: first!.file,
      reason: `${files} would answer the same URLs, "${
        first!.pattern.text
      }"; keep one of them`,
    });
  }
}

function warn(message: string): void {
  console.warn(`[bough] ${message}`);
}
