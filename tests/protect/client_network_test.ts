import { assertEquals } from "@std/assert";
import { clientNetwork } from "@bough/framework/protect";

type Connection = Parameters<typeof clientNetwork>[0];

/** A request from an address, with `X-Forwarded-For`. */
function from(hostname: string, forwarded?: string): Connection {
  const headers = new Headers();
  if (forwarded !== undefined) headers.set("x-forwarded-for", forwarded);
  const remoteAddr = { transport: "tcp", hostname, port: 1 } as const;
  return { headers, info: { remoteAddr, completed: Promise.resolve() } };
}

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
  ] as const
) {
  Deno.test(`the network of ${address} is ${network}`, () => {
    assertEquals(clientNetwork(from(address)), network);
  });
}

const PROXIES = ["127.0.0.1", "::1", "10.0.0.1"].concat(
  ["172.16.0.0/12", "2001:db8:1::/48"],
);

for (
  const [connection, network, why] of [
    [from("192.0.2.9", "192.0.2.1"), "192.0.2.9", "sent by no proxy"],
    [from("127.0.0.1"), "127.0.0.1", "sent by the proxy itself"],
    [from("127.0.0.1", "192.0.2.1"), "192.0.2.1", "seen by the proxy"],
    [from("::1", "192.0.2.1"), "192.0.2.1", "seen by the proxy over IPv6"],
    [
      from("::ffff:127.0.0.1", "192.0.2.1"),
      "192.0.2.1",
      "seen over a mapped address",
    ],
    [
      from("127.0.0.1", "192.0.2.7, 192.0.2.1"),
      "192.0.2.1",
      "after an address that the client wrote",
    ],
    [
      from("127.0.0.1", "192.0.2.7, 192.0.2.1,10.0.0.1"),
      "192.0.2.1",
      "seen by the outer of two proxies",
    ],
    [
      from("127.0.0.1", "10.0.0.1, 10.0.0.1"),
      "10.0.0.1",
      "sent by the outer proxy itself",
    ],
    [from("127.0.0.1", "192.0.2.1:5678"), "192.0.2.1", "with a port"],
    [
      from("127.0.0.1", "[2001:db8::1]:5678"),
      "2001:db8:0:0",
      "of IPv6 with a port",
    ],
    [from("127.0.0.1", "::ffff:192.0.2.1"), "192.0.2.1", "of IPv4 in IPv6"],
    [from("127.0.0.1", "::ffff:c000:201"), "192.0.2.1", "in hexadecimal"],
    [from("::ffff:7f00:1", "192.0.2.1"), "192.0.2.1", "from a proxy in IPv6"],
    [
      from("127.0.0.1", "192.0.2.1, 0:0:0:0:0:0:0:1"),
      "192.0.2.1",
      "seen by a proxy with a long address",
    ],
    [
      from("127.0.0.1", "192.0.2.1, [0::1]:5678"),
      "192.0.2.1",
      "seen by a proxy with a port",
    ],
    [from("127.0.0.1", "unknown"), "unknown", "without an address"],
    [from("172.31.9.8", "192.0.2.1"), "192.0.2.1", "seen by a range"],
    [
      from("::ffff:172.16.0.1", "192.0.2.1"),
      "192.0.2.1",
      "from a mapped range",
    ],
    [
      from("127.0.0.1", "192.0.2.1, [2001:db8:1:ffff::9]:5678, 172.16.0.1"),
      "192.0.2.1",
      "seen by two ranges",
    ],
    [from("172.32.0.1", "192.0.2.1"), "172.32.0.1", "from next to a range"],
    [from("172.16.0", "192.0.2.1"), "172.16.0", "from half an address"],
    [
      from("2001:db8:2::1", "192.0.2.1"),
      "2001:db8:2:0",
      "from next to a range of IPv6",
    ],
  ] as const
) {
  Deno.test(`behind proxies, a request ${why} comes from ${network}`, () => {
    assertEquals(clientNetwork(connection, PROXIES), network);
  });
}

Deno.test("clients of a Unix socket share one name", () => {
  const remoteAddr = { transport: "unix", path: "/run/shop.sock" } as const;
  const connection = {
    ...from(""),
    info: { remoteAddr, completed: Promise.resolve() },
  };
  assertEquals(clientNetwork(connection), "unix");
  const proxied = {
    ...connection,
    headers: new Headers({ "x-forwarded-for": "192.0.2.1" }),
  };
  assertEquals(clientNetwork(proxied), "unix");
  assertEquals(clientNetwork(proxied, ["unix"]), "192.0.2.1");
});
