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
  /** Whether a handler may have received one of the sent messages. */
  readonly isHandled: (count: number) => boolean;
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
  { messages, ...options }: Opening & {
    readonly messages: readonly string[] | undefined;
  },
): Promise<LiveConnection> {
  const connection = new Connection(request, options);
  try {
    await connection.open(messages);
    return connection;
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw error;
  }
}

interface Opening {
  readonly respond:
    | ((request: Request) => Response | Promise<Response>)
    | undefined;
  readonly timeout: number;
}

class Connection implements LiveConnection {
  readonly #request: Request;
  readonly #options: Opening;
  readonly #open = new AsyncDisposableStack();
  status: number | undefined;
  readonly events: ParsedEvent[] = [];
  first = 0;
  readonly received: (string | ArrayBuffer)[] = [];
  readonly closings: Closing[] = [];
  readonly watched: WatchedSocket[] = [];
  readonly errors: ExchangeError[] = [];
  /** The number of messages that a server in this process has not received yet. */
  #sending = 0;
  #sender: WebSocket | undefined;

  constructor(request: Request, options: Opening) {
    this.#request = request;
    this.#options = options;
  }

  async open(messages: readonly string[] | undefined): Promise<void> {
    if (this.#options.respond !== undefined) {
      this.#open.use(listen((error) => this.errors.push(error)));
    }
    this.status = messages === undefined
      ? await this.#openStream()
      : await this.#openSockets(messages);
    await new Promise((resolve) => setTimeout(resolve, START_TIME));
    // Other properties report the errors with which a stream begins.
    if (messages === undefined) this.errors.length = 0;
    if (this.status === undefined) {
      this.errors.push({ kind: "missing", text: "no response" });
    }
    this.first = this.events.length;
  }

  get #handled(): number {
    return this.watched.reduce((sum, each) => sum + each.handled, 0);
  }

  readonly handled = (): number | undefined => {
    const isBusy =
      this.#sending > 0 && this.#sender?.readyState === WebSocket.OPEN ||
      this.watched.some(({ isBusy }) => isBusy);
    return isBusy ? this.#handled - this.#sending : undefined;
  };

  isHandled(count: number): boolean {
    return this.closings.every(({ wasClean }) => wasClean) &&
      (this.watched.length > 0 ? this.#handled > 0 : this.#sending < count);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#open.disposeAsync();
  }

  async #openStream(): Promise<number | undefined> {
    const { respond = fetch, timeout } = this.#options;
    const sent = Promise.resolve(respond(this.#request));
    const response = await resultWithin(sent, timeout);
    const aborter = new AbortController();
    const { signal } = aborter;
    const parser = createEventParser();
    const write = (chunk: Uint8Array) => {
      this.events.push(...parser.read(chunk));
      if (this.events.length > MAX_EVENTS) aborter.abort();
    };
    const reading = response?.body
      ?.pipeTo(new WritableStream({ write }), { signal })
      .catch((error) => {
        if (signal.aborted) return;
        const text = `the stream of events failed: ${error}`;
        this.errors.push({ kind: "stream", text });
      });
    this.#open.defer(async () => {
      aborter.abort();
      await resultWithin(Promise.resolve(reading), CLOSE_TIME);
    });
    return response?.status;
  }

  async #openSockets(
    messages: readonly string[],
  ): Promise<number | undefined> {
    const { respond } = this.#options;
    const url = new URL(this.#request.url.replace("http", "ws"));
    if (respond !== undefined) {
      this.#sending = messages.length;
      this.#open.use(
        watchSockets(
          (each) => this.watched.push(each),
          () => this.#sending--,
        ),
      );
      const hostname = "127.0.0.1";
      const server = Deno.serve(
        { hostname, port: 0, onListen() {} },
        (request) => respond(request),
      );
      this.#open.defer(async () => {
        await resultWithin(server.shutdown(), CLOSE_TIME);
      });
      url.host = `${hostname}:${server.addr.port}`;
    }
    await this.#connect(url, []);
    // The last client remains if a server allows only one at a time.
    return await this.#connect(url, messages);
  }

  async #connect(
    url: URL,
    messages: readonly string[],
  ): Promise<number | undefined> {
    const headers = Object.fromEntries(this.#request.headers);
    // The types of browsers have no headers.
    const socket = new WebSocket(url, { headers } as never);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      if (data !== ANSWER) this.received.push(data);
    };
    this.#sender = socket;
    let error = "";
    this.#open.defer(() => socket.close());
    const status = new Promise<number | undefined>((resolve) => {
      socket.onopen = () => {
        socket.onclose = ({ code, reason, wasClean }) => {
          this.closings.push({ code, reason: reason || error, wasClean });
        };
        resolve(101);
      };
      socket.onerror = (event) => {
        error = (event as ErrorEvent).message;
        // Only the text of the error contains the status of a refused handshake.
        resolve(Number(/status code: (\d+)/.exec(error)?.[1]) || undefined);
      };
    });
    const known = await resultWithin(status, this.#options.timeout);
    if (known === 101) messages.forEach((message) => socket.send(message));
    return known;
  }
}
