import type { Primitive } from "./call_types.ts";
import { readEvents } from "./events.ts";
import type { MethodOption, StreamOptions } from "./events_types.ts";
import { openSocket, type SocketCall, type SocketClass } from "./socket.ts";

/** What a call takes, as far as it is known at run time. */
export interface Sent {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, Primitive | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** What live calls need of the client. */
interface LiveClient {
  urlOf(method: string, path: string, sent: Sent): string;
  readonly WebSocket: SocketClass | undefined;
  respond(method: string, path: string, sent: Sent): Promise<Response>;
}

/** Creates the calls of live routes. */
export function liveCalls(
  { urlOf, WebSocket, respond }: LiveClient,
): Record<"events" | "socket", unknown> {
  return {
    events(
      path: string,
      { method = "GET", ...sent }:
        & Sent
        & StreamOptions
        & MethodOption<string> = {},
    ): ReturnType<typeof readEvents> {
      return readEvents({
        ...sent,
        method,
        path,
        connect: (headers, signal) =>
          respond(method, path, {
            ...sent,
            headers: { ...sent.headers, ...headers },
            signal,
          }),
      });
    },
    socket(
      path: string,
      sent: Pick<Sent, "params" | "query"> & Partial<SocketCall> = {},
    ): ReturnType<typeof openSocket> {
      return openSocket({
        ...sent,
        url: urlOf("GET", path, sent).replace(/^http/, "ws"),
        path,
        WebSocket: WebSocket ?? globalThis.WebSocket,
      });
    },
  };
}
