import { assertEquals } from "@std/assert";
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

Deno.test("RouteError has each cause of its faults once, and reports a fault of several files once", () => {
  const [one, two] = [new Error("one"), new Error("two")];
  const fault = (path: string, cause?: unknown) => ({
    path,
    reason: "broken",
    cause,
  });
  const both = 'Cannot serve "a": broken\n  The same error affects "b"';
  for (
    const [faults, causes, message] of [
      [[fault("a", one)], [one], 'Cannot serve "a": broken'],
      [[fault("b"), fault("a", one)], [one], both],
      [
        [fault("c", one), fault("b", one), fault("d", one), fault("a")],
        [one],
        `${both}, "c", "d"`,
      ],
      // Each import without permission fails with its own error.
      [[fault("a", one), fault("b", two)], [one, two], both],
    ] as const
  ) {
    const error = new RouteError(faults);
    const { cause } = error;
    assertEquals(
      [cause instanceof AggregateError ? cause.errors : [cause], error.message],
      [causes, message],
    );
  }
});
