import { log } from "../common/log.ts";
import { Faults, RouteError, type RouteFault } from "../common/faults.ts";
import type { ResolvedOptions } from "./options.ts";
import type { Application } from "../request/application.ts";
import type { Route } from "../operation/endpoint.ts";
import { RouteTree } from "../routing/tree.ts";
import {
  type Compilation,
  discoverAndCompile,
  findConflicts,
} from "./compile.ts";
import { checkSentSchemas, loadRoutes, responderOf } from "./load.ts";
import { type Declarations, reportMissing } from "./permissions.ts";
import type { LocatedContract } from "../types/contract.ts";
import type { PluginContext, RouteInfo } from "../types/plugin.ts";
import type { Warning } from "./discover.ts";

/** A built application, or the parts that could be built. */
export interface BuildResult {
  /** The faults that prevent startup, in the order in which they were found. */
  readonly faults: readonly RouteFault[];
  /** The warnings, which do not prevent startup. */
  readonly warnings: readonly Warning[];
  /** The files and their URL patterns. */
  readonly compilation: Compilation;
  /** The routes of `apiDir` that could be created. */
  readonly routes: readonly Route[];
  /** The routes that plugins add. */
  readonly added: readonly Route[];
  readonly application: Application;
  /** The tree of all routes, unless there are faults. */
  readonly tree: RouteTree<Route> | undefined;
  /** Imports a route, and returns what tools may know of it. */
  readonly describe: (route: Route) => Promise<RouteInfo>;
}

/** An application that can be served. */
export interface Servable extends BuildResult {
  readonly tree: RouteTree<Route>;
}

/**
 * Builds the application, and prints its warnings.
 *
 * @throws {RouteError} With all faults, if there are any.
 */
export async function buildRoutes(
  options: ResolvedOptions,
  fetch: PluginContext["fetch"],
): Promise<Servable> {
  const built = await build(options, { requiresPermissions: true, fetch });
  const { faults, warnings, routes, tree } = built;
  for (const { path, message } of warnings) {
    log({ level: "notice", place: `"${path}"`, message });
  }
  if (tree === undefined) throw new RouteError(faults);
  checkSentSchemas(routes);
  return { ...built, tree };
}

/**
 * Runs the four steps of startup: discover the files, compile their folder names,
 * import the modules, build the tree. Continues after a fault, to report all faults at
 * once.
 *
 * @param how Whether missing permissions are faults. A tool ignores missing
 * permissions, since the application runs with other permissions than the tool. `fetch`
 * sends a request of a plugin to the application.
 */
export async function build(
  options: ResolvedOptions,
  { requiresPermissions, fetch }: {
    readonly requiresPermissions: boolean;
    readonly fetch: PluginContext["fetch"];
  },
): Promise<BuildResult> {
  const faults = new Faults();
  const application = await applicationOf(options);
  const declarations: Declarations = new Map();
  if (Object.keys(options.permissions).length > 0) {
    declarations.set(OPTION, options.permissions);
  }
  for (const { name, permissions } of options.plugins) {
    if (permissions !== undefined) {
      declarations.set(`plugin ${name}`, permissions);
    }
  }
  const describe = (route: Route) => describeRoute(route, declarations);
  const compilation = await discoverAndCompile(options, faults);
  const { discovery, compiled } = compilation;
  const opened = new Set<LocatedContract>();
  const start = { options, application, faults, declarations, opened, fetch };
  const routes = await loadRoutes(compilation, start);
  if (requiresPermissions) {
    reportMissing(declarations, faults, options.source.label);
  }
  // Import this module only if needed, since few applications have plugins.
  const plugins = options.plugins.length === 0
    ? undefined
    : await import("./plugins.ts");
  const added = await plugins?.addRoutes(routes, start, describe) ?? [];
  let isServable = faults.all.length === 0;
  const tree = !isServable
    ? undefined
    : new RouteTree([...routes, ...added], () => isServable = false);
  if (!isServable) {
    findConflicts(compiled, added.map(({ parts }) => parts), faults);
  }
  const warnings = [...discovery.warnings];
  // If there are faults, a folder may be malformed and have no URL to compare.
  if (isServable && plugins !== undefined) {
    const { middleware } = discovery;
    warnings.push(
      ...plugins.uncoveredRoutes(added, middleware, options.prefix),
    );
  }
  return {
    faults: faults.all,
    warnings,
    compilation,
    routes,
    added,
    application: plugins?.withUnmatched(application, options) ?? application,
    tree: isServable ? tree : undefined,
    describe,
  };
}

/** Creates the state that requests share; imports only the features that are used. */
async function applicationOf(options: ResolvedOptions): Promise<Application> {
  const { errors, observer, rewrite, serverTiming } = options;
  // Deno registers OpenTelemetry before the program runs.
  const isObserved = serverTiming || observer !== undefined ||
    Symbol.for("opentelemetry.js.api.1") in globalThis;
  return {
    ...options,
    errors: errors && await responderOf(errors, "option errors", options),
    checkResponses: options.validateResponses === false
      ? undefined
      : (await import("../schema/check_response.ts")).createResponseCheck,
    observer: isObserved
      ? (await import("../operation/observe.ts")).observerOf(options)
      : {},
    readPath: rewrite &&
      (await import("../request/rewrite.ts")).rewritingReader(rewrite),
  };
}

async function describeRoute(
  route: Route,
  declarations: Declarations,
): Promise<RouteInfo> {
  const loaded = await route.load();
  const { parts, methods, handlers, schema } = loaded;
  const { pattern, file, folders, contracts, bodyRules, invalidParams } = parts;
  const around = parts.middleware.map(({ file }) => file);
  const runs = parts.middleware.filter(({ run }) => run !== undefined);
  // The methods of a route file that declares middleware by method.
  const own = runs.flatMap(({ methods }) => methods?.[0] ?? []);
  return {
    path: pattern.text,
    segments: pattern.segments,
    file,
    folders,
    methods,
    handlers,
    operations: new Map(
      methods.map((method) =>
        [method, loaded.endpoint(method).operation.effective] as const
      ),
    ),
    // A file may export several middleware, but is listed once.
    middleware: [
      ...new Set(
        runs.map(({ file, methods }) =>
          methods === undefined
            ? file
            : `${file} (${[...new Set(own)].join(", ")})`
        ),
      ),
    ],
    contracts,
    schema,
    bodyLimit: bodyRules.limit,
    bodyTimeout: bodyRules.timeout,
    invalidParams,
    errors: parts.errors?.format,
    errorsFile: parts.errors?.file,
    permissions: [...new Set([OPTION, ...around, file])]
      .map((file) => ({ file, permissions: declarations.get(file) ?? {} }))
      .filter(({ permissions }) => Object.keys(permissions).length > 0),
  };
}

/** The name of the option `permissions` in lists of files. */
const OPTION = "option permissions";
