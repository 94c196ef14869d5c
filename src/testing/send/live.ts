import { resultWithin } from "../../core/common/deadline.ts";
import {
  createEventParser,
  type ParsedEvent,
} from "../../shared/event_parser.ts";
import { type WatchedSocket, watchSocket } from "../../live/watched_socket.ts";
import { listen, type SeenError } from "../../shared/process_watch.ts";

/** An error in this process during an exchange, or a failure of the exchange itself. */
export type ExchangeError = SeenError | {
  /** No response in time, no response for another reason, or a stream that failed. */
  readonly kind: "timeout" | "missing" | "stream";
  readonly text: string;
};

/** Milliseconds to wait for the end of a connection or a server. */
const CLOSE_TIME = 1_000;

/** Milliseconds for a stream or a socket to begin to wait for changes. */
const START_TIME = 10;

/** The maximum number of events to read, since a stream may never pause. */
const MAX_EVENTS = 200;

interface Opening {
  readonly respond:
    | ((request: Request) => Response | Promise<Response>)
    | undefined;
  readonly timeout: number;
}

/** The end of a socket; if the connection broke, the reason is an error of the client. */
type Closing = Pick<CloseEvent, "code" | "reason" | "wasClean">;

/** The answer to the first message of a socket: a random id, unlike any real message. */
const ANSWER = crypto.randomUUID();

/** A stream or a socket that stays open, and what its client has seen. */
export class LiveConnection implements AsyncDisposable {
  readonly #open = new AsyncDisposableStack();
  /** The status; `undefined` without a response. */
  status: number | undefined;
  readonly events: ParsedEvent[] = [];
  /** The number of events that arrived at once, which other properties check. */
  first = 0;
  /** The messages of the server. */
  readonly received: (string | ArrayBuffer)[] = [];
  /** The ends of the sockets, as their clients saw them. */
  readonly closings: Closing[] = [];
  /** The sockets of a server in this process that `socket()` opened. */
  readonly watched: WatchedSocket[] = [];
  readonly errors: ExchangeError[] = [];
  /** The number of messages that a server in this process has not received yet. */
  #sending = 0;
  #sender: WebSocket | undefined;

  /**
   * Opens a stream, or a socket if there are messages. A second client of the socket sends
   * nothing, since a server may send messages only to others.
   *
   * @param options `respond` responds in this process; `undefined` for a running server.
   */
  static async open(
    request: Request,
    { messages, respond, timeout }: Opening & {
      readonly messages: readonly string[] | undefined;
    },
  ): Promise<LiveConnection> {
    const connection = new LiveConnection();
    const { errors, events } = connection;
    await using opening = new AsyncDisposableStack();
    opening.use(connection);
    if (respond !== undefined) {
      connection.#open.use(listen((error) => errors.push(error)));
    }
    connection.status =
      await (messages === undefined
        ? connection.#openStream(request, { respond, timeout })
        : connection.#openSockets(request, { respond, timeout, messages }));
    await new Promise((resolve) => setTimeout(resolve, START_TIME));
    // Other properties report the errors with which a stream begins.
    if (messages === undefined) errors.length = 0;
    if (connection.status === undefined) {
      errors.push({ kind: "missing", text: "no response" });
    }
    connection.first = events.length;
    opening.move();
    return connection;
  }

  get #handled(): number {
    return this.watched.reduce((sum, each) => sum + each.handled, 0);
  }

  /**
   * The number of messages that a server in this process has handled; `undefined` if no
   * message is left.
   */
  readonly handled = (): number | undefined => {
    const isBusy =
      this.#sending > 0 && this.#sender?.readyState === WebSocket.OPEN ||
      this.watched.some(({ isBusy }) => isBusy);
    return isBusy ? this.#handled - this.#sending : undefined;
  };

  /** Whether a handler may have received one of the sent messages. */
  isHandled(count: number): boolean {
    return this.closings.every(({ wasClean }) => wasClean) &&
      (this.watched.length > 0 ? this.#handled > 0 : this.#sending < count);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#open.disposeAsync();
  }

  async #openStream(
    request: Request,
    { respond = fetch, timeout }: Opening,
  ): Promise<number | undefined> {
    const sent = Promise.resolve(respond(request));
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
    request: Request,
    { respond, timeout, messages }: Opening & {
      readonly messages: readonly string[];
    },
  ): Promise<number | undefined> {
    const url = new URL(request.url.replace("http", "ws"));
    if (respond !== undefined) {
      this.#sending = messages.length;
      this.#watchSockets();
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
    const headers = Object.fromEntries(request.headers);
    const connect = () => resultWithin(this.#connect(url, headers), timeout);
    await connect();
    // The last client remains if a server allows only one at a time.
    const status = await connect();
    if (status === 101) {
      for (const message of messages) this.#sender!.send(message);
    }
    return status;
  }

  /**
   * Watches each socket of `socket()` in this process, and counts the messages that a
   * server receives. Also answers the first message of a client: otherwise, the kernel
   * delays its other messages by 40 ms, until it acknowledges the first one.
   */
  #watchSockets(): void {
    const { upgradeWebSocket } = Deno;
    this.#open.defer(() => void Object.assign(Deno, { upgradeWebSocket }));
    Deno.upgradeWebSocket = (request, options) => {
      const upgrade = upgradeWebSocket(request, options);
      const { socket } = upgrade;
      watchSocket(socket, (each) => this.watched.push(each));
      const answer = () => {
        if (socket.readyState === WebSocket.OPEN) socket.send(ANSWER);
      };
      socket.addEventListener("message", answer, { once: true });
      socket.addEventListener("message", () => this.#sending--);
      return upgrade;
    };
  }

  #connect(
    url: URL,
    headers: Readonly<Record<string, string>>,
  ): Promise<number | undefined> {
    // The types of browsers have no headers.
    const socket = new WebSocket(url, { headers } as never);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      if (data !== ANSWER) this.received.push(data);
    };
    this.#sender = socket;
    let error = "";
    this.#open.defer(() => socket.close());
    return new Promise((resolve) => {
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
  }
}
