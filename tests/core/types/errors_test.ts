import { assertEquals, assertThrows } from "@std/assert";
import { HttpError } from "@bough/framework";

Deno.test("HttpError accepts whole numbers from 400 to 599", () => {
  for (const status of [400, 404, 500, 599]) {
    assertEquals(new HttpError(status).status, status);
  }
  for (const status of [399, 600, 0, -400, 404.5, NaN, "404", 200]) {
    assertThrows(
      () => new HttpError(status as number),
      RangeError,
      `Cannot create an HttpError: status must be 400 to 599, got ${
        Deno.inspect(status)
      }`,
    );
  }
});

Deno.test("HttpError has its arguments as members", () => {
  const bare = new HttpError(404);
  assertEquals([bare.name, bare.message], ["HttpError", "HTTP status 404"]);
  assertEquals([bare.detail, "cause" in bare], [undefined, false]);
  assertEquals([[...bare.headers], bare.extensions], [[], {}]);

  const cause = new Error("secret");
  const full = new HttpError(409, "Stock is out", {
    headers: { "retry-after": "5" },
    cause,
    left: 0,
  });
  assertEquals([full.message, full.detail], ["Stock is out", "Stock is out"]);
  assertEquals(full.cause, cause);
  assertEquals([...full.headers], [["retry-after", "5"]]);
  assertEquals(full.extensions, { left: 0 });
  assertEquals(new HttpError(400, "").message, "");
});
