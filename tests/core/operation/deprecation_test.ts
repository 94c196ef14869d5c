/** The headers of deprecated operations (behaviour 5.5). */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { HttpError } from "@bough/framework";
import { events, socket } from "@bough/framework/live";
import { accessLog, type AccessLogEntry } from "@bough/framework/log";
import { z } from "zod";
import {
  CapturedLog,
  FolderApplication,
  TestApplication,
} from "../../support/application.ts";
import { firstMessage, throwing } from "./support.ts";

const DEPRECATED = `{
  since: "2026-06-30",
  sunset: "2026-12-31T12:00+02:00",
  use: "/api/v2/books/[id]?n%C3%A4me",
  why: "https://example.com/v1#ends",
}`;

const FILES = {
  "books/[id]/route.js": `
    const query = { "~standard": { version: 1, vendor: "test", validate:
      (value) => "bad" in value ? { issues: [{ message: "bad" }] } : { value } } };
    export const schema = {
      get: { deprecated: ${DEPRECATED}, query },
      put: { deprecated: true },
      delete: { deprecated: { why: "Nobody calls it" } },
    };
    const FIXED = new Response(null, { status: 204 });
    export function GET({ url }) {
      if (url.includes("throw")) throw new Error("secret");
      if (url.includes("redirect")) return Response.redirect("http://localhost/x");
      if (url.includes("fixed")) return FIXED;
      return new Response("x", { headers: { link: '</next>; rel="next"' } });
    }
    export const [PUT, DELETE, POST] = [0, 0, 0].map(() => () => new Response());`,
  "books/[id]/middleware.js": `export default (request, next) =>
    request.headers.has("x-refuse") ? new Response(null, { status: 401 }) : next();`,
  "current/route.js": "export const GET = () => new Response();",
};

const SENT = {
  deprecation: "@1782777600",
  sunset: "Thu, 31 Dec 2026 10:00:00 GMT",
  link:
    '</api/v2/books/4%202?n%C3%A4me>; rel="successor-version", <https://example.com/v1#ends>; rel="deprecation"',
};
const NONE = { deprecation: null, sunset: null, link: null };

/** The headers of a response about the end of its operation. */
function sentBy({ headers }: Response): Record<keyof typeof SENT, unknown> {
  return {
    deprecation: headers.get("deprecation"),
    sunset: headers.get("sunset"),
    link: headers.get("link"),
  };
}

const BOOK = "/api/books/4%202";

for (
  const [way, lazy] of [["folder", true], ["manifest", false]] as const
) {
  Deno.test(`responses of a deprecated operation announce its end (${way}, lazy: ${lazy}, behaviour 5.5)`, async () => {
    using _ = new CapturedLog();
    await using application = await FolderApplication.create(
      FILES,
      { lazy },
      way,
    );
    await using server = await application.serve();
    const call = async (target: string, init?: RequestInit) => {
      const url = `http://127.0.0.1:${server.port}${target}`;
      const response = await fetch(url, { redirect: "manual", ...init });
      await response.body?.cancel();
      return [response.status, sentBy(response)];
    };
    const refuse = { headers: { "x-refuse": "1" } };
    const withNext = { ...SENT, link: `</next>; rel="next", ${SENT.link}` };
    const other = { ...SENT, link: SENT.link.replace("4%202", "7") };
    // The first request of a lazy route, which a guard rejects, imports it.
    for (
      const [target, status, sent, init] of [
        [BOOK, 401, SENT, refuse],
        [`${BOOK}?bad`, 400, SENT],
        [`${BOOK}?throw`, 500, SENT],
        [`${BOOK}?redirect`, 302, SENT],
        [`${BOOK}?fixed`, 204, SENT],
        [`${BOOK}?fixed`, 204, SENT],
        ["/api/books/7?fixed", 204, other],
        [BOOK, 200, withNext],
        [BOOK, 200, withNext, { method: "HEAD" }],
        [BOOK, 200, NONE, { method: "PUT" }],
        [BOOK, 200, NONE, { method: "DELETE" }],
        [BOOK, 200, NONE, { method: "POST" }],
        [BOOK, 405, NONE, { method: "PATCH" }],
        [BOOK, 204, NONE, { method: "OPTIONS" }],
        ["/api/current", 200, NONE],
        ["/api/none", 404, NONE],
        ["/api/%GG", 400, NONE],
      ] as const
    ) {
      const what = `${JSON.stringify(init)} ${target}`;
      assertEquals(await call(target, init), [status, sent], what);
    }
  });
}

const ok = () => new Response();

Deno.test("the innermost level that declares deprecated counts (behaviour 5.5)", async () => {
  const sunset = "Thu, 31 Dec 2026 00:00:00 GMT";
  const use = "https://example.com/[...]/[id]";
  const application = TestApplication.of({
    "a/middleware.ts": { contract: { deprecated: { sunset: "2026-12-31" } } },
    "a/b/route.ts": {
      schema: { put: { deprecated: false }, post: { deprecated: {} } },
      GET: ok,
      PUT: ok,
      POST: ok,
    },
    "a/c/middleware.ts": { contract: { deprecated: false } },
    "a/c/route.ts": { GET: ok },
    "wild/[...]/route.ts": {
      schema: { get: { deprecated: { use } } },
      GET: ok,
    },
  });
  // A replacement keeps the values of a wildcard, and names that the path lacks.
  const link =
    '<https://example.com/x%20y/%3E/%5Bid%5D>; rel="successor-version"';
  for (
    const [method, path, sent] of [
      ["GET", "a/b", { sunset }],
      ["HEAD", "a/b", { sunset }],
      ["PUT", "a/b", {}],
      ["POST", "a/b", {}],
      ["DELETE", "a/b", {}],
      ["OPTIONS", "a/b", {}],
      ["GET", "a/c", {}],
      ["GET", "wild/x%20y/%3E", { link }],
    ] as const
  ) {
    const response = await application.fetch(`/api/${path}`, { method });
    assertEquals(sentBy(response), { ...NONE, ...sent }, `${method} ${path}`);
  }
});

Deno.test("streams and errors of any kind have the headers; sockets open (behaviour 5.5)", async () => {
  const deprecated = { sunset: "2026-12-31" };
  const entries: AccessLogEntry[] = [];
  const application = TestApplication.of({
    "stream/route.ts": {
      schema: { get: { deprecated, events: { message: z.string() } } },
      GET: (request) =>
        events(request, async function* () {
          yield { data: await Promise.resolve("x") };
        }),
    },
    "socket/route.ts": {
      schema: { get: { deprecated, socket: { receive: z.string() } } },
      GET: (request) =>
        socket(request, { open: (socket) => socket.send("open") }),
    },
    "thrown/route.ts": {
      schema: { get: { deprecated } },
      ...throwing(() => new HttpError(409)),
    },
    "current/route.ts": { GET: ok },
  }, {
    middleware: [accessLog({ write: (entry) => void entries.push(entry) })],
  });
  await using server = await application.serve();
  for (const path of ["stream", "thrown", "socket", "current"]) {
    const response = await fetch(server.url(`/api/${path}`));
    await response.body?.cancel();
    assertEquals(
      response.headers.get("sunset"),
      path === "current" ? null : "Thu, 31 Dec 2026 00:00:00 GMT",
    );
  }
  assertEquals(await firstMessage(server.url("/api/socket")), "open");
  assertEquals(
    entries.map(({ route, status, deprecated }) => [route, status, deprecated]),
    [
      ["/api/stream", 200, true],
      ["/api/thrown", 409, true],
      ["/api/socket", 426, true],
      ["/api/current", 200, undefined],
      ["/api/socket", 101, true],
    ],
  );
});

const INVALID: readonly [deprecated: unknown, message: string][] = [
  ["yes", "must be true or false, or an object"],
  [{ sunst: "2026-12-31" }, '.sunst is unknown; did you mean "sunset"?'],
  [{ since: Symbol() }, "since must be a date"],
  [{ since: new Date(0) }, 'since must be a date, such as "2026-12-31"'],
  [{ sunset: "2026-02-30" }, "sunset must be a date"],
  [{ sunset: "2026-13-01" }, 'got "2026-13-01"'],
  [{ sunset: "2026-12-31T10:00" }, "sunset must be a date"],
  [{ sunset: "2026-12-31T25:00Z" }, "sunset must be a date"],
  [{ sunset: "tomorrow" }, 'got "tomorrow"'],
  [
    { since: "2026-12-31", sunset: "2026-06-30" },
    '.sunset must not be before "since"',
  ],
  [{ use: "//example.com/books" }, "use must be a path or URL"],
  [{ use: "v2/books" }, 'got "v2/books"'],
  [{ use: "http://" }, 'got "http://"'],
  [{ use: "/bücher" }, "in ASCII without spaces"],
  [{ use: "/a>; rel=x" }, "in ASCII without spaces"],
  [{ use: "/a\r\nb" }, "in ASCII without spaces"],
  [{ why: 1 }, "why must be a string"],
];

/** The message of startup, if one method, or a folder, is deprecated in such a way. */
async function faultOf(deprecated: unknown, isFolder = false) {
  const { app } = TestApplication.of({
    ...(isFolder && { "middleware.ts": { contract: { deprecated } } }),
    "route.ts": {
      GET: ok,
      ...(!isFolder && { schema: { get: { deprecated } } }),
    },
  });
  return await app.start().then(() => "", (error) => error.message);
}

Deno.test("an invalid member of deprecated prevents startup (behaviour 5.5)", async () => {
  for (const [deprecated, message] of INVALID) {
    const fault = await faultOf(deprecated);
    assertStringIncludes(fault, "schema.get.deprecated");
    assertStringIncludes(fault, message);
  }
  const fault = await faultOf({ sunset: "tomorrow" }, true);
  assertStringIncludes(fault, "contract.deprecated.sunset must be a date");
});

Deno.test("dates with and without a time, paths and URLs are valid (behaviour 5.5)", async () => {
  for (
    const deprecated of [
      true,
      false,
      {},
      { since: "2024-02-29", sunset: "2024-02-29" },
      { since: "2026-01-01T23:59:59.5-11:00", sunset: undefined },
      { use: "/" },
      { use: "https://example.com/books", why: "see https://example.com" },
    ]
  ) assertEquals(await faultOf(deprecated), "");
});
