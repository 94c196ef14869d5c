/**
 * Live routes: event streams and sockets behind the guards of their folders.
 *
 * @example A route file, `api/clock/route.ts`
 * ```ts
 * import type { FrameworkRequest } from "@bough/framework";
 * import { events } from "@bough/framework/live";
 *
 * export function GET(request: FrameworkRequest): Response {
 *   return events(request, async function* ({ signal }) {
 *     while (!signal.aborted) {
 *       yield { event: "tick", data: { at: new Date() } };
 *       await new Promise((resolve) => setTimeout(resolve, 1000));
 *     }
 *   });
 * }
 * ```
 *
 * @module
 */
export { endOn } from "./end_on.ts";
export { events, type EventsContext, type EventsOptions } from "./events.ts";
export type {
  DeclaredEvents,
  EventFields,
  EventOf,
  NamedEvent,
  UnnamedEvent,
} from "./event_text.ts";
export { socket } from "./socket.ts";
export type * from "./socket_types.ts";
