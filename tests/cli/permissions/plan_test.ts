import { assertEquals } from "@std/assert";
import { resolve } from "@std/path";
import { temporaryFolder } from "../../../src/cli/permissions/coverage.ts";
import { setOf } from "../../../src/cli/permissions/permission_set.ts";
import {
  type Need,
  type Plan,
  planOf,
} from "../../../src/cli/permissions/plan.ts";
import { jsonOf, textOf } from "../../../src/cli/permissions/report.ts";
import type { Permission } from "../../../src/core/start/permissions.ts";

function needOf(
  kind: Permission["kind"],
  value: string,
  by?: string,
): Need {
  return { kind, value, by, dependency: undefined, routes: [], isUse: true };
}

function plan(
  needs: readonly Need[],
  set: Parameters<typeof setOf>[0],
  isCheck = false,
): Promise<Plan> {
  return planOf(needs, {
    name: "serve",
    before: setOf(set, Deno.cwd()),
    declared: [],
    isComplete: true,
    isPruning: false,
    isCheck,
  });
}

/** The entries that a plan adds, as text. */
function addedOf({ added }: Plan): string[] {
  return added.map(({ kind, value }) => `${kind} ${value}`);
}

Deno.test({
  name:
    "a set lists no access that only --allow-all grants, and a check accepts its absence",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const needs = [
      needOf("read", "/proc/self/status", "lib/memory.ts:3"),
      needOf("env", "KEY"),
    ];
    const planned = await plan(needs, {});
    assertEquals(addedOf(planned), ["env KEY"]);
    const options = {
      uses: [],
      isCheck: false,
      isPruning: false,
      isVerbose: false,
    };
    assertEquals(
      textOf([planned], options),
      `new in "serve"
  env  KEY  unknown

no set grants these, since Deno requires --allow-all
  read  /proc/self/status  lib/memory.ts:3

Deno grants 1 of the 2 recorded accesses under "serve"`,
    );
    const checked = await plan(needs, { env: ["KEY"] }, true);
    assertEquals(addedOf(checked), []);
    assertEquals(checked.impossible.length, 1);
    assertEquals(checked.granted, 1);
    const run = { uses: [], questions: 2, isRecorded: true };
    assertEquals(jsonOf([checked], run).proven, false);
  },
});

Deno.test("JSON calls a set proven only if the run was complete", async () => {
  const planned = await plan([needOf("env", "KEY")], { env: ["KEY"] });
  const provenOf = (isRecorded: boolean) =>
    jsonOf([planned], { uses: [], questions: 1, isRecorded }).proven;
  assertEquals(provenOf(true), true);
  assertEquals(provenOf(false), false);
});

Deno.test("a check accepts the temporary folder of another machine, and writing adds that of this one", async () => {
  const needs = [needOf("write", temporaryFolder()), needOf("env", "KEY")];
  const there = { write: ["/var/folders/x/T"], env: ["KEY"] };
  const checked = await plan(needs, there, true);
  assertEquals([checked.granted, checked.refused], [2, []]);
  const written = await plan(needs, there);
  assertEquals(addedOf(written), [`write ${temporaryFolder()}`]);
});

Deno.test("a set with a list of hosts for imports also lists those that Deno grants without a list", async () => {
  const needs = ["jsr.io:443", "a.example:443"].map((host) =>
    needOf("import", host)
  );
  assertEquals(addedOf(await plan(needs.slice(0, 1), {})), []);
  assertEquals(addedOf(await plan(needs, {})), [
    "import a.example:443",
    "import jsr.io:443",
  ]);
});

Deno.test("no set lists a file in Deno's cache, so the access stays refused", async () => {
  const path = resolve(".cache/deno/npm/x.json");
  const planned = await plan([needOf("read", path)], {});
  assertEquals([addedOf(planned), planned.granted], [[], 0]);
  assertEquals(planned.refused.map(({ value }) => value), [path]);
});
