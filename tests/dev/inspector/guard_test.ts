import { assertEquals } from "@std/assert";
import { isLocal, refusalOf } from "../../../src/dev/inspector/guard.ts";

const MACHINE = "comes from another machine";
const HOST = "names a host other than localhost, 127.0.0.1 or [::1]";
const ORIGIN = "comes from a page of another origin";
const METHOD = "has an unsupported method";
const proxy = (name: string) =>
  `passed a proxy or a tunnel, which added the header "${name}"`;

interface Row {
  /** The address of the client. */
  readonly from?: string;
  /** The URL, in which Deno writes the `Host` or an absolute request target. */
  readonly url?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const withHeader = (name: string, value: string): Row => ({
  headers: { [name]: value },
});

/** Requests, and why the inspector rejects them. */
const ROWS: readonly (readonly [Row, string | undefined])[] = [
  [{}, undefined],
  [{ from: "127.0.0.1" }, undefined],
  [{ from: "127.8.9.10" }, undefined],
  [{ from: "::1" }, undefined],
  [{ from: "::ffff:127.0.0.1" }, undefined],
  [{ from: "::FFFF:127.0.0.1" }, undefined],
  [{ from: "" }, MACHINE],
  [{ from: "0.0.0.0" }, MACHINE],
  [{ from: "::" }, MACHINE],
  [{ from: "10.0.0.1" }, MACHINE],
  [{ from: "192.168.1.127" }, MACHINE],
  [{ from: "1.127.0.0.1" }, MACHINE],
  [{ from: "128.0.0.1" }, MACHINE],
  [{ from: "::2" }, MACHINE],
  [{ from: "fe80::1" }, MACHINE],
  [{ from: "::ffff:10.0.0.1" }, MACHINE],
  [{ from: "127.0.0.1.evil.com" }, MACHINE],

  [{ url: "http://localhost/_bough" }, undefined],
  [{ url: "http://LOCALHOST:8000/_bough" }, undefined],
  [{ url: "http://localhost:1/_bough" }, undefined],
  [{ url: "https://localhost:8443/_bough" }, undefined],
  [{ url: "http://127.0.0.1:65535/_bough" }, undefined],
  [{ url: "http://127.1.2.3:8000/_bough" }, undefined],
  [{ url: "http://[::1]:8000/_bough" }, undefined],
  [{ url: "http://[::1]/_bough" }, undefined],
  [{ url: "http://evil.com/_bough" }, HOST],
  [{ url: "http://evil.com:8000/_bough" }, HOST],
  [{ url: "http://localhost.evil.com/_bough" }, HOST],
  [{ url: "http://localhost:8000.evil.com/_bough" }, HOST],
  [{ url: "http://127.0.0.1.evil.com/_bough" }, HOST],
  [{ url: "http://evil.localhost/_bough" }, HOST],
  [{ url: "http://localhost./_bough" }, HOST],
  [{ url: "http://localhost@evil.com/_bough" }, HOST],
  [{ url: "http://a@localhost/_bough" }, HOST],
  [{ url: "http://127.1/_bough" }, HOST],
  [{ url: "http://2130706433/_bough" }, HOST],
  [{ url: "http://0.0.0.0:8000/_bough" }, HOST],
  [{ url: "http://10.0.0.1:8000/_bough" }, HOST],
  [{ url: "http://[::]:8000/_bough" }, HOST],
  [{ url: "http://[::ffff:7f00:1]/_bough" }, HOST],
  [{ url: "http:///localhost/_bough" }, HOST],
  [{ url: "ftp://localhost/_bough" }, HOST],
  [withHeader("host", "localhost:8000"), undefined],
  [withHeader("host", "localhost"), HOST],
  [withHeader("host", "evil.com"), HOST],
  [withHeader("host", "127.0.0.1:8000"), HOST],
  [withHeader("host", "localhost:8000, evil.com"), HOST],
  [
    { url: "http://evil.com/_bough", headers: { host: "localhost:8000" } },
    HOST,
  ],

  [withHeader("origin", "http://localhost:8000"), undefined],
  [withHeader("origin", "https://localhost:8000"), ORIGIN],
  [withHeader("origin", "http://localhost"), ORIGIN],
  [withHeader("origin", "http://localhost:3000"), ORIGIN],
  [withHeader("origin", "http://127.0.0.1:8000"), ORIGIN],
  [withHeader("origin", "https://evil.com"), ORIGIN],
  [withHeader("origin", "null"), ORIGIN],
  [withHeader("origin", ""), ORIGIN],
  [withHeader("origin", "http:"), ORIGIN],
  [withHeader("origin", "http://localhost:8000, https://evil.com"), ORIGIN],
  [withHeader("sec-fetch-site", "same-origin"), undefined],
  [withHeader("sec-fetch-site", "none"), undefined],
  [withHeader("sec-fetch-site", "same-site"), ORIGIN],
  [withHeader("sec-fetch-site", "cross-site"), ORIGIN],
  [withHeader("sec-fetch-site", ""), ORIGIN],
  [withHeader("sec-fetch-site", "none, cross-site"), ORIGIN],
  [{
    headers: {
      origin: "http://localhost:8000",
      "sec-fetch-site": "cross-site",
    },
  }, ORIGIN],

  [withHeader("forwarded", "for=192.0.2.1"), proxy("forwarded")],
  [withHeader("forwarded", ""), proxy("forwarded")],
  [withHeader("x-forwarded-for", "127.0.0.1"), proxy("x-forwarded-for")],
  [withHeader("X-Forwarded-Host", "localhost"), proxy("x-forwarded-host")],
  [withHeader("x-forwarded-anything", "1"), proxy("x-forwarded-anything")],
  [withHeader("x-real-ip", "127.0.0.1"), proxy("x-real-ip")],
  [withHeader("via", "1.1 tunnel"), proxy("via")],
  [withHeader("x-forward", "1"), undefined],
  [withHeader("referer", "https://evil.com/"), undefined],

  [{ method: "POST" }, undefined],
  [{ method: "HEAD" }, undefined],
  [{ method: "DELETE" }, undefined],
  [{ method: "PROPFIND" }, METHOD],
  [{ method: "get" }, undefined],
  [withHeader("upgrade", "websocket"), "opens a WebSocket"],
  [withHeader("upgrade", "h2c, WebSocket"), "opens a WebSocket"],
  // Java's client sends this header with each request.
  [withHeader("upgrade", "h2c"), undefined],
];

Deno.test("the inspector answers only programs on this machine and its page", () => {
  for (const [row, refusal] of ROWS) {
    const { from = "127.0.0.1", url = "http://localhost:8000/_bough" } = row;
    const { method = "GET", headers = {} } = row;
    const request = new Request("http://localhost:8000/", { method, headers });
    // `new Request()` would correct the URLs that `Deno.serve` passes on.
    Object.defineProperty(request, "url", { value: url });
    const info = { remoteAddr: { transport: "tcp", hostname: from, port: 1 } };
    assertEquals(refusalOf(request, info), refusal, JSON.stringify(row));
  }
});

Deno.test("the inspector rejects a request of an unknown client", () => {
  const request = new Request("http://localhost:8000/_bough");
  const unix = { remoteAddr: { transport: "unix", path: "/run/app.sock" } };
  for (const info of [undefined, null, {}, unix]) {
    assertEquals(refusalOf(request, info), MACHINE);
  }
});

Deno.test("a server is local if only this machine can reach it", () => {
  const origins = {
    "http://127.0.0.1:8000": true,
    "https://127.0.0.1:8000": true,
    "http://127.0.1.1:8000": true,
    "http://[::1]:8000": true,
    "http://localhost:8000": true,
    "http://0.0.0.0:8000": false,
    "http://[::]:8000": false,
    "http://192.168.1.2:8000": false,
    "http://undefined:undefined": false,
  };
  for (const [origin, expected] of Object.entries(origins)) {
    assertEquals(isLocal(origin), expected, origin);
  }
});
