import { resultWithin } from "../../common/deadline.ts";
import {
  createEventParser,
  type ParsedEvent,
} from "../../common/event_parser.ts";
import { listen } from "../process_watch.ts";

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
  /** The codes and reasons with which sockets were closed. */
  readonly closings: readonly CloseEvent[];
  /** The errors that were logged. */
  readonly errors: readonly string[];
  /** Whether the server in this process has not received all messages yet. */
  readonly isSending: () => boolean;
}

/** The answer to the first message of a socket, which no application sends by chance. */
const ANSWER = crypto.randomUUID();

/**
 * Calls back for each message that a server in this process receives. Also answers the
 * first message of a client: otherwise, the kernel delays its other messages by 40 ms,
 * until it acknowledges the first one.
 */
function onReceived(callback: () => void): Disposable {
  const { upgradeWebSocket } = Deno;
  Deno.upgradeWebSocket = (request, options) => {
    const upgrade = upgradeWebSocket(request, options);
    const { socket } = upgrade;
    const answer = () => {
      if (socket.readyState === WebSocket.OPEN) socket.send(ANSWER);
    };
    socket.addEventListener("message", answer, { once: true });
    socket.addEventListener("message", callback);
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
  const closings: CloseEvent[] = [];
  const errors: string[] = [];
  let sending = 0;
  if (respond !== undefined) opening.use(listen(errors));
  const status = messages === undefined
    ? await openStream()
    : await openSockets(messages);
  await new Promise((resolve) => setTimeout(resolve, START_TIME));
  // Other properties report the errors with which a stream begins.
  if (messages === undefined) errors.length = 0;
  if (status === undefined) errors.push("no response");
  const open = opening.move();
  return {
    ...{ status, events, first: events.length, received, closings, errors },
    isSending: () => sending > 0 && closings.length === 0,
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
        errors.push(`the stream of events failed: ${error}`);
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
      opening.use(onReceived(() => sending--));
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
    socket.onclose = (event) => closings.push(event);
    opening.defer(() => socket.close());
    const status = new Promise<number | undefined>((resolve) => {
      socket.onopen = () => resolve(101);
      socket.onerror = (event) => {
        // Only the text of the error contains the status of a refused handshake.
        const { message } = event as ErrorEvent;
        resolve(Number(/status code: (\d+)/.exec(message)?.[1]) || undefined);
      };
    });
    const known = await resultWithin(status, timeout);
    if (known === 101) messages.forEach((message) => socket.send(message));
    return known;
  }
}
