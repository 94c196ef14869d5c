import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { RouteError, type RouteFault } from "@bough/framework";

Deno.test("RouteError sorts its faults by path, and keeps the order within a path", () => {
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
  assertEquals(faults[0]!.reason, "second", "the argument is unchanged");
  assertEquals(
    error.message,
    `Cannot serve "api/a": first
Cannot serve "api/b": second
Cannot serve "api/b": third
Cannot serve "api/c": fourth`,
  );
  assertEquals("cause" in error, false);
});

Deno.test("RouteError has each cause of its faults once", () => {
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
    'Cannot serve "a": broken\n  The same error affects "b", "c", "d"',
  );
  const { cause } = new RouteError([fault("a", one), fault("b", two)]);
  assert(cause instanceof AggregateError);
  assertEquals(cause.errors, [one, two]);
});

Deno.test("RouteError reports the same fault of several files once", () => {
  const reason = 'the import needs read access to "/db.ts"';
  // Each import without permission fails with its own error.
  const fault = (path: string) => ({
    path,
    reason,
    cause: new TypeError('Requires read access to "/db.ts"'),
  });
  const error = new RouteError([fault("api/b"), fault("api/a")]);
  assertEquals(
    error.message,
    `Cannot serve "api/a": ${reason}\n  The same error affects "api/b"`,
  );
  assertInstanceOf(error.cause, AggregateError);
});
