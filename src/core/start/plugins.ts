import { printableLines } from "../common/log.ts";
import {
  isObject,
  isThenable,
  kindOf,
  messageOf,
  quoted,
} from "../common/values.ts";
import type { Faults, Report } from "../common/faults.ts";
import { isMethod, type Method, METHODS } from "../methods.ts";
import type {
  Plugin,
  PluginContext,
  PluginRoute,
  RouteInfo,
} from "../types/plugin.ts";
import { LoadedRoute, type Route } from "../operation/endpoint.ts";
import {
  compilePattern,
  compileSegment,
  type UrlSegment,
  urlSegments,
} from "../routing/pattern.ts";
import type { Handler } from "../types/request.ts";
import type { Start } from "./load.ts";
import type { RouteFile, Warning } from "./discover.ts";

/**
 * Creates the routes that plugins add, and runs the checks of plugins on the routes of
 * `apiDir`.
 */
export async function addRoutes(
  routes: readonly Route[],
  start: Start,
  describe: (route: Route) => Promise<RouteInfo>,
): Promise<Route[]> {
  const { options, faults } = start;
  const added: Route[] = [];
  const context: PluginContext = {
    routes: () => Promise.all(routes.map(describe)),
    pluginRoutes: () => Promise.all(added.map(describe)),
    fetch: start.fetch,
  };
  for (const plugin of options.plugins) {
    added.push(...pluginRoutes(plugin, context, start));
  }
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
  { options: { bodyRules, invalidParams, middleware }, application, faults }:
    Start,
): readonly Route[] {
  // The name of the plugin replaces the file of a route.
  const file = `plugin ${plugin.name}`;
  const report = faults.at(file, "plugin");
  return attempt(
    report,
    () =>
      itemsOf(plugin.routes(context), ROUTES, report).flatMap((route) => {
        const reasons = routeFaults(route);
        for (const reason of reasons) report(reason);
        if (reasons.length > 0) return [];
        const pattern = compilePattern(
          [],
          route.path.split("/").filter(Boolean),
        );
        const handlers = new Map(
          Object.entries(route.handlers) as [Method, Handler][],
        );
        const parts = {
          pattern,
          file,
          folders: [],
          bodyRules,
          invalidParams,
          middleware,
          contracts: [],
          errors: application.errors,
          application,
        };
        return [new LoadedRoute(parts, { handlers, schema: {} })];
      }),
  );
}

/** Reports the faults that a plugin finds in the imported routes of `apiDir`. */
function reportPluginFaults(
  plugin: Plugin,
  routes: readonly RouteInfo[],
  faults: Faults,
): void {
  const report = faults.at(`plugin ${plugin.name}`, "plugin");
  const found = attempt(
    report,
    () => itemsOf(plugin.check?.(routes) ?? [], FAULTS, report),
  );
  for (const { path, reason, cause } of found) {
    faults.at(path, "plugin")(reason, cause);
  }
}

/** Returns the result of code of a plugin; reports what it throws. */
function attempt<Item>(
  report: Report,
  run: () => readonly Item[],
): readonly Item[] {
  try {
    return run();
  } catch (cause) {
    report(printableLines(messageOf(cause)), cause);
    return [];
  }
}

/**
 * A function of a plugin, and the members that must be strings in each returned item.
 */
interface ItemKind {
  readonly source: string;
  readonly strings: readonly string[];
  readonly example: string;
}

const ROUTES: ItemKind = {
  source: "routes()",
  strings: ["path"],
  example: '[{ path: "/docs", handlers: { GET } }]',
};
const FAULTS: ItemKind = {
  source: "check()",
  strings: ["path", "reason"],
  example: '[{ path: "api/route.ts", reason: "add a description" }]',
};

/**
 * Checks the items that a plugin returned, since the plugin may be written without
 * types.
 */
function itemsOf<Item>(
  found: readonly Item[],
  { source, strings, example }: ItemKind,
  report: Report,
): readonly Item[] {
  const fault = itemsFault(found, strings);
  if (fault === undefined) return found;
  report(`${source} returned ${fault}; return an array such as ${example}`);
  return [];
}

function itemsFault(
  found: unknown,
  strings: readonly string[],
): string | undefined {
  if (isThenable(found)) return "a promise";
  if (!Array.isArray(found)) return kindOf(found);
  for (const item of found) {
    if (!isObject(item)) return `an array with ${kindOf(item)}`;
    const wrong = strings.find((name) => typeof item[name] !== "string");
    if (wrong === undefined) continue;
    return `an array in which ${wrong} is ${kindOf(item[wrong])}`;
  }
  return undefined;
}

/**
 * Finds the faults of a plugin's route, since the plugin may be written without types.
 */
function routeFaults({ path, handlers }: PluginRoute): string[] {
  const route = `route "${path}"`;
  // The URL of a request is normalized: "/a/../b" arrives as "/b".
  const dots = path.split("/").find((name) => /^\.\.?$/.test(name));
  if (dots !== undefined) {
    const found = `the path of ${route} has "${dots}"`;
    return [`${found}, which matches no request; remove this segment`];
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
 * Warns about plugin routes with URLs below a folder that has middleware, since the
 * middleware does not run around plugin routes.
 */
export function uncoveredRoutes(
  added: readonly Route[],
  middleware: readonly RouteFile[],
  prefix: readonly string[],
): Warning[] {
  const guards = middleware.flatMap(({ path, folders }) => {
    const segments = folders.map(compileSegment);
    // The middleware of a group guards only the group.
    return segments.at(-1)?.kind === "group"
      ? []
      : [{ path, segments: urlSegments(prefix, segments) }];
  });
  return added.flatMap(({ parts: { file, pattern, middleware } }) => {
    const above = guards.filter(({ segments }) =>
      isBelow(pattern.segments, segments)
    );
    if (above.length === 0) return [];
    const paths = quoted(above.map(({ path }) => path), " and ");
    const around = middleware.map(({ file }) => file).join(" and ") ||
      "no middleware";
    const message =
      `route "${pattern.text}" is below ${paths}, which does not run around plugin routes: this one has ${around}; guard it with the option middleware, or move the route`;
    return [{ path: file, rule: "plugin-route", message }];
  });
}

/** Whether a route can match a path below `above`. */
function isBelow(
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
