import type { ErrorFormat } from "../errors.ts";
import type { RoutePermissions } from "../exports/permissions.ts";
import type {
  ErrorHandler,
  Middleware,
  NotFoundHandler,
} from "../types/request.ts";
import type { Plugin } from "./plugin.ts";

/**
 * Options of the `Framework` constructor: where the routes are, and how to serve
 * them.
 *
 * @example Usage
 * ```ts
 * import { Framework, type FrameworkOptions } from "@bough/framework";
 *
 * const options: FrameworkOptions = {
 *   apiDir: "examples/minimal/api",
 *   apiPrefix: "api/v1",
 *   bodyLimit: 100_000,
 * };
 * new Framework(options);
 * ```
 */
export type FrameworkOptions =
  & CommonOptions
  & (FolderOptions | ManifestOptions);

/** Options for routes that are the files of a folder. */
export interface FolderOptions {
  /**
   * The folder that holds the route folders: a path, relative to the working
   * directory, or a `file:` URL, such as `new URL("./api/", import.meta.url)`.
   */
  apiDir: string | URL;
  /**
   * Imports the files in your own module, where Deno can see the import: then it
   * checks, watches, compiles and bundles the files with the program. Write
   * ``(dir) => import(`./api/${dir}/route.ts`)``. To include middleware, a route
   * file in `apiDir` itself and other extensions, write
   * ``(_dir, path) => import(`./api/${path}`)``.
   */
  load?: RouteLoader;
  /** Not with `apiDir`. */
  manifest?: never;
}

/** Options for routes that a manifest lists; no folder is read. */
export interface ManifestOptions {
  /** The default export of the module that `bough build` writes. */
  manifest: RouteManifest;
  /** Not with `manifest`. */
  apiDir?: never;
  /** Not with `manifest`. */
  load?: never;
}

/** The options of the `Framework` constructor that do not say where the routes are. */
export interface CommonOptions {
  /**
   * The beginning of every path: one segment or several, such as `"api/v1"`, or
   * `""` to serve at the root. Slashes around it do not matter.
   *
   * @default {"api"}
   */
  apiPrefix?: string;
  /**
   * Imports each route file at its first request. The start is faster, but a broken
   * route is found late.
   *
   * @default {false}
   */
  lazy?: boolean;
  /**
   * The size of the largest body, in bytes, that validation or a reader such as
   * `request.json()` reads as a whole; the response to a larger one is a 413. A route
   * file sets its own limit with `export const config = { bodyLimit: 50_000_000 }`.
   *
   * @default {1_048_576}
   */
  bodyLimit?: number;
  /**
   * How long, in milliseconds, such a body may take to arrive. Then its reader gives
   * up, and the response is a 408; `Infinity` waits for ever.
   *
   * @default {30_000}
   */
  bodyTimeout?: number;
  /**
   * Checks the responses of handlers against the `response` schemas of their route.
   * With `true`, one that does not fit is logged, and a 500 is sent instead; with
   * `"warn"` it is logged and sent. This costs time, and is meant for development
   * and tests.
   *
   * @default {false}
   */
  validateResponses?: boolean | "warn";
  /**
   * Adds the header `Server-Timing` to each response, with the time of each step:
   * `route` to find the route, and with `lazy` to import its file; `middleware`,
   * without the steps inside it; `validate`; `handler`; and `total`, up to the
   * beginning of the body. This is meant for development: it costs time, and tells
   * every client how long each step takes.
   *
   * @default {false}
   */
  serverTiming?: boolean;
  /**
   * Ends the process at an uncaught error, as Deno itself does: an error in a timer
   * or a listener, or in a promise that nothing awaits. By default, the error is
   * logged and the process goes on, so that a handler that forgets an `await` fails
   * one task, not all requests.
   *
   * The default applies while `serve()` runs a server, or from the first request that
   * another server, such as `deno serve`, passes to `fetch` along with `info`. In a
   * test or a tool that only starts the application, or calls `fetch` without `info`,
   * uncaught errors end the process as usual, so that none is hidden. A test that
   * serves `fetch` by `Deno.serve` can set this option. With several applications in
   * one process, it goes on if one of them has the default.
   *
   * @default {false}
   */
  exitOnUncaughtError?: boolean;
  /**
   * The hosts that requests may be sent to, such as `["api.example.com",
   * "*.example.com"]`; the response to a request for another host is a 400. A name
   * allows every port, `"api.example.com:8443"` only that one; upper case and a final
   * dot do not matter. Both the authority of `request.url` and the header `Host` are
   * checked. By default all hosts are allowed, since the proxy in front of a server
   * mostly checks this.
   */
  allowedHosts?: readonly string[];
  /**
   * Further origins whose pages may send forms and plain text, such as
   * `["https://app.example.com"]`; pages of the application's own origin always
   * may. Browsers send such bodies to any origin without asking, with the cookies of
   * their visitor. So validation, and readers such as `request.formData()`, refuse
   * them with 403 if they come from other origins. JSON bodies are not affected:
   * browsers ask before they send one (CORS).
   *
   * @default {[]}
   */
  trustedOrigins?: readonly string[];
  /**
   * Runs around the whole application, the first one outermost: around every route,
   * and around the responses where no route matches. See {@linkcode Middleware}.
   */
  middleware?: readonly Middleware[];
  /**
   * The permissions that the application needs, whatever its routes: those of modules
   * that they share. Route files and middleware files declare their own in an export
   * of the same name. The start tells which ones are missing.
   */
  permissions?: RoutePermissions;
  /**
   * Called with whatever a handler threw, including every `HttpError`, and with the
   * errors of validation. Return a `Response` to send that: then you also log the
   * error. Return nothing to leave both to Bough.
   */
  onError?: ErrorHandler;
  /**
   * The format of error responses, made by `errorFormat()`. The `middleware.ts` of a
   * folder may export its own as `errors`.
   *
   * @default problem documents (RFC 9457)
   */
  errors?: ErrorFormat;
  /** Called for a path that no route matches. Returns a `Response`, or nothing. */
  onNotFound?: NotFoundHandler;
  /** Plugins that add routes, such as `openapi()` of `@bough/framework/openapi`. */
  plugins?: readonly Plugin[];
}

/**
 * Imports a file of `apiDir` in your own module, so that Deno knows of it before the
 * program runs. If the path has a `%`, `?` or `#`, Bough imports the file itself: in an
 * import, these begin an escape, a query or a fragment.
 *
 * @param dir The folder of the file below `apiDir`: `"users/[id]"`, or `"."` for
 * `apiDir` itself.
 * @param path The path of the file below `apiDir`: `"users/[id]/route.ts"`; for a
 * link, that of the target file.
 *
 * @example Usage
 * ```ts
 * import { Framework, type RouteLoader } from "@bough/framework";
 *
 * const load: RouteLoader = (_dir, path) => import(`./api/${path}`);
 * new Framework({ apiDir: "examples/minimal/api", load });
 * ```
 */
export type RouteLoader = (dir: string, path: string) => Promise<object>;

/**
 * The files of an application by their paths below `apiDir`, such as
 * `"users/[id]/route.ts"`: the exports of each, or a function that imports it. The
 * command `bough build` writes one. If links lead to files, its member `links` has
 * the other paths of each, the real one last; the middleware on them runs, too. Its
 * member `permissions` has what files declare, by path, for those imported later.
 *
 * @example By hand
 * ```ts
 * import { Framework, type RouteManifest } from "@bough/framework";
 * import { assertEquals } from "@std/assert";
 *
 * const manifest: RouteManifest = {
 *   "users/[id]/route.ts": { GET: () => new Response("a user") },
 * };
 * const app = new Framework({ manifest });
 * const response = await app.fetch(new Request("http://localhost/api/users/7"));
 * assertEquals(await response.text(), "a user");
 * ```
 */
export interface RouteManifest {
  /** The exports of the file at this path, or a function that imports it. */
  readonly [path: string]: object | (() => Promise<object>);
}
