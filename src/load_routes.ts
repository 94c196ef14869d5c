import { RouteError, type RouteFault } from "./errors.ts";
import { Endpoints } from "./http/endpoints.ts";
import type { Route } from "./http/handler.ts";
import type { PlacedMiddleware } from "./http/middleware.ts";
import type { ResolvedOptions } from "./resolve_options.ts";
import type { RouteFile } from "./routes/discover.ts";
import {
  importFailure,
  type LoadedFile,
  type ModuleExports,
} from "./routes/load.ts";
import { FolderMiddleware } from "./routes/folder_middleware.ts";
import { checkModule } from "./routes/module.ts";
import type { CompiledFile } from "./scan.ts";

/**
 * Imports all files and makes routes of them. With `lazy`, route files are left
 * to their first request; middleware is not, since it may guard them.
 *
 * @param faults Takes what is wrong with the files.
 */
export async function loadRoutes(
  compiled: readonly CompiledFile[],
  middlewareFiles: readonly RouteFile[],
  { options, faults }: LoadContext,
): Promise<Route[]> {
  const routeFiles = options.lazy ? [] : compiled.map(({ file }) => file);
  const loaded = await options.source.loadAll([
    ...middlewareFiles,
    ...routeFiles,
  ]);
  const count = middlewareFiles.length;
  const shelf = new FolderMiddleware(options.middleware);
  for (const result of loaded.slice(0, count)) {
    gatherFaults(
      faults,
      () => shelf.add(result.file, exportsOf(result, options)),
    );
  }
  if (options.lazy) {
    return compiled.map((each) => lazyRoute(each, shelf, options));
  }
  return loaded.slice(count).flatMap((result, index) => {
    const { file, pattern } = compiled[index]!;
    const middleware = shelf.around(file);
    return gatherFaults(faults, () => {
      const exports = exportsOf(result, options);
      const place = { file, pattern, middleware };
      const endpoints = prepare(place, exports, options);
      return [{ ...routeOf(place), endpoints }];
    }) ?? [];
  });
}

/** What loading needs beside the files. */
export interface LoadContext {
  /** The options of the application. */
  readonly options: ResolvedOptions;
  /** Takes what is wrong with the files. */
  readonly faults: RouteFault[];
}

/** What is known of a route before its file is imported. */
interface RoutePlace extends CompiledFile {
  readonly middleware: readonly PlacedMiddleware[];
}

function routeOf(
  { file, pattern, middleware }: RoutePlace,
): Omit<Route, "endpoints"> {
  const { path, folders } = file;
  return { pattern, file: path, folders, middleware };
}

function exportsOf(
  loaded: LoadedFile,
  options: ResolvedOptions,
): ModuleExports {
  if ("exports" in loaded) return loaded.exports;
  throw importFault(loaded.file, loaded.error, options);
}

/** Keeps on after a fault, so that all of them are told together. */
function gatherFaults<T>(faults: RouteFault[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RouteError)) throw error;
    faults.push(...error.faults);
    return undefined;
  }
}

/** A route whose file is imported at its first request, once. */
function lazyRoute(
  { file, pattern }: CompiledFile,
  shelf: FolderMiddleware,
  options: ResolvedOptions,
): Route {
  const place = { file, pattern, middleware: shelf.around(file) };
  let failures = 0;
  let loading: Promise<Endpoints> | undefined;

  async function loadNow(): Promise<Endpoints> {
    try {
      const exports = await options.source.load(file, failures).catch(
        (error) => {
          throw importFault(file, error, options);
        },
      );
      return route.endpoints = prepare(place, exports, options);
    } catch (error) {
      failures++;
      loading = undefined;
      throw error;
    }
  }

  const route: Route = {
    ...routeOf(place),
    endpoints: undefined,
    // Requests that arrive together wait for one import.
    load: () => loading ??= loadNow(),
  };
  return route;
}

/** Checks the exports of a route file and prepares its endpoints. */
function prepare(
  { file, pattern, middleware }: RoutePlace,
  exports: ModuleExports,
  { bodyBounds, validateResponses, serverTiming, onError }: ResolvedOptions,
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
    bodyBounds: {
      ...bodyBounds,
      limit: config.bodyLimit ?? bodyBounds.limit,
    },
    middleware,
    validateResponses,
    serverTiming,
    onError,
  });
}

function importFault(
  file: RouteFile,
  cause: unknown,
  { source }: ResolvedOptions,
): RouteError {
  const reason = importFailure(cause, source.label);
  return new RouteError([{ path: file.path, reason, cause }]);
}
