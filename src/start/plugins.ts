import { printableLines } from "../common/log.ts";
import { isObject, kindOf } from "../common/values.ts";
import type { Faults, Report } from "../faults.ts";
import { isMethod, type Method, METHODS } from "../methods.ts";
import type {
  Plugin,
  PluginContext,
  PluginRoute,
  RouteInfo,
} from "../options/plugin.ts";
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

/** Creates the routes that plugins add, and has them check those of `apiDir`. */
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
    return plugin.routes(context).flatMap((route) => {
      const reasons = handlerFaults(route);
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

/** Reports what a plugin finds wrong with the routes of `apiDir` that are imported. */
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

/** The name of a plugin in messages, in the place of a file. */
function pluginLabel({ name }: Plugin): string {
  return `plugin ${name}`;
}

/** What is wrong with the handlers of a plugin, which may be written without types. */
function handlerFaults({ path, handlers }: PluginRoute): string[] {
  const route = `its route "${path}"`;
  if (!isObject(handlers)) {
    const found = `the handlers of ${route} are ${kindOf(handlers)}`;
    return [
      `${found}; they must be an object such as { GET: (request) => ... }`,
    ];
  }
  return Object.entries(handlers).flatMap(([key, value]) => {
    if (!isMethod(key)) {
      const known = METHODS.join(", ");
      return `${route} has a handler for "${key}", which is none of ${known}`;
    }
    if (typeof value === "function") return [];
    const found = `the handler for ${key} of ${route} is ${kindOf(value)}`;
    return `${found}; it must be a function that takes a request and returns a Response`;
  });
}

/**
 * Warns of plugin routes whose URL lies below a folder with middleware: one might
 * expect that middleware to run around them, but it does not.
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
      `its route "${pattern.text}" lies below ${paths} by its URL, but folder middleware does not run around the routes of plugins: around this one runs ${around}; guard it by the option middleware, or move it`;
    return [{ path: file, rule: "plugin-route", message }];
  });
}

/** The URL of a folder; a group has none, and guards only what is in it. */
function guardedSegments(
  { folders }: RouteFile,
  prefix: readonly string[],
): UrlSegment[] | undefined {
  const segments = folders.map(compileSegment);
  return segments.at(-1)?.kind === "group"
    ? undefined
    : urlSegments(prefix, segments);
}

/** Whether a path below `above` can match a route. */
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
