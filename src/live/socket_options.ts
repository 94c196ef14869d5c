import {
  findOptionFault,
  type OptionKind,
  type OptionTable,
  STRINGS,
} from "../app/option_table.ts";
import { LONGEST_DELAY } from "../common/timer.ts";
import type { SocketHandlers, SocketOptions } from "./socket_types.ts";

/** The options of a socket, with their defaults. */
export type ResolvedSocketOptions = Required<SocketOptions>;

const DEFAULTS: ResolvedSocketOptions = {
  origins: [],
  protocols: [],
  maxMessage: 64 * 1024,
  maxQueued: 1_000,
  maxQueuedBytes: 1024 * 1024,
  maxBuffered: 1024 * 1024,
  idleTimeout: 30_000,
};

/** A limit; `Infinity` is none. */
const LIMIT: OptionKind = {
  accepts: (value) => typeof value === "number" && value >= 0,
  expected: "must be a number, 0 or more",
  shown: true,
};

/** A token of a header (RFC 9110, 5.6.2). */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

const OPTIONS: OptionTable<keyof SocketOptions> = {
  origins: {
    accepts: (value) => value === "*" || STRINGS.accepts(value),
    expected: 'must be an array of origins, or "*"',
    shown: true,
  },
  protocols: {
    accepts: (value) =>
      STRINGS.accepts(value) &&
      (value as string[]).every((name) => TOKEN.test(name)),
    expected: "must be an array of names without spaces",
    shown: true,
  },
  maxMessage: LIMIT,
  maxQueued: LIMIT,
  maxQueuedBytes: LIMIT,
  maxBuffered: LIMIT,
  idleTimeout: {
    accepts: (value) => LIMIT.accepts(value) && value !== Infinity,
    expected: "must be a number of milliseconds, 0 for none",
    shown: true,
  },
};

const HANDLER: OptionKind = {
  accepts: (value) => typeof value === "function",
  expected: "must be a function",
};

const HANDLERS: OptionTable<keyof SocketHandlers> = {
  open: HANDLER,
  message: HANDLER,
  close: HANDLER,
};

/**
 * Checks the arguments of `socket()` and fills in the defaults, before the upgrade:
 * after it, nothing may be thrown.
 *
 * @throws {TypeError} If one of them is unknown, or its value invalid.
 */
export function resolveSocketOptions(
  handlers: object,
  options: SocketOptions,
): ResolvedSocketOptions {
  const fault = findOptionFault(handlers, HANDLERS) ??
    findOptionFault(options, OPTIONS);
  if (fault !== undefined) {
    throw new TypeError(`Cannot open the socket: ${fault}`);
  }
  const given = Object.entries(options).filter(([, value]) =>
    value !== undefined
  );
  const resolved: ResolvedSocketOptions = {
    ...DEFAULTS,
    ...Object.fromEntries(given),
  };
  const { idleTimeout } = resolved;
  return { ...resolved, idleTimeout: Math.min(idleTimeout, LONGEST_DELAY) };
}
