/** The pattern of a request, and the address of its client (behaviour 6.5). */
import { memoryStore, rateLimit } from "@bough/framework/protect";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { TestApplication, type TestModule } from "../../support/application.ts";

const show: TestModule["GET"] = ({ pattern, info }) =>
  Response.json([pattern, info.remoteAddr]);
const SHOW: TestModule = {
  GET: show,
  async POST(request) {
    await Promise.resolve();
    return show!(request);
  },
};

const FILES: Readonly<Record<string, TestModule>> = {
  "plain/[id]/route.ts": SHOW,
  "guarded/[...]/route.ts": SHOW,
  "guarded/middleware.ts": { default: (_, next) => next() },
  "(group)/checked/route.ts": {
    ...SHOW,
    schema: { post: { body: z.object({}) } },
  },
};

const PATTERNS = {
  "/api/plain/7": "/api/plain/[id]",
  "/api/guarded/a/b": "/api/guarded/[...]",
  "/api/checked": "/api/checked",
};

const JSON_BODY = {
  method: "POST",
  body: "{}",
  headers: { "content-type": "application/json" },
};

for (const lazy of [false, true]) {
  Deno.test(`a handler has the pattern of its route and the address of the client, lazy: ${lazy} (behaviour 6.5)`, async () => {
    const application = TestApplication.of(FILES, { lazy });
    await using server = await application.serve();
    for (const [path, pattern] of Object.entries(PATTERNS)) {
      // With `lazy`, the first request is another case than the second.
      for (const init of [{}, {}, JSON_BODY]) {
        const response = await fetch(server.url(path), init);
        const [shown, { hostname, port }] = await response.json();
        assertEquals([shown, hostname], [pattern, "127.0.0.1"], path);
        assert(port > 0);
      }
    }
  });
}

Deno.test("a request that is not from a server has the address 0.0.0.0 (behaviour 6.5)", async () => {
  const application = TestApplication.of(FILES, {
    onNotFound: (request) => {
      const { info } = request as Request & { info: Deno.ServeHandlerInfo };
      return Response.json(info.remoteAddr);
    },
  });
  const none = { transport: "tcp", hostname: "0.0.0.0", port: 0 };
  for (const [path, pattern] of Object.entries(PATTERNS)) {
    const response = await application.fetch(path);
    assertEquals(await response.json(), [pattern, none]);
  }
  const missing = await application.fetch("/api/none");
  assertEquals(await missing.json(), none);
});

Deno.test("info.completed of a request that is not from a server resolves", async () => {
  const application = TestApplication.of({
    "route.ts": {
      async GET({ info }) {
        await info.completed;
        return new Response("done");
      },
    },
  });
  assertEquals(await (await application.fetch("/api")).text(), "done");
});

Deno.test("a rate limit works in a test without a server", async () => {
  const store = memoryStore();
  const application = TestApplication.of({
    ...FILES,
    "middleware.ts": { default: rateLimit({ limit: 2, per: 60_000, store }) },
  });
  const statuses = [];
  for (let count = 0; count < 3; count++) {
    const response = await application.fetch("/api/plain/7");
    await response.body?.cancel();
    statuses.push(response.status);
  }
  assertEquals(statuses, [200, 200, 429]);
});

Deno.test("a test can pass the address", async () => {
  const application = TestApplication.of(FILES, { exitOnUncaughtError: true });
  const remoteAddr = { transport: "tcp", hostname: "::1", port: 9 } as const;
  const response = await application.app.fetch(
    new Request("http://localhost/api/plain/7"),
    { remoteAddr, completed: Promise.resolve() },
  );
  assertEquals((await response.json())[1], remoteAddr);
});

Deno.test("a request keeps its address in another application", async () => {
  const inner = TestApplication.of(
    { "inner/[id]/route.ts": SHOW },
    { apiPrefix: "" },
  );
  let seen: string | undefined;
  const outer = TestApplication.of({
    "inner/[...]/route.ts": { GET: (request) => inner.app.fetch(request) },
  }, {
    apiPrefix: "",
    middleware: [async (request, next) => {
      const response = await next();
      seen = (request.info.remoteAddr as Deno.NetAddr).hostname;
      return response;
    }],
  });
  await using server = await outer.serve();
  const response = await fetch(server.url("/inner/5"));
  const [pattern, { hostname }] = await response.json();
  assertEquals([pattern, hostname, seen], [
    "/inner/[id]",
    "127.0.0.1",
    "127.0.0.1",
  ]);
});
