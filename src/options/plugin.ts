import type { PermissionDeclaration } from "../exports/permissions.ts";
import type { ErrorFormat } from "../errors.ts";
import type { RouteFault } from "../faults.ts";
import type { Method } from "../methods.ts";
import type { UrlSegment } from "../routing/pattern.ts";
import type { LocatedContract } from "../types/contract.ts";
import type { Handler } from "../types/request.ts";
import type { RouteSchema } from "../types/schema.ts";
/** One route of an application, as its folders and its file define it. */
export interface RouteInfo {
  /** Its URL pattern: `/api/users/[id]`. */
  readonly path: string;
  /** The segments of that path, those of `apiPrefix` first. */
  readonly segments: readonly UrlSegment[];
  /** Its file, with `apiDir`: `api/(admin)/users/[id]/route.ts`. */
  readonly file: string;
  /** Its folders, from `apiDir` down: `["(admin)", "users", "[id]"]`. */
  readonly folders: readonly string[];
  /** The methods that its file exports handlers for. */
  readonly methods: readonly Method[];
  /** The handlers, by method. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** The files and options that its middleware comes from, outermost first. */
  readonly middleware: readonly string[];
  /** The contracts of its folders, outermost first. */
  readonly contracts: readonly LocatedContract[];
  /** Its `schema` export. */
  readonly schema: RouteSchema;
  /** The size of the largest body that it reads as a whole, in bytes. */
  readonly bodyLimit: number;
  /** How long such a body may take to arrive, in milliseconds. */
  readonly bodyTimeout: number;
  /** The format of its errors; `undefined` for problem documents. */
  readonly errors: ErrorFormat | undefined;
  /** The permissions declared for it: by the option, by its folders, by its file. */
  readonly permissions: readonly PermissionDeclaration[];
}

/** What an application offers to its plugins. */
export interface PluginContext {
  /**
   * Lists the routes of the application, in path order. With `lazy`, this imports
   * the route files that are not imported yet.
   */
  readonly routes: () => Promise<readonly RouteInfo[]>;
}

/** A route that a plugin adds. */
export interface PluginRoute {
  /** Its whole path, spelled like folders: `/docs/[...]`. */
  readonly path: string;
  /**
   * Its handlers by method, as a route file exports them. With any other key, or a
   * value that is not a function, the application does not start.
   */
  readonly handlers: { readonly [Name in Method]?: Handler };
}

/**
 * Adds routes to an application, beside those of `apiDir`. Pass it in the option
 * `plugins`.
 *
 * Of all middleware, only that of the option `middleware` runs around its routes. A
 * `middleware.ts` does not, since the routes of a plugin are in no folder. At the
 * start, a warning names each route whose URL lies below a folder with middleware.
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
  /** Its name in messages. */
  readonly name: string;
  /** Returns the routes to add; called at the start, and by `app.inspect()`. */
  readonly routes: (context: PluginContext) => readonly PluginRoute[];
  /**
   * Returns what is wrong with the routes of `apiDir`, which stops the start. It is
   * called at the start, with the routes that are imported by then, and by
   * `app.inspect()` with all of them.
   *
   * @default {() => []}
   */
  readonly check?: (routes: readonly RouteInfo[]) => readonly RouteFault[];
}
