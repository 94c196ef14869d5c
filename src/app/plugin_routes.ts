import { RouteError } from "../errors.ts";
import { Endpoints } from "../http/endpoints.ts";
import type { Route } from "../http/handler.ts";
import type { Handler } from "../http/request.ts";
import { isMethod, type Method, METHODS } from "../method.ts";
import type { ResolvedOptions } from "./resolve_options.ts";
import type { Plugin, PluginContext, PluginRoute } from "./plugin.ts";
import type { RouteFile, Warning } from "../routes/discover.ts";
import { isObject, kindOf } from "../routes/kind.ts";
import { compilePattern, type UrlSegment } from "../routing/pattern.ts";
import { compileSegment } from "../routing/segment.ts";

/**
 * Makes routes of what a plugin adds.
 *
 * @throws {SyntaxError} If one of its paths is malformed.
 * @throws {RouteError} If handlers are none, with all that is wrong.
 */
export function pluginRoutes(
  plugin: Plugin,
  context: PluginContext,
  { bodyRules, middleware, serverTiming, onError }: ResolvedOptions,
): Route[] {
  const file = pluginLabel(plugin);
  const added = plugin.routes(context);
  const faults = added.flatMap(handlerFaults);
  if (faults.length > 0) {
    throw new RouteError(faults.map((reason) => ({ path: file, reason })));
  }
  return added.map(({ path, handlers }) => {
    const names = path.split("/").filter((name) => name !== "");
    const pattern = compilePattern([], names);
    const byMethod = new Map(
      Object.entries(handlers) as [Method, Handler][],
    );
    const endpoints = new Endpoints({ handlers: byMethod, schema: {} }, {
      pattern,
      file,
      bodyRules,
      middleware,
      serverTiming,
      onError,
    });
    return { pattern, file, folders: [], middleware, endpoints };
  });
}

/** What messages call the routes of a plugin. */
export function pluginLabel({ name }: Plugin): string {
  return `plugin ${name}`;
}

/** Handlers come from code without types, too: a method must not be one by name alone. */
function handlerFaults({ path, handlers }: PluginRoute): string[] {
  const route = `its route "${path}"`;
  if (!isObject(handlers)) {
    return [
      `the handlers of ${route} are ${
        kindOf(handlers)
      }; they must be an object such as { GET: (request) => … }`,
    ];
  }
  return Object.entries(handlers).flatMap(([key, value]) => {
    if (!isMethod(key)) {
      return [
        `${route} has a handler for "${key}", which is none of ${
          METHODS.join(", ")
        }`,
      ];
    }
    if (typeof value === "function") return [];
    return [
      `the handler for ${key} of ${route} is ${
        kindOf(value)
      }; it must be a function that takes a request and returns a Response`,
    ];
  });
}

/**
 * Warns of the routes of plugins that lie below a folder with middleware, as far as
 * their URLs go: it does not run around them.
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
  return added.flatMap(({ file, pattern }) => {
    const above = guards.filter(({ segments }) =>
      segments !== undefined && liesBelow(pattern.segments, segments)
    );
    if (above.length === 0) return [];
    const paths = above.map(({ path }) => `"${path}"`).join(" and ");
    const message =
      `its route "${pattern.text}" lies below ${paths} by its URL, but folder middleware does not run around the routes of plugins; guard it by the option middleware, or move it`;
    return [{ path: file, message }];
  });
}

/** The URL that a folder has; none for a group, which covers what is in it alone. */
function guardedSegments(
  { folders }: RouteFile,
  prefix: readonly string[],
): UrlSegment[] | undefined {
  const segments = folders.map(compileSegment);
  if (segments.at(-1)?.kind === "group") return undefined;
  return [
    ...prefix.map((text) => ({ kind: "static", text }) as const),
    ...segments.filter((segment) => segment.kind !== "group"),
  ];
}

/** Whether some path below `above` reaches a route. */
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
