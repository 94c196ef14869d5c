import { assertEquals, assertThrows } from "@std/assert";
import {
  type ContractTestOptions,
  resolveTestOptions,
} from "../../src/testing/options.ts";

Deno.test("the options of contract tests have defaults", () => {
  const { seed, ...options } = resolveTestOptions({});
  assertEquals(options, {
    as: {},
    skip: [],
    reset: undefined,
    generators: {},
    runs: 100,
    timeLimit: Infinity,
    url: undefined,
    unsafe: false,
    strict: false,
    responseTimeout: 5_000,
  });
  assertEquals(Number.isSafeInteger(seed) && seed >= 0, true);
  // With the same seed, each run would try the same values.
  const seeds = Array.from({ length: 5 }, () => resolveTestOptions({}).seed);
  assertEquals(new Set(seeds).size > 1, true);
  const given = {
    as: { "X-A": "b" },
    skip: ["/a"],
    reset: () => {},
    generators: { "GET /a": { query: [{}] } },
    seed: -1,
    runs: 1,
    timeLimit: 0.5,
    url: "https://a.example/",
    unsafe: true,
    strict: true,
    responseTimeout: 1,
  };
  assertEquals(resolveTestOptions(given), {
    ...given,
    as: { as: { "x-a": "b" } },
    url: "https://a.example",
  });
});

/** Wrong values of an option, and its rule. */
const VALUES: Readonly<Record<string, readonly [string, unknown[]]>> = {
  runs: ["a whole number above 0", [0, -1, 0.5, NaN, "1"]],
  responseTimeout: ["a whole number above 0", [0, -1, 0.5, NaN, "1"]],
  seed: [
    'a 32-bit integer, or the seed of a report, such as "2:7"',
    [0.5, 2 ** 31, -(2 ** 31), NaN, "x", "2:", "2:2147483648"],
  ],
  timeLimit: ["a number of milliseconds above 0", [0, -1, NaN, "1"]],
  url: [
    'the origin of a server, such as "http://localhost:8000"',
    [
      ...["", "localhost:8000", "ftp://a", "xhttp://a", "http://a/b"],
      ...["http://a/?b", "http://b@a"],
    ],
  ],
};

const HEADERS =
  "must be headers, such as { name: value }; the name or the value of";

/** Other wrong options, with the error. */
const OPTIONS: readonly (readonly [object, string])[] = [
  [
    { runs: 1, run: 1 },
    'option "run" is unknown; did you mean "runs"? The options are "as", ',
  ],
  [{ time: 60 }, 'option "time" is unknown; did you mean "timeLimit"?'],
  [{ as: { a: "b\nc" } }, `as ${HEADERS} "a" is invalid`],
  [{ as: { "": "b" } }, `as ${HEADERS} "" is invalid`],
  [
    { as: { alice: { a: "b" }, bob: { a: 1 } } },
    `as.bob ${HEADERS} "a" is invalid`,
  ],
  [
    { as: { alice: () => ({}), bob: "Bearer b" } },
    `as ${HEADERS} "alice" is invalid`,
  ],
  [{ as: { alice: 1 } }, "as.alice must be headers, such as { name"],
];

Deno.test("wrong options of contract tests are rejected", () => {
  for (
    const [options, message] of [
      ...OPTIONS,
      ...Object.entries(VALUES).flatMap(([name, [rule, values]]) =>
        values.map((value) => {
          const shown = typeof value === "string" ? `"${value}"` : `${value}`;
          return [
            { [name]: value },
            `${name} must be ${rule}, got ${shown}`,
          ] as const;
        })
      ),
    ]
  ) {
    assertThrows(
      () => resolveTestOptions(options as ContractTestOptions),
      TypeError,
      `Cannot test the application: ${message}`,
    );
  }
  for (const seed of [2 ** 31 - 1, 1 - 2 ** 31]) {
    assertEquals(resolveTestOptions({ seed }).seed, seed);
    assertEquals(resolveTestOptions({ seed: `2:${seed}` }).seed, seed);
  }
});
