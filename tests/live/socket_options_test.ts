/** The options of a socket (behaviour 11.3). */
import { assertEquals, assertThrows } from "@std/assert";
import { resolveSocketOptions } from "../../src/live/socket.ts";

const DEFAULTS = resolveSocketOptions({}, {});

Deno.test("the defaults are those of the guide, even for undefined", () => {
  const given = { idleTimeout: 0, maxQueued: Infinity };
  assertEquals(resolveSocketOptions({}, given), { ...DEFAULTS, ...given });
  const names = Object.keys(DEFAULTS);
  const none = Object.fromEntries(names.map((name) => [name, undefined]));
  assertEquals(resolveSocketOptions({}, none), DEFAULTS);
  assertEquals(DEFAULTS, {
    origins: [],
    protocols: [],
    maxMessage: 65_536,
    maxQueued: 1_000,
    maxQueuedBytes: 1_048_576,
    maxBuffered: 1_048_576,
    idleTimeout: 30_000,
  });
});

Deno.test("the error message names a wrong option or handler", () => {
  for (
    const [handlers, options, message] of [
      [{}, { maxMessage: -1 }, "maxMessage must be a number, 0 or more"],
      [{}, { maxMessage: "1" }, "maxMessage must be a number, 0 or more"],
      [{}, { idleTimeout: Infinity }, "must be a number of milliseconds"],
      [{}, { origins: "https://a.example" }, "must be an array of origins"],
      [
        {},
        { protocols: ["a b"] },
        "protocols[0] must be a name without spaces",
      ],
      [{}, { protocols: [""] }, "protocols[0] must be a name without spaces"],
      [{}, { protocols: "a" }, "must be an array of names without spaces"],
      [{}, { limit: 1 }, "limit"],
      [{ open: 1 }, {}, "open must be a function"],
      [{ opened() {} }, {}, "opened"],
    ] as const
  ) {
    assertThrows(
      () => resolveSocketOptions(handlers, options as object),
      TypeError,
      message,
    );
  }
});
