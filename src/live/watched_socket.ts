/** The state of a socket, for contract tests in the process of its server. */
export interface WatchedSocket {
  /** Whether a handler, or the check of a message, is still running. */
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

/** Passes a connected socket to its watcher. */
export function showSocket(socket: Watchable, watched: WatchedSocket): void {
  socket[WATCH]?.(watched);
}
