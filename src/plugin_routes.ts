import { Endpoints } from "./http/endpoints.ts";
import type { Route } from "./http/handler.ts";
import type { Handler } from "./http/request.ts";
import type { Method } from "./method.ts";
import type { ResolvedOptions } from "./resolve_options.ts";
import type { Plugin, PluginContext } from "./plugin.ts";
import { compilePattern } from "./routing/pattern.ts";

/**
 * Makes routes of what a plugin adds.
 *
 * @throws {SyntaxError} If one of its paths is malformed.
 */
export function pluginRoutes(
  plugin: Plugin,
  context: PluginContext,
  { bodyRules, middleware, serverTiming, onError }: ResolvedOptions,
): Route[] {
  const file = pluginLabel(plugin);
  return plugin.routes(context).map(({ path, handlers }) => {
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
