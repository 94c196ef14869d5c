import { arrayOf, type OptionKind } from "../core/common/option_table.ts";
import { parseUrl } from "../core/common/values.ts";
import type { MiddlewareRequest } from "../core/types/request.ts";

/** The requirement for the addresses of proxies, which are compared as strings. */
export const PROXIES: OptionKind = arrayOf({
  accepts: (value) => value === "unix" || isShortest(String(value)),
  expected: 'must be an IP address in its shortest form, such as "10.0.0.1"',
  shown: true,
}, 'must be an array of IP addresses, such as ["10.0.0.1"]');

function isShortest(address: string): boolean {
  const host = address.includes(":") ? `[${address}]` : address;
  return /^(?:[\d.]+|\[[\da-f:]+\])$/.test(host) &&
    parseUrl(`http://${host}`)?.hostname === host;
}

/**
 * Returns the network address of the client: an IPv4 address, or the first half of an
 * IPv6 address. One client can have all IPv6 addresses with the same first half.
 *
 * Each proxy in front of the server appends the address of its own client to
 * `X-Forwarded-For`. The result is the last of these addresses that is not a
 * proxy, because a client can write the addresses before it.
 *
 * @param request The request.
 * @param proxies The addresses of your proxies, in their shortest form, such as
 * `2001:db8::1`. Without proxies, the function ignores `X-Forwarded-For`.
 * @returns The network address; `"unix"` for a Unix socket.
 *
 * @example Usage
 * ```ts
 * import { clientNetwork, memoryStore, rateLimit } from "@bough/framework/protect";
 *
 * export default rateLimit({
 *   limit: 100,
 *   per: 60_000,
 *   store: memoryStore(),
 *   key: (request) => `${request.method} ${clientNetwork(request)}`,
 * });
 * ```
 */
export function clientNetwork(
  request: Pick<MiddlewareRequest, "info" | "headers">,
  proxies: readonly string[] = [],
): string {
  const { remoteAddr } = request.info;
  let address = "hostname" in remoteAddr ? plain(remoteAddr.hostname) : "unix";
  const isProxy = (address: string) =>
    proxies.some((proxy) => plain(proxy) === address);
  if (isProxy(address)) {
    // Deno parses the headers at the first read.
    const { headers } = request;
    const forwarded = headers.get("x-forwarded-for")?.split(",") ?? [];
    while (forwarded.length > 0 && isProxy(address)) {
      address = plain(forwarded.pop()!.trim());
    }
  }
  return address.includes(":") ? networkOf(address) : address;
}

/**
 * The shortest form of an address, without the port that some proxies add. Of an IPv6
 * address that contains an IPv4 address, such as `::ffff:cb00:7101`, returns the IPv4
 * address: all IPv4 clients share the network of the IPv6 address.
 */
function plain(address: string): string {
  if (!address.includes(":")) return address;
  const host = address.replace(/^\[(.*)\](?::\d+)?$/, "$1")
    .replace(/^::ffff:(?=\d+\.)/i, "")
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
  const shortest = parseUrl(`http://[${host}]`)?.hostname.slice(1, -1) ?? host;
  const [, high, low] =
    /^(?:::ffff:|64:ff9b::)(?:([\da-f]{1,4}):)?([\da-f]{1,4})$/
      .exec(shortest) ?? [];
  if (low === undefined) return shortest;
  return [parseInt(high ?? "0", 16), parseInt(low, 16)]
    .map((group) => `${group >> 8}.${group & 255}`).join(".");
}

/** The first four groups of an IPv6 address, such as `2001:db8:0:0`. */
function networkOf(address: string): string {
  const [head, tail] = address.split("::").map((part) => part.split(":"));
  const missing = tail === undefined ? 0 : 8 - head!.length - tail.length;
  const zeros = Array(Math.max(0, missing)).fill("0");
  return [...head!, ...zeros, ...tail ?? []].slice(0, 4)
    .map((group) => group || "0").join(":");
}
