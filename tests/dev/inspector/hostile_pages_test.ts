import { assert, assertEquals } from "@std/assert";
import { Framework } from "@bough/framework";
import { rawRequest } from "../../support/raw_http.ts";
import { InspectedServer } from "./support.ts";

const POST = "POST /_bough/api/send HTTP/1.1";
const SEND = JSON.stringify({ method: "DELETE", url: "/api/book" });
const refused = (reason: string) =>
  `The inspector rejects any request that ${reason}.\n`;
const HOST = refused("names a host other than localhost, 127.0.0.1 or [::1]");
const ORIGIN = refused("comes from a page of another origin");

interface Row {
  readonly name: string;
  /** The request line and the headers; `PORT` stands for the port. */
  readonly head: string;
  readonly body?: string;
  readonly status: number;
  /** The reason of a 403. */
  readonly text?: string;
}

/** Requests of pages and tunnels, as they arrive over a socket. */
const ROWS: readonly Row[] = [
  {
    name: "a page whose name leads to this machine (DNS rebinding)",
    head: "GET /_bough/api/requests HTTP/1.1\nHost: evil.com:PORT",
    status: 403,
    text: HOST,
  },
  {
    name: "a rebound page that sends JSON to its own origin",
    head:
      `${POST}\nHost: evil.com:PORT\nOrigin: http://evil.com:PORT\nSec-Fetch-Site: same-origin\nContent-Type: application/json`,
    body: SEND,
    status: 403,
    text: HOST,
  },
  {
    name: "an absolute request target of another host",
    head:
      "GET http://evil.com/_bough/api/requests HTTP/1.1\nHost: localhost:PORT",
    status: 403,
    text: HOST,
  },
  {
    name: "an absolute request target of this host, for another Host",
    head:
      "GET http://localhost:PORT/_bough/api/requests HTTP/1.1\nHost: evil.com",
    status: 403,
    text: HOST,
  },
  {
    name: "two hosts",
    head: "GET /_bough HTTP/1.1\nHost: localhost:PORT\nHost: evil.com",
    status: 400,
  },
  {
    name: "a form of another origin",
    head:
      `${POST}\nHost: localhost:PORT\nOrigin: https://evil.com\nContent-Type: text/plain`,
    body: SEND,
    status: 403,
    text: ORIGIN,
  },
  {
    name: "a form of a page without an origin",
    head:
      `${POST}\nHost: localhost:PORT\nOrigin: null\nContent-Type: text/plain`,
    body: SEND,
    status: 403,
    text: ORIGIN,
  },
  {
    name: "a form without Origin, as of an old browser",
    head: `${POST}\nHost: localhost:PORT\nContent-Type: text/plain`,
    body: SEND,
    status: 415,
  },
  {
    name: "a form with encoded values",
    head:
      `${POST}\nHost: localhost:PORT\nContent-Type: application/x-www-form-urlencoded`,
    body: "method=DELETE&url=/api/book",
    status: 400,
  },
  {
    name: "JSON without its type",
    head: `${POST}\nHost: localhost:PORT`,
    body: SEND,
    status: 400,
  },
  {
    name: "a send by GET",
    head: "GET /_bough/api/send HTTP/1.1\nHost: localhost:PORT",
    status: 405,
  },
  {
    name: "a script of another site",
    head:
      "GET /_bough/api/requests HTTP/1.1\nHost: localhost:PORT\nSec-Fetch-Site: cross-site",
    status: 403,
    text: ORIGIN,
  },
  {
    name: "a page of another port",
    head:
      "GET /_bough/api/requests HTTP/1.1\nHost: localhost:PORT\nSec-Fetch-Site: same-site",
    status: 403,
    text: ORIGIN,
  },
  {
    name: "a preflight request",
    head:
      "OPTIONS /_bough/api/send HTTP/1.1\nHost: localhost:PORT\nOrigin: https://evil.com\nAccess-Control-Request-Method: POST",
    status: 403,
    text: ORIGIN,
  },
  {
    name: "a message to the tools",
    head:
      "POST /_bough/mcp HTTP/1.1\nHost: localhost:PORT\nOrigin: http://localhost:3000\nContent-Type: application/json",
    body: "{}",
    status: 403,
    text: ORIGIN,
  },
  {
    name: "a WebSocket of another origin",
    head:
      "GET /_bough HTTP/1.1\nHost: localhost:PORT\nOrigin: https://evil.com\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    status: 403,
    text: ORIGIN,
  },
  {
    name: "a WebSocket of a program",
    head:
      "GET /_bough/api/requests HTTP/1.1\nHost: localhost:PORT\nUpgrade: websocket",
    status: 403,
    text: refused("opens a WebSocket"),
  },
  {
    name: "a tunnel",
    head:
      "GET /_bough HTTP/1.1\nHost: localhost:PORT\nX-Forwarded-For: 192.0.2.1",
    status: 403,
    text: refused(
      'passed a proxy or a tunnel, which added the header "x-forwarded-for"',
    ),
  },
  {
    name: "TRACE",
    head: "TRACE /_bough HTTP/1.1\nHost: localhost:PORT",
    status: 403,
    text: refused("has an unsupported method"),
  },
  {
    name: "the page under another spelling of its path",
    head: "GET //x/..//%5Fbough/ HTTP/1.1\nHost: evil.com",
    status: 403,
    text: HOST,
  },
  {
    name: "a program of this machine",
    head: "GET /_bough/api/requests HTTP/1.1\nHost: localhost:PORT",
    status: 200,
  },
  {
    name: "the inspector's page",
    head:
      `${POST}\nHost: localhost:PORT\nOrigin: http://localhost:PORT\nSec-Fetch-Site: same-origin\nContent-Type: application/json`,
    body: SEND,
    status: 200,
  },
  {
    name: "a program without Host, which HTTP/1.0 allows",
    head: "GET /_bough/api/requests HTTP/1.0\nHost:",
    status: 403,
  },
];

for (const { name, head, body = "", status, text } of ROWS) {
  Deno.test(`the inspector responds with ${status} to ${name}`, async () => {
    let calls = 0;
    const DELETE = () => {
      calls++;
      return new Response();
    };
    const manifest = { "book/route.ts": { DELETE } };
    await using server = await InspectedServer.of(new Framework({ manifest }));
    const sent = head.replaceAll("PORT", String(server.port)) +
      (body === "" ? "" : `\nContent-Length: ${body.length}`);
    const response = await rawRequest(server.port, sent, body);
    assertEquals(response.status, status, response.body);
    if (text !== undefined) assertEquals(response.body, text);
    const { headers } = response;
    for (const header of headers.keys()) {
      assert(!header.startsWith("access-control-"), header);
    }
    // Only an allowed request reaches the application.
    const isSent = status === 200 && body !== "";
    assertEquals(calls, isSent ? 1 : 0);
    assertEquals((await server.requests()).length, isSent ? 1 : 0);
    // Deno itself rejects two hosts.
    if (name === "two hosts") return;
    assertEquals(headers.get("cache-control"), "no-store");
    assertEquals(headers.get("cross-origin-resource-policy"), "same-origin");
    assertEquals(headers.get("referrer-policy"), "no-referrer");
    assertEquals(headers.get("x-content-type-options"), "nosniff");
    assertEquals(headers.get("x-frame-options"), "DENY");
    assertEquals(
      headers.get("content-security-policy"),
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });
}
