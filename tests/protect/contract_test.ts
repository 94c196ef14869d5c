import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { Framework } from "@bough/framework";
import { createClient } from "@bough/framework/client";
import { memoryStore, rateLimit } from "@bough/framework/protect";
import { assertDeclared } from "@bough/framework/testing";
import { documentOf } from "../openapi/support.ts";

const PROTECT = new URL("../../src/protect/mod.ts", import.meta.url);

Deno.test("the document shows the 429 of a limited folder, with its headers", async () => {
  const { document, warnings } = await documentOf({
    "limited/middleware.js": `
      import { memoryStore, rateLimit } from "${PROTECT}";
      const limit = { limit: 1, per: 1000, store: memoryStore() };
      export default rateLimit(limit);`,
    "limited/route.js": "export const GET = () => new Response();",
    "route.js": "export const GET = () => new Response();",
  });
  assertEquals(warnings, []);
  const responses = document.paths["/api/limited"]!.get!.responses;
  const { description, headers, content } = responses["429"] as {
    description: string;
    headers: Record<string, { required?: boolean }>;
    content: object;
  };
  assertEquals(
    description,
    "The client sent more requests than the limit allows",
  );
  assertEquals(Object.keys(content), ["application/problem+json"]);
  assertEquals(Object.keys(headers), [
    ...["retry-after", "ratelimit", "ratelimit-policy"],
  ]);
  assertEquals(
    Object.values(headers).map(({ required }) => required ?? false),
    [true, false, false],
  );
  assertEquals(document.paths["/api"]!.get!.responses["429"], undefined);
});

Deno.test("a client knows the 429 and its problem, which fits the contract", async () => {
  const limit = { limit: 1, per: 60_000, store: memoryStore() };
  const routes = {
    "middleware.ts": { default: [rateLimit(limit)] as const },
    "route.ts": {
      GET: () => Response.json(1),
      schema: { get: { response: z.number() } },
    },
  };
  const app = new Framework({ manifest: routes, validateResponses: true });
  const api = createClient<typeof routes>({ fetch: app.fetch });
  const first = await api.GET("/");
  assertEquals(first.status, 200);
  const second = await api.GET("/");
  assert(second.status === 429);
  const title: string = second.data.title;
  assertEquals(title, "Too Many Requests");
  const third = await app.fetch(new Request("http://localhost/api"));
  await assertDeclared(app, "GET /", third);
});
