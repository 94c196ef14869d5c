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

const PATHS = [
  ...["/api/books/7", "//api///books/7/", "/api/books/../books/./7"],
  ...["/api/x/%2e%2E/books/7", "/\\api\\books\\7", "/api/books/a%2Fb"],
  ...["/api/books/a%252Fb", "/api/books/..%2F..", "/api/books/a%5Cb"],
  ...["/api/books/a\tb\n", "/api/books/a b", "/api/books/é"],
  ...["/api/books/\ud800", "/api/books/:8000", "/api/books/a@b"],
  ...["/api/books/..", "/api/café", "/api/caf%C3%A9", "/api/files/a/b"],
  ...["/api/files/a%2Fb", "/api/files/a\\b", "/api/books/%", "/api/books/%FF"],
  ...["/api/books/%00", "/api/books/a\0b", "/api/admin/secrets"],
  ...["//api/%61dmin//secrets", "/api/x/../admin/secrets", "/API/books/7"],
  ...["/books/7", "/", "/from", "//evil.example/api/books/7", "/plugin"],
  ...["/http://localhost/api/books/7"],
];

const PLUGIN: Plugin = {
  name: "plugin",
  routes: () => [{
    path: "/plugin",
    handlers: { GET: () => new Response("the plugin") },
  }],
};

Deno.test("a rewritten path reaches what a request with that path reaches", async () => {
  using _ = new CapturedLog();
  const plain = TestApplication.of(FILES, { plugins: [PLUGIN] });
  let path = "";
  const rewriting = [false, true].map((lazy) => {
    const options = { lazy, plugins: [PLUGIN], rewrite: () => path };
    return TestApplication.of(FILES, options);
  });
  const methods = ["GET", "HEAD", "OPTIONS", "PUT", "POST", "PROPFIND"];
  const statuses: number[] = [];
  for (path of PATHS) {
    for (const method of methods) {
      const responses = await Promise.all([
        plain.fetch(path, { method }),
        ...rewriting.map((each) => each.fetch("/from", { method })),
      ]);
      const [direct, ...others] = await Promise.all(
        responses.map(async ({ status, headers, text }, index) => {
          const body = await text.call(responses[index]);
          const shown = body.startsWith("[") ? JSON.parse(body).slice(1) : body;
          return [status, headers.get("allow"), shown];
        }),
      );
      assertEquals(others, [direct, direct], `${method} ${path}`);
      if (method === "GET") statuses.push(responses[0]!.status);
    }
  }
  const counts = [200, 400, 401, 404].map((status) =>
    statuses.filter((each) => each === status).length
  );
  assertEquals(counts, [21, 5, 3, 6]);
  assertEquals(
    await rewritten("/api/files/a%20/b"),
    '200 ["/from?q=1","/api/files/[...]",{},["a ","b"]]',
  );
});

Deno.test("rewrite() is called once for a path that only a plugin knows", async () => {
  const seen: string[] = [];
  const application = TestApplication.of(FILES, {
    rewrite: ({ url }) => {
      seen.push(url);
      return url.endsWith("/from") ? "//pages//a b/%C3%A9" : undefined;
    },
    plugins: [{
      name: "pages",
      routes: () => [],
      unmatched: (_request, segments) => Response.json(segments),
    }],
  });
  const bodies: unknown[] = [];
  for (const path of ["/from", "/sent/%20"]) {
    bodies.push(await (await application.fetch(path)).json());
  }
  assertEquals(bodies, [["pages", "a b", "é"], ["sent", " "]]);
  assertEquals(seen.length, 2);
});

Deno.test("an invalid result of rewrite() leads to 500, and the log says why", async () => {
  const url = new URL("http://h/api/books/7");
  for (
    const [create, message] of [
      ...["books", "/a?b", "/a#top", "", "?q=2", "\\api\\books\\7", url.href]
        .map((path) => [() => path, `"${path}"`] as const),
      [() => null, "null"],
      [() => 7, "7"],
      [() => url, 'URL "http://h/api/books/7"'],
      [() => Promise.resolve("/api/books/7"), "a promise"],
      [() => Promise.reject(new Error("late")), "a promise"],
    ] as const
  ) {
    for (const middleware of [[], [((_, next) => next()) as Middleware]]) {
      using log = new CapturedLog();
      assertEquals(await rewritten(create(), { middleware }), "500 ");
      assertEquals(log.lines.length, 1);
      assertStringIncludes(
        log.lines[0]!,
        `[bough] GET no route (option rewrite) failed: TypeError: Cannot rewrite "/from": rewrite() returned ${message}`,
      );
      assertStringIncludes(
        log.lines[0]!,
        'return a path such as "/api/books", without a query, or undefined',
      );
    }
  }
});

Deno.test("an error that rewrite() throws is handled like an error of a handler (behaviour 8.2)", async () => {
  using log = new CapturedLog();
  const seen: unknown[] = [];
  const onError = (error: unknown) => {
    seen.push(error);
    return new Response("mine", { status: 503 });
  };
  const version = new HttpError(400, "Unknown version");
  const outcomes = [];
  for (
    const [error, options] of [
      [new Error("secret"), {}],
      [version, {}],
      [version, { onError }],
    ] as const
  ) {
    const rewrite = () => {
      throw error;
    };
    outcomes.push(await rewritten("", { rewrite, ...options }));
  }
  assertEquals(outcomes, ["500 ", "400 Unknown version", "503 mine"]);
  assertEquals(seen, [version]);
  assertMatch(
    log.lines.join(),
    /^\[bough\] GET no route \(option rewrite\) failed: Error: secret/,
  );
});

Deno.test("rewrite() runs once for a request, after its host and path were checked; a malformed Host cannot change its path", async () => {
  const seen: string[] = [];
  const rewrite: Rewrite = ({ url }) => {
    seen.push(new URL(url).pathname);
    return url.endsWith("/a") ? "/b" : "/api/books/7";
  };
  const allowedHosts = ["localhost"];
  await using server = await TestApplication.of(FILES, {
    rewrite,
    allowedHosts,
  })
    .serve();
  await using open = await TestApplication.of(FILES, { rewrite }).serve();
  const statuses = [];
  for (
    const [target, host] of [
      ...[["/a", "localhost"], ["/c", "localhost"], ["/c", "evil.example"]],
      ...[["/%FF", "localhost"], ["/%", "localhost"], ["/c", "localhost/"]],
      ["/c", "["],
    ]
  ) {
    const head = `GET ${target} HTTP/1.1\nHost: ${host}`;
    statuses.push((await rawRequest(server.port, head)).status);
  }
  assertEquals(statuses, [404, 200, 400, 400, 400, 400, 400]);
  assertEquals(seen, ["/a", "/c"]);
  for (const host of ["h\\@x", "h/api/admin/secrets?", "u:p@h", "h?x", "h#x"]) {
    const head = `GET /c HTTP/1.1\nHost: ${host}`;
    const { status, body } = await rawRequest(open.port, head);
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

Deno.test("the log of a failed handler has both paths, without the query; the path cannot forge an entry", async () => {
  using log = new CapturedLog();
  await rewritten("/api/failing/\n[bough] \x1b[2J");
  await rewritten("/api/failing\n");
  assertEquals(log.lines.length, 1);
  assertStringIncludes(
    log.lines[0]!,
    '[bough] GET /api/failing (failing/route.ts, "/from" rewritten to "/api/failing\\n") failed: Error: broken',
  );
});

Deno.test("middleware runs once around a rewritten request, a 404 and a failure; accessLog() has both paths and the route", async () => {
  using _ = new CapturedLog();
  const seen: unknown[] = [];
  const write = ({ path, status, route, ...entry }: AccessLogEntry) =>
    void seen.push([
      path,
      status,
      route,
      "rewritten" in entry,
      entry.rewritten,
    ]);
  const middleware: Middleware[] = [accessLog({ write }), (request, next) => {
    seen.push(request.pattern);
    return next();
  }];
  for (const to of ["/api/books/7", "/x", "/api/books/%", "x", undefined]) {
    await rewritten(to, { middleware });
  }
  const pattern = "/api/books/[id]";
  assertEquals(seen, [
    ...[pattern, ["/from", 200, pattern, true, "/api/books/7"]],
    ...[undefined, ["/from", 404, undefined, true, "/x"]],
    ...[undefined, ["/from", 400, undefined, true, "/api/books/%"]],
    ...[undefined, ["/from", 500, undefined, false, undefined]],
    ...[undefined, ["/from", 404, undefined, false, undefined]],
  ]);
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
  const blob = "/api/v2/[name]/blobs/[digest]";
  const book = "/api/v1/books/[id]";
  for (
    const [target, pattern, params = {}, version] of [
      ["/api/books", "/api/v2/books", {}, "2"],
      ["/api/books", undefined, {}, ""],
      ["/api/books", undefined, {}, "2/../admin"],
      ["/api/books", "/api/v1/books"],
      ["/api/books/7", book, { id: "7" }],
      ["/api/bookshops"],
      ["/api/v2/books", "/api/v2/books", {}, "1"],
      ["/v2/a/b/c/blobs/sha256:1f", blob, {
        name: "a/b/c",
        digest: "sha256:1f",
      }],
      ["/v2/a%20b%2Fc/blobs/d", blob, { name: "a b/c", digest: "d" }],
      ["/api/v2/a%2Fb/blobs/d", blob, { name: "a/b", digest: "d" }],
      ["/book.php?id=7", book, { id: "7" }],
      ["/book.php?id=a%2Fb", book, { id: "a/b" }],
      ["/book.php"],
    ] as const
  ) {
    const headers = version === undefined ? {} : { "x-api-version": version };
    const response = await application.fetch(target, { headers });
    const shown = await response.json();
    assertEquals(
      response.status === 404 ? [] : shown.slice(1, 3),
      pattern === undefined ? [] : [pattern, params],
      `${target} ${version}`,
    );
  }
});
