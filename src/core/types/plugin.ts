import type { PermissionDeclaration, RoutePermissions } from "./permissions.ts";
import type { ErrorFormat } from "../errors.ts";
import type { RouteFault } from "../common/faults.ts";
import type { Method } from "../methods.ts";
import type { UrlSegment } from "../routing/pattern.ts";
import type { LocatedContract } from "./contract.ts";
import type { EffectiveSchema } from "./effective_schema.ts";
import type { Handler } from "./request.ts";
import type { RouteSchema } from "./schema.ts";

/** One route of an application, as its folders and its file define it. */
export interface RouteInfo {
  /** The URL pattern: `/api/users/[id]`. */
  readonly path: string;
  /** The segments of the URL pattern, beginning with the segments of `apiPrefix`. */
  readonly segments: readonly UrlSegment[];
  /** The route file, with `apiDir`: `api/(admin)/users/[id]/route.ts`. */
  readonly file: string;
  /** The folders, from `apiDir` down: `["(admin)", "users", "[id]"]`. */
  readonly folders: readonly string[];
  /** The methods that the file exports handlers for. */
  readonly methods: readonly Method[];
  /** The handlers, by method. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** The schemas by method, merged with the contracts. */
  readonly operations: ReadonlyMap<Method, EffectiveSchema>;
  /**
   * The files and options with middleware of the route, outermost first. A route file
   * names its methods if it declares middleware by method:
   * `api/orders/route.ts (POST, PATCH)`.
   */
  readonly middleware: readonly string[];
  /** The contracts of this middleware, outermost first. */
  readonly contracts: readonly LocatedContract[];
  /** The `schema` export of the file. */
  readonly schema: RouteSchema;
  /** The size of the largest buffered body, in bytes. */
  readonly bodyLimit: number;
  /** The time limit for the arrival of a buffered body, in milliseconds. */
  readonly bodyTimeout: number;
  /** The status for a value in the path that violates a schema of `params`. */
  readonly invalidParams: 400 | 404;
  /** The error format of the route; `undefined` for problem documents. */
  readonly errors: ErrorFormat | undefined;
  /** The middleware file that exports the error format, or `"option errors"`. */
  readonly errorsFile: string | undefined;
  /** The permissions declared by the option, the folders and the file. */
  readonly permissions: readonly PermissionDeclaration[];
}

/** The application, as its plugins see it. */
export interface PluginContext {
  /**
   * Lists the routes of the application, in path order. With `lazy`, the call imports
   * all route files that were not imported before.
   */
  readonly routes: () => Promise<readonly RouteInfo[]>;
  /** Lists the routes of all plugins, once the application has started. */
  readonly pluginRoutes: () => Promise<readonly RouteInfo[]>;
  /**
   * Sends a request to the application itself, which responds as to a client: with the
   * option `middleware`, the guards, the validation and the logs of the route.
   *
   * @param request The request. Its URL must have a host that the application serves.
   * @param info The connection of the client, such as `request.info` of the request that
   * the plugin handles. Without `info`, the request counts as made in this process.
   */
  readonly fetch: (
    request: Request,
    info?: Deno.ServeHandlerInfo<Deno.Addr>,
  ) => Response | Promise<Response>;
}

/** A route that a plugin adds. */
export interface PluginRoute {
  /** The full path, in the form of folders: `/docs/[...]`. */
  readonly path: string;
  /**
   * The handlers by method, as a route file exports them. Any other key, or a value that
   * is not a function, prevents startup.
   */
  readonly handlers: { readonly [Name in Method]?: Handler };
}

/**
 * Adds routes to an application, in addition to the routes of `apiDir`. Pass the plugin
 * in the option `plugins`.
 *
 * Only the option `middleware` runs around the routes of a plugin. These routes are
 * outside all folders, so the middleware of a `middleware.ts` does not run around them.
 * At startup, a warning names each route whose URL is below the URL of a folder with
 * middleware.
 *
 * @example Usage
 * ```ts
 * import { Framework, type Plugin } from "@bough/framework";
 *
 * const routeCount: Plugin = {
 *   name: "route count",
 *   routes: (application) => [{
 *     path: "/route-count",
 *     handlers: {
 *       GET: async () => Response.json((await application.routes()).length),
 *     },
 *   }],
 * };
 * new Framework({ apiDir: "examples/minimal/api", plugins: [routeCount] });
 * ```
 */
export interface Plugin {
  /** The name of the plugin in messages. */
  readonly name: string;
  /** Returns the routes to add; called at startup, and by `app.inspect()`. */
  readonly routes: (context: PluginContext) => readonly PluginRoute[];
  /**
   * Responds to a request that no route matches, before the option `onNotFound`. The
   * first plugin that returns a response wins. Bough calls it for no path below
   * `apiPrefix`.
   *
   * @param request The request.
   * @param segments The segments of the path, decoded. None is empty, `.` or `..`, or
   * contains a separator.
   * @default {() => undefined}
   */
  readonly unmatched?: (
    request: Request,
    segments: readonly string[],
  ) => Response | undefined | Promise<Response | undefined>;
  /**
   * The permissions that the plugin needs.
   *
   * @default {none}
   */
  readonly permissions?: RoutePermissions;
  /**
   * Returns the faults of the routes of `apiDir`; any fault prevents startup. Bough
   * calls `check` at startup with the routes that were already imported, and
   * `app.inspect()` calls it with all routes.
   *
   * @default {() => []}
   */
  readonly check?: (routes: readonly RouteInfo[]) => readonly RouteFault[];
}
