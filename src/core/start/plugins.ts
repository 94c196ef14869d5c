import { printableLines } from "../common/log.ts";
import {
  checkForm,
  type Form,
  listOf,
  matching,
  object,
  objectWith,
} from "../common/forms.ts";
import { messageOf, quoted } from "../common/values.ts";
import type { Faults, Report } from "../common/faults.ts";
import type { Method } from "../methods.ts";
import type { Plugin, PluginContext, RouteInfo } from "../types/plugin.ts";
import { LoadedRoute, type Route } from "../operation/endpoint.ts";
import { applicationParts } from "../operation/operation.ts";
import {
  compilePattern,
  compileSegment,
  type UrlSegment,
  urlSegments,
} from "../routing/pattern.ts";
import type { Handler } from "../types/request.ts";
import { PathReader } from "../routing/pathname.ts";
import type { Application } from "../request/application.ts";
import { routedUrl } from "../request/record.ts";
import type { ResolvedOptions } from "./options.ts";
import type { Start } from "./load.ts";
import { HANDLERS } from "./modules.ts";
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

/** Lets plugins respond before `onNotFound` to paths that are not below `apiPrefix`. */
export function withUnmatched(
  application: Application,
  { plugins, prefix, onNotFound }: ResolvedOptions,
): Application {
  const asked = plugins.filter(({ unmatched }) => unmatched !== undefined);
  if (asked.length === 0) return application;
  const paths = new PathReader();
  return {
    ...application,
    async onNotFound(request) {
      const { text, hasEncodedSeparator } = paths.read(routedUrl(request));
      const segments = text.split("/").filter(Boolean);
      const isBelow = prefix.length > 0 &&
        prefix.every((name, index) => segments[index] === name);
      if (!isBelow && !hasEncodedSeparator) {
        for (const plugin of asked) {
          const response = await plugin.unmatched!(request, segments);
          if (response !== undefined) return response;
        }
      }
      return await onNotFound?.(request);
    },
  };
}

function pluginRoutes(
  plugin: Plugin,
  context: PluginContext,
  { application, faults }: Start,
): readonly Route[] {
  // The name of the plugin replaces the file of a route.
  const file = `plugin ${plugin.name}`;
  const report = faults.at(file, "plugin");
  return attempt(report, () => {
    const routes = checked(plugin.routes(context), "routes()", ROUTES, report);
    return routes.map((route) => {
      const pattern = compilePattern([], route.path.split("/").filter(Boolean));
      const handlers = new Map(
        Object.entries(route.handlers) as [Method, Handler][],
      );
      const parts = {
        ...applicationParts(application, file),
        pattern,
        folders: [],
        contracts: [],
      };
      return new LoadedRoute(parts, { handlers, schema: {} });
    });
  });
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
    () => checked(plugin.check?.(routes) ?? [], "check()", FAULTS, report),
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

/** Checks a result of a plugin, since the plugin may be written without types. */
function checked<Item>(
  found: readonly Item[],
  name: string,
  form: Form,
  report: Report,
): readonly Item[] {
  return checkForm(form, found, name, report) ? found : [];
}

const ROUTES = listOf(
  {
    ...object({
      path: {
        // The URL of a request is normalized: "/a/../b" arrives as "/b".
        ...matching(
          /^(?!.*(?:^|\/)\.\.?(?:\/|$))/s,
          'must be a path without the segments "." and ".."',
        ),
        isRequired: true,
      },
      handlers: { ...HANDLERS, isRequired: true },
    }),
    isOpen: true,
  },
  'must be an array such as [{ path: "/docs", handlers: { GET } }]',
);
const FAULTS = listOf(
  objectWith(["path", "reason"], "must be an object with a path and a reason"),
  'must be an array such as [{ path: "api/route.ts", reason: "add a description" }]',
);

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
