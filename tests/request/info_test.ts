/** What a handler knows of its route and of the connection (behaviour 6.5). */
import { assert, assertEquals } from "@std/assert";
import { Framework } from "@bough/framework";
import { FolderApplication } from "../support/application.ts";

const SHOW = `
  const show = ({ pattern, info }) => Response.json([pattern, info.remoteAddr]);
  export const GET = show;
  export const POST = async (request) => { await 0; return show(request); };
`;

const SHOW_CHECKED = `
  import { z } from "npm:zod@^4.1.13";
  export const schema = { post: { body: z.object({}) } };
  ${SHOW}
`;

const GUARD = "export default (request, next) => next();";

const FILES = {
  "plain/[id]/route.js": SHOW,
  "guarded/[...]/route.js": SHOW,
  "guarded/middleware.js": GUARD,
  "(group)/checked/route.js": SHOW_CHECKED,
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
    await using application = await FolderApplication.create(FILES, { lazy });
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

Deno.test("a request that no server passed on has the address 0.0.0.0 (behaviour 6.5)", async () => {
  await using application = await FolderApplication.create(FILES, {
    onNotFound: (request) => {
      const { info } = request as Request & { info: Deno.ServeHandlerInfo };
      return Response.json(info.remoteAddr);
    },
  });
  const nobody = { transport: "tcp", hostname: "0.0.0.0", port: 0 };
  for (const [path, pattern] of Object.entries(PATTERNS)) {
    const response = await application.fetch(path);
    assertEquals(await response.json(), [pattern, nobody]);
  }
  const missing = await application.fetch("/api/none");
  assertEquals(await missing.json(), nobody);
});

Deno.test("info.completed resolves where no server passed the request on", async () => {
  await using application = await FolderApplication.create({
    "route.js":
      "export const GET = async ({ info }) => { await info.completed; return new Response('done'); }",
  });
  assertEquals(await (await application.fetch("/api")).text(), "done");
});

Deno.test("a rate limit works in a test without a server", async () => {
  await using application = await FolderApplication.create({
    ...FILES,
    "middleware.ts":
      `import { memoryStore, rateLimit } from "@bough/framework/protect";
      export default rateLimit({ limit: 2, per: 60_000, store: memoryStore() });`,
  });
  const statuses = [];
  for (let count = 0; count < 3; count++) {
    const response = await application.fetch("/api/plain/7");
    await response.body?.cancel();
    statuses.push(response.status);
  }
  assertEquals(statuses, [200, 200, 429]);
});

Deno.test("a test can choose the address", async () => {
  await using application = await FolderApplication.create(FILES, {
    exitOnUncaughtError: true,
  });
  const remoteAddr = { transport: "tcp", hostname: "::1", port: 9 } as const;
  const response = await application.app.fetch(
    new Request("http://localhost/api/plain/7"),
    { remoteAddr, completed: Promise.resolve() },
  );
  assertEquals((await response.json())[1], remoteAddr);
});

Deno.test("an application that another one hands its request to keeps the address", async () => {
  await using inner = await FolderApplication.create(
    { "inner/[id]/route.js": SHOW },
    { apiPrefix: "" },
  );
  let seen: string | undefined;
  const outer = new Framework({
    manifest: {
      "inner/[...]/route.ts": {
        GET: (request: Request) => inner.app.fetch(request),
      },
    },
    apiPrefix: "",
    middleware: [async (request, next) => {
      const response = await next();
      seen = (request.info.remoteAddr as Deno.NetAddr).hostname;
      return response;
    }],
  });
  const server = await outer.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: () => {},
  });
  const url = `http://127.0.0.1:${server.addr.port}/inner/5`;
  const [pattern, { hostname }] = await (await fetch(url)).json();
  assertEquals([pattern, hostname, seen], [
    "/inner/[id]",
    "127.0.0.1",
    "127.0.0.1",
  ]);
  await server.shutdown();
});
