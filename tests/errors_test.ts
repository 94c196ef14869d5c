import { assert, assertEquals, assertThrows } from "@std/assert";
import { HttpError, RouteError, type RouteFault } from "@bough/framework";

Deno.test("RouteError tells its faults in path order, and those of one path as given", () => {
  const faults: readonly RouteFault[] = [
    { path: "api/b", reason: "second" },
    { path: "api/c", reason: "fourth" },
    { path: "api/b", reason: "third" },
    { path: "api/a", reason: "first" },
  ];
  const error = new RouteError(faults);
  assertEquals([error.name, error instanceof Error], ["RouteError", true]);
  assertEquals(
    error.faults.map(({ reason }) => reason),
    ["first", "second", "third", "fourth"],
  );
  assertEquals(faults[0]!.reason, "second", "what was given is as it was");
  assertEquals(
    error.message,
    `Cannot serve "api/a": first
Cannot serve "api/b": second
Cannot serve "api/b": third
Cannot serve "api/c": fourth`,
  );
  assertEquals("cause" in error, false);
});

Deno.test("RouteError has the causes of its faults, each once", () => {
  const [one, two] = [new Error("one"), new Error("two")];
  const fault = (path: string, cause?: unknown) => ({
    path,
    reason: "broken",
    cause,
  });
  assertEquals(new RouteError([fault("a", one)]).cause, one);
  assertEquals(new RouteError([fault("b"), fault("a", one)]).cause, one);
  const same = new RouteError([fault("c", one), fault("b", one), fault("a")]);
  assertEquals(same.cause, one);
  assertEquals(
    same.message,
    'Cannot serve "a": broken\nCannot serve "b": broken\n  The same keeps out "c"',
  );
  const { cause } = new RouteError([fault("a", one), fault("b", two)]);
  assert(cause instanceof AggregateError);
  assertEquals(cause.errors, [one, two]);
});

Deno.test("HttpError takes whole numbers from 400 to 599", () => {
  for (const status of [400, 404, 500, 599]) {
    assertEquals(new HttpError(status).status, status);
  }
  for (const status of [399, 600, 0, -400, 404.5, NaN, "404", 200]) {
    assertThrows(
      () => new HttpError(status as number),
      RangeError,
      `Cannot create an HttpError: status must be 400 to 599, got ${status}`,
    );
  }
});

Deno.test("HttpError keeps what it is given, and its cause from the client", () => {
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
