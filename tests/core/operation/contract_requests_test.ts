/** Bough checks a request against the contracts of folders and functions (behaviour 10.7). */
import type { Middleware } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import { openapi } from "@bough/framework/openapi";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { bearerAuth } from "hono/bearer-auth";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { count, ECHO, echo, level, noting, outcome, text } from "./support.ts";

const pass: Middleware = (_, next) => next();

for (const lazy of [false, true]) {
  const create = (files: Readonly<Record<string, TestModule>>) =>
    TestApplication.of(files, { lazy });
  const how = `(lazy: ${lazy})`;

  Deno.test(`each level checks the raw values, and the innermost value of a name counts ${how}`, async () => {
    const application = create({
      "middleware.ts": level("outer", {
        headers: z.object({
          a: z.string(),
          b: z.string().transform(() => "outer"),
        }),
      }),
      "[id]/middleware.ts": level("inner", {
        params: z.strictObject({ id: z.coerce.number() }),
        query: text("q"),
      }),
      "[id]/[name]/route.ts": {
        schema: { get: { headers: count("b") } },
        ...ECHO,
      },
    });
    const headers = { a: "1", b: "2" };
    assertEquals(
      await outcome(application, "/api/7/x?q=z", { headers }),
      '200 {"headers":{"a":"1","b":2},"params":{"id":7},"query":{"q":"z"}} | ' +
        'inner {"params":{"id":7},"query":{"q":"z"},"headers":{"a":"1","b":"outer"}}, ' +
        'outer {"headers":{"a":"1","b":"outer"}}',
    );
  });

  Deno.test(`a level that fails ends the request with all its issues ${how}`, async () => {
    const application = create({
      "middleware.ts": level("outer", {}),
      "a/middleware.ts": level("inner", {
        headers: text("h"),
        query: text("q"),
      }),
      "a/route.ts": { schema: { post: { body: text("x") } }, ...ECHO },
    });
    const body = new ReadableStream({
      pull() {
        throw new Error("the body was read");
      },
    }, { highWaterMark: 0 });
    assertEquals(
      await outcome(application, "/api/a", { method: "POST", body }),
      "400 query#/q headers#/h | ",
    );
  });

  Deno.test(`if a method has no handler, the middleware runs without a check ${how}`, async () => {
    const application = create({
      "middleware.ts": level("outer", { headers: text("h") }),
      "route.ts": { GET: echo },
    });
    for (const [method, status] of [["OPTIONS", 204], ["PUT", 405]] as const) {
      const expected = `${status}  | outer {}`;
      assertEquals(await outcome(application, "/api", { method }), expected);
    }
    for (const method of ["GET", "HEAD"]) {
      const invalid = await application.fetch("/api", { method });
      await invalid.body?.cancel();
      assertEquals(invalid.status, 400);
      const init = { method, headers: { h: "x" } };
      const validated = '{"headers":{"h":"x"}}';
      assertEquals(
        await outcome(application, "/api", init),
        `200 ${method === "GET" ? validated : ""} | outer ${validated}`,
      );
    }
  });

  Deno.test(`a folder may have a contract without middleware ${how}`, async () => {
    const application = create({
      "middleware.ts": { contract: { query: count("page"), tags: ["a"] } },
      "route.ts": ECHO,
    });
    assertEquals(await outcome(application), "400 query#/page | ");
    assertEquals(
      await outcome(application, "/api?page=2"),
      '200 {"query":{"page":2}} | ',
    );
    const [route] = await application.app.routes();
    assertEquals([route!.middleware, route!.contracts.length], [[], 1]);
  });

  Deno.test(`a contract may be asynchronous ${how}`, async () => {
    const h = z.string().refine((h) => Promise.resolve(h === "x"));
    const application = create({
      "middleware.ts": level("outer", { headers: z.object({ h }) }),
      "route.ts": ECHO,
    });
    const validated = '{"headers":{"h":"x"}}';
    for (
      const [h, expected] of [
        ["y", "400 headers#/h | "],
        ["x", `200 ${validated} | outer ${validated}`],
      ] as const
    ) {
      const init = { headers: { h } };
      assertEquals(await outcome(application, "/api", init), expected);
    }
  });

  Deno.test(`a contract is checked once for each request, before a list of middleware ${how}`, async () => {
    let checks = 0;
    const a = z.string().transform(() => ++checks);
    const application = create({
      "middleware.ts": {
        contract: { headers: z.object({ a }) },
        default: [noting("first"), noting("second")],
      },
      "route.ts": ECHO,
    });
    for (const expected of [1, 2]) {
      const validated = `{"headers":{"a":${expected}}}`;
      assertEquals(
        await outcome(application, "/api", { headers: { a: "x" } }),
        `200 ${validated} | second ${validated}, first ${validated}`,
      );
      assertEquals(checks, expected);
    }
  });

  Deno.test(`the contracts of a function are checked just before the function ${how}`, async () => {
    const application = create({
      "middleware.ts": {
        contract: { headers: count("a") },
        default: [
          noting("first", { headers: text("b") }, { query: count("c") }),
          noting("second"),
          noting("third", { headers: count("d") }),
        ],
      },
      "route.ts": ECHO,
    });
    const all = { a: "1", b: "2", d: "4" };
    for (
      const [headers, target, expected] of [
        [
          all,
          "/api?c=3",
          '200 {"headers":{"a":1,"b":"2","d":4},"query":{"c":3}} | ' +
          'third {"headers":{"a":1,"b":"2","d":4},"query":{"c":3}}, ' +
          'second {"query":{"c":3},"headers":{"a":1,"b":"2"}}, ' +
          'first {"query":{"c":3},"headers":{"a":1,"b":"2"}}',
        ],
        [{ ...all, a: "x" }, "/api?c=3", "400 headers#/a | "],
        [{ a: "1" }, "/api?c=3", "400 headers#/b | "],
        [all, "/api", "400 query#/c | "],
        [{ a: "1", b: "2" }, "/api?c=3", "400 headers#/d | "],
      ] as [HeadersInit, string, string][]
    ) {
      assertEquals(await outcome(application, target, { headers }), expected);
    }
  });

  Deno.test(`a contract covers only its methods, GET with HEAD ${how}`, async () => {
    const contract = (methods: readonly string[], name: string) => ({
      methods,
      headers: text(name),
      security: [{ [name]: [] }],
    });
    const note: Middleware = async (request, next) => {
      const response = await next();
      const security = JSON.stringify(request.security) ?? "none";
      response.headers.set("x-security", security);
      return response;
    };
    const contracts = [
      { security: [{ all: [] }] },
      contract(["GET"], "reader"),
      contract(["POST", "DELETE"], "writer"),
    ];
    const methods = ["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PURGE"];
    const outcomes = async (route: TestModule, headers: HeadersInit) => {
      const application = create({
        "middleware.ts": { default: [Object.assign(note, { contracts })] },
        "route.ts": route,
      });
      return await Promise.all(methods.map(async (method) => {
        const response = await application.fetch("/api", { method, headers });
        await response.body?.cancel();
        const security = response.headers.get("x-security");
        return `${method} ${response.status} ${security}`;
      }));
    };
    const none = "null";
    const [all, reader, writer] = ["all", "reader", "writer"]
      .map((name) => `[{"${name}":[]}]`);
    assertEquals(await outcomes(ECHO, { reader: "1", writer: "1" }), [
      `GET 200 ${reader}`,
      `HEAD 200 ${reader}`,
      `POST 200 ${writer}`,
      `DELETE 405 ${writer}`,
      `OPTIONS 204 ${all}`,
      `PURGE 501 ${all}`,
    ]);
    assertEquals(await outcomes(ECHO, { reader: "1" }), [
      `GET 200 ${reader}`,
      `HEAD 200 ${reader}`,
      `POST 400 ${none}`,
      `DELETE 405 ${writer}`,
      `OPTIONS 204 ${all}`,
      `PURGE 501 ${all}`,
    ]);
    const more = { ...ECHO, HEAD: echo, OPTIONS: echo };
    assertEquals(await outcomes(more, { writer: "1" }), [
      `GET 400 ${none}`,
      `HEAD 400 ${none}`,
      `POST 200 ${writer}`,
      `DELETE 405 ${writer}`,
      `OPTIONS 200 ${all}`,
      `PURGE 501 ${all}`,
    ]);
  });

  Deno.test(`contracts of folders and of the option cover only the routes of apiDir ${how}`, async () => {
    const contracts = [{
      params: z.strictObject({}),
      headers: text("x-key"),
      response: { 429: { description: "Too many" } },
    }];
    const application = TestApplication.of({
      "middleware.ts": level("folder", { query: z.object({}) }),
      "[id]/route.ts": ECHO,
    }, {
      lazy,
      middleware: [Object.assign(pass.bind(undefined), { contracts })],
      plugins: [openapi({ info: { title: "Test", version: "1" } }), {
        name: "test",
        routes: () => [{ path: "/api/a/plugin", handlers: { GET: echo } }],
      }],
    });
    using log = new CapturedLog();
    assertEquals(
      await outcome(application, "/api/1"),
      "400 headers#/x-key | ",
    );
    assertEquals(
      await outcome(application, "/api/1", { headers: { "x-key": "k" } }),
      '200 {"query":{},"params":{},"headers":{"x-key":"k"}} | ' +
        'folder {"query":{},"params":{},"headers":{"x-key":"k"}}',
    );
    assertEquals(await outcome(application, "/api/a/plugin"), "200 {} | ");
    const missing = await application.fetch("/nowhere");
    assertEquals([missing.status, await missing.text() !== ""], [404, true]);
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
  });
}

Deno.test("validateResponses checks the responses of contracts", async () => {
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

Deno.test("Hono's middleware may guard a folder with a contract", async () => {
  const auth = honoMiddleware(bearerAuth({ token: "t" }));
  const security = [{ bearer: [] }];
  const application = TestApplication.of({
    "a/middleware.ts": {
      contract: { security, headers: text("h") },
      default: auth,
    },
    "a/route.ts": ECHO,
    "open/middleware.ts": {
      contract: { security },
      default: (request, next) =>
        request.security?.length === 0 ? next() : auth(request, next),
    },
    "open/route.ts": { schema: { get: { security: [] } }, ...ECHO },
  });
  const authorization = "Bearer t";
  for (
    const [path, init, expected] of [
      ["/api/a", { headers: { authorization } }, "400 headers#/h | "],
      ["/api/a", { headers: { h: "x" } }, "401  | "],
      [
        "/api/a",
        { headers: { h: "x", authorization } },
        '200 {"headers":{"h":"x"}} | ',
      ],
      ["/api/open", {}, "200 {} | "],
      ["/api/open", { method: "POST" }, "401  | "],
    ] as [string, RequestInit, string][]
  ) assertEquals(await outcome(application, path, init), expected);
});
