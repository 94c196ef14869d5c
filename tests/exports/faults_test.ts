import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { RouteError, type RouteFault } from "@bough/framework";

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
  const same = new RouteError([
    fault("c", one),
    fault("b", one),
    fault("d", one),
    fault("a"),
  ]);
  assertEquals(same.cause, one);
  assertEquals(
    same.message,
    'Cannot serve "a": broken\nCannot serve "b": broken\n  The same error affects "c", "d"',
  );
  const { cause } = new RouteError([fault("a", one), fault("b", two)]);
  assert(cause instanceof AggregateError);
  assertEquals(cause.errors, [one, two]);
});

Deno.test("RouteError tells once of a permission that keeps out several files", () => {
  const reason = 'the import needs read access to "/db.ts"';
  // Each import that Deno refuses has an error of its own.
  const fault = (path: string, message: string) => ({
    path,
    reason,
    cause: new TypeError(message),
  });
  const message = 'Requires read access to "/db.ts", run again with …';
  const same = new RouteError([
    fault("api/a", message),
    fault("api/b", message),
  ]);
  assertEquals(
    same.message,
    `Cannot serve "api/a": ${reason}\n  The same error affects "api/b"`,
  );
  assertEquals((same.cause as Error).message, message);
  // Elsewhere, one message may stand for faults in several places.
  const others = new RouteError([fault("api/a", "x"), fault("api/b", "x")]);
  assertEquals(others.message.split("\n").length, 2);
  assertInstanceOf(others.cause, AggregateError);
});
