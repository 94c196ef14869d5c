import { assert, assertEquals } from "@std/assert";
import { Framework } from "@bough/framework";
import { rawRequest } from "../../support/raw_http.ts";
import { InspectedServer } from "./support.ts";

const SEND = JSON.stringify({ method: "DELETE", url: "/api/book" });
const PAGE = "GET /_bough HTTP/1.1";
const LIST = "GET /_bough/api/requests HTTP/1.1";
const POST = "POST /_bough/api/send HTTP/1.1";
const JSON_TYPE = "Content-Type: application/json";
const TEXT_TYPE = "Content-Type: text/plain";

/** A request that would send `DELETE /api/book`. */
const sends = (...headers: string[]) => [POST, ...headers, "", SEND];

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
 * `Host` of a request without another one.
 */
const ROWS: Readonly<
  Record<string, readonly [response: number | string, ...lines: string[]]>
> = {
  "a page whose name leads to this machine (DNS rebinding)": [
    HOST,
    LIST,
    "Host: evil.com:PORT",
  ],
  "a rebound page that sends JSON to its own origin": [
    HOST,
    ...sends(
      "Host: evil.com:PORT",
      "Origin: http://evil.com:PORT",
      "Sec-Fetch-Site: same-origin",
      JSON_TYPE,
    ),
  ],
  "an absolute request target of another host": [
    HOST,
    "GET http://evil.com/_bough/api/requests HTTP/1.1",
  ],
  "an absolute request target of this host, for another Host": [
    HOST,
    "GET http://localhost:PORT/_bough/api/requests HTTP/1.1",
    "Host: evil.com",
  ],
  "two hosts": [400, PAGE, "Host: localhost:PORT", "Host: evil.com"],
  "a form of another origin": [
    ORIGIN,
    ...sends("Origin: https://evil.com", TEXT_TYPE),
  ],
  "a form of a page without an origin": [
    ORIGIN,
    ...sends("Origin: null", TEXT_TYPE),
  ],
  "a form without Origin, as of an old browser": [
    415,
    ...sends(TEXT_TYPE),
  ],
  "a form with encoded values": [
    400,
    POST,
    "Content-Type: application/x-www-form-urlencoded",
    "",
    "method=DELETE&url=/api/book",
  ],
  "JSON without its type": [400, ...sends()],
  "a send by GET": [405, "GET /_bough/api/send HTTP/1.1"],
  "a script of another site": [ORIGIN, LIST, "Sec-Fetch-Site: cross-site"],
  "a page of another port": [ORIGIN, LIST, "Sec-Fetch-Site: same-site"],
  "a preflight request": [
    ORIGIN,
    "OPTIONS /_bough/api/send HTTP/1.1",
    "Origin: https://evil.com",
    "Access-Control-Request-Method: POST",
  ],
  "a message to the tools": [
    ORIGIN,
    "POST /_bough/mcp HTTP/1.1",
    "Origin: http://localhost:3000",
    JSON_TYPE,
    "",
    "{}",
  ],
  "a WebSocket of another origin": [
    ORIGIN,
    PAGE,
    "Origin: https://evil.com",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  ],
  "a WebSocket of a program": [
    refused("opens a WebSocket"),
    LIST,
    "Upgrade: websocket",
  ],
  "a tunnel": [PROXY, PAGE, "X-Forwarded-For: 192.0.2.1"],
  "TRACE": [refused("has an unsupported method"), "TRACE /_bough HTTP/1.1"],
  "the page under another spelling of its path": [
    HOST,
    "GET //x/..//%5Fbough/ HTTP/1.1",
    "Host: evil.com",
  ],
  "a program of this machine": [200, LIST],
  "the inspector's page": [
    200,
    ...sends(
      "Origin: http://localhost:PORT",
      "Sec-Fetch-Site: same-origin",
      JSON_TYPE,
    ),
  ],
  "a program without Host, which HTTP/1.0 allows": [
    403,
    "GET /_bough/api/requests HTTP/1.0",
    "Host:",
  ],
};

for (const [name, [expected, ...lines]] of Object.entries(ROWS)) {
  const status = typeof expected === "string" ? 403 : expected;
  Deno.test(`the inspector responds with ${status} to ${name}`, async () => {
    let calls = 0;
    const DELETE = () => {
      calls++;
      return new Response();
    };
    const manifest = { "book/route.ts": { DELETE } };
    await using server = await InspectedServer.of(new Framework({ manifest }));
    const sent = lines.join("\n").replaceAll("PORT", `${server.port}`);
    const [head, body = ""] = sent.split("\n\n");
    const host = /^Host:/m.test(sent) ? "" : `\nHost: localhost:${server.port}`;
    const length = body && `\nContent-Length: ${body.length}`;
    const response = await rawRequest(server.port, head + host + length, body);
    assertEquals(response.status, status, response.body);
    if (typeof expected === "string") assertEquals(response.body, expected);
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
