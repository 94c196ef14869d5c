/** The option `rewrite` (behaviour 1.7). */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { HttpError, type Middleware, type Plugin } from "@bough/framework";
import { accessLog, type AccessLogEntry } from "@bough/framework/log";
import type { CommonOptions } from "@bough/framework/types";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { Page } from "../../support/pages.ts";
import { rawRequest } from "../../support/raw_http.ts";
import { frame, OPCODE, RawSocket } from "../../support/raw_socket.ts";
import { ECHO, socketRoute } from "../../live/support.ts";

type Rewrite = NonNullable<CommonOptions["rewrite"]>;

/** Responds with the members of a request that depend on its path. */
const SHOW: TestModule["GET"] = (
  { url, pattern, params, wildcardParams },
) => Response.json([url.slice(16), pattern, params, wildcardParams]);

const FILES: Readonly<Record<string, TestModule>> = {
  "route.ts": { GET: SHOW },
  "café/route.ts": { GET: SHOW },
  "books/[id]/route.ts": { GET: SHOW, PUT: SHOW },
  "files/[...]/route.ts": { GET: SHOW },
  "failing/route.ts": {
    GET: () => {
      throw new Error("broken");
    },
  },
  "admin/middleware.ts": {
    default: () => Promise.reject(new HttpError(401, "Log in")),
  },
  "admin/secrets/route.ts": { GET: SHOW },
  "socket/route.ts": socketRoute(ECHO),
};

/** The response of an application that rewrites `/from` to a value. */
async function rewritten(
  to: unknown,
  options: CommonOptions = {},
  init?: RequestInit,
): Promise<string> {
  const application = TestApplication.of(FILES, {
    rewrite: (({ url }) => url.includes("/from") ? to : undefined) as Rewrite,
    ...options,
  });
  const response = await application.fetch("/from?q=1", init);
  const text = await response.text();
  const detail = text.startsWith("{") ? JSON.parse(text).detail ?? "" : text;
  return `${response.status} ${detail}`;
}

/** Each rewritten path: the status, the pattern, `params` and `wildcardParams`. */
const PATHS: readonly (readonly [path: string, outcome: string])[] = [
  ["/api/books/7", '200 "/api/books/[id]",{"id":"7"}'],
  ["//api///books/7/", '200 "/api/books/[id]",{"id":"7"}'],
  ["/api/books/../books/./7", '200 "/api/books/[id]",{"id":"7"}'],
  ["/api/x/%2e%2E/books/7", '200 "/api/books/[id]",{"id":"7"}'],
  ["\\api\\books\\7", "500"],
  ["/\\api\\books\\7", '200 "/api/books/[id]",{"id":"7"}'],
  ["/api/books/a%2Fb", '200 "/api/books/[id]",{"id":"a/b"}'],
  ["/api/books/a%252Fb", '200 "/api/books/[id]",{"id":"a%2Fb"}'],
  ["/api/books/..%2F..", '200 "/api/books/[id]",{"id":"../.."}'],
  ["/api/books/a%5Cb", '200 "/api/books/[id]",{"id":"a\\\\b"}'],
  ["/api/books/a\tb\n", '200 "/api/books/[id]",{"id":"ab"}'],
  ["/api/books/a b", '200 "/api/books/[id]",{"id":"a b"}'],
  ["/api/books/é", '200 "/api/books/[id]",{"id":"é"}'],
  ["/api/books/\ud800", '200 "/api/books/[id]",{"id":"\ufffd"}'],
  ["/api/books/:8000", '200 "/api/books/[id]",{"id":":8000"}'],
  ["/api/books/a@b", '200 "/api/books/[id]",{"id":"a@b"}'],
  ["/api/books/..", '200 "/api",{}'],
  ["/api/café", '200 "/api/café",{}'],
  ["/api/caf%C3%A9", '200 "/api/café",{}'],
  ["/api/files/a/b", '200 "/api/files/[...]",{},["a","b"]'],
  ["/api/files/a%2Fb", "400 A wildcard"],
  ["/api/files/a\\b", '200 "/api/files/[...]",{},["a","b"]'],
  ["/api/books/%", "400 A percent escape in the path is malformed"],
  ["/api/books/%FF", "400 A percent escape in the path is malformed"],
  ["/api/books/%00", "400 The path contains an encoded NUL"],
  ["/api/books/a\0b", "400 The path contains an encoded NUL"],
  ["/api/admin/secrets", "401 Log in"],
  ["//api/%61dmin//secrets", "401 Log in"],
  ["/api/x/../admin/secrets", "401 Log in"],
  ["/API/books/7", "404 No route"],
  ["/books/7", "404 No route"],
  ["/", "404 No route"],
  ["/from", "404 No route"],
  ["//evil.example/api/books/7", "404 No route"],
  ["/http://localhost/api/books/7", "404 No route"],
  ["/plugin", "200 the plugin"],
  ["http://localhost/api/books/7", "500"],
  ["api/books/7", "500"],
  ["", "500"],
  ["?q=2", "500"],
  ["/api/books/7?q=2", "500"],
  ["/api/books/7#top", "500"],
];

const PLUGIN: Plugin = {
  name: "plugin",
  routes: () => [{
    path: "/plugin",
    handlers: { GET: () => new Response("the plugin") },
  }],
};

for (const lazy of [false, true]) {
  Deno.test(`a rewritten path is read as if it had been sent, with lazy: ${lazy}`, async () => {
    using _ = new CapturedLog();
    for (const [path, expected] of PATHS) {
      const options = { lazy, plugins: [PLUGIN] };
      const seen = await rewritten(path, options);
      const outcome = seen
        .replace('["/from?q=1",', "").replace(/(?:,null)?\]$/, "");
      const isPart = /^(?:4|500)/.test(expected);
      assertEquals(
        isPart ? outcome.slice(0, expected.length) : outcome,
        expected,
        path,
      );
    }
  });
}

Deno.test("a rewritten path reaches what the same request with that path reaches", async () => {
  using _ = new CapturedLog();
  const plain = TestApplication.of(FILES, { plugins: [PLUGIN] });
  for (const [path, expected] of PATHS) {
    if (expected === "500") continue;
    for (
      const method of ["GET", "HEAD", "OPTIONS", "PUT", "POST", "PROPFIND"]
    ) {
      const direct = await plain.fetch(path, { method });
      const application = TestApplication.of(FILES, {
        plugins: [PLUGIN],
        rewrite: () => path,
      });
      const response = await application.fetch("/from", { method });
      const [seen, wanted] = await Promise.all(
        [response, direct].map(async (each) => {
          const body = await each.text();
          return [
            each.status,
            each.headers.get("allow"),
            body.startsWith("[") ? JSON.parse(body).slice(1) : body,
          ];
        }),
      );
      assertEquals(seen, wanted, `${method} ${path}`);
    }
  }
});

Deno.test("an invalid result of rewrite() leads to 500, and the log says why", async () => {
  for (
    const [value, message] of [
      ["books", 'rewrite() returned "books"'],
      ["/a?b", 'rewrite() returned "/a?b"'],
      [null, "rewrite() returned null"],
      [7, "rewrite() returned 7"],
      [
        new URL("http://h/api/books/7"),
        'rewrite() returned URL "http://h/api/books/7"',
      ],
      [Promise.resolve("/api/books/7"), "rewrite() returned a promise"],
      [Promise.reject(new Error("late")), "rewrite() returned a promise"],
    ] as const
  ) {
    for (const middleware of [[], [((_, next) => next()) as Middleware]]) {
      using log = new CapturedLog();
      assertEquals(await rewritten(value, { middleware }), "500 ");
      assertEquals(log.lines.length, 1);
      assertStringIncludes(
        log.lines[0]!,
        `[bough] GET no route (option rewrite) failed: TypeError: Cannot rewrite "/from": ${message}`,
      );
      assertStringIncludes(
        log.lines[0]!,
        'return a path such as "/api/books", without a query, or undefined',
      );
    }
  }
});

Deno.test("an error that rewrite() throws is handled like an error of a handler (behaviour 8.2)", async () => {
  const thrown = (error: unknown): CommonOptions => ({
    rewrite: () => {
      throw error;
    },
  });
  {
    using log = new CapturedLog();
    assertEquals(await rewritten("", thrown(new Error("secret"))), "500 ");
    assertMatch(
      log.lines.join(),
      /^\[bough\] GET no route \(option rewrite\) failed: Error: secret/,
    );
  }
  const version = new HttpError(400, "Unknown version");
  assertEquals(await rewritten("", thrown(version)), "400 Unknown version");
  const seen: unknown[] = [];
  const onError = (error: unknown) => {
    seen.push(error);
    return new Response("mine", { status: 503 });
  };
  const options = { ...thrown(version), onError };
  assertEquals(await rewritten("", options), "503 mine");
  assertEquals(seen, [version]);
});

Deno.test("middleware runs once around a rewritten request, a 404 and a failure", async () => {
  using _ = new CapturedLog();
  for (const [to, status] of [["/api/books/7", 200], ["/x", 404], ["x", 500]]) {
    const seen: unknown[] = [];
    const middleware: Middleware[] = [(request, next) => {
      seen.push(request.pattern);
      return next();
    }];
    const outcome = await rewritten(to, { middleware });
    assertEquals(Number(outcome.slice(0, 3)), status);
    assertEquals(seen, [status === 200 ? "/api/books/[id]" : undefined]);
  }
});

Deno.test("rewrite() runs once for a request, after its host and path were checked", async () => {
  const seen: string[] = [];
  const application = TestApplication.of(FILES, {
    allowedHosts: ["localhost"],
    rewrite: ({ url }) => {
      seen.push(new URL(url).pathname);
      return url.endsWith("/a") ? "/b" : "/api/books/7";
    },
  });
  await using server = await application.serve();
  const statuses = [];
  for (
    const [target, host] of [
      ["/a", "localhost"],
      ["/c", "localhost"],
      ["/c", "evil.example"],
      ["/%FF", "localhost"],
      ["/%", "localhost"],
      ["/c", "localhost/"],
      ["/c", "["],
    ]
  ) {
    const response = await rawRequest(
      server.port,
      `GET ${target} HTTP/1.1\nHost: ${host}`,
    );
    statuses.push(response.status);
  }
  assertEquals(statuses, [404, 200, 400, 400, 400, 400, 400]);
  assertEquals(seen, ["/a", "/c"]);
});

Deno.test("a malformed Host cannot change a rewritten path", async () => {
  const application = TestApplication.of(FILES, {
    rewrite: () => "/api/books/7",
  });
  await using server = await application.serve();
  for (const host of ["h\\@x", "h/api/admin/secrets?", "u:p@h", "h?x", "h#x"]) {
    const { status, body } = await rawRequest(
      server.port,
      `GET /c HTTP/1.1\nHost: ${host}`,
    );
    const isReached = status === 200 && body.includes("/api/books/[id]");
    assertEquals(isReached || status === 400, true, `${host}: ${status}`);
  }
});

Deno.test("onNotFound gets a request whose rewritten path has no route", async () => {
  const outcome = await rewritten("/nowhere", {
    onNotFound: ({ url }) => new Response(`no ${url}`, { status: 404 }),
  });
  assertEquals(outcome, "404 no http://localhost/from?q=1");
});

Deno.test("a socket opens at a rewritten path", async () => {
  const application = TestApplication.of(FILES, {
    rewrite: () => "/api/socket",
  });
  await using server = await application.serve();
  using socket = await RawSocket.open(server.port, "/old/socket");
  await socket.write(frame(OPCODE.text, "hello"));
  assertEquals(await socket.spell(), "text hello");
});

Deno.test("the log of a failed handler has both paths, without the query", async () => {
  using log = new CapturedLog();
  await rewritten("/api/failing");
  assertStringIncludes(
    log.lines[0]!,
    '[bough] GET /api/failing (failing/route.ts, "/from" rewritten to "/api/failing") failed: Error: broken',
  );
});

Deno.test("a rewritten path cannot forge an entry of the log", async () => {
  using log = new CapturedLog();
  await rewritten("/api/failing/\n[bough] \x1b[2J");
  await rewritten("/api/failing\n");
  assertEquals(log.lines.length, 1);
  assertStringIncludes(log.lines[0]!, 'rewritten to "/api/failing\\n")');
});

Deno.test("an entry of accessLog() has both paths and the route", async () => {
  const entries: AccessLogEntry[] = [];
  const write = (entry: AccessLogEntry) => void entries.push(entry);
  const middleware = [accessLog({ write })];
  for (const to of ["/api/books/7", "/x", "/api/books/%", undefined]) {
    await rewritten(to, { middleware });
  }
  assertEquals(
    entries.map(({ path, rewritten, route }) => [path, rewritten, route]),
    [
      ["/from", "/api/books/7", "/api/books/[id]"],
      ["/from", "/x", undefined],
      ["/from", "/api/books/%", undefined],
      ["/from", undefined, undefined],
    ],
  );
  assertEquals("rewritten" in entries[3]!, false);
});

Deno.test("an application that passes a request on rewrites it separately, and logs its own path", async () => {
  using log = new CapturedLog();
  const inner = TestApplication.of({
    "inner/route.ts": FILES["failing/route.ts"]!,
  }, { rewrite: () => "/api/inner" });
  const plain = TestApplication.of({
    "from/route.ts": FILES["failing/route.ts"]!,
  }, {
    apiPrefix: "",
  });
  const outer = TestApplication.of({
    "pass/route.ts": {
      GET: async (request) => {
        await inner.app.fetch(request, request.info);
        await plain.app.fetch(request, request.info);
        throw new Error("outer");
      },
    },
  }, { rewrite: () => "/api/pass" });
  await outer.fetch("/from");
  assertEquals(
    log.lines.map((line) => line.split(" failed")[0]),
    [
      '[bough] GET /api/inner (inner/route.ts, "/from" rewritten to "/api/inner")',
      "[bough] GET /from (from/route.ts)",
      '[bough] GET /api/pass (pass/route.ts, "/from" rewritten to "/api/pass")',
    ],
  );
});

Deno.test("the functions of the guide serve a version, a name with slashes, and a legacy URL", async () => {
  const page = (await Page.all()).find(({ path }) =>
    path === "src/guide/routing.md"
  )!;
  const { code } = page.snippets.find(({ file }) => file === "rewrite.ts")!;
  const { byName, byVersion, legacy }: Record<string, Rewrite> = await import(
    `data:application/typescript,${encodeURIComponent(code)}`
  );
  const application = TestApplication.of({
    "v1/books/route.ts": { GET: SHOW },
    "v2/books/route.ts": { GET: SHOW },
    "v2/[name]/blobs/[digest]/route.ts": { GET: SHOW },
    "v1/books/[id]/route.ts": { GET: SHOW },
  }, {
    rewrite: (request) =>
      byName!(request) ?? legacy!(request) ?? byVersion!(request),
  });
  for (
    const [target, version, expected] of [
      ["/api/books", "2", '"/api/v2/books",{}'],
      ["/api/books", "", "404"],
      ["/api/books", "2/../admin", "404"],
      ["/api/books", undefined, '"/api/v1/books",{}'],
      ["/api/books/7", undefined, '"/api/v1/books/[id]",{"id":"7"}'],
      ["/api/bookshops", undefined, "404"],
      ["/api/v2/books", "1", '"/api/v2/books",{}'],
      [
        "/v2/library/a/b/blobs/sha256:1f",
        undefined,
        '"/api/v2/[name]/blobs/[digest]",{"name":"library/a/b","digest":"sha256:1f"}',
      ],
      [
        "/v2/a%20b%2Fc/blobs/d",
        undefined,
        '"/api/v2/[name]/blobs/[digest]",{"name":"a b/c","digest":"d"}',
      ],
      [
        "/api/v2/a%2Fb/blobs/d",
        undefined,
        '"/api/v2/[name]/blobs/[digest]",{"name":"a/b","digest":"d"}',
      ],
      ["/book.php?id=7", undefined, '"/api/v1/books/[id]",{"id":"7"}'],
      ["/book.php?id=a%2Fb", undefined, '"/api/v1/books/[id]",{"id":"a/b"}'],
      ["/book.php", undefined, "404"],
    ] as const
  ) {
    const headers = version === undefined ? {} : { "x-api-version": version };
    const response = await application.fetch(target, { headers });
    const shown = response.status === 200
      ? JSON.stringify((await response.json()).slice(1, 3)).slice(1, -1)
      : String(response.status);
    assertEquals(shown, expected, `${target} ${version}`);
  }
});
