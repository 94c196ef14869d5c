import { assertEquals } from "@std/assert";
import { resolve } from "@std/path";
import type { Use } from "../../../src/cli/permissions/application.ts";
import { setOf } from "../../../src/cli/permissions/permission_set.ts";
import {
  type Need,
  type Plan,
  planOf,
} from "../../../src/cli/permissions/plan.ts";
import {
  jsonOf,
  sentencesOf,
  textOf,
} from "../../../src/cli/permissions/report.ts";
import type { Permission } from "../../../src/core/start/permissions.ts";

function needOf(
  kind: Permission["kind"],
  value: string,
  more: Partial<Need> = {},
): Need {
  const place = { by: undefined, dependency: undefined, routes: [] };
  return { kind, value, ...place, isUse: true, ...more };
}

const NEEDS = [
  needOf("read", resolve("api"), { by: "startup", isUse: false }),
  needOf("read", resolve("data/a"), { by: "lib/a.ts:1", routes: ["/api/a"] }),
  needOf("env", "KEY", { dependency: "npm:x", by: "lib/b.ts:2" }),
  needOf("env", "OTHER"),
];

async function plan(
  needs: readonly Need[],
  set: Parameters<typeof setOf>[0],
  more: Partial<Parameters<typeof planOf>[1]> = {},
): Promise<Plan> {
  return await planOf(needs, {
    name: "serve",
    before: setOf(set, Deno.cwd()),
    declared: [],
    isComplete: true,
    isPruning: false,
    isCheck: false,
    ...more,
  });
}

const OPTIONS = {
  uses: [],
  isCheck: false,
  isPruning: false,
  isVerbose: false,
};

Deno.test("a report lists new and unused entries, with places, and what Deno grants", async () => {
  const planned = await plan(NEEDS, { read: ["api"], env: ["OLD"] });
  assertEquals(
    textOf([planned], OPTIONS),
    `new in "serve"
  read  data/a  lib/a.ts:1                   /api/a
  env   KEY     npm:x, called in lib/b.ts:2
  env   OTHER   unknown

no longer used in "serve"; --prune removes these
  env  OLD

proven for the recorded accesses: Deno grants all 3 under "serve"`,
  );
  assertEquals(sentencesOf([planned]), [
    'the permission set "serve" lacks --allow-read=data/a: lib/a.ts:1 needs it (/api/a)',
    'the permission set "serve" lacks --allow-env=KEY: npm:x, called in lib/b.ts:2 needs it',
    'the permission set "serve" lacks --allow-env=OTHER: Deno does not report which line needs it',
  ]);
});

Deno.test("a check grants what the set has before it", async () => {
  const planned = await plan(NEEDS, { env: ["KEY"] }, { isCheck: true });
  assertEquals(
    textOf([planned], { ...OPTIONS, isCheck: true }),
    'Deno grants 1 of the 3 recorded accesses under "serve"',
  );
  const { proven, sets } = jsonOf([planned], {
    uses: [],
    questions: 0,
    isRecorded: true,
  });
  assertEquals(proven, false);
  assertEquals(Object.keys(sets as object), ["serve"]);
});

Deno.test("the place of an entry is one that needs exactly this entry", async () => {
  const { added } = await plan(
    [...NEEDS, { ...needOf("read", ""), value: true, by: "lib/link.ts:3" }],
    {},
  );
  assertEquals(added.find(({ kind }) => kind === "read")?.by, "lib/link.ts:3");
});

Deno.test("a report lists what Deno refuses despite the set", async () => {
  const needs = [
    needOf("env", "KEY"),
    needOf("env", "SECRET", { by: "lib/a.ts:1" }),
    needOf("run", "no-such-program"),
  ];
  const set = {
    env: { allow: ["KEY"], deny: ["SECRET"] },
    run: ["no-such-program"],
  };
  for (const isCheck of [false, true]) {
    assertEquals(
      textOf([await plan(needs, set, { isCheck })], { ...OPTIONS, isCheck }),
      `Deno refuses these under "serve"
  env  SECRET           lib/a.ts:1
  run  no-such-program  unknown

Deno grants 1 of the 3 recorded accesses under "serve"`,
    );
  }
});

Deno.test("pruning keeps entries that only Deno may know to be used", async () => {
  const set = { net: ["10.0.0.0/8", "old.example"], env: ["OLD"] };
  const needs = [needOf("net", "10.1.2.3:80")];
  const { allow, granted } = await plan(needs, set, { isPruning: true });
  assertEquals(allow.map(({ value }) => value), set.net);
  assertEquals(granted, 1);
});

Deno.test("pruning removes unused entries, unless the run was incomplete or used nothing", async () => {
  const set = { read: ["api"], env: ["KEY", "OLD", "OTHER"] };
  const left = async (
    needs: readonly Need[],
    more: Parameters<typeof plan>[2],
  ) => {
    const { allow } = await plan(needs, set, { isPruning: true, ...more });
    return allow.flatMap(({ kind, value }) => kind === "env" ? [value] : []);
  };
  assertEquals(await left(NEEDS, {}), ["KEY", "OTHER"]);
  assertEquals(await left(NEEDS, { isComplete: false }), set.env);
  assertEquals(await left(NEEDS.slice(0, 1), {}), set.env);
});

Deno.test("a report fits one screen, and --verbose shows everything", async () => {
  const names = Array.from({ length: 40 }, (_, index) => `KEY_${index}`);
  const planned = await plan(names.map((name) => needOf("env", name)), {});
  const lines = textOf([planned], OPTIONS).split("\n");
  assertEquals(lines.length, 16);
  assertEquals(lines[13], "  and 28 more; --verbose shows all");
  const use: Use = {
    ...needOf("env", "KEY_0"),
    subject: "use",
    count: 1,
    places: [],
    isNew: false,
    isTests: true,
  };
  const verbose = textOf([planned], {
    ...OPTIONS,
    uses: [use],
    isVerbose: true,
  });
  assertEquals(
    verbose.startsWith("recorded accesses\n  env  KEY_0  unknown    tests\n"),
    true,
  );
  assertEquals(verbose.split("\n").length, 46);
});

Deno.test("a set is unproven if the run uses none of it", async () => {
  assertEquals(
    textOf([await plan([], { env: ["OLD"] })], OPTIONS),
    'unproven: the command used no permission of "serve"',
  );
});
