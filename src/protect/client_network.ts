import { type Form, listOf } from "../core/common/forms.ts";
import { parseUrl } from "../core/common/values.ts";
import type { MiddlewareRequest } from "../core/types/request.ts";

/** The requirement for the proxies; addresses in other forms never match. */
export const PROXIES: Form = listOf({
  accepts: (value) => rangeOf(String(value)) !== undefined,
  expected:
    'must be an IP address in its shortest form, such as "10.0.0.1", or a range, such as "10.0.0.0/8"',
}, 'must be an array of IP addresses, such as ["10.0.0.1"]');

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
 * `2001:db8::1`, or ranges of addresses, such as `10.0.0.0/8`. Without proxies, the
 * function ignores `X-Forwarded-For`.
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
  return clientFinder(proxies)(request);
}

/** Returns {@linkcode clientNetwork} for the same proxies at all requests. */
export function clientFinder(
  proxies: readonly string[] = [],
): (request: Pick<MiddlewareRequest, "info" | "headers">) => string {
  const ranges = proxies.flatMap((proxy) => rangeOf(proxy) ?? []);
  const isProxy = (address: string) => {
    const bits = bitsOf(address);
    return ranges.some((range) => bits.startsWith(range));
  };
  return (request) => {
    const { remoteAddr } = request.info;
    let address = "hostname" in remoteAddr
      ? plain(remoteAddr.hostname)
      : "unix";
    if (ranges.length > 0 && isProxy(address)) {
      // Deno parses the headers at the first read.
      const forwarded = request.headers.get("x-forwarded-for")?.split(",");
      while (forwarded?.length && isProxy(address)) {
        address = plain(forwarded.pop()!.trim());
      }
    }
    return address.includes(":")
      ? groupsOf(address).slice(0, 4).join(":")
      : address;
  };
}

/**
 * The bits that all addresses of a range have in common, after their version:
 * `400001010` for `10.0.0.0/8`. `undefined` for a malformed range, or for all addresses.
 */
function rangeOf(range: string): string | undefined {
  if (range === "unix") return range;
  const [, address, length] = /^([\da-f.:]+)(?:\/([1-9]\d*))?$/.exec(range) ??
    [];
  const host = address?.includes(":") ? `[${address}]` : address;
  if (parseUrl(`http://${host}`)?.hostname !== host) return undefined;
  const bits = bitsOf(plain(address!));
  const end = length === undefined ? bits.length : 1 + Number(length);
  // The rest of `10.0.0.1/8` would mean nothing, and may be a mistake.
  return end > bits.length || bits.includes("1", end)
    ? undefined
    : bits.slice(0, end);
}

const IPV4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;
const IPV6 = /^(?:[\da-f]{1,4}:){7}[\da-f]{1,4}$/;

/** The bits of an address after its version; empty if it is not an address. */
function bitsOf(address: string): string {
  if (address === "unix") return address;
  const bits = (parts: string[], base: number, size: number) =>
    parts.map((part) => parseInt(part, base).toString(2).padStart(size, "0"))
      .join("");
  if (IPV4.test(address)) return "4" + bits(address.split("."), 10, 8);
  const groups = groupsOf(address);
  return IPV6.test(groups.join(":")) ? "6" + bits(groups, 16, 16) : "";
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

/** The groups of an IPv6 address: `2001`, `db8`, six times `0`. */
function groupsOf(address: string): string[] {
  const [head, tail] = address.split("::").map((part) => part.split(":"));
  const missing = tail === undefined ? 0 : 8 - head!.length - tail.length;
  const zeros = Array(Math.max(0, missing)).fill("0");
  return [...head!, ...zeros, ...tail ?? []].map((group) => group || "0");
}
