import { createOriginCheck } from "../http/body/cross_site.ts";
import { HttpError } from "../http/http_error.ts";
import type { LiveRoute } from "../http/live_route.ts";
import { listsToken, upgradeRequired } from "../http/upgrade.ts";
import type { ResolvedSocketOptions } from "./socket_options.ts";

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
