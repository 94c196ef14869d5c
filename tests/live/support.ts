import type { FrameworkRequest, Handler, MethodSchema } from "@bough/framework";
import type { CommonOptions } from "@bough/framework/types";
import {
  type LiveSocket,
  socket,
  type SocketHandlers,
  type SocketOptions,
} from "@bough/framework/live";
import {
  TestApplication,
  type TestModule,
  TestServer,
} from "../support/application.ts";
import { RawSocket } from "../support/raw_socket.ts";

// deno-lint-ignore no-explicit-any
type Handlers = SocketHandlers<any, any>;

/** A route that opens a socket with these handlers. */
export function socketRoute(
  handlers: Handlers | ((request: FrameworkRequest) => Handlers),
  schemas?: MethodSchema["socket"],
  options?: SocketOptions,
): TestModule & { readonly GET: Handler } {
  return {
    ...(schemas && { schema: { get: { socket: schemas } } }),
    GET: (request) =>
      socket(
        request,
        typeof handlers === "function" ? handlers(request) : handlers,
        options,
      ),
  };
}

/** Handlers that send each message back. */
export const ECHO: Handlers = {
  message: (data, socket) => void socket.send(data),
};

/** A schema that validates with a function, whatever that returns. */
// deno-lint-ignore no-explicit-any
export function schemaOf(validate: (value: unknown) => any) {
  return { "~standard": { version: 1 as const, vendor: "mine", validate } };
}

/** An application with one socket, at `/socket`, for one test. */
export class SocketServer implements AsyncDisposable {
  /** The server that `app.serve()` returned. */
  readonly server: Deno.HttpServer<Deno.NetAddr>;

  private constructor(server: Deno.HttpServer<Deno.NetAddr>) {
    this.server = server;
  }

  /** Serves a socket with these handlers. */
  static async start(
    handlers: Parameters<typeof socketRoute>[0],
    { options, signal, ...common }: CommonOptions & {
      readonly options?: SocketOptions;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<SocketServer> {
    const { GET } = socketRoute(handlers, undefined, options);
    // Without a route file, Bough would warn.
    const { app } = TestApplication.of({ "route.ts": { GET } }, {
      plugins: [{
        name: "socket",
        routes: () => [{ path: "/socket", handlers: { GET } }],
      }],
      ...common,
    });
    const { server } = await TestServer.start(app, {
      ...(signal && { signal }),
    });
    return new SocketServer(server);
  }

  /** Opens a socket whose frames are written by hand. */
  open(
    headers?: Readonly<Record<string, string>>,
    first?: Uint8Array,
  ): Promise<RawSocket> {
    return RawSocket.open(this.server.addr.port, "/socket", headers, first);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.shutdown();
  }
}

/** Notes timers of a second or more, and may make them faster. */
export class LongTimers implements Disposable {
  /** The times that have passed, in seconds. */
  readonly fired: number[] = [];
  readonly #native = globalThis.setTimeout;

  /** @param speed How many times as fast the timers are. */
  constructor(speed = 1) {
    const start = (callback: () => void, milliseconds = 0) => {
      if (milliseconds < 1_000) return this.#native(callback, milliseconds);
      return this.#native(() => {
        this.fired.push(milliseconds / 1_000);
        callback();
      }, milliseconds / speed);
    };
    globalThis.setTimeout = start as unknown as typeof setTimeout;
  }

  [Symbol.dispose](): void {
    globalThis.setTimeout = this.#native;
  }
}

export { delay, until } from "../support/until.ts";
export type { LiveSocket };
