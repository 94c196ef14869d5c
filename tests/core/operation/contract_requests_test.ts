/** Bough checks a request against the contracts of folders and functions (behaviour 10.7). */
import type { Middleware } from "@bough/framework";
import { openapi } from "@bough/framework/openapi";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { count, ECHO, echo, level, noting, outcome, text } from "./support.ts";

type Files = Readonly<Record<string, TestModule>>;

const all = { a: "1", b: "2", d: "4" };
const H = '{"headers":{"h":"x"}}';

/** The status and the body or the issues of requests, with the notes of middleware. */
const CASES: Readonly<
  Record<
    string,
    readonly [
      files: Files,
      ...requests: (readonly [outcome: string, target: string, RequestInit?])[],
    ]
  >
> = {
  "if a method has no handler, the middleware runs without a check": [
    {
      "middleware.ts": level("outer", { headers: text("h") }),
      "route.ts": { GET: echo },
    },
    ["204  | outer {}", "", { method: "OPTIONS" }],
    ["405  | outer {}", "", { method: "PUT" }],
    ["400 headers#/h | ", ""],
    ["400  | ", "", { method: "HEAD" }],
    [`200 ${H} | outer ${H}`, "", { headers: { h: "x" } }],
    [`200  | outer ${H}`, "", { method: "HEAD", headers: { h: "x" } }],
  ],
  "a contract may be asynchronous": [
    {
      "middleware.ts": level("outer", {
        headers: z.object({
          h: z.string().refine((h) => Promise.resolve(h === "x")),
        }),
      }),
      "route.ts": ECHO,
    },
    ["400 headers#/h | ", "", { headers: { h: "y" } }],
    [`200 ${H} | outer ${H}`, "", { headers: { h: "x" } }],
  ],
  "the contracts of a function are checked just before the function": [
    {
      "middleware.ts": {
        contract: { headers: count("a") },
        default: [
          noting("first", { headers: text("b") }, { query: count("c") }),
          noting("second"),
          noting("third", { headers: count("d") }),
        ],
      },
      "route.ts": ECHO,
    },
    [
      '200 {"headers":{"a":1,"b":"2","d":4},"query":{"c":3}} | ' +
      'third {"headers":{"a":1,"b":"2","d":4},"query":{"c":3}}, ' +
      'second {"query":{"c":3},"headers":{"a":1,"b":"2"}}, ' +
      'first {"query":{"c":3},"headers":{"a":1,"b":"2"}}',
      "?c=3",
      { headers: all },
    ],
    ["400 headers#/a | ", "?c=3", { headers: { ...all, a: "x" } }],
    ["400 headers#/b | ", "?c=3", { headers: { a: "1" } }],
    ["400 query#/c | ", "", { headers: all }],
    ["400 headers#/d | ", "?c=3", { headers: { a: "1", b: "2" } }],
  ],
};

for (const [name, [files, ...requests]] of Object.entries(CASES)) {
  Deno.test(`${name} (behaviour 10.7)`, async () => {
    for (const lazy of [false, true]) {
      const application = TestApplication.of(files, { lazy });
      for (const [expected, target, init] of requests) {
        assertEquals(
          await outcome(application, `/api${target}`, init),
          expected,
          `${init?.method ?? "GET"} ${target}, lazy: ${lazy}`,
        );
      }
    }
  });
}

Deno.test("a contract is checked once for each request, before a list of middleware (behaviour 10.7)", async () => {
  let checks = 0;
  const a = z.string().transform(() => ++checks);
  for (const lazy of [false, true]) {
    const application = TestApplication.of({
      "middleware.ts": {
        contract: { headers: z.object({ a }) },
        default: [noting("first"), noting("second")],
      },
      "route.ts": ECHO,
    }, { lazy });
    for (let time = 0; time < 2; time++) {
      const validated = `{"headers":{"a":${checks + 1}}}`;
      assertEquals(
        await outcome(application, "/api", { headers: { a: "x" } }),
        `200 ${validated} | second ${validated}, first ${validated}`,
      );
    }
  }
  assertEquals(checks, 4);
});

Deno.test("a contract covers only its methods, GET with HEAD (behaviour 10.7)", async () => {
  const contract = (methods: readonly string[], name: string) => ({
    methods,
    headers: text(name),
    security: [{ [name]: [] }],
  });
  const note: Middleware = async (request, next) => {
    const response = await next();
    const [scheme] = request.security ?? [];
    response.headers.set("x-security", Object.keys(scheme!)[0]!);
    return response;
  };
  const contracts = [
    { security: [{ all: [] }] },
    contract(["GET"], "reader"),
    contract(["POST", "DELETE"], "writer"),
  ];
  const methods = ["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PURGE"];
  for (
    const [route, headers, ...expected] of [
      [
        ECHO,
        { reader: "1", writer: "1" },
        ...["200 reader", "200 reader", "200 writer"],
        ...["405 writer", "204 all", "501 all"],
      ],
      [
        ECHO,
        { reader: "1" },
        ...["200 reader", "200 reader", "400 null"],
        ...["405 writer", "204 all", "501 all"],
      ],
      [
        { ...ECHO, HEAD: echo, OPTIONS: echo },
        { writer: "1" },
        ...["400 null", "400 null", "200 writer"],
        ...["405 writer", "200 all", "501 all"],
      ],
    ] as [TestModule, HeadersInit, ...string[]][]
  ) {
    for (const lazy of [false, true]) {
      const application = TestApplication.of({
        "middleware.ts": { default: [Object.assign(note, { contracts })] },
        "route.ts": route,
      }, { lazy });
      const seen = await Promise.all(methods.map(async (method) => {
        const response = await application.fetch("/api", { method, headers });
        await response.body?.cancel();
        return `${response.status} ${response.headers.get("x-security")}`;
      }));
      assertEquals(seen, expected, `lazy: ${lazy}`);
    }
  }
});

Deno.test("contracts of folders and of the option cover only the routes of apiDir (behaviour 10.7)", async () => {
  const pass: Middleware = (_, next) => next();
  const contracts = [{
    params: z.strictObject({}),
    headers: text("x-key"),
    response: { 429: { description: "Too many" } },
  }];
  for (const lazy of [false, true]) {
    const application = TestApplication.of({
      "middleware.ts": level("folder", { query: z.object({}) }),
      "[id]/route.ts": ECHO,
    }, {
      lazy,
      middleware: [Object.assign(pass, { contracts })],
      plugins: [openapi({ info: { title: "Test", version: "1" } }), {
        name: "test",
        routes: () => [{ path: "/api/a/plugin", handlers: { GET: echo } }],
      }],
    });
    using log = new CapturedLog();
    const headers = { "x-key": "k" };
    assertEquals([
      await outcome(application, "/api/1"),
      await outcome(application, "/api/1", { headers }),
      await outcome(application, "/api/a/plugin"),
      await outcome(application, "/nowhere"),
    ], [
      "400 headers#/x-key | ",
      '200 {"query":{},"params":{},"headers":{"x-key":"k"}} | ' +
      'folder {"query":{},"params":{},"headers":{"x-key":"k"}}',
      "200 {} | ",
      "404  | ",
    ]);
    const document = await application.fetch("/openapi.json");
    const { get } = (await document.json()).paths["/api/{id}"];
    assertEquals(get.responses[429].description, "Too many");
    const { routes, pluginRoutes } = await application.app.inspect();
    const files = [...routes, ...pluginRoutes].map(({ path, contracts }) => [
      path,
      contracts.map(({ file }) => file),
    ]);
    assertEquals(Object.fromEntries(files), {
      "/api/[id]": ["option middleware[0]", "middleware.ts"],
      "/api/a/plugin": [],
      "/docs": [],
      "/docs/[file]": [],
      "/openapi.json": [],
    });
    assertStringIncludes(log.lines.join(), "does not run around plugin routes");
  }
});

Deno.test("validateResponses checks the responses of contracts (behaviour 10.7)", async () => {
  const application = TestApplication.of({
    "middleware.ts": {
      contract: {
        response: { 418: z.object({ tea: z.boolean() }), 200: z.string() },
      },
    },
    "route.ts": {
      schema: { get: { response: { 200: z.object({}) } } },
      GET: ({ url }) =>
        url.endsWith("?tea")
          ? Response.json({ tea: 1 }, { status: 418 })
          : Response.json({}),
    },
  }, { validateResponses: true });
  using log = new CapturedLog();
  assertEquals((await application.fetch("/api")).status, 200);
  assertEquals((await application.fetch("/api?tea")).status, 500);
  assertStringIncludes(log.lines[0]!, "status 418 does not fit its schema");
});
