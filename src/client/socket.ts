import type {
  ClientSocket,
  SocketCallOptions,
  SocketClosing,
} from "./live_types.ts";

/** The options of a socket, with its URL. */
export interface SocketCall extends SocketCallOptions {
  readonly url: string;
  readonly path: string;
  readonly sends?: "json" | "raw";
  readonly receives?: "json" | "raw";
  readonly WebSocket: SocketClass;
}

/** The class of a socket: the global `WebSocket`, or a compatible class. */
export type SocketClass = new (url: string, protocols: string[]) => WebSocket;

/** The close code for a message that is not JSON. */
const NOT_JSON = 4007;

/** The close code if the loop reads too slowly. */
const TOO_SLOW = 4008;

type Data = string | ArrayBuffer;

type Received = IteratorResult<unknown, undefined>;

const DONE = { done: true, value: undefined } as const;

export function openSocket(
  { path, maxQueued = 1_000, ...call }: SocketCall,
): ClientSocket<unknown, unknown> {
  const socket = new call.WebSocket(call.url, [...call.protocols ?? []]);
  socket.binaryType = "arraybuffer";
  const opened = Promise.withResolvers<string>();
  // If the caller does not await `opened`, the loop reports the error.
  opened.promise.catch(() => {});
  const closed = Promise.withResolvers<SocketClosing>();
  /** The messages to send when the socket opens. */
  const early: Data[] = [];
  /** The unread messages. */
  const messages: unknown[] = [];
  /** The calls of `next()` that wait for a message. */
  const readers: PromiseWithResolvers<Received>[] = [];
  let isOpen = false;
  let isOver = false;
  let fault = "";
  /** The error that the loop throws after all messages. */
  let error: Error | undefined;

  socket.onopen = () => {
    isOpen = true;
    for (const data of early.splice(0)) socket.send(data);
    opened.resolve(socket.protocol);
  };
  socket.onmessage = ({ data }) => receive(data);
  socket.onerror = (event) => {
    // In browsers, the event has no message.
    fault = (event as ErrorEvent).message ?? "";
  };
  socket.onclose = ({ code, reason }) => {
    const error = isOpen ? undefined : errorOf("open", fault && `: ${fault}`);
    // If the socket was open, `opened` has already resolved, and this call has no
    // effect.
    opened.reject(error);
    end(error);
    // In Deno, the code is 0 if the connection failed.
    closed.resolve({ code: code || 1006, reason });
  };

  function receive(data: Data): void {
    if (isOver) return;
    let value: unknown = data;
    if (call.receives !== "raw") {
      try {
        value = JSON.parse(data as string);
      } catch {
        return fail(NOT_JSON, "A message is not valid JSON");
      }
    } else if (typeof data !== "string") value = new Uint8Array(data);
    const reader = readers.shift();
    if (reader !== undefined) reader.resolve({ done: false, value });
    else if (messages.length < maxQueued) messages.push(value);
    else fail(TOO_SLOW, `More than ${maxQueued} messages are unread`);
  }

  function fail(code: number, reason: string): void {
    socket.close(code, reason);
    const why = reason[0]!.toLowerCase() + reason.slice(1);
    end(errorOf("keep", ` open: ${why}`));
  }

  function errorOf(action: string, rest: string): Error {
    return new Error(`Cannot ${action} the socket "${path}"${rest}`);
  }

  function end(reason?: Error): void {
    if (isOver) return;
    isOver = true;
    error = reason;
    settleReaders();
  }

  /** Settles all readers; the first reader receives the error, if there is one. */
  function settleReaders(): void {
    for (const reader of readers.splice(0)) {
      if (error === undefined) reader.resolve(DONE);
      else reader.reject(error);
      error = undefined;
    }
  }

  return {
    opened: opened.promise,
    closed: closed.promise,
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
    send(value) {
      const data = call.sends === "raw" ? value : JSON.stringify(value);
      if (data === undefined) {
        throw new TypeError(
          `Cannot write ${typeof value} as JSON for the socket "${path}"`,
        );
      }
      const { readyState } = socket;
      if (readyState === 0) early.push(data as Data);
      if (readyState === 1) socket.send(data as Data);
      return readyState < 2;
    },
    close(code = 1000, reason = "") {
      socket.close(code, reason);
    },
    async next() {
      if (messages.length > 0) return { done: false, value: messages.shift() };
      const reader = Promise.withResolvers<Received>();
      readers.push(reader);
      if (isOver) settleReaders();
      return await reader.promise;
    },
    return() {
      messages.length = 0;
      socket.close(1000);
      end();
      return Promise.resolve(DONE);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
