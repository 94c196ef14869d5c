import type { ErrorHandler } from "../http/failure.ts";
import type { NotFoundHandler } from "../http/handler.ts";
import type { Middleware } from "../http/middleware.ts";
import type { Plugin } from "./plugin.ts";
import type { RouteManifest } from "../routes/manifest.ts";
import type { RouteLoader } from "../routes/source.ts";

/**
 * Options of the `Framework` constructor: where its routes are, and the rest.
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

/** The routes are the files of a folder. */
export interface FolderOptions {
  /**
   * The folder that holds the route folders: a path, relative to the working
   * directory, or a `file:` URL, such as `new URL("./api/", import.meta.url)`.
   */
  apiDir: string | URL;
  /**
   * Imports the files, so that the import stands in your own module and Deno
   * knows of them beforehand: they are checked, watched, compiled and bundled with
   * the program. Write ``(dir) => import(`./api/${dir}/route.ts`)``, or
   * ``(_dir, path) => import(`./api/${path}`)`` to have middleware, a route file
   * in `apiDir` itself and other extensions in it, too.
   */
  load?: RouteLoader;
  /** Takes the place of `apiDir`. */
  manifest?: never;
}

/** The routes are the files that a manifest lists; no folder is read. */
export interface ManifestOptions {
  /** The default export of a module that `bough build` wrote. */
  manifest: RouteManifest;
  /** Takes the place of `manifest`. */
  apiDir?: never;
  /** Goes with `apiDir`. */
  load?: never;
}

/** The options of the `Framework` constructor but those of where its routes are. */
export interface CommonOptions {
  /**
   * What stands in every URL before the path of the folders: one segment or
   * several, such as `"api/v1"`; `""` serves at the root. Slashes around it do
   * not matter.
   *
   * @default {"api"}
   */
  apiPrefix?: string;
  /**
   * Imports each route file at its first request instead of at the start. The
   * start is faster then, but a broken route is found late.
   *
   * @default {false}
   */
  lazy?: boolean;
  /**
   * The largest body, in bytes, that is read as a whole, by validation or by a
   * reader such as `request.json()`; a larger one is answered with 413. A route
   * file sets its own with `export const config = { bodyLimit: 50_000_000 }`.
   *
   * @default {1_048_576}
   */
  bodyLimit?: number;
  /**
   * How long, in milliseconds, such a body may take to arrive before its reader
   * gives up, which is answered with 408; `Infinity` waits for ever.
   *
   * @default {30_000}
   */
  bodyTimeout?: number;
  /**
   * Checks the answers of handlers against the `response` schemas of their route:
   * with `true`, one that does not fit is logged and answered with 500; with
   * `"warn"` it is logged and sent. It costs time, so that it is made for
   * development and tests.
   *
   * @default {false}
   */
  validateResponses?: boolean | "warn";
  /**
   * Tells in the header `Server-Timing` of each answer how long its steps took:
   * `route` to find the route, and to import its file with `lazy`; `middleware`,
   * without what it runs around; `validate`; `handler`; and `total`, up to where
   * the body begins. Made for development: it costs time, and what takes how long
   * is not for everybody to know.
   *
   * @default {false}
   */
  serverTiming?: boolean;
  /**
   * The hosts that requests may be sent to, such as `["api.example.com",
   * "*.example.com"]`; a request for another is answered with 400. A name allows
   * every port, `"api.example.com:8443"` that one; upper case and a final dot do
   * not matter. The authority of `request.url` counts, and the header `Host`, too,
   * where both exist. All by default, since the proxy in front of a server mostly
   * checks this.
   */
  allowedHosts?: readonly string[];
  /**
   * The origins of pages that may send forms and plain text, such as
   * `["https://app.example.com"]`; pages of the application's own origin always
   * may. Browsers send such bodies to any origin without asking, with the cookies
   * of their visitor, so that from elsewhere a reader such as
   * `request.formData()`, and validation, refuse them with 403. A body typed as
   * JSON is not concerned: for this a browser asks first (CORS).
   *
   * @default {[]}
   */
  trustedOrigins?: readonly string[];
  /**
   * Runs around the whole application, the first one outermost: every route, and
   * the answers where there is none. See {@linkcode Middleware}.
   */
  middleware?: readonly Middleware[];
  /**
   * Is called with whatever a handler threw, be it an `HttpError`, and with the
   * faults that validation found. Return a `Response` to answer it yourself: you
   * then log it, too. Return nothing to leave both to Bough.
   */
  onError?: ErrorHandler;
  /** Is called for a path that no route matches. Return a `Response`, or nothing. */
  onNotFound?: NotFoundHandler;
  /** What adds routes of its own, such as `openapi()` of `@bough/framework/openapi`. */
  plugins?: readonly Plugin[];
}
