import type { BodyRules } from "../body/read.ts";
import { kindOf } from "../common/values.ts";
import { reportOptOut } from "../exports/middleware_module.ts";
import type { ModuleExports } from "../exports/misnamed.ts";
import { checkModule } from "../exports/route_module.ts";
import { Faults } from "../faults.ts";
import type { ResolvedOptions } from "../options/resolve.ts";
import type { EndpointParts } from "../request/endpoint.ts";
import { Endpoints, LazyEndpoints, type Route } from "../request/endpoints.ts";
import type { CompiledFile, Scan } from "./compile.ts";
import { FolderMiddleware, type Surroundings } from "./folders.ts";
import { type Declarations, reportLacks } from "./permissions.ts";
import { importFailure, type LoadedFile, settled } from "./source.ts";

/**
 * Imports the files and creates the routes. With `lazy`, or where a manifest has a
 * function, a route file is imported at its first request. Middleware is always
 * imported now, since it may guard routes.
 */
export async function loadRoutes(
  { compiled, discovery: { middleware } }: Scan,
  options: ResolvedOptions,
  found: Found,
): Promise<Route[]> {
  const { lazy, source } = options;
  const { faults, declarations } = found;
  const isEager = ({ file }: CompiledFile) => !lazy && !source.isLazy(file);
  const eager = compiled.filter(isEager).map(({ file }) => file);
  const loaded = await source.loadAll([...middleware, ...eager]);
  const folderMiddleware = new FolderMiddleware(options.middleware);
  for (const each of loaded.splice(0, middleware.length)) {
    const exports = exportsOf(each, options, faults);
    if (exports === undefined) continue;
    const report = faults.at(each.file.path, "exports");
    folderMiddleware.add(each.file, exports, report);
    declarations.add(each.file.path, exports.permissions, faults);
  }
  folderMiddleware.checkContracts((path) => faults.at(path, "exports"));
  const routes: Route[] = [];
  // What is left of `loaded` has the order of `compiled`, without the lazy files.
  let next = 0;
  for (const { file, pattern } of compiled) {
    const place = { file, pattern, ...folderMiddleware.around(file) };
    const module = loaded[next]?.file === file ? loaded[next++] : undefined;
    if (module === undefined) {
      declarations.add(file.path, file.permissions, faults);
    }
    const endpoints = module === undefined
      ? lazyEndpoints(place, options, declarations)
      : endpointsOf(place, module, options, found);
    if (endpoints !== undefined) routes.push(routeOf(place, endpoints));
  }
  return routes;
}

/** What is found of files on the way to their routes. */
export interface Found {
  /** Receives what is wrong with them. */
  readonly faults: Faults;
  /** Receives the permissions that they declare. */
  readonly declarations: Declarations;
}

/** A route before its file is imported. */
type RoutePlace = CompiledFile & Surroundings;

function routeOf(
  { file: { path, folders }, pattern, middleware, contracts }: RoutePlace,
  endpoints: Route["endpoints"],
): Route {
  return { pattern, file: path, folders, middleware, contracts, endpoints };
}

function lazyEndpoints(
  place: RoutePlace,
  options: ResolvedOptions,
  declarations: Declarations,
): LazyEndpoints {
  const { file } = place;

  async function load(attempt: number): Promise<Endpoints> {
    const loaded = await settled(file, options.source.load(file, attempt));
    const faults = new Faults();
    const found = { faults, declarations };
    const endpoints = endpointsOf(place, loaded, options, found);
    reportLacks(declarations.of([file.path]), faults, file.path);
    faults.throwIfAny();
    return endpoints!;
  }

  const parts = partsOf(place, options);
  const endpoints: LazyEndpoints = new LazyEndpoints(load, {
    ...parts,
    // Middleware that reads the body needs the limit of the route. If the import
    // fails, it reads by the default rules, and the endpoint reports the error.
    bodyRules: () =>
      endpoints.load().then(
        ({ bodyRules }) => bodyRules as BodyRules,
        () => parts.bodyRules,
      ),
  });
  return endpoints;
}

/** Checks the exports of a route file and creates its endpoints. */
function endpointsOf(
  place: RoutePlace,
  loaded: LoadedFile,
  options: ResolvedOptions,
  { faults, declarations }: Found,
): Endpoints | undefined {
  const exports = exportsOf(loaded, options, faults);
  declarations.add(place.file.path, exports?.permissions, faults);
  const report = faults.at(place.file.path, "exports");
  const module = exports && checkModule(exports, report);
  if (module === undefined) return undefined;
  const { contracts } = place;
  if (contracts.length > 0) {
    for (const [method, schema] of Object.entries(module.schema)) {
      reportOptOut(`schema.${method}`, schema, { contracts, report });
    }
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
    // Middleware that needs the bytes gets them, even if the route has `false`.
    raw: rawBody || raw,
  };
  return new Endpoints(module, { ...parts, bodyRules });
}

function exportsOf(
  loaded: LoadedFile,
  { source }: ResolvedOptions,
  faults: Faults,
): ModuleExports | undefined {
  const { path } = loaded.file;
  if ("exports" in loaded) {
    const { exports } = loaded;
    // A manifest written without types may have nothing where a guard should be.
    if (Object(exports) === exports) return exports;
    faults.at(path, "exports")(
      `the manifest has ${
        kindOf(exports)
      } for it; give the exports of the file, or a function that imports it`,
    );
    return undefined;
  }
  const report = faults.at(path, "import");
  report(importFailure(loaded.error, source.label), loaded.error);
  return undefined;
}

function partsOf(
  { file, pattern, middleware, contracts, rawBody }: RoutePlace,
  options: ResolvedOptions,
): EndpointParts & { readonly bodyRules: BodyRules } {
  const { bodyRules } = options;
  return {
    pattern,
    file: file.path,
    bodyRules: rawBody ? { ...bodyRules, raw: true } : bodyRules,
    middleware,
    contracts,
    application: options,
  };
}
