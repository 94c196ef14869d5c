import { RequestState } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import { assert, assertEquals } from "@std/assert";
import type { Context } from "hono";
import { z } from "zod";
import { TestApplication, type TestModule } from "../../support/application.ts";

const JSON_BODY = {
  body: "{}",
  headers: { "content-type": "application/json" },
};

Deno.test("a handler gets one argument, the same request (behaviour 5.3, 6.1)", async () => {
  const seen: unknown[][] = [];
  const application = TestApplication.of({
    "route.ts": {
      GET(...all) {
        seen.push(all);
        const [request] = all;
        const { url, method, headers } = request;
        const isRequest = request instanceof Request;
        return Response.json([isRequest, url, method, headers.get("x-a")]);
      },
    },
  });
  const request = new Request("http://h/api?q=1", { headers: { "x-a": "b" } });
  const response = await application.app.fetch(request);
  assertEquals(await response.json(), [true, "http://h/api?q=1", "GET", "b"]);
  assertEquals(seen.length, 1);
  assertEquals(seen[0]!.length, 1);
  assert(seen[0]![0] === request);
});

Deno.test("params and validated are always objects, and only a wildcard sets wildcardParams (behaviour 6.2)", async () => {
  const route: TestModule = {
    GET: (request) =>
      Response.json([
        typeof request.params,
        typeof request.validated,
        Object.keys(request.params).length,
        Object.keys(request.validated).length,
        "wildcardParams" in request,
        "toString" in request.params,
      ]),
  };
  const application = TestApplication.of({
    "a/route.ts": route,
    "b/[...]/route.ts": route,
  });
  for (const [path, isWild] of [["a", false], ["b/x", true]] as const) {
    const response = await application.fetch(`/api/${path}`);
    const expected = ["object", "object", 0, 0, isWild, false];
    assertEquals(await response.json(), expected);
  }
});

Deno.test("a handler may change params without an effect on other requests", async () => {
  const route: TestModule = {
    GET({ params }) {
      params.seen ??= params.id ?? "here";
      return Response.json(params);
    },
  };
  const application = TestApplication.of({
    "[id]/route.ts": route,
    "static/route.ts": route,
  });
  for (
    const [path, params] of [
      ["1", { id: "1", seen: "1" }],
      ["static", { seen: "here" }],
      ["2", { id: "2", seen: "2" }],
      ["static", { seen: "here" }],
    ] as const
  ) {
    const response = await application.fetch(`/api/${path}`);
    assertEquals(await response.json(), params);
  }
});

Deno.test("a handler may return a response, a promise, or another thenable (behaviour 5.3)", async () => {
  const response = (text: string) => new Response(text);
  const application = TestApplication.of({
    "sync/route.ts": { GET: () => response("sync") },
    "async/route.ts": { GET: () => Promise.resolve(response("async")) },
    "thenable/route.ts": {
      GET: () => ({
        then: (done: (response: Response) => void) =>
          done(response("thenable")),
      }),
    },
  });
  for (const name of ["sync", "async", "thenable"]) {
    const response = await application.fetch(`/api/${name}`);
    assertEquals(await response.text(), name);
  }
});

Deno.test("an application inside of another one sees no wildcard of the outer route (behaviour 6.2)", async () => {
  const respond = (request: Request) =>
    Response.json("wildcardParams" in request);
  const inner = TestApplication.of(
    { "docs/intro/route.ts": { GET: respond } },
    { onNotFound: respond },
  );
  const outer = TestApplication.of({
    "[...]/route.ts": {
      GET: async (request) => {
        assert("wildcardParams" in request);
        return await inner.app.fetch(request);
      },
    },
  });
  for (const path of ["/api/docs/intro", "/api/none"]) {
    assertEquals(await (await outer.fetch(path)).json(), false);
  }
});

Deno.test("a request gets only the documented members", async () => {
  const state = new RequestState<number>("state");
  const application = TestApplication.of({
    "[id]/route.ts": {
      schema: { post: { query: z.any(), body: z.any() } },
      async POST(request) {
        await request.json();
        return Response.json(Object.getOwnPropertyNames(request).sort());
      },
    },
  }, {
    serverTiming: true,
    middleware: [
      (request, next) => {
        state.set(request, 1);
        return next();
      },
      honoMiddleware(async (context, next) => {
        (context as Context).set("value", 1);
        await next();
      }),
    ],
  });
  const response = await application.fetch("/api/1", {
    method: "POST",
    ...JSON_BODY,
  });
  assertEquals(await response.json(), [
    ...["arrayBuffer", "blob", "bytes", "clone", "formData", "info", "json"],
    ...["params", "pattern", "text", "validated", "waitUntil"],
  ]);
});

Deno.test("this is undefined in handlers and in onError", async () => {
  const seen: unknown[] = [];
  function fail(this: unknown): Response {
    seen.push(this);
    throw new Error("x");
  }
  function respond(this: unknown): Response {
    seen.push(this);
    return new Response();
  }
  for (
    const middleware of [[], [
      (_: unknown, next: () => Promise<Response>) => next(),
    ]]
  ) {
    const application = TestApplication.of({
      "route.ts": {
        schema: { put: { body: z.object({}) } },
        GET: fail,
        PUT: respond,
      },
    }, { middleware, onError: respond });
    await application.fetch("/api");
    await application.fetch("/api", { method: "PUT", ...JSON_BODY });
  }
  assertEquals(seen, Array(6).fill(undefined));
});
