import { assertEquals } from "@std/assert";
import { Framework } from "@bough/framework";
import { rawRequest } from "../../support/raw_http.ts";
import { InspectedServer } from "./support.ts";

const PAGE = "GET /_bough HTTP/1.1";
const LIST = "GET /_bough/api/requests HTTP/1.1";
const SEND = "POST /_bough/api/send HTTP/1.1";
const JSON_TYPE = "Content-Type: application/json";
const DELETE_BOOK = JSON.stringify({ method: "DELETE", url: "/api/book" });

/** A request that would send `DELETE /api/book`. */
const sends = (...headers: string[]) =>
  [SEND, ...headers, "", DELETE_BOOK].join("\n");

const refused = (reason: string) =>
  `The inspector rejects any request that ${reason}.\n`;
const HOST = refused("names a host other than localhost, 127.0.0.1 or [::1]");
const ORIGIN = refused("comes from a page of another origin");
const PROXY = refused(
  'passed a proxy or a tunnel, which added the header "x-forwarded-for"',
);

/**
 * Requests of pages and tunnels, as they arrive over a socket, and their responses: a
 * status, or the text of a 403. `PORT` stands for the port of the server, which is the
 * `Host` of a request without another one. `guard_test.ts` has all rejected values.
 */
const ROWS: Readonly<
  Record<string, readonly [response: number | string, request: string]>
> = {
  "a rebound page that sends JSON to its own origin": [
    HOST,
    sends("Host: evil.com:PORT", "Origin: http://evil.com:PORT", JSON_TYPE),
  ],
  "an absolute request target of another host": [
    HOST,
    "GET http://evil.com/_bough/api/requests HTTP/1.1",
  ],
  "an absolute request target of this host, for another Host": [
    HOST,
    "GET http://localhost:PORT/_bough/api/requests HTTP/1.1\nHost: evil.com",
  ],
  "the page under another spelling of its path": [
    HOST,
    "GET //x/..//%5Fbough/ HTTP/1.1\nHost: evil.com",
  ],
  "a program without Host, which HTTP/1.0 allows": [
    403,
    "GET /_bough/api/requests HTTP/1.0\nHost:",
  ],
  "a form of another origin": [
    ORIGIN,
    sends("Origin: https://evil.com", "Content-Type: text/plain"),
  ],
  "a preflight request": [
    ORIGIN,
    "OPTIONS /_bough/api/send HTTP/1.1\nOrigin: https://evil.com",
  ],
  "a message to the tools": [
    ORIGIN,
    `POST /_bough/mcp HTTP/1.1\nOrigin: http://localhost:3000\n${JSON_TYPE}\n\n{}`,
  ],
  "a script of another site": [ORIGIN, `${LIST}\nSec-Fetch-Site: cross-site`],
  "a WebSocket": [
    refused("opens a WebSocket"),
    `${LIST}\nUpgrade: websocket`,
  ],
  "a tunnel": [PROXY, `${PAGE}\nX-Forwarded-For: 192.0.2.1`],
  "TRACE": [refused("has an unsupported method"), "TRACE /_bough HTTP/1.1"],
  "a form without Origin, as of an old browser": [
    415,
    sends("Content-Type: text/plain"),
  ],
  "a form with encoded values": [
    400,
    `${SEND}\nContent-Type: application/x-www-form-urlencoded\n\nmethod=DELETE&url=/api/book`,
  ],
  "JSON without its type": [400, sends()],
  "a send by GET": [405, SEND.replace("POST", "GET")],
  "a program of this machine": [200, LIST],
  "the inspector's page": [
    200,
    sends(
      "Origin: http://localhost:PORT",
      "Sec-Fetch-Site: same-origin",
      JSON_TYPE,
    ),
  ],
};

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

Deno.test("the inspector responds only to its page and to local programs", async (t) => {
  let calls = 0;
  const DELETE = () => {
    calls++;
    return new Response();
  };
  const manifest = { "book/route.ts": { DELETE } };
  await using server = await InspectedServer.of(new Framework({ manifest }));
  const request = (text: string) => {
    const sent = text.replaceAll("PORT", `${server.port}`);
    const [head, body = ""] = sent.split("\n\n");
    const host = /^Host:/m.test(sent) ? "" : `\nHost: localhost:${server.port}`;
    const length = body && `\nContent-Length: ${body.length}`;
    return rawRequest(server.port, head + host + length, body);
  };
  for (const [name, [expected, text]] of Object.entries(ROWS)) {
    await t.step(name, async () => {
      calls = 0;
      const before = (await server.requests()).length;
      const { status, body, headers } = await request(text);
      if (typeof expected === "string") assertEquals(body, expected);
      assertEquals(status, typeof expected === "string" ? 403 : expected);
      const names = [...headers.keys()];
      assertEquals(names.filter((it) => it.startsWith("access-control-")), []);
      // Only an allowed request reaches the application.
      const sent = status === 200 && text.startsWith(SEND) ? 1 : 0;
      const recorded = (await server.requests()).length - before;
      assertEquals([calls, recorded], [sent, sent]);
      for (const [header, value] of Object.entries(HEADERS)) {
        assertEquals(headers.get(header), value, header);
      }
    });
  }
  // Deno itself rejects two hosts.
  const hosts = `${PAGE}\nHost: localhost:PORT\nHost: evil.com`;
  assertEquals((await request(hosts)).status, 400);
});
