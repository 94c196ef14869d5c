import { kindOf } from "../common/values.ts";
import type { ModuleExports } from "../exports/misnamed.ts";
import { reportOptOut } from "../exports/middleware_module.ts";
import type { RoutePermissions } from "../exports/permissions.ts";
import { checkModule } from "../exports/route_module.ts";
import { Faults } from "../faults.ts";
import type { ResolvedOptions } from "../options/resolve.ts";
import type { RouteParts } from "../request/endpoint.ts";
import type { Application } from "../request/record.ts";
import { LoadedRoute, type Route } from "../request/route.ts";
import type { Compilation, CompiledFile } from "./compile.ts";
import { type FolderContext, FolderMiddleware } from "./folders.ts";
import type { RouteFile } from "./discover.ts";
import type { Declarations } from "./permissions.ts";
import { importFailure, type LoadedFile, settled } from "./source.ts";

/** What a start knows and finds on the way to its routes. */
export interface Start {
  readonly options: ResolvedOptions;
  readonly application: Application;
  /** What is wrong with the files. */
  readonly faults: Faults;
  /** The permissions that files declare, by file. */
  readonly declarations: Declarations;
}

/**
 * Imports the files and creates the routes. With `lazy`, or where a manifest has a
 * function, a route file is imported at its first request. Middleware is always
 * imported now, since it may guard routes.
 */
export async function loadRoutes(
  { compiled, discovery: { middleware } }: Compilation,
  start: Start,
): Promise<Route[]> {
  const { options, faults } = start;
  const { lazy, source } = options;
  const isLazy = (file: RouteFile) => lazy || source.isLazy(file);
  const files = compiled.map(({ file }) => file);
  const eager = files.filter((file) => !isLazy(file));
  const loaded = new Map(
    (await source.loadAll([...middleware, ...eager]))
      .map((each) => [each.file, each]),
  );
  // Loaded before the first request, and only where it is used.
  const LazyRoute = eager.length === files.length
    ? undefined
    : (await import("../request/lazy_route.ts")).LazyRoute;

  const folders = new FolderMiddleware(options.middleware);
  for (const file of middleware) {
    const exports = exportsOf(loaded.get(file)!, start);
    if (exports === undefined) continue;
    folders.add(file, exports, faults.at(file.path, "exports"));
    declare(file, exports.permissions, start);
  }
  folders.checkContracts((path) => faults.at(path, "exports"));

  return compiled.flatMap(({ file, pattern }) => {
    const place = { file, pattern, ...folders.around(file) };
    const module = loaded.get(file);
    if (module !== undefined) return createRoute(place, module, start) ?? [];
    declare(file, file.permissions, start);
    return new LazyRoute!(
      partsOf(place, start),
      (attempt) => importRoute(place, attempt, start),
    );
  });
}

/** A route before its file is imported. */
type RoutePlace = CompiledFile & FolderContext;

/** @throws {RouteError} If the file cannot be served. */
async function importRoute(
  place: RoutePlace,
  attempt: number,
  start: Start,
): Promise<LoadedRoute> {
  const { file } = place;
  const { source } = start.options;
  const loaded = await settled(file, source.load(file, attempt));
  const faults = new Faults();
  const route = createRoute(place, loaded, { ...start, faults });
  if (start.declarations.has(file.path) || route === undefined) {
    const { checkDeclarations } = await import("./permissions.ts");
    checkDeclarations(start.declarations, faults, {
      files: [file.path],
      label: file.path,
    });
  }
  faults.throwIfAny();
  return route!;
}

/** Checks the exports of a route file and creates its route. */
function createRoute(
  place: RoutePlace,
  loaded: LoadedFile,
  start: Start,
): LoadedRoute | undefined {
  const { file, contracts } = place;
  const exports = exportsOf(loaded, start);
  declare(file, exports?.permissions, start);
  const report = start.faults.at(file.path, "exports");
  const module = exports && checkModule(exports, report);
  if (module === undefined) return undefined;
  if (contracts.length > 0) {
    for (const [method, schema] of Object.entries(module.schema)) {
      reportOptOut(`schema.${method}`, schema, { contracts, report });
    }
  }
  const parts = partsOf(place, start);
  const { bodyLimit, rawBody } = module.config;
  if (bodyLimit === undefined && rawBody === undefined) {
    return new LoadedRoute(parts, module);
  }
  const { limit, raw } = parts.bodyRules;
  const bodyRules = {
    ...parts.bodyRules,
    limit: bodyLimit ?? limit,
    // Middleware that needs the bytes gets them, even if the route has `false`.
    raw: rawBody || raw,
  };
  return new LoadedRoute({ ...parts, bodyRules }, module);
}

function declare(
  { path }: RouteFile,
  permissions: unknown,
  { declarations }: Start,
): void {
  if (permissions === undefined) return;
  declarations.set(path, permissions as RoutePermissions);
}

function exportsOf(
  loaded: LoadedFile,
  { options: { source }, faults }: Start,
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
  { options: { bodyRules }, application }: Start,
): RouteParts {
  return {
    pattern,
    file: file.path,
    folders: file.folders,
    bodyRules: rawBody ? { ...bodyRules, raw: true } : bodyRules,
    middleware,
    contracts,
    application,
  };
}
