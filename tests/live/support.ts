import { Framework } from "@bough/framework";
import type { CommonOptions } from "@bough/framework/types";
import type { FrameworkRequest } from "@bough/framework";
import {
  type LiveSocket,
  type RawMessage,
  socket,
  type SocketHandlers,
  type SocketOptions,
} from "@bough/framework/live";
import { RawSocket } from "../support/raw_socket.ts";

/** An application with one socket, at `/socket`, for one test. */
export class SocketServer implements AsyncDisposable {
  /** What `app.serve()` returned. */
  readonly server: Deno.HttpServer<Deno.NetAddr>;
  readonly #folder: string;

  private constructor(server: Deno.HttpServer<Deno.NetAddr>, folder: string) {
    this.server = server;
    this.#folder = folder;
  }

  /** Serves a socket with these handlers. */
  static async start(
    handlers:
      | SocketHandlers
      | ((request: FrameworkRequest) => SocketHandlers),
    { options, signal, ...common }: CommonOptions & {
      readonly options?: SocketOptions;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<SocketServer> {
    const folder = await Deno.makeTempDir();
    // Without a route file, the start would warn.
    await Deno.writeTextFile(
      `${folder}/route.js`,
      "export const GET = () => new Response();",
    );
    const app = new Framework({
      apiDir: folder,
      apiPrefix: "",
      plugins: [{
        name: "socket",
        routes: () => [{
          path: "/socket",
          handlers: {
            GET: (request) =>
              socket(
                request,
                typeof handlers === "function" ? handlers(request) : handlers,
                options,
              ),
          },
        }],
      }],
      ...common,
    });
    const server = await app.serve({
      hostname: "127.0.0.1",
      port: 0,
      onListen() {},
      ...(signal && { signal }),
    });
    return new SocketServer(server, folder);
  }

  /** Opens a socket whose frames are written by hand. */
  open(headers?: Readonly<Record<string, string>>): Promise<RawSocket> {
    return RawSocket.open(this.server.addr.port, "/socket", headers);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.shutdown();
    await Deno.remove(this.#folder, { recursive: true });
  }
}

export { delay, until } from "../support/until.ts";
export type { LiveSocket, RawMessage };
