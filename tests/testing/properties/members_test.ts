/** Members are compared deeply, except for changes that a server may make. */
import { assert, assertEquals } from "@std/assert";
import {
  differenceOf,
  mayBecome,
  memberFault,
} from "../../../src/testing/properties/members.ts";

Deno.test("values with the same meaning do not differ", () => {
  for (
    const [a, b] of [
      [1, 1],
      [7, "7"],
      [null, null],
      ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00.000+01:00"],
      ["2026-01-01", "2026-01-01T00:00:00.000Z"],
      [["b", "a", "a"], ["a", "b"]],
      // Another shape, such as the number of items.
      [[1, 2], 2],
      [{ x: 1 }, "x"],
      [[{ x: 1 }, { x: 2 }], [{ x: 2, y: 1 }, { x: 1, y: 2 }]],
      [[], []],
    ]
  ) {
    const [one, other] = [{ a }, { a: b }];
    assertEquals(differenceOf(one, other, one), undefined, JSON.stringify(a));
    assertEquals(differenceOf(one, {}, one), undefined);
    assertEquals(differenceOf(one, { a: {} }, {}), undefined);
  }
});

Deno.test("differences of values have their places", () => {
  for (
    const [a, b, path, values = [a, b]] of [
      [1, 2, []],
      [1, null, []],
      ["x", "y", []],
      [true, false, []],
      ["2026-01-01", "2026-01-02", []],
      [["a"], ["b"], [0], ["a", "b"]],
      [["a"], [], []],
      [[], ["a"], []],
      [{ x: { y: 1 } }, { x: { y: 2 } }, ["x", "y"], [1, 2]],
      [[{ x: 1 }, { x: 2 }], [{ x: 1 }, { x: 3 }], [1, "x"], [2, 3]],
    ] as const
  ) {
    const found = differenceOf({ a }, { a: b }, { a });
    assertEquals<unknown>(found, {
      path: ["a", ...path],
      values: [...values],
    });
  }
});

Deno.test("a server may trim, shorten, round and limit what it stores", () => {
  for (
    const [sent, read] of [
      [" Ada ", "Ada"],
      ["Ada@Mail.COM", "ada@mail.com"],
      ["straße", "STRASSE"],
      ["İ", "i"],
      ["e\u0301", "é"],
      ["abcdef", "abc"],
      ["a\0b🙂", "ab"],
      ["Emma", "emma-2"],
      ["<b>", ""],
      [0.125, 0.13],
      [900, 100],
      [-900, -100],
      [7, "7"],
      [true, true],
    ]
  ) assert(mayBecome(sent, read), `${sent} ${read}`);
  for (
    const [sent, read] of [
      ["new", "old"],
      ["", "old"],
      [0, 7],
      [7, 8],
      [2 ** 31, -(2 ** 31)],
      [0.5, 7],
      [true, false],
      [null, 1],
      [1, null],
      ["a", null],
    ]
  ) assert(!mayBecome(sent, read), `${sent} ${read}`);
});

Deno.test("a report names the place of a member", () => {
  const members = { items: [{ count: 1 }, { count: 2 }] };
  const wanted = { items: [{ count: 1 }, { count: 3 }] };
  const given = { members, envelope: ["b"] };
  const reason = "as sent";
  assertEquals(memberFault(given, wanted, { reason }), {
    expected: '"items[1].count": 3, as sent',
    seen: '"items[1].count": 2',
    assertion:
      'assertEquals((await response.json())["b"]["items"][1]["count"], 3);',
  });
  assertEquals(memberFault(given, { c: 1 }, { reason }), undefined);
});
