import type { Handler } from "../http/request.ts";
import type { RouteSchema } from "../http/validation/schema.ts";
import type { Method } from "../method.ts";
import type { UrlSegment } from "../routing/segment.ts";

/** One route of an application, as its folders and its file say. */
export interface RouteInfo {
  /** Its URL pattern: `/api/users/[id]`. */
  readonly path: string;
  /** The segments of that path, those of `apiPrefix` first. */
  readonly segments: readonly UrlSegment[];
  /** Its file, as `apiDir` spells it: `api/(admin)/users/[id]/route.ts`. */
  readonly file: string;
  /** The folders it stands in, from `apiDir` down: `["(admin)", "users", "[id]"]`. */
  readonly folders: readonly string[];
  /** The methods that its file has handlers for. */
  readonly methods: readonly Method[];
  /** Those handlers, by method. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** The files of its middleware and the options that give it, outermost first. */
  readonly middleware: readonly string[];
  /** Its `schema` export. */
  readonly schema: RouteSchema;
}

/** What a plugin may ask of the application it is used in. */
export interface PluginContext {
  /**
   * Lists the routes of the application, in path order. With `lazy`, this
   * imports those that no request has asked for yet.
   */
  readonly routes: () => Promise<readonly RouteInfo[]>;
}

/** A route that a plugin adds. */
export interface PluginRoute {
  /** Its whole path, of folder names as in `apiDir`: `/docs/[...]`. */
  readonly path: string;
  /**
   * Its handlers by method, as a route file would export them. Any other key, and a
   * value that is no function, stops the start.
   */
  readonly handlers: { readonly [Name in Method]?: Handler };
}

/**
 * Adds routes of its own to an application, beside those of `apiDir`; it is
 * given to the application by its option `plugins`.
 *
 * What runs around its routes is the option `middleware` of the application. No
 * `middleware.ts` does, since a plugin's routes stand in no folder: where one lies
 * below the URL of a folder that has middleware, the start warns, and names it.
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
  /** What messages call it. */
  readonly name: string;
  /** Gives the routes to add; called once, at the start. */
  readonly routes: (context: PluginContext) => readonly PluginRoute[];
}
