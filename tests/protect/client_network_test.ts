import { assertEquals } from "@std/assert";
import { clientNetwork } from "@bough/framework/protect";

const PROXIES = ["unix", "127.0.0.1", "::1", "10.0.0.1"].concat(
  ["172.16.0.0/12", "2001:db8:1::/48"],
);

/** The network of a client, by its address and `X-Forwarded-For`. */
function networkOf(
  address: string,
  forwarded: string | undefined,
  proxies?: readonly string[],
): string {
  const headers = new Headers();
  if (forwarded !== undefined) headers.set("x-forwarded-for", forwarded);
  const remoteAddr = address === "unix"
    ? { transport: "unix", path: "/run/shop.sock" } as const
    : { transport: "tcp", hostname: address, port: 1 } as const;
  const info = { remoteAddr, completed: Promise.resolve() };
  return clientNetwork({ headers, info }, proxies);
}

Deno.test("the network of a client is its address of IPv4, or half of its address of IPv6", () => {
  for (
    const [address, network] of [
      ["192.0.2.1", "192.0.2.1"],
      ["::ffff:192.0.2.1", "192.0.2.1"],
      ["::ffff:cb00:7101", "203.0.113.1"],
      ["0:0:0:0:0:FFFF:CB00:7101", "203.0.113.1"],
      ["::ffff:0:1", "0.0.0.1"],
      ["64:ff9b::cb00:7101", "203.0.113.1"],
      ["64:ff9b::192.0.2.1", "192.0.2.1"],
      ["2001:db8::1", "2001:db8:0:0"],
      ["2001:DB8:0000::1", "2001:db8:0:0"],
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
      ["::1", "0:0:0:0"],
      ["::", "0:0:0:0"],
      ["fe80::", "fe80:0:0:0"],
      ["a:b:odd", "a:b:odd"],
      ["local", "local"],
      ["unix", "unix"],
    ] as const
  ) {
    assertEquals(networkOf(address, undefined), network, address);
    assertEquals(networkOf(address, "192.0.2.7"), network, address);
  }
});

Deno.test("behind proxies, the network is that of the last address that no proxy has", () => {
  for (
    const [address, forwarded, network] of [
      // No proxy sent it.
      ["192.0.2.9", "192.0.2.1", "192.0.2.9"],
      ["172.32.0.1", "192.0.2.1", "172.32.0.1"],
      ["172.16.0", "192.0.2.1", "172.16.0"],
      ["2001:db8:2::1", "192.0.2.1", "2001:db8:2:0"],
      // The proxy itself sent it.
      ["127.0.0.1", undefined, "127.0.0.1"],
      ["127.0.0.1", "10.0.0.1, 10.0.0.1", "10.0.0.1"],
      // One proxy passed it on.
      ["127.0.0.1", "192.0.2.1", "192.0.2.1"],
      ["unix", "192.0.2.1", "192.0.2.1"],
      ["::1", "192.0.2.1", "192.0.2.1"],
      ["::ffff:127.0.0.1", "192.0.2.1", "192.0.2.1"],
      ["::ffff:7f00:1", "192.0.2.1", "192.0.2.1"],
      ["172.31.9.8", "192.0.2.1", "192.0.2.1"],
      ["::ffff:172.16.0.1", "192.0.2.1", "192.0.2.1"],
      // The client wrote the first address.
      ["127.0.0.1", "192.0.2.7, 192.0.2.1", "192.0.2.1"],
      // Several proxies passed it on.
      ["127.0.0.1", "192.0.2.7, 192.0.2.1,10.0.0.1", "192.0.2.1"],
      ["127.0.0.1", "192.0.2.1, 0:0:0:0:0:0:0:1", "192.0.2.1"],
      ["127.0.0.1", "192.0.2.1, [0::1]:5678", "192.0.2.1"],
      ["::1", "192.0.2.1, [2001:db8:1:f::9]:5, 172.16.0.1", "192.0.2.1"],
      // Other forms of the address.
      ["127.0.0.1", "192.0.2.1:5678", "192.0.2.1"],
      ["127.0.0.1", "[2001:db8::1]:5678", "2001:db8:0:0"],
      ["127.0.0.1", "::ffff:192.0.2.1", "192.0.2.1"],
      ["127.0.0.1", "::ffff:c000:201", "192.0.2.1"],
      ["127.0.0.1", "unknown", "unknown"],
    ] as const
  ) {
    const name = `${address}, ${forwarded}`;
    assertEquals(networkOf(address, forwarded, PROXIES), network, name);
  }
});
