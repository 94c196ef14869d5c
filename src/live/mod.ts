/**
 * Live routes: event streams and sockets.
 *
 * @module
 */
export { endsWith } from "./ends_with.ts";
export { socket } from "./socket.ts";
export type {
  LiveSocket,
  RawData,
  RawMessage,
  SocketHandlers,
  SocketOptions,
  SocketReceived,
  SocketSent,
} from "./socket_types.ts";
