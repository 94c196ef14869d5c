import { LONGEST_DELAY } from "../common/deadline.ts";
import {
  checkEachOption,
  FUNCTION,
  type OptionKind,
  type OptionTable,
  STRINGS,
} from "../common/option_table.ts";
import { HttpError } from "../errors.ts";
import { createOriginCheck } from "../request/origins.ts";
import type { LiveRoute } from "./live_route.ts";
import { listsToken, upgradeRequired } from "../request/upgrade.ts";
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

const HANDLERS: OptionTable<keyof SocketHandlers> = {
  open: FUNCTION,
  message: FUNCTION,
  close: FUNCTION,
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
  checkEachOption("open the socket", handlers, HANDLERS);
  checkEachOption("open the socket", options, OPTIONS);
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

/** Sixteen bytes in Base64 (RFC 6455, 4.1). */
const KEY = /^[A-Za-z0-9+/]{21}[AQgw]==$/;

/** How many seconds a client should wait for another server to take over. */
const RETRY_AFTER = "1";

/**
 * Checks a handshake, before the upgrade.
 *
 * Deno looks at three headers of it, and neither at the method nor at the version
 * (RFC 6455, 4.2.1).
 *
 * @throws {HttpError} 426, 400, 403 or 503.
 */
export function checkHandshake(
  request: Request,
  { isTrusted, connections }: LiveRoute,
  { origins }: Pick<ResolvedSocketOptions, "origins">,
): void {
  const { headers, method } = request;
  if (
    method !== "GET" || !listsToken(headers.get("upgrade"), "websocket") ||
    !listsToken(headers.get("connection"), "upgrade")
  ) {
    throw upgradeRequired("Open a WebSocket here");
  }
  if (headers.get("sec-websocket-version") !== "13") {
    throw upgradeRequired("Open a WebSocket of version 13 here", {
      headers: { "sec-websocket-version": "13" },
    });
  }
  if (!KEY.test(headers.get("sec-websocket-key") ?? "")) {
    throw new HttpError(
      400,
      'The header "sec-websocket-key" must be sixteen bytes in Base64',
    );
  }
  if (
    origins !== "*" && !isTrusted(request) &&
    !createOriginCheck(origins)(request)
  ) {
    throw new HttpError(
      403,
      "The socket was opened by a page of another origin, which is not trusted here",
    );
  }
  if (connections.closing) {
    throw new HttpError(503, "The server is stopping; open the socket again", {
      headers: { "retry-after": RETRY_AFTER, connection: "close" },
    });
  }
}

/**
 * The first subprotocol that the client offers and the server speaks; `""` for none.
 * Deno would split what is offered at `", "` alone.
 */
export function chooseProtocol(
  { headers }: Request,
  protocols: readonly string[],
): string {
  if (protocols.length === 0) return "";
  const offered = headers.get("sec-websocket-protocol")?.split(",") ?? [];
  return offered.map((name) => name.trim())
    .find((name) => protocols.includes(name)) ?? "";
}
