/**
 * Live routes: event streams and sockets.
 *
 * @module
 */
export { endsWith } from "./ends_with.ts";
