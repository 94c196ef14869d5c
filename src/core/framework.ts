import { createHandlers, type Handlers } from "./operation/handler.ts";
import type { Observer, RequestHandler } from "./request/application.ts";
import type { FrameworkOptions } from "./types/options.ts";
import { type ResolvedOptions, resolveOptions } from "./start/options.ts";
import {
  drainUnderDenoServe,
  surviveUncaughtErrors,
} from "./server/process.ts";
import {
  originOf,
  resolveServeOptions,
  serve,
  type ServeOptions,
} from "./server/serve.ts";
import type { RouteInfo } from "./types/plugin.ts";
import type { Inspection } from "./start/inspect.ts";
import { buildRoutes, type Servable } from "./start/build.ts";
import { trimStack } from "./common/log.ts";

/**
 * Sets the observer of an application, for a tool of development.
 *
 * @returns Whether the observer was set, which requires an application that has not started.
 */
export let observe: (app: Framework, observer: Observer) => boolean;

/**
 * An application: a folder of route files, served as an HTTP API.
 *
 * @example Serve a folder
 * ```ts
 * import { Framework } from "@bough/framework";
 *
 * const app = new Framework({ apiDir: "examples/minimal/api" });
 * const server = await app.serve({ hostname: "127.0.0.1", port: 0 });
 * await server.shutdown();
 * ```
 *
 * @example Test an application without a server
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { assertEquals } from "@std/assert";
 *
 * const app = new Framework({ apiDir: "examples/minimal/api" });
 * const response = await app.fetch(new Request("http://localhost/api/hello"));
 * assertEquals(response.status, 200);
 * ```
 */
export class Framework {
  #options: ResolvedOptions;
  #starting: Promise<Started> | undefined;
  #handler: RequestHandler | undefined;
  /** Whether a server passed `info` with a request. */
  #isServed = false;
  /** Whether Deno found this application as the default export of the main module. */
  #isExported = false;

  /**
   * Creates the application, which reads the files only when it starts.
   *
   * @param options The location of the routes, and how to serve them.
   * @throws {TypeError} If an option is unknown, or its value is invalid.
   */
  constructor(options: FrameworkOptions) {
    try {
      this.#options = resolveOptions(options);
    } catch (error) {
      throw trimStack(error, Framework);
    }
    // Deno looks for this member in the default export of the main module.
    Object.defineProperty(this, "onListen", {
      get: () => void (this.#isExported = true),
    });
    // deno-lint-ignore no-this-alias
    const app = this;
    this.fetch = function (this: unknown, request, info) {
      if (info !== undefined && !app.#isServed) app.#onServed(this === app);
      return app.#handler === undefined
        ? app.#startAndFetch(request, info)
        : app.#handler(request, info);
    };
  }

  /**
   * The whole application as a function from a request to its response, for tests, for
   * `Deno.serve(app.fetch)`, and for `deno serve main.ts` with `export default app`.
   * The function is bound to the application, and starts the application at its first
   * call.
   *
   * @param request The request to respond to.
   * @param info The connection info from the server. Without `info`, the request counts
   * as made in this process. Bough then ignores its `Content-Length`, and removes the
   * body of a response to `HEAD`.
   * @returns The response. The promise rejects with a `RouteError` if startup fails.
   */
  readonly fetch: (
    request: Request,
    info?: Deno.ServeHandlerInfo<Deno.Addr>,
  ) => Response | Promise<Response>;

  /**
   * Reads the route files once, and prepares to serve; later calls wait for the first
   * call. `serve` and `fetch` call `start` themselves. Call `start` to find invalid
   * route files before the first request.
   *
   * @throws {RouteError} If the routes cannot be served; the error lists all faults.
   */
  async start(): Promise<void> {
    await this.#startFor(this.start);
  }

  /**
   * Starts the application and serves it over HTTP with `Deno.serve`, until the server
   * is shut down. `SIGINT` and `SIGTERM` drain the server, which then accepts no new
   * connections and finishes running requests. If Deno's server fails, for example
   * because file descriptors ran out, the returned server listens again.
   *
   * @param options The options of `Deno.serve`, such as `port` (default 8000),
   * `hostname` (default `"0.0.0.0"`) and `signal`, and how to shut down.
   * @returns The server, as soon as it listens.
   * @throws {TypeError} If an option is unknown, or its value is invalid.
   * @throws {RouteError} If the routes cannot be served; the error lists all faults.
   * @throws {Deno.errors.AddrInUse} If another program uses the port.
   */
  async serve(
    options: ServeOptions = {},
  ): Promise<Deno.HttpServer<Deno.NetAddr>> {
    try {
      const resolved = resolveServeOptions(options);
      const { handlers, built: { application } } = await this.#start();
      const observed = await application.observer.around?.(handlers.handle);
      const server = serve(
        { ...handlers, ...observed },
        resolved,
        this.#options,
      );
      observed?.listens(originOf(server.addr, resolved.listen));
      return server;
    } catch (error) {
      throw trimStack(error, this.serve);
    }
  }

  /**
   * Lists the routes of `apiDir` in path order, with their methods and schemas, for
   * tools that document or check an application. The call starts the application; with
   * `lazy`, the call also imports every route file.
   *
   * @returns The routes, without the routes of plugins.
   * @throws {RouteError} If the routes cannot be served; the error lists all faults.
   */
  async routes(): Promise<readonly RouteInfo[]> {
    const { built } = await this.#startFor(this.routes);
    return await Promise.all(built.routes.map(built.describe));
  }

  /**
   * Finds the same routes, faults and warnings as startup, for tools. Imports every
   * route file, but prints nothing and serves no requests.
   *
   * @returns The findings, even if the routes cannot be served.
   */
  async inspect(): Promise<Inspection> {
    // Wait for a running startup, so that the findings include its effects.
    await this.#starting?.catch(() => {});
    // Imported on demand, since servers do not need this module.
    const { inspect } = await import("./start/inspect.ts");
    return await inspect(this.#options);
  }

  static {
    observe = (app, observer) => {
      if (app.#starting !== undefined) return false;
      app.#options = { ...app.#options, observer };
      return true;
    };
  }

  async #startAndFetch(
    request: Request,
    info: Deno.ServeHandlerInfo<Deno.Addr> | undefined,
  ): Promise<Response> {
    await this.#startFor(this.#startAndFetch);
    return await this.#handler!(request, info);
  }

  /**
   * Starts the application. The stack of an error begins at the program's call of
   * `called`.
   */
  async #startFor(called: CallableFunction): Promise<Started> {
    try {
      return await this.#start();
    } catch (error) {
      throw trimStack(error, called);
    }
  }

  #start(): Promise<Started> {
    return this.#starting ??= this.#build();
  }

  async #build(): Promise<Started> {
    const built = await buildRoutes(this.#options, this.fetch);
    const handlers = createHandlers(built.tree, built.application);
    this.#handler = handlers.handle;
    return { handlers, built };
  }

  /**
   * Makes the process survive uncaught errors, and ends streams at signals under
   * `deno serve`, which calls `fetch` as a method of the default export.
   */
  #onServed(isMethod: boolean): void {
    this.#isServed = true;
    const { connections, exitOnUncaughtError } = this.#options;
    if (!exitOnUncaughtError) surviveUncaughtErrors(true);
    if (this.#isExported && isMethod) drainUnderDenoServe(connections);
  }
}

interface Started {
  readonly handlers: Handlers;
  readonly built: Servable;
}
