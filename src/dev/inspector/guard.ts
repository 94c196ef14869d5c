import { isMethod } from "../../core/methods.ts";
import type { RequestHandler } from "../../core/request/application.ts";
import { mutableResponse } from "../../core/common/response.ts";

/** Matches a client on this machine: IPv4, IPv6, and IPv4 in IPv6. */
const LOCAL_CLIENT = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/i;

/**
 * Matches the origin of a URL on this machine, and captures its host. An attacker can
 * point other names, such as `localhost.evil.com`, at this machine (DNS rebinding).
 */
const LOCAL_ORIGIN =
  /^https?:\/\/((?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?)(?=[/?#]|$)/i;

/** Matches the headers that proxies and tunnels add. */
const PROXY = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/;

/** Whether only this machine can reach a server with this origin. */
export function isLocal(origin: string): boolean {
  return LOCAL_ORIGIN.test(origin);
}

/**
 * Why the inspector rejects a request; `undefined` if it comes from a program on this
 * machine, or from the inspector's page.
 *
 * @param info The connection, as `Deno.serve` passes it.
 */
export function refusalOf(
  { url, method, headers }: Request,
  info: unknown,
): string | undefined {
  const { remoteAddr }: { remoteAddr?: Partial<Deno.NetAddr> } = Object(info);
  if (!LOCAL_CLIENT.test(remoteAddr?.hostname ?? "")) {
    return "comes from another machine";
  }
  const [own, host] = LOCAL_ORIGIN.exec(url) ?? [];
  // HTTP/2 has no `Host`. In HTTP/1.1, the URL and `Host` may name different hosts.
  if (own === undefined || (headers.get("host") ?? host) !== host) {
    return "names a host other than localhost, 127.0.0.1 or [::1]";
  }
  const proxy = [...headers.keys()].find((name) => PROXY.test(name));
  if (proxy !== undefined) {
    return `passed a proxy or a tunnel, which added the header "${proxy}"`;
  }
  const site = headers.get("sec-fetch-site") ?? "none";
  if (
    (headers.get("origin") ?? own) !== own ||
    site !== "same-origin" && site !== "none"
  ) return "comes from a page of another origin";
  if (!isMethod(method)) return "has an unsupported method";
  return /websocket/i.test(headers.get("upgrade") ?? "")
    ? "opens a WebSocket"
    : undefined;
}

const HEADERS = Object.entries({
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
});

/**
 * Responds with 403 to a request that {@linkcode refusalOf} rejects. Browsers store no
 * response, and show none in a frame.
 *
 * @param load Imports the handler at the first allowed request.
 */
export function guarded(load: () => Promise<RequestHandler>): RequestHandler {
  return async (request, info) => {
    const refusal = refusalOf(request, info);
    const response = refusal === undefined
      ? mutableResponse(await (await load())(request, info))
      : new Response(`The inspector rejects any request that ${refusal}.\n`, {
        status: 403,
      });
    for (const [name, value] of HEADERS) response.headers.set(name, value);
    return response;
  };
}
