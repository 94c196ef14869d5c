import { RouteError, type RouteFault } from "./errors.ts";
import { Endpoints } from "./http/endpoint.ts";
import type { Route } from "./http/handler.ts";
import type { Handler } from "./http/request.ts";
import type { Method } from "./method.ts";
import type { ResolvedOptions } from "./options.ts";
import type { Plugin, PluginContext } from "./plugin.ts";
import type { RouteFile } from "./routes/discover.ts";
import {
  importFailure,
  load,
  loadAll,
  type ModuleExports,
} from "./routes/load.ts";
import { checkModule } from "./routes/module.ts";
import { compilePattern, type RoutePattern } from "./routing/pattern.ts";

/** A route file whose folder names compiled to a URL pattern. */
export interface CompiledFile {
  /** The file. */
  readonly file: RouteFile;
  /** What its folders say. */
  readonly pattern: RoutePattern;
}

/**
 * Imports all route files and makes routes of them.
 *
 * @param faults Takes what is wrong with the files.
 */
export async function loadRoutes(
  compiled: readonly CompiledFile[],
  options: ResolvedOptions,
  faults: RouteFault[],
): Promise<Route[]> {
  const loaded = await loadAll(compiled.map(({ file }) => file));
  const routes: Route[] = [];
  for (const [index, { pattern, file }] of compiled.entries()) {
    const result = loaded[index]!;
    try {
      if ("error" in result) throw importFault(file, result.error, options);
      const endpoints = prepare(file, pattern, result.exports, options);
      routes.push({
        pattern,
        file: file.path,
        folders: file.folders,
        endpoints,
      });
    } catch (error) {
      if (!(error instanceof RouteError)) throw error;
      faults.push(...error.faults);
    }
  }
  return routes;
}

/**
 * Makes routes of what a plugin adds.
 *
 * @throws {SyntaxError} If one of its paths is malformed.
 */
export function pluginRoutes(
  plugin: Plugin,
  context: PluginContext,
  { bodyLimit, onError }: ResolvedOptions,
): Route[] {
  const file = pluginLabel(plugin);
  return plugin.routes(context).map(({ path, handlers }) => {
    const names = path.split("/").filter((name) => name !== "");
    const pattern = compilePattern([], names);
    const byMethod = new Map(
      Object.entries(handlers) as [Method, Handler][],
    );
    const parts = { pattern, file, handlers: byMethod, schema: {} };
    const endpoints = new Endpoints({ ...parts, bodyLimit, onError });
    return { pattern, file, folders: [], endpoints };
  });
}

/** What messages call the routes of a plugin. */
export function pluginLabel({ name }: Plugin): string {
  return `plugin ${name}`;
}

/** A route whose file is imported at its first request, once. */
export function lazyRoute(
  { file, pattern }: CompiledFile,
  options: ResolvedOptions,
): Route {
  let failures = 0;
  let loading: Promise<Endpoints> | undefined;

  async function loadNow(): Promise<Endpoints> {
    try {
      const exports = await load(file, failures).catch((error) => {
        throw importFault(file, error, options);
      });
      return route.endpoints = prepare(file, pattern, exports, options);
    } catch (error) {
      failures++;
      loading = undefined;
      throw error;
    }
  }

  const route: Route = {
    pattern,
    file: file.path,
    folders: file.folders,
    endpoints: undefined,
    // Requests that arrive together wait for one import.
    load: () => loading ??= loadNow(),
  };
  return route;
}

/** Checks the exports of a route file and prepares its endpoints. */
function prepare(
  file: RouteFile,
  pattern: RoutePattern,
  exports: ModuleExports,
  { bodyLimit, validateResponses, onError }: ResolvedOptions,
): Endpoints {
  const module = checkModule(exports);
  if (Array.isArray(module)) {
    throw new RouteError(module.map((reason) => ({ path: file.path, reason })));
  }
  const { handlers, schema, config } = module;
  return new Endpoints({
    pattern,
    file: file.path,
    handlers,
    schema,
    bodyLimit: config.bodyLimit ?? bodyLimit,
    validateResponses,
    onError,
  });
}

function importFault(
  file: RouteFile,
  cause: unknown,
  { label }: ResolvedOptions,
): RouteError {
  const reason = importFailure(cause, label);
  return new RouteError([{ path: file.path, reason, cause }]);
}
