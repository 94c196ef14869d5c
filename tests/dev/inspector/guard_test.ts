import { assertEquals } from "@std/assert";
import { isLocal, refusalOf } from "../../../src/dev/inspector/guard.ts";

const MACHINE = "comes from another machine";
const HOST = "names a host other than localhost, 127.0.0.1 or [::1]";
const ORIGIN = "comes from a page of another origin";
const SOCKET = "opens a WebSocket";
const METHOD = "has an unsupported method";
const proxy = (name: string) =>
  `passed a proxy or a tunnel, which added the header "${name}"`;

interface Parts {
  /** The address of the client. */
  readonly from?: string;
  /** The URL, in which Deno writes the `Host` or an absolute request target. */
  readonly url?: string;
  readonly method?: string;
  readonly [header: string]: string;
}

function refusal({ from, url, method, ...headers }: Parts): unknown {
  const request = new Request("http://localhost:8000/", {
    method: method ?? "GET",
    headers,
  });
  // `new Request()` would correct the URLs that `Deno.serve` passes on.
  const value = url === undefined
    ? "http://localhost:8000/_bough"
    : `${url}/_bough`;
  Object.defineProperty(request, "url", { value });
  const hostname = from ?? "127.0.0.1";
  const remoteAddr = { transport: "tcp", hostname, port: 1 };
  return refusalOf(request, { remoteAddr });
}

/** Values of one part of a request, split at `|`, by whether and why they are refused. */
const ROWS: readonly (readonly [
  part: string,
  values: string,
  refusal?: string,
])[] = [
  ["from", "127.0.0.1|127.8.9.10|::1|::ffff:127.0.0.1|::FFFF:127.0.0.1"],
  ["from", "|0.0.0.0|::|10.0.0.1|192.168.1.127|1.127.0.0.1", MACHINE],
  ["from", "128.0.0.1|::2|fe80::1|::ffff:10.0.0.1", MACHINE],
  ["from", "127.0.0.1.evil.com", MACHINE],
  ["url", "http://localhost|http://LOCALHOST:8000|http://localhost:1"],
  ["url", "https://localhost:8443|http://127.0.0.1:65535"],
  ["url", "http://127.1.2.3:8000|http://[::1]:8000|http://[::1]"],
  ["url", "http://evil.com|http://evil.com:8000", HOST],
  ["url", "http://localhost.evil.com|http://localhost:8000.evil.com", HOST],
  ["url", "http://127.0.0.1.evil.com|http://evil.localhost", HOST],
  [
    "url",
    "http://localhost.|http://localhost@evil.com|http://a@localhost",
    HOST,
  ],
  ["url", "http://127.1|http://2130706433|http://0.0.0.0:8000", HOST],
  ["url", "http://10.0.0.1:8000|http://[::]:8000|http://[::ffff:7f00:1]", HOST],
  ["url", "http:///localhost|ftp://localhost", HOST],
  ["host", "localhost:8000"],
  ["host", "localhost|evil.com|127.0.0.1:8000|localhost:8000, evil.com", HOST],
  ["origin", "http://localhost:8000"],
  ["origin", "https://localhost:8000|http://localhost|null||http:", ORIGIN],
  ["origin", "http://localhost:3000|http://127.0.0.1:8000", ORIGIN],
  [
    "origin",
    "https://evil.com|http://localhost:8000, https://evil.com",
    ORIGIN,
  ],
  ["sec-fetch-site", "same-origin|none"],
  ["sec-fetch-site", "same-site|cross-site||none, cross-site", ORIGIN],
  ["forwarded", "for=192.0.2.1|", proxy("forwarded")],
  ["x-forwarded-for", "127.0.0.1", proxy("x-forwarded-for")],
  ["X-Forwarded-Host", "localhost", proxy("x-forwarded-host")],
  ["x-forwarded-anything", "1", proxy("x-forwarded-anything")],
  ["x-real-ip", "127.0.0.1", proxy("x-real-ip")],
  ["via", "1.1 tunnel", proxy("via")],
  ["x-forward", "1"],
  ["referer", "https://evil.com/"],
  ["method", "POST|HEAD|DELETE|get"],
  ["method", "PROPFIND", METHOD],
  ["upgrade", "websocket|h2c, WebSocket", SOCKET],
  // Java's client sends this header with each request.
  ["upgrade", "h2c"],
];

Deno.test("the inspector answers only programs on this machine and its page", () => {
  assertEquals(refusal({}), undefined);
  for (const [part, values, expected] of ROWS) {
    for (const value of values.split("|")) {
      assertEquals(refusal({ [part]: value }), expected, `${part}: ${value}`);
    }
  }
  const local = "localhost:8000";
  assertEquals(refusal({ url: "http://evil.com", host: local }), HOST);
  const site = { "sec-fetch-site": "cross-site" };
  assertEquals(refusal({ origin: `http://${local}`, ...site }), ORIGIN);
  const request = new Request("http://localhost:8000/_bough");
  const unix = { remoteAddr: { transport: "unix", path: "/run/app.sock" } };
  for (const info of [undefined, null, {}, unix]) {
    assertEquals(refusalOf(request, info), MACHINE, "an unknown client");
  }
});

Deno.test("a server is local if only this machine can reach it", () => {
  const local = "http://127.0.0.1:8000 https://127.0.0.1:8000 " +
    "http://127.0.1.1:8000 http://[::1]:8000 http://localhost:8000";
  const other = "http://0.0.0.0:8000 http://[::]:8000 " +
    "http://192.168.1.2:8000 http://undefined:undefined";
  assertEquals(local.split(" ").filter((each) => !isLocal(each)), []);
  assertEquals(other.split(" ").filter(isLocal), []);
});
