import type { MiddlewareRequest } from "@bough/framework";

/**
 * The address of the client. Reads `X-Forwarded-For` only if one of our proxies sent
 * the request. Uses only the last address of the list, because the client may have
 * written the addresses before it.
 *
 * @param proxies The addresses of our proxies.
 */
export function clientAddress(
  { info, headers }: Pick<MiddlewareRequest, "info" | "headers">,
  proxies: readonly string[],
): string {
  const { remoteAddr } = info;
  // A Unix socket has no address; its clients are on this machine.
  const direct = "hostname" in remoteAddr
    ? unmapped(remoteAddr.hostname)
    : "unix";
  if (!proxies.includes(direct)) return direct;
  const forwarded = headers.get("x-forwarded-for")?.split(",").at(-1)?.trim();
  return forwarded ? unmapped(forwarded) : direct;
}

/**
 * What one client has: an address of IPv4, or a network of IPv6, in which it chooses
 * among 2⁶⁴ addresses.
 */
export function networkOf(address: string): string {
  // In the one form of RFC 5952, such as "[2001:db8::1]".
  const host = URL.parse(`http://[${address}]`)?.hostname;
  if (host === undefined) return address;
  const [head = "", tail] = host.slice(1, -1).split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array(zeros).fill("0"), ...(tail ?? [])];
  return groups.slice(0, 4).join(":");
}

/** IPv4 as it is written, also where a socket of IPv6 took the connection. */
function unmapped(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
