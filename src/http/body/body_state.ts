import { noteReadFailure } from "./client_fault.ts";
import { type Bytes, readBody } from "./read.ts";
import type { BodyRules } from "./rules.ts";

/** How to read the body of a request. All requests of a route share it. */
export interface BodyAccess {
  /**
   * The rules of the route, or a function that imports the route to find them:
   * middleware may read the body of a route that is not imported yet.
   */
  readonly rules: BodyRules | (() => Promise<BodyRules>);
  /** Whether the server cuts bodies at their `Content-Length`. */
  readonly framed: boolean;
}

/** What was read of a body. Each request has its own, from the first read on. */
export interface BodyState {
  /** Its bytes, unless it was read as JSON alone. */
  bytes?: Promise<Bytes>;
  /** Its value, once it was read as JSON. */
  json?: Promise<unknown>;
  /** Whether it was read as JSON, and has no bytes at all. */
  isEmpty?: boolean;
}

/** Where a request carries how its body is read. */
export const ACCESS: unique symbol = Symbol("body access");
/** Where a request carries what was read of its body. */
export const STATE: unique symbol = Symbol("body state");

/** A request whose body readers keep to the rules. */
export type LimitedRequest = Request & {
  [ACCESS]: BodyAccess;
  [STATE]?: BodyState;
};

/**
 * Finds the rules of a route that is imported by now, so that the first request of a
 * lazy route reads its body like all others.
 */
export async function settleRules(request: Request): Promise<void> {
  const limited = request as LimitedRequest;
  const { rules, framed } = limited[ACCESS];
  if (typeof rules !== "function") return;
  limited[ACCESS] = { rules: await rules(), framed };
}

/** Reads the bytes of a body, which all readers share: do not change them. */
export function bytesOf(request: LimitedRequest): Promise<Bytes> {
  const state = request[STATE] ??= {};
  if (state.bytes !== undefined) return state.bytes;
  if (state.json !== undefined) return Promise.reject(new TypeError(LOST));
  state.bytes = read(request);
  state.bytes.then(undefined, noteReadFailure);
  return state.bytes;
}

const LOST =
  "The body was read as JSON before, and its exact bytes were not kept; to keep them, " +
  "export const config = { rawBody: true } from the route file, or from the middleware file of a folder above it";

/** Reads a body that nobody has read before, and keeps nothing of it. */
export function read(request: LimitedRequest): Promise<Bytes> {
  const { rules, framed } = request[ACCESS];
  return typeof rules === "function"
    ? rules().then((known) => readBody(request, { rules: known, framed }))
    : readBody(request, { rules, framed });
}
