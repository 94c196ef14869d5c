import { assertEquals } from "@std/assert";
import { z } from "zod";
import { TestApplication, type TestModule } from "../../support/application.ts";
import { Http2Client } from "../../support/http2.ts";
import { exchange, rawRequest } from "../../support/raw_http.ts";

const ROUTES: Readonly<Record<string, TestModule>> = {
  "open/route.ts": { GET: ({ url }) => new Response(new URL(url).pathname) },
};

const ALLOWED = [
  ...["API.example.com", "*.example.org", "local:81", "[::1]", "localhost"],
  ...["Dot.example.", "*.Dots.example.", "port.:81", "*.net:81"],
];

/** A `Host`, the status, and the target; `/api/open` by default. */
const HOSTS: readonly (readonly [
  host: string,
  status: 200 | 400,
  target?: string,
])[] = [
  ["api.example.com", 200],
  ["API.Example.COM:8000", 200],
  ["a.example.org", 200],
  ["a.b.example.org:1", 200],
  ["local:81", 200],
  ["[::1]:8000", 200],
  ["example.com", 400],
  ["evil-api.example.com", 400],
  ["example.org", 400],
  ["badexample.org", 400],
  ["local", 400],
  ["local:82", 400],
  ["api.example.com/api/admin?", 400],
  ["api.example.com#", 400],
  ["user@api.example.com", 400],
  ["api.example.com,evil.com", 400],
  ["", 400],
  // Deno replaces a Host that is not ASCII with its own name.
  ["\xe9", 400],
  // Upper case, and a final dot.
  ["dot.example", 200],
  ["DOT.example.", 200],
  ["DOT.example.:8000", 200],
  ["a.dots.example", 200],
  ["A.Dots.EXAMPLE.", 200],
  ["port:81", 200],
  ["port.:81", 200],
  ["port.", 400],
  ["port81", 400],
  ["a.net:81", 200],
  ["a.net.:81", 200],
  ["a.net", 400],
  ["a.net:82", 400],
  ["a.net81", 400],
  ["dot.example..", 400],
  ["dots.example.", 400],
  // The authority of the target (RFC 9112, 3.2.2).
  ["api.example.com", 200, "http://api.example.com/api/open"],
  ["api.example.com", 200, "http://api.example.com:81/api/open"],
  ["localhost", 200, "https://API.example.com./api/open"],
  ["localhost", 200, "HTTP://api.example.com/api/open"],
  ["api.example.com", 400, "http://evil.example/api/open"],
  ["api.example.com", 400, "https://evil.example/api/open"],
  ["api.example.com", 400, "ftp://evil.example/api/open"],
  ["api.example.com", 400, "foo://evil.example/api/open"],
  ["api.example.com", 400, "file://evil.example/api/open"],
  ["api.example.com", 400, "http://user@api.example.com/api/open"],
  ["localhost", 400, "http://api.example.com@evil.example/api/open"],
  ["localhost", 400, "http://api.example.com\\@evil.example/api/open"],
  ["localhost", 400, "foo://api.example.com\\@evil.example/api/open"],
  ["local:81", 400, "http://local:82/api/open"],
  ["evil.example", 400, "http://api.example.com/api/open"],
  ["", 400, "http://api.example.com/api/open"],
];

Deno.test("allowedHosts rejects every other or malformed Host or authority with 400 (behaviour 1.6)", async () => {
  const application = TestApplication.of(ROUTES, { allowedHosts: ALLOWED });
  await using server = await application.serve();
  for (const [host, status, target = "/api/open"] of HOSTS) {
    const response = await exchange(server.port, [
      Uint8Array.from(
        `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        (char) => char.charCodeAt(0),
      ),
    ]);
    assertEquals(response.status, status, `${target} for "${host}"`);
  }
  // In process, a request has no `Host`, so its URL counts.
  for (
    const [url, status] of [
      ["http://localhost/api/open", 200],
      ["http://A.Dots.EXAMPLE.:81/api/open", 200],
      ["http://h/api/open", 400],
      ["file:///api/open", 400],
      ["data:api/open", 400],
    ] as const
  ) {
    const response = await application.app.fetch(new Request(url));
    assertEquals(response.status, status, url);
  }
});

Deno.test("allowedHosts checks the :authority and the Host of HTTP/2", async () => {
  const application = TestApplication.of(ROUTES, {
    allowedHosts: ["api.example.com"],
  });
  await using server = await application.serve();
  await using client = new Http2Client(server.port);
  for (
    const [headers, status] of [
      [{ ":authority": "api.example.com" }, 200],
      [{ ":authority": "API.example.com.:81" }, 200],
      [{ ":authority": "api.example.com", ":scheme": "https" }, 200],
      [{ ":authority": "api.example.com", host: "api.example.com" }, 200],
      [{ ":authority": "evil.example" }, 400],
      [{ ":authority": "evil.example", ":scheme": "foo" }, 400],
      [{ ":authority": "evil.example", host: "api.example.com" }, 400],
      [{ ":authority": "api.example.com", host: "evil.example" }, 400],
      [{ ":authority": "user@api.example.com" }, 400],
      // Deno writes them one after the other: `http://evil*.api.example.com`.
      [{ ":authority": "evil", ":path": "*.api.example.com" }, 400],
    ] as const
  ) {
    const response = await client.request({ ":path": "/api/open", ...headers });
    assertEquals(response.status, status, JSON.stringify(headers));
  }
});

Deno.test("Bough responds to a malformed authority with 400 inside of middleware, and later requests work (behaviour 1.6)", async () => {
  const seen: string[] = [];
  const application = TestApplication.of(ROUTES, {
    middleware: [async (request, next) => {
      const response = await next();
      seen.push(`${response.status} ${request.url}`);
      return response;
    }],
  });
  await using server = await application.serve();
  for (
    const host of ["/", "/x", "loc\talhost", "a\tb/x", "us er@h", "@", ":80"]
  ) {
    const head = `GET /api/open HTTP/1.1\nHost: ${host}`;
    const { status, headers, body } = await rawRequest(server.port, head);
    assertEquals(
      [status, headers.get("content-type"), JSON.parse(body)],
      [400, "application/problem+json", {
        type: "about:blank",
        title: "Bad Request",
        status: 400,
        detail: "The URL of the request, or its Host, is malformed",
      }],
      host,
    );
    assertEquals(seen.splice(0), [`400 http://${host}/api/open`]);
    for (const target of ["/api/./open", "/api/open"]) {
      const next = await rawRequest(server.port, `GET ${target} HTTP/1.1`);
      assertEquals(`${next.status} ${next.body}`, "200 /api/open", host);
    }
    seen.length = 0;
  }
});

/** A `Host`, a target, and the path and the query of the URL; a status for none. */
const URLS: readonly (readonly [
  host: string,
  target: string,
  path: string | number,
  query?: Readonly<Record<string, string>>,
])[] = [
  ["h", "/api/open", "/api/open"],
  ["", "/api/open", "/api/open"],
  ["h/api/x", "/api/open", "/api/x/api/open"],
  ["h/api/\t../x", "/api/open", 404],
  ["h/api/y/\t../x", "/api/open", "/api/x/api/open"],
  ["h/api/y/.\t./x", "/api/open", "/api/x/api/open"],
  ["h/api/%7\t8", "/api/open", "/api/%78/api/open"],
  ["h\\api\\x", "/api/open", "/api/x/api/open"],
  ["h", "/api/open?admin=false", "/api/open", { admin: "false" }],
  ["h", "/api/open#?admin=true", "/api/open"],
  ["h", "/api/open?a=1#?admin=true", "/api/open", { a: "1" }],
  ["h", "/api/open?a=1?b=2", "/api/open", { a: "1?b=2" }],
  ["h/api/open?ad\tmin=true&x=", "/x", "/api/open", { admin: "true", x: "/x" }],
  ["h/api/admin?", "/api/open", "/api/admin", { "/api/open": "" }],
  ["h/api/open#", "/x?admin=true", "/api/open"],
  ["h?", "/api/open", 404],
  ["h#", "/api/open", 404],
  ["[::", "/api/open", 400],
  ["a b", "/api/open", 400],
  ["1.2.3.4.5", "/api/open", 400],
  ["h:99999", "/api/open", 400],
  ["%", "/api/open", 400],
];

Deno.test("Bough routes the path of request.url, and validates its query, whatever Host says (behaviour 1.6)", async () => {
  const application = TestApplication.of({
    "[...]/route.ts": {
      schema: { get: { query: z.looseObject({}) } },
      GET({ url, wildcardParams, validated }) {
        const { pathname, searchParams } = new URL(url);
        const query = Object.fromEntries(searchParams);
        const routed = `/api/${wildcardParams!.join("/")}`;
        return Response.json([pathname, routed, query, validated.query]);
      },
    },
  });
  await using server = await application.serve();
  for (const [host, target, path, query = {}] of URLS) {
    const head = `GET ${target} HTTP/1.1\nHost: ${host}`;
    const { status, body } = await rawRequest(server.port, head);
    const what = `${target} for "${host}"`;
    if (typeof path === "number") assertEquals(status, path, what);
    else {
      const routed = decodeURIComponent(path);
      assertEquals(JSON.parse(body), [path, routed, query, query], what);
    }
  }
});
