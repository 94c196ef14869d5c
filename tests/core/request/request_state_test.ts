import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import { RequestState } from "@bough/framework";
import { z } from "zod";
import { CapturedLog, TestApplication } from "../../support/application.ts";

Deno.test("RequestState carries a value of its type with one request", () => {
  const user = new RequestState<{ name: string }>("user");
  const other = new RequestState<{ name: string }>("user");
  const request = new Request("http://h/");
  assertEquals(user.find(request), undefined);
  assertThrows(
    () => user.get(request),
    Error,
    'The request has no "user"; set it in middleware, or call find()',
  );
  user.set(request, { name: "Ada" });
  assertEquals(user.get(request), { name: "Ada" });
  assertEquals(other.find(request), undefined, "a name is not a key");
  assertEquals(user.find(new Request("http://h/")), undefined);
  user.set(request, { name: "Eve" });
  assertEquals(user.find(request)?.name, "Eve");
  assertType<IsExact<ReturnType<typeof user.get>, { name: string }>>(true);

  const maybe = new RequestState<undefined>("nothing");
  maybe.set(request, undefined);
  assertEquals(maybe.get(request), undefined);
});

Deno.test("Bough responds with 500 and logs the name if no middleware sets a state", async () => {
  const user = new RequestState<string>("user");
  const application = TestApplication.of({
    "route.ts": { GET: (request) => new Response(user.get(request)) },
  });
  using log = new CapturedLog();
  assertEquals((await application.fetch("/api")).status, 500);
  assertStringIncludes(log.lines[0]!, 'The request has no "user"');
});

Deno.test("a middleware may read a copy of the body", async () => {
  const application = TestApplication.of({
    "middleware.ts": {
      default: async (request, next) => {
        const text = await request.clone().text();
        const response = await next();
        response.headers.set("x-read", text);
        return response;
      },
    },
    "route.ts": {
      schema: { post: { body: z.object({ a: z.number() }) } },
      POST: async (request) =>
        Response.json([request.validated.body, await request.text()]),
    },
  });
  await using server = await application.serve();
  const response = await fetch(server.url("/api"), {
    method: "POST",
    body: '{"a":1}',
    headers: { "content-type": "application/json" },
  });
  assertEquals(await response.json(), [{ a: 1 }, '{"a":1}']);
  assertEquals(response.headers.get("x-read"), '{"a":1}');
});
