import { resultWithin } from "../../core/common/deadline.ts";
import {
  createEventParser,
  type ParsedEvent,
} from "../../shared/event_parser.ts";
import { type WatchedSocket, watchSocket } from "../../live/watched_socket.ts";
import { listen } from "../../shared/process_watch.ts";
import type { ExchangeError } from "./read_response.ts";

/** Milliseconds to wait for the end of a connection or a server. */
const CLOSE_TIME = 1_000;

/** Milliseconds for a stream or a socket to begin to wait for changes. */
const START_TIME = 10;

/** The maximum number of events to read, since a stream may never pause. */
const MAX_EVENTS = 200;

/** A stream or a socket that stays open, and what its client has seen. */
export interface LiveConnection extends AsyncDisposable {
  /** The status; `undefined` without a response. */
  readonly status: number | undefined;
  readonly events: readonly ParsedEvent[];
  /** The number of events that arrived at once, which other properties check. */
  readonly first: number;
  /** The messages of the server. */
  readonly received: readonly (string | ArrayBuffer)[];
  /** The ends of the sockets, as their clients saw them. */
  readonly closings: readonly Closing[];
  /** The sockets of a server in this process that `socket()` opened. */
  readonly watched: readonly WatchedSocket[];
  readonly errors: readonly ExchangeError[];
  /**
   * The number of messages that a server in this process has handled; `undefined` if no
   * message is left.
   */
  readonly handled: () => number | undefined;
  /** Whether a handler may have received a message. */
  readonly isHandled: () => boolean;
}

/** The end of a socket; if the connection broke, the reason is an error of the client. */
type Closing = Pick<CloseEvent, "code" | "reason" | "wasClean">;

/** The answer to the first message of a socket: a random id, unlike any real message. */
const ANSWER = crypto.randomUUID();

/**
 * Calls back for each socket of `socket()` in this process, and for each message that a
 * server receives. Also answers the first message of a client: otherwise, the kernel
 * delays its other messages by 40 ms, until it acknowledges the first one.
 */
function watchSockets(
  onSocket: (watched: WatchedSocket) => void,
  onMessage: () => void,
): Disposable {
  const { upgradeWebSocket } = Deno;
  Deno.upgradeWebSocket = (request, options) => {
    const upgrade = upgradeWebSocket(request, options);
    const { socket } = upgrade;
    watchSocket(socket, onSocket);
    const answer = () => {
      if (socket.readyState === WebSocket.OPEN) socket.send(ANSWER);
    };
    socket.addEventListener("message", answer, { once: true });
    socket.addEventListener("message", onMessage);
    return upgrade;
  };
  return {
    [Symbol.dispose]: () => void Object.assign(Deno, { upgradeWebSocket }),
  };
}

/**
 * Opens a stream, or a socket if there are messages. A second client of the socket sends
 * nothing, since a server may send messages only to others.
 *
 * @param respond Responds in this process; `undefined` for a running server.
 */
export async function openLive(
  request: Request,
  { messages, respond, timeout }: {
    readonly messages: readonly string[] | undefined;
    readonly respond:
      | ((request: Request) => Response | Promise<Response>)
      | undefined;
    readonly timeout: number;
  },
): Promise<LiveConnection> {
  await using opening = new AsyncDisposableStack();
  const events: ParsedEvent[] = [];
  const received: (string | ArrayBuffer)[] = [];
  const closings: Closing[] = [];
  const watched: WatchedSocket[] = [];
  const errors: ExchangeError[] = [];
  /** The number of messages that a server in this process has not received yet. */
  let sending = 0;
  let sender: WebSocket | undefined;
  if (respond !== undefined) {
    opening.use(listen((error) => errors.push(error)));
  }
  const status = messages === undefined
    ? await openStream()
    : await openSockets(messages);
  await new Promise((resolve) => setTimeout(resolve, START_TIME));
  // Other properties report the errors with which a stream begins.
  if (messages === undefined) errors.length = 0;
  if (status === undefined) {
    errors.push({ kind: "missing", text: "no response" });
  }
  const handled = () => watched.reduce((sum, each) => sum + each.handled, 0);
  const open = opening.move();
  return {
    ...{ status, events, first: events.length },
    ...{ received, closings, watched, errors },
    handled: () => {
      const isBusy = sending > 0 && sender?.readyState === WebSocket.OPEN ||
        watched.some(({ isBusy }) => isBusy);
      return isBusy ? handled() - sending : undefined;
    },
    isHandled: () =>
      closings.every(({ wasClean }) => wasClean) &&
      (watched.length > 0 ? handled() > 0 : sending < messages!.length),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };

  async function openStream(): Promise<number | undefined> {
    const sent = Promise.resolve((respond ?? fetch)(request));
    const response = await resultWithin(sent, timeout);
    const aborter = new AbortController();
    const { signal } = aborter;
    const parser = createEventParser();
    const write = (chunk: Uint8Array) => {
      events.push(...parser.read(chunk));
      if (events.length > MAX_EVENTS) aborter.abort();
    };
    const reading = response?.body
      ?.pipeTo(new WritableStream({ write }), { signal })
      .catch((error) => {
        if (signal.aborted) return;
        const text = `the stream of events failed: ${error}`;
        errors.push({ kind: "stream", text });
      });
    opening.defer(async () => {
      aborter.abort();
      await resultWithin(Promise.resolve(reading), CLOSE_TIME);
    });
    return response?.status;
  }

  async function openSockets(
    messages: readonly string[],
  ): Promise<number | undefined> {
    const url = new URL(request.url.replace("http", "ws"));
    if (respond !== undefined) {
      sending = messages.length;
      opening.use(
        watchSockets((each) => watched.push(each), () => sending--),
      );
      const hostname = "127.0.0.1";
      const server = Deno.serve(
        { hostname, port: 0, onListen() {} },
        (request) => respond(request),
      );
      opening.defer(async () => {
        await resultWithin(server.shutdown(), CLOSE_TIME);
      });
      url.host = `${hostname}:${server.addr.port}`;
    }
    await connect(url, []);
    // The last client remains if a server allows only one at a time.
    return await connect(url, messages);
  }

  async function connect(url: URL, messages: readonly string[]) {
    const headers = Object.fromEntries(request.headers);
    // The types of browsers have no headers.
    const socket = new WebSocket(url, { headers } as never);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      if (data !== ANSWER) received.push(data);
    };
    sender = socket;
    let error = "";
    opening.defer(() => socket.close());
    const status = new Promise<number | undefined>((resolve) => {
      socket.onopen = () => {
        socket.onclose = ({ code, reason, wasClean }) => {
          closings.push({ code, reason: reason || error, wasClean });
        };
        resolve(101);
      };
      socket.onerror = (event) => {
        error = (event as ErrorEvent).message;
        // Only the text of the error contains the status of a refused handshake.
        resolve(Number(/status code: (\d+)/.exec(error)?.[1]) || undefined);
      };
    });
    const known = await resultWithin(status, timeout);
    if (known === 101) messages.forEach((message) => socket.send(message));
    return known;
  }
}
