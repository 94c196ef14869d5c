import { assertEquals } from "@std/assert";
import { resolve, toFileUrl } from "@std/path";
import {
  isComplete,
  scriptsOf,
  testsOf,
  withPermissions,
} from "../../../src/cli/permissions/shell_command.ts";

Deno.test("withPermissions() adds -A to Deno commands without permissions", () => {
  for (
    const [text, expected] of [
      ["deno test", "deno test -A"],
      ["deno run main.ts x", "deno run -A main.ts x"],
      [
        "a && deno serve main.ts; deno bench",
        "a && deno serve -A main.ts; deno bench -A",
      ],
      ["deno test && deno run -A x.ts", "deno test -A && deno run -A x.ts"],
      ["deno fmt", "deno fmt"],
      ["deno task test", "deno task test"],
    ] as const
  ) assertEquals(withPermissions(text), expected);
  for (
    const flag of [
      "-A",
      "-P",
      "-P=set",
      "--permission-set=set",
      "--allow-all",
      "--allow-env=A",
      "-R=data",
      "-RW",
    ]
  ) {
    assertEquals(
      withPermissions(`deno run ${flag} x.ts`),
      `deno run ${flag} x.ts`,
    );
  }
});

Deno.test("testsOf() returns modules with the name of a test, and those that a command tests", () => {
  const text =
    "deno run -A src/main.ts && deno test --no-check own.ts a.json a.dts";
  const url = (path: string) => toFileUrl(resolve(path)).href;
  assertEquals(
    testsOf(text, [
      url("a_test.ts"),
      url("test.js"),
      url("a.test.tsx"),
      url("__tests__/a.ts"),
      url("a_bench.ts"),
      url("contest.ts"),
      url("test/main.ts"),
    ]),
    [
      "own.ts",
      "a_test.ts",
      "test.js",
      "a.test.tsx",
      "__tests__/a.ts",
      "a_bench.ts",
    ]
      .map(url),
  );
});

Deno.test("a run that --time stops does not show which entries are unused", () => {
  assertEquals(isComplete({ code: 0 }), true);
  assertEquals(isComplete({ code: 1 }), false);
  assertEquals(isComplete({ code: 143, stopped: "time" }), false);
  // A server may end well.
  assertEquals(isComplete({ code: 0, stopped: "time" }), false);
});

Deno.test("scriptsOf() returns the modules that commands run, except tests", () => {
  assertEquals(
    scriptsOf([
      "deno run -P=dev --watch=api dev.ts & deno serve -A src/server.js",
      "deno run -A e2e_test.ts",
      "deno test -A own.ts; deno check main.ts",
    ]),
    ["dev.ts", "src/server.js"],
  );
});
