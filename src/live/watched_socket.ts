/** The state of a socket that contract tests see if its server runs in their process. */
export interface WatchedSocket {
  /** Whether a handler, or a check of a message, has not ended. */
  readonly isBusy: boolean;
  /** The number of messages that were passed to the schema and the handler. */
  readonly handled: number;
  /** The code and the reason with which the server closes the socket, maybe later. */
  readonly closing: Pick<CloseEvent, "code" | "reason"> | undefined;
}

/** The key of the function to call; all copies of this package share it. */
const WATCH = Symbol.for("@bough/framework socket");

type Watchable = WebSocket & { [WATCH]?: (watched: WatchedSocket) => void };

/** Calls back when `socket()` has connected a socket to its handlers. */
export function watchSocket(
  socket: Watchable,
  onConnected: (watched: WatchedSocket) => void,
): void {
  socket[WATCH] = onConnected;
}

/** Call this with each connected socket. */
export function showSocket(socket: Watchable, watched: WatchedSocket): void {
  socket[WATCH]?.(watched);
}
