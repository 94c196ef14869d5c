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

Deno.test("a handler gets one argument, the same request, without this (behaviour 5.3, 6.1)", async () => {
  const seen: unknown[] = [];
  function respond(this: unknown, ...all: unknown[]): Response {
    seen.push([this, ...all]);
    return new Response();
  }
  function fail(this: unknown): Response {
    seen.push(this);
    throw new Error("x");
  }
  const { app } = TestApplication.of({
    "route.ts": {
      schema: { put: { body: z.object({}) } },
      GET: respond,
      PUT: fail,
    },
    "guarded/route.ts": { GET: fail },
    "guarded/middleware.ts": { default: (_, next) => next() },
  }, { onError: respond });
  const url = "http://h/api";
  const request = new Request(`${url}?q=1`, { headers: { "x-a": "b" } });
  await app.fetch(request);
  const [[self, given, ...rest]] = seen as [unknown[]];
  assertEquals([self, rest], [undefined, []]);
  assert(given === request && request.url === `${url}?q=1`);
  assertEquals([request.method, [...request.headers]], ["GET", [["x-a", "b"]]]);
  await app.fetch(new Request(url, { method: "PUT", ...JSON_BODY }));
  await app.fetch(new Request(`${url}/guarded`));
  const selves = seen.slice(1)
    .map((each) => Array.isArray(each) ? each[0] : each);
  assertEquals(selves, Array(4).fill(undefined));
});

Deno.test("params and validated are always objects, and only a wildcard sets wildcardParams (behaviour 6.2)", async () => {
  const see = (request: object): Response => {
    const { params, validated } = request as Record<string, object>;
    const isWild = "wildcardParams" in request;
    return Response.json([params, validated, isWild, "toString" in params!]);
  };
  const inner = TestApplication.of(
    { "c/x/route.ts": { GET: see } },
    { onNotFound: see },
  );
  const application = TestApplication.of({
    "a/route.ts": { GET: see },
    "b/[...]/route.ts": { GET: see },
    // An application inside of another one sees no wildcard of the outer route.
    "c/[...]/route.ts": { GET: (request) => inner.app.fetch(request) },
  });
  for (
    const [path, isWild] of [
      ["a", false],
      ["b/x", true],
      ["c/x", false],
      ["c/none", false],
    ] as const
  ) {
    const response = await application.fetch(`/api/${path}`);
    assertEquals(await response.json(), [{}, {}, isWild, false], path);
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
  for (const id of ["1", "2"]) {
    const dynamic = await application.fetch(`/api/${id}`);
    assertEquals(await dynamic.json(), { id, seen: id });
    const fixed = await application.fetch("/api/static");
    assertEquals(await fixed.json(), { seen: "here" });
  }
});

Deno.test("a handler may return a response, a promise, or another thenable (behaviour 5.3)", async () => {
  const response = () => new Response("sent");
  for (
    const GET of [
      response,
      () => Promise.resolve(response()),
      () => ({
        then: (done: (response: Response) => void) => done(response()),
      }),
    ]
  ) {
    const application = TestApplication.of({ "route.ts": { GET } });
    const sent = await application.fetch("/api");
    assertEquals(await sent.text(), "sent", `${GET}`);
  }
});

Deno.test("a request gets only the documented members, and its copies have no waitUntil() (behaviour 6.6)", async () => {
  const state = new RequestState<number>("state");
  const application = TestApplication.of({
    "[id]/route.ts": {
      schema: { post: { query: z.any(), body: z.any() } },
      async POST(request) {
        await request.json();
        const copies = [request.clone(), new Request(request)];
        return Response.json([
          ...Object.getOwnPropertyNames(request).sort(),
          ...copies.map((copy) => "waitUntil" in copy),
        ]);
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
    ...["params", "pattern", "text", "validated", "waitUntil", false, false],
  ]);
});

const show = ({ pattern, info }: {
  readonly pattern?: string;
  readonly info: Deno.ServeHandlerInfo;
}) => Response.json([pattern, info.remoteAddr]);
const SHOW: TestModule = {
  GET: show,
  async POST(request) {
    await Promise.resolve();
    return show(request);
  },
};

const inner = TestApplication.of({ "inner/[id]/route.ts": SHOW });

const FILES: Readonly<Record<string, TestModule>> = {
  "plain/[id]/route.ts": SHOW,
  "guarded/[...]/route.ts": SHOW,
  "guarded/middleware.ts": { default: (_, next) => next() },
  "(group)/checked/route.ts": {
    ...SHOW,
    schema: { post: { body: z.object({}) } },
  },
  // Another application sees its own pattern and the same address.
  "inner/[...]/route.ts": {
    GET: (request) => inner.app.fetch(request),
    POST: (request) => inner.app.fetch(request),
  },
};

const PATTERNS = {
  "/api/plain/7": "/api/plain/[id]",
  "/api/guarded/a/b": "/api/guarded/[...]",
  "/api/checked": "/api/checked",
  "/api/inner/5": "/api/inner/[id]",
};

for (const lazy of [false, true]) {
  Deno.test(`a handler has the pattern of its route and the address of the client, lazy: ${lazy} (behaviour 6.5)`, async () => {
    const seen: string[] = [];
    const application = TestApplication.of(FILES, {
      lazy,
      middleware: [async (request, next) => {
        const response = await next();
        seen.push((request.info.remoteAddr as Deno.NetAddr).hostname);
        return response;
      }],
    });
    await using server = await application.serve();
    for (const [path, pattern] of Object.entries(PATTERNS)) {
      // With `lazy`, the first request is another case than the second.
      for (const init of [{}, {}, { method: "POST", ...JSON_BODY }]) {
        const response = await fetch(server.url(path), init);
        const [shown, { hostname, port }] = await response.json();
        assertEquals([shown, hostname], [pattern, "127.0.0.1"], path);
        assert(port > 0);
      }
    }
    assertEquals(seen, Array(12).fill("127.0.0.1"));
  });
}

Deno.test("without a server, a request has the address 0.0.0.0, or that of the caller (behaviour 6.5)", async () => {
  const { app } = TestApplication.of(FILES, {
    exitOnUncaughtError: true,
    onNotFound: (request) => show(request as unknown as { info: never }),
  });
  const none = { transport: "tcp", hostname: "0.0.0.0", port: 0 } as const;
  const other = { transport: "tcp", hostname: "::1", port: 9 } as const;
  const completed = Promise.resolve();
  const targets = [...Object.entries(PATTERNS), ["/api/none", null]] as const;
  for (const [path, pattern] of targets) {
    const request = new Request(`http://localhost${path}`);
    const responses = [
      await app.fetch(request.clone()),
      await app.fetch(request, { remoteAddr: other, completed }),
    ];
    assertEquals(
      await Promise.all(responses.map((response) => response.json())),
      [[pattern, none], [pattern, other]],
    );
  }
});

Deno.test("without a server, info.completed resolves (behaviour 6.5)", async () => {
  const application = TestApplication.of({
    "route.ts": {
      GET: ({ info }) => info.completed.then(() => new Response()),
    },
  });
  assertEquals((await application.fetch("/api")).status, 200);
});
