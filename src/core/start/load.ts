import { log } from "../common/log.ts";
import { kindOf } from "../common/values.ts";
import type { ErrorFormat } from "../errors.ts";
import {
  checkMiddleware,
  checkModule,
  disabledGuards,
  levelOf,
  type MiddlewareLevel,
  type ModuleExports,
} from "./modules.ts";
import { type Declarations, reportMissing } from "./permissions.ts";
import type { RoutePermissions } from "../types/permissions.ts";
import { Faults } from "../common/faults.ts";
import { schemaKey } from "../methods.ts";
import type { PluginContext } from "../types/plugin.ts";
import type { ResolvedOptions } from "./options.ts";
import { applicationParts, type RouteParts } from "../operation/operation.ts";
import type {
  Application,
  ErrorResponder,
  LocatedMiddleware,
} from "../request/application.ts";
import { LoadedRoute, type Route } from "../operation/endpoint.ts";
import { jsonFormOf } from "../schema/json_schema.ts";
import { looseSchemas } from "../schema/declaration.ts";
import type { LocatedContract } from "../types/contract.ts";
import type { Compilation } from "./compile.ts";
import type { RouteFile } from "./discover.ts";
import { importFailure, type LoadedFile, settled } from "./source.ts";

/** The inputs and findings of startup. */
export interface Start {
  readonly options: ResolvedOptions;
  readonly application: Application;
  readonly faults: Faults;
  /** The permissions that files declare, by file. */
  readonly declarations: Declarations;
  /** The contracts that {@linkcode reportOpened} has compared with their guards. */
  readonly opened: Set<LocatedContract>;
  /** Sends a request to the started application. */
  readonly fetch: PluginContext["fetch"];
}

/**
 * Imports the files and creates the routes. With the option `lazy`, or if the manifest
 * entry of a file is a function, Bough imports the route file at its first request.
 * Bough always imports middleware at startup, since middleware may guard routes.
 */
export async function loadRoutes(
  { compiled, discovery: { middleware } }: Compilation,
  start: Start,
): Promise<Route[]> {
  const { lazy, source } = start.options;
  const isLazy = (file: RouteFile) => lazy || source.isLazy(file);
  const files = compiled.map(({ file }) => file);
  const eager = files.filter((file) => !isLazy(file));
  const loaded = new Map(
    (await source.loadAll([...middleware, ...eager]))
      .map((each) => [each.file, each]),
  );
  // Import this module before the first request, and only if a file is lazy.
  const LazyRoute = eager.length === files.length
    ? undefined
    : (await import("../operation/lazy_route.ts")).LazyRoute;

  const folders = new Map<string, CheckedFile>();
  for (const file of middleware) {
    const exports = exportsOf(loaded.get(file)!, start);
    if (exports !== undefined) {
      await addMiddleware(file, exports, folders, start);
    }
  }
  const outside = outerContext(start);
  const around = (names: readonly string[]) =>
    contextOf(names, folders, outside);
  // The folders of middleware may have no routes yet.
  for (const { folders: names } of [{ folders: [] }, ...middleware]) {
    reportOpened(around(names).contracts, start);
  }

  return compiled.flatMap(({ file, pattern }) => {
    const parts = {
      ...applicationParts(start.application, file.path),
      ...around(file.folders),
      pattern,
      folders: file.folders,
    };
    const module = loaded.get(file);
    if (module !== undefined) return createRoute(parts, module, start) ?? [];
    declare(file, file.permissions, start);
    return new LazyRoute!(
      parts,
      (attempt) => importRoute(file, attempt, parts, start),
    );
  });
}

/** @throws {RouteError} If the file cannot be served. */
async function importRoute(
  file: RouteFile,
  attempt: number,
  parts: RouteParts,
  start: Start,
): Promise<LoadedRoute> {
  const { source } = start.options;
  const loaded = await settled(file, source.load(file, attempt));
  const faults = new Faults();
  const route = createRoute(parts, loaded, { ...start, faults });
  const permissions = start.declarations.get(file.path);
  if (permissions !== undefined) {
    reportMissing([[file.path, permissions]], faults, file.path);
  }
  faults.throwIfAny();
  checkSentSchemas([route!]);
  return route!;
}

/**
 * Warns of the methods that may send more members than intended. A lazy route is known at
 * its first request.
 *
 * @throws {RouteError} If the library is a zod before 4.2.
 */
export function checkSentSchemas(routes: readonly Route[]): void {
  const faults = new Faults();
  const all: string[] = [];
  const mixed: string[] = [];
  for (const route of routes) {
    if (!(route instanceof LoadedRoute)) continue;
    const { application, file, pattern } = route.parts;
    for (const method of route.methods) {
      const key = schemaKey(method);
      const schema = route.schema[key];
      const { response, events, socket } = schema ?? {};
      // Compiling the other methods of 1,000 files takes 10 ms.
      if (!schema || (response ?? events ?? socket) === undefined) continue;
      const found = looseSchemas(schema);
      // Schemas of `zod/mini` have no methods.
      const old = found.undescribed.find(({ schema }) =>
        schema["~standard"].vendor === "zod" && "optional" in schema &&
        jsonFormOf(schema) === undefined
      );
      if (old !== undefined) {
        faults.at(file, "exports")(
          `schema.${key}.${old.member} is a schema of a zod before 4.2, which has no JSON Schema; update zod`,
        );
      }
      if (application.sendUndeclared) continue;
      const name = `${method} ${pattern.text}`;
      if (found.undescribed.length > 0) all.push(name);
      if (found.mixed.length > 0) mixed.push(name);
    }
  }
  faults.throwIfAny();
  const warn = (names: readonly string[], message: string) => {
    if (names.length === 0) return;
    log({ level: "notice", message: `${names.join(", ")} ${message}` });
  };
  warn(
    all,
    'send undeclared members, since their schemas have no JSON Schema; use zod instead of zod/mini, toStandardJsonSchema() for Valibot, or "sendUndeclared: true"',
  );
  warn(
    mixed,
    'may send the members of several branches, since no constant distinguishes the objects of a union; add one, such as kind: z.literal("book")',
  );
}

/** Checks the exports of a route file and creates its route. */
function createRoute(
  outer: RouteParts,
  loaded: LoadedFile,
  start: Start,
): LoadedRoute | undefined {
  const { file } = loaded;
  const exports = exportsOf(loaded, start);
  const report = start.faults.at(file.path, "exports");
  const module = exports && checkModule(exports, report);
  if (module === undefined) return undefined;
  const { config, levels, permissions } = module;
  declare(file, permissions, start);
  const parts = levels.length === 0 ? outer : withLevels(outer, levels, start);
  if (Object.keys(config).length === 0) return new LoadedRoute(parts, module);
  const { limit } = parts.bodyRules;
  const { bodyLimit = limit, invalidParams = parts.invalidParams } = config;
  const bodyRules = { ...parts.bodyRules, limit: bodyLimit };
  return new LoadedRoute({ ...parts, bodyRules, invalidParams }, module);
}

/** Adds the middleware of a route file to the middleware of its folders. */
function withLevels(
  parts: RouteParts,
  levels: readonly MiddlewareLevel[],
  start: Start,
): RouteParts {
  const { file: path, folders } = parts;
  const middleware = [
    ...parts.middleware,
    ...levels.map((level) => locate(level, { path, folders })),
  ];
  const contracts = contractsOf(middleware);
  reportOpened(contracts, start);
  return { ...parts, middleware, contracts };
}

/**
 * Reports contracts that allow anonymous requests although there is a guard outside of
 * them, each once.
 *
 * @param contracts The contracts around a route, outermost first.
 */
function reportOpened(
  contracts: readonly LocatedContract[],
  { faults, opened }: Start,
): void {
  for (const { contract, guard } of disabledGuards(contracts)) {
    if (opened.has(contract)) continue;
    opened.add(contract);
    faults.at(contract.file, "exports")(
      `contract.security allows anonymous requests, but "${guard.file}" is a guard outside of it; move the file out of the guarded folder, or open single methods with schema.get.security`,
    );
  }
}

function declare(
  { path }: RouteFile,
  permissions: RoutePermissions | undefined,
  { declarations }: Start,
): void {
  if (permissions !== undefined) declarations.set(path, permissions);
}

function exportsOf(
  loaded: LoadedFile,
  { faults }: Start,
): ModuleExports | undefined {
  const { path } = loaded.file;
  if ("exports" in loaded) {
    const { exports } = loaded;
    // In a manifest that is written without types, the entry of a guard may be
    // `undefined`.
    if (Object(exports) === exports) return exports;
    faults.at(path, "exports")(
      `the manifest entry is ${
        kindOf(exports)
      }; it must be the exports of the file, or a function that imports the file`,
    );
    return undefined;
  }
  const { error } = loaded;
  faults.at(path, "import")(importFailure(error), error);
  return undefined;
}

/** The parts that the folders of a route add to it. */
type FolderContext = Pick<RouteParts, "middleware" | "contracts" | "errors">;

/**
 * Creates the responder of an error format. Imports the module on demand, since few
 * applications have an error format.
 */
export async function responderOf(
  format: ErrorFormat,
  file: string,
  { validateResponses }: Pick<ResolvedOptions, "validateResponses">,
): Promise<ErrorResponder> {
  const { errorResponder } = await import("../operation/error_format.ts");
  return errorResponder(format, { file, validateResponses });
}

/** The context of `apiDir` without its middleware file. */
function outerContext(
  { options, application: { errors } }: Start,
): FolderContext {
  const middleware = options.middleware.map(({ run, file: path }) =>
    locate(levelOf(run), { path, folders: [] })
  );
  return { middleware, contracts: contractsOf(middleware), errors };
}

/** The context of a folder: that of its parent, and its own file. */
function contextOf(
  names: readonly string[],
  folders: ReadonlyMap<string, CheckedFile>,
  outside: FolderContext,
): FolderContext {
  const outer = names.length === 0
    ? outside
    : contextOf(names.slice(0, -1), folders, outside);
  const file = folders.get(names.join("/"));
  if (file === undefined) return outer;
  const middleware = [...outer.middleware, ...file.located];
  const contracts = contractsOf(middleware);
  return { middleware, contracts, errors: file.errors ?? outer.errors };
}

/** Checks a middleware file, and adds it to the folders. */
async function addMiddleware(
  file: RouteFile,
  exports: ModuleExports,
  folders: Map<string, CheckedFile>,
  start: Start,
): Promise<void> {
  const { path } = file;
  const report = start.faults.at(path, "exports");
  const folder = file.folders.join("/");
  const other = folders.get(folder)?.path;
  if (other !== undefined) {
    report(`"${other}" is middleware of the same folder; keep one of them`);
  }
  const checked = checkMiddleware(exports, report);
  if (checked === undefined) return;
  const { levels, errors, permissions } = checked;
  declare(file, permissions, start);
  folders.set(folder, {
    path,
    located: levels.map((level) => locate(level, file)),
    errors: errors && await responderOf(errors, path, start.options),
  });
}

/** A middleware file that passed its checks. */
interface CheckedFile extends Pick<RouteFile, "path"> {
  readonly located: readonly LocatedMiddleware[];
  /** Responds with errors in the format of the file, if it has one. */
  readonly errors: ErrorResponder | undefined;
}

/** Adds the place of a middleware to it and to its contracts. */
function locate(
  { contracts, ...level }: MiddlewareLevel,
  { path: file, folders }: Pick<RouteFile, "path" | "folders">,
): LocatedMiddleware {
  const { methods } = level;
  const place = {
    file,
    paramNames: paramNamesOf(folders),
    ...(methods && { methods }),
  };
  return {
    ...level,
    contracts: contracts.map((contract) => ({ contract, ...place })),
    file,
  };
}

function contractsOf(
  middleware: readonly LocatedMiddleware[],
): LocatedContract[] {
  return middleware.flatMap(({ contracts = [] }) => contracts);
}

/**
 * Returns the parameter names in the path of a folder. The contract of the folder may
 * validate these parameters. A malformed folder name has no parameter; startup reports
 * the malformed name separately.
 */
function paramNamesOf(folders: readonly string[]): string[] {
  return folders.flatMap((name) => /^\[([^.].*)\]$/.exec(name)?.[1] ?? []);
}
