import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import { RequestState } from "@bough/framework";
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
