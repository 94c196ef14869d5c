/** The pattern of a request, and the address of its client (behaviour 6.5). */
import { memoryStore, rateLimit } from "@bough/framework/protect";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { TestApplication, type TestModule } from "../../support/application.ts";

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

const JSON_BODY = {
  method: "POST",
  body: "{}",
  headers: { "content-type": "application/json" },
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
      for (const init of [{}, {}, JSON_BODY]) {
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

Deno.test("without a server, info.completed resolves, and a rate limit works", async () => {
  const store = memoryStore();
  const application = TestApplication.of({
    "route.ts": {
      async GET({ info }) {
        await info.completed;
        return new Response("done");
      },
    },
    "middleware.ts": { default: rateLimit({ limit: 2, per: 60_000, store }) },
  });
  for (const status of [200, 200, 429]) {
    const response = await application.fetch("/api");
    await response.body?.cancel();
    assertEquals(response.status, status);
  }
});
