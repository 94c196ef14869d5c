import { RouteError, type RouteFault } from "../errors.ts";
import type { BodyRules } from "../http/body/rules.ts";
import type { EndpointParts } from "../http/endpoint.ts";
import { Endpoints } from "../http/endpoints.ts";
import { LazyEndpoints } from "../http/lazy_endpoints.ts";
import type { Route } from "../http/handler.ts";
import type { ResolvedOptions } from "./resolve_options.ts";
import type { RouteFile } from "../routes/discover.ts";
import {
  importFailure,
  type LoadedFile,
  type ModuleExports,
} from "../routes/load.ts";
import {
  FolderMiddleware,
  type Surroundings,
} from "../routes/folder_middleware.ts";
import { checkModule } from "../routes/module.ts";
import type { CompiledFile } from "../routes/scan.ts";

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
    const place = placeOf({ file, pattern }, shelf);
    return gatherFaults(faults, () => {
      const exports = exportsOf(result, options);
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
type RoutePlace = CompiledFile & Surroundings;

function placeOf(compiled: CompiledFile, shelf: FolderMiddleware): RoutePlace {
  return { ...compiled, ...shelf.around(compiled.file) };
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

/** A route whose file is imported at its first request. */
function lazyRoute(
  { file, pattern }: CompiledFile,
  shelf: FolderMiddleware,
  options: ResolvedOptions,
): Route {
  const place = placeOf({ file, pattern }, shelf);

  async function load(attempt: number): Promise<Endpoints> {
    const exports = await options.source.load(file, attempt).catch((error) => {
      throw importFault(file, error, options);
    });
    return prepare(place, exports, options);
  }

  const parts = partsOf(place, options);
  const endpoints: LazyEndpoints = new LazyEndpoints(load, {
    ...parts,
    // A guard that reads the body needs the route's own limit. If the route is
    // broken, that is for the handler's turn to tell.
    bodyRules: () =>
      endpoints.load().then(
        ({ bodyRules }) => bodyRules as BodyRules,
        () => parts.bodyRules,
      ),
  });
  return { ...routeOf(place), endpoints };
}

/** Checks the exports of a route file and prepares its endpoints. */
function prepare(
  place: RoutePlace,
  exports: ModuleExports,
  options: ResolvedOptions,
): Endpoints {
  const { path } = place.file;
  const module = checkModule(exports);
  if (Array.isArray(module)) {
    throw new RouteError(module.map((reason) => ({ path, reason })));
  }
  const { bodyLimit, rawBody } = module.config;
  const parts = partsOf(place, options);
  if (bodyLimit === undefined && rawBody === undefined) {
    return new Endpoints(module, parts);
  }
  const { limit, raw } = parts.bodyRules;
  const bodyRules = {
    ...parts.bodyRules,
    limit: bodyLimit ?? limit,
    // A guard that needs the bytes gets them, whatever the route says.
    raw: rawBody || raw,
  };
  return new Endpoints(module, { ...parts, bodyRules });
}

function partsOf(
  { file, pattern, middleware, rawBody }: RoutePlace,
  { bodyRules, validateResponses, serverTiming, onError }: ResolvedOptions,
): EndpointParts & { readonly bodyRules: BodyRules } {
  return {
    pattern,
    file: file.path,
    bodyRules: rawBody ? { ...bodyRules, raw: true } : bodyRules,
    middleware,
    validateResponses,
    serverTiming,
    onError,
  };
}

function importFault(
  file: RouteFile,
  cause: unknown,
  { source }: ResolvedOptions,
): RouteError {
  const reason = importFailure(cause, source.label);
  return new RouteError([{ path: file.path, reason, cause }]);
}
