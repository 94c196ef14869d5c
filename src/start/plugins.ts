import { printableLines } from "../common/log.ts";
import { isObject, isThenable, kindOf } from "../common/values.ts";
import type { Faults, Report } from "../faults.ts";
import { isMethod, type Method, METHODS } from "../methods.ts";
import type { Plugin, PluginContext, RouteInfo } from "../options/plugin.ts";
import { LoadedRoute, type Route } from "../request/route.ts";
import {
  compilePattern,
  compileSegment,
  type UrlSegment,
  urlSegments,
} from "../routing/pattern.ts";
import type { Handler } from "../types/request.ts";
import type { Start } from "./load.ts";
import type { RouteFile, Warning } from "./discover.ts";

/** Creates the routes that plugins add, and runs the checks of plugins on `apiDir`. */
export async function addRoutes(
  routes: readonly Route[],
  start: Start,
  describe: (route: Route) => Promise<RouteInfo>,
): Promise<Route[]> {
  const { options, faults } = start;
  const context = { routes: () => Promise.all(routes.map(describe)) };
  const added = options.plugins.flatMap((plugin) =>
    pluginRoutes(plugin, context, start)
  );
  const checking = options.plugins.filter(({ check }) => check !== undefined);
  const imported = checking.length === 0 ? [] : await Promise.all(
    routes.filter((route) => route instanceof LoadedRoute).map(describe),
  );
  for (const plugin of checking) reportPluginFaults(plugin, imported, faults);
  return added;
}

function pluginRoutes(
  plugin: Plugin,
  context: PluginContext,
  { options: { bodyRules, middleware }, application, faults }: Start,
): Route[] {
  const file = pluginLabel(plugin);
  const report = faults.at(file, "plugin");
  try {
    const found: unknown = plugin.routes(context);
    if (!Array.isArray(found)) {
      const kind = isThenable(found) ? "a promise" : kindOf(found);
      report(`routes() returned ${kind}; return an array ${EXAMPLE}`);
      return [];
    }
    return found.flatMap((route) => {
      const reasons = routeFaults(route);
      for (const reason of reasons) report(reason);
      if (reasons.length > 0) return [];
      const pattern = compilePattern([], route.path.split("/").filter(Boolean));
      const handlers = new Map(
        Object.entries(route.handlers) as [Method, Handler][],
      );
      const parts = {
        pattern,
        file,
        folders: [],
        bodyRules,
        middleware,
        contracts: [],
        application,
      };
      return [new LoadedRoute(parts, { handlers, schema: {} })];
    });
  } catch (cause) {
    reportThrown(cause, report);
    return [];
  }
}

/** Reports the faults that a plugin finds in the imported routes of `apiDir`. */
function reportPluginFaults(
  plugin: Plugin,
  routes: readonly RouteInfo[],
  faults: Faults,
): void {
  try {
    for (const { path, reason, cause } of plugin.check?.(routes) ?? []) {
      faults.at(path, "plugin")(reason, cause);
    }
  } catch (cause) {
    reportThrown(cause, faults.at(pluginLabel(plugin), "plugin"));
  }
}

function reportThrown(cause: unknown, report: Report): void {
  const message = cause instanceof Error ? cause.message : String(cause);
  report(printableLines(message), cause);
}

/** The name of a plugin in messages, where routes have a file. */
function pluginLabel({ name }: Plugin): string {
  return `plugin ${name}`;
}

const EXAMPLE = 'such as [{ path: "/docs", handlers: { GET } }]';

/** Finds the faults of a route. A plugin may be written without types. */
function routeFaults(given: unknown): string[] {
  if (!isObject(given)) {
    const found = `routes() returned an array with ${kindOf(given)}`;
    return [`${found}; return an array ${EXAMPLE}`];
  }
  const { path, handlers } = given;
  if (typeof path !== "string") {
    const found = `the path of a route is ${kindOf(path)}`;
    return [`${found}; it must be a string such as "/docs"`];
  }
  const route = `route "${path}"`;
  // The URL of a request is normalized: "/a/../b" arrives as "/b".
  const dots = path.split("/").find((name) => /^\.\.?$/.test(name));
  if (dots !== undefined) {
    const found = `the path of ${route} has "${dots}"`;
    return [`${found}, which matches no request; write the path without it`];
  }
  if (!isObject(handlers)) {
    const found = `the handlers of ${route} are ${kindOf(handlers)}`;
    return [
      `${found}; they must be an object such as { GET: (request) => ... }`,
    ];
  }
  return Object.entries(handlers).flatMap(([key, value]) => {
    if (!isMethod(key)) {
      const known = METHODS.join(", ");
      return `${route} has a handler for "${key}"; the methods are ${known}`;
    }
    if (typeof value === "function") return [];
    const found = `the handler for ${key} of ${route} is ${kindOf(value)}`;
    return `${found}; it must be a function that takes a request and returns a Response`;
  });
}

/**
 * Warns about plugin routes with a URL below a folder that has middleware, which does
 * not run around them.
 */
export function uncoveredRoutes(
  added: readonly Route[],
  middleware: readonly RouteFile[],
  prefix: readonly string[],
): Warning[] {
  const guards = middleware.map((file) => ({
    path: file.path,
    segments: guardedSegments(file, prefix),
  }));
  return added.flatMap(({ parts: { file, pattern, middleware } }) => {
    const above = guards.filter(({ segments }) =>
      segments !== undefined && liesBelow(pattern.segments, segments)
    );
    if (above.length === 0) return [];
    const paths = above.map(({ path }) => `"${path}"`).join(" and ");
    const around = middleware.map(({ file }) => file).join(" and ") ||
      "no middleware";
    const message =
      `route "${pattern.text}" is below ${paths}, which does not run around plugin routes: this one has ${around}; guard it with the option middleware, or move it`;
    return [{ path: file, rule: "plugin-route", message }];
  });
}

/** The URL of a folder; a group has none, so it guards only the files in it. */
function guardedSegments(
  { folders }: RouteFile,
  prefix: readonly string[],
): UrlSegment[] | undefined {
  const segments = folders.map(compileSegment);
  return segments.at(-1)?.kind === "group"
    ? undefined
    : urlSegments(prefix, segments);
}

/** Whether a route can match a path below `above`. */
function liesBelow(
  route: readonly UrlSegment[],
  above: readonly UrlSegment[],
): boolean {
  return above.every((segment, index) => {
    const own = route[index];
    if (own === undefined || own.kind === "wildcard") return false;
    return own.kind === "dynamic" || segment.kind !== "static" ||
      own.text === segment.text;
  });
}
