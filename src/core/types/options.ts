import type { ErrorFormat } from "../errors.ts";
import type { RoutePermissions } from "./permissions.ts";
import type { ErrorHandler, Middleware, NotFoundHandler } from "./request.ts";
import type { Plugin } from "./plugin.ts";

/**
 * Options of the `Framework` constructor: the location of the routes, and how to serve
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

/** Options for routes in the files of a folder. */
export interface FolderOptions {
  /**
   * The folder of the routes, required without `manifest`: a path, relative to the
   * working directory, or a `file:` URL, such as `new URL("./api/", import.meta.url)`.
   */
  apiDir: string | URL;
  /**
   * Imports the files in your own module, where Deno can find the import.
   *
   * Deno then checks, watches, compiles and bundles the files with the program. Write
   * ``(_dir, path) => import(`./api/${path}`)``.
   */
  load?: RouteLoader;
  /** Cannot be combined with `apiDir`. */
  manifest?: never;
}

/** Options for routes that a manifest lists, without reading a folder. */
export interface ManifestOptions {
  /** The default export of the module that `bough build` writes; replaces `apiDir`. */
  manifest: RouteManifest;
  /** Cannot be combined with `manifest`. */
  apiDir?: never;
  /** Cannot be combined with `manifest`. */
  load?: never;
}

/** The options of the `Framework` constructor except the location of the routes. */
export interface CommonOptions {
  /**
   * The beginning of every path: one or more segments, such as `"api/v1"`, or `""` to
   * serve at the root.
   *
   * Leading and trailing slashes are ignored.
   *
   * @default {"api"}
   */
  apiPrefix?: string;
  /**
   * Imports each route file at its first request. Startup is faster, but an invalid
   * route file is found late.
   *
   * @default {false}
   */
  lazy?: boolean;
  /**
   * The size of the largest body, in bytes, that validation or a reader such as
   * `request.json()` buffers. A larger body gets 413.
   *
   * A route file sets its own limit: `export const config = { bodyLimit: 50_000_000 }`.
   *
   * @default {1_048_576}
   */
  bodyLimit?: number;
  /**
   * The time, in milliseconds, in which a buffered body must arrive. A slower body
   * gets 408.
   *
   * `Infinity` removes the limit.
   *
   * @default {30_000}
   */
  bodyTimeout?: number;
  /**
   * The status for a value in the path that violates a schema of `params`: 400, or 404
   * as for a path without a route.
   *
   * A route file sets its own status: `export const config = { invalidParams: 404 }`.
   *
   * @default {400}
   */
  invalidParams?: 400 | 404;
  /**
   * Checks the responses of handlers against the `response` schemas of their route.
   * With `true`, Bough logs an invalid response and sends a 500 instead. With `"warn"`,
   * Bough logs and sends it.
   *
   * The check is meant for development and tests, since it takes time.
   *
   * @default {false}
   */
  validateResponses?: boolean | "warn";
  /**
   * Sends all members of the values for `respond()`, `events()` and sockets, even those
   * that the schema does not declare.
   *
   * @default {false}
   */
  sendUndeclared?: boolean;
  /**
   * Adds the header `Server-Timing` to each response, with the times of its steps:
   * `route`, `middleware`, `validate`, `handler` and `total`.
   *
   * With `lazy`, `route` includes the import of the file. `middleware` excludes the
   * steps inside it, and `total` ends at the beginning of the body. The option is meant
   * for development, since it takes time and shows every client how long each step
   * takes.
   *
   * @default {false}
   */
  serverTiming?: boolean;
  /**
   * Ends the process at an uncaught error in a timer, in a listener or in a promise
   * without an `await`, as Deno itself does.
   *
   * By default, Bough logs the error and the process continues, so that a missing
   * `await` in a handler does not end all other requests.
   *
   * The default applies while `serve()` runs a server, or from the first request that
   * another server, such as `deno serve`, passes to `fetch` with `info`. In a test or a
   * tool that only starts the application, or calls `fetch` without `info`, uncaught
   * errors end the process as usual. A test that serves `fetch` with `Deno.serve` can
   * set this option. A process with several applications continues if any application
   * has the default.
   *
   * @default {false}
   */
  exitOnUncaughtError?: boolean;
  /**
   * The hosts that requests may be sent to, such as `["api.example.com",
   * "*.example.com"]`. Other hosts get 400.
   *
   * A name without a port allows every port; `"api.example.com:8443"` allows only port
   * 8443. Case and a final dot are ignored. Bough checks both the authority of
   * `request.url` and the header `Host`. By default, all hosts are allowed, since the
   * proxy in front of a server usually checks them.
   *
   * @default all hosts
   */
  allowedHosts?: readonly string[];
  /**
   * Returns another path to match, such as `"/api/v2/books"`, or `undefined` for the
   * path of the request.
   *
   * The function must be synchronous, and the path must be escaped and have no query.
   * Bough treats the path as if a client had requested it; `request.url` stays as it was
   * sent. Clients can also request the path directly, so guards must not rely on `rewrite`.
   */
  rewrite?: (request: Request) => string | undefined;
  /**
   * Further origins whose pages may send forms and plain text, such as
   * `["https://app.example.com"]`, in addition to the application's own origin.
   *
   * Browsers send such bodies to any origin without a preflight request, with the
   * cookies of their visitor. Validation, and readers such as `request.formData()`,
   * therefore reject these bodies from other origins with 403. JSON bodies are not
   * affected, since browsers send a preflight request for them first (CORS).
   *
   * @default {[]}
   */
  trustedOrigins?: readonly string[];
  /**
   * Middleware around the whole application, outermost first, even around the responses
   * to requests that match no route.
   *
   * @default {[]}
   */
  middleware?: readonly Middleware[];
  /**
   * The permissions that the application needs in addition to its routes, for example
   * in shared modules.
   *
   * Route files and middleware files declare their own permissions in an export of the
   * same name. Startup reports missing permissions.
   *
   * @default no permissions
   */
  permissions?: RoutePermissions;
  /**
   * Receives the errors of validation, and every value that a handler throws except a
   * `Response`. It may return a `Response`.
   *
   * If it does, Bough does not log the error.
   */
  onError?: ErrorHandler;
  /**
   * The format of error responses, created by `errorFormat()`.
   *
   * The `middleware.ts` of a folder may export another format as `errors`.
   *
   * @default problem documents (RFC 9457)
   */
  errors?: ErrorFormat;
  /** May return the response for a path that no route matches. */
  onNotFound?: NotFoundHandler;
  /**
   * Plugins that add routes, such as `openapi()` of `@bough/framework/openapi`.
   *
   * @default {[]}
   */
  plugins?: readonly Plugin[];
}

/**
 * Imports a file of `apiDir` in your own module, so that Deno finds it before the
 * program runs. If the function returns `undefined`, Bough imports the file itself. It
 * also imports a file itself if the path has a `%`, `?` or `#`, which begin an escape, a
 * query or a fragment in an import.
 *
 * @param dir The folder of the file below `apiDir`: `"users/[id]"`, or `"."` for
 * `apiDir` itself.
 * @param path The path of the file below `apiDir`: `"users/[id]/route.ts"`.
 *
 * @example Usage
 * ```ts
 * import { Framework, type RouteLoader } from "@bough/framework";
 *
 * const load: RouteLoader = (_dir, path) => import(`./api/${path}`);
 * new Framework({ apiDir: "examples/minimal/api", load });
 * ```
 */
export type RouteLoader = (
  dir: string,
  path: string,
) => Promise<object> | undefined;

/**
 * The files of an application by their paths below `apiDir`, such as
 * `"users/[id]/route.ts"`: the exports of each file, or a function that imports the
 * file. The command `bough build` writes a manifest. The member `permissions` contains
 * the declared permissions of lazily imported files, by path.
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
