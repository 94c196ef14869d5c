import { assertEquals } from "@std/assert";
import {
  jsonOf,
  type Row,
  type Summary,
  textOf,
} from "../../../src/cli/permissions/findings.ts";

function row(kind: Row["kind"], value: Row["value"], isDeclared = true): Row {
  const line = "main.ts:1";
  const place = ` in ${line}`;
  return { kind, value, by: line, place, isNew: false, isDeclared };
}

const NOTHING: Summary = {
  sections: [{ rows: [] }],
  tests: [],
  uses: [],
  known: [],
  needed: [],
  unused: [],
  allowed: [],
  widened: [],
  proof: undefined,
  origins: {},
  isPruning: false,
};

Deno.test("the summary of permissions omits empty lists, except the list of needs", () => {
  assertEquals(textOf(NOTHING), "all needed permissions");
  const env = row("env", "KEY");
  assertEquals(
    textOf({
      ...NOTHING,
      sections: [{ rows: [env, row("net", true, false)] }],
      tests: [env],
      needed: [env],
      unused: [env],
      widened: [env],
    }),
    `shared
  env  KEY  main.ts:1  declared
  net  all  main.ts:1  not declared

all needed permissions
  env  KEY

widened, since values differ from run to run
  env  KEY

needed by the tests only, so left out of the set
  env  KEY  main.ts:1

no longer used; --prune removes these
  -  env  KEY`,
  );
  assertEquals(
    textOf({ ...NOTHING, unused: [env], isPruning: true }),
    "all needed permissions\n\nno longer used\n  -  env  KEY",
  );
});

Deno.test("the summary of permissions counts the proven ones, and names the origin of the others", () => {
  const [a, b, c] = ["A", "B", "C"].map((name) => row("env", name));
  const proofOf = (proven: Row[], unproven: Row[]) => {
    const ended = { code: 0 };
    const summary = {
      ...NOTHING,
      proof: { ended, proven, unproven },
      origins: { declared: [b!] },
    };
    return textOf(summary).split("\n\n").slice(1).join("\n\n");
  };
  assertEquals(
    proofOf([], [a!]),
    "the set is unproven: the command used none of its permissions",
  );
  assertEquals(proofOf([a!], []), "proven 1 of 1");
  assertEquals(
    proofOf([a!], [b!, c!]),
    `proven 1 of 3; the last run did not use these:
  env  B  declared
  env  C`,
  );
});

Deno.test("the JSON summary of permissions has the same lists", () => {
  const env = row("env", "KEY");
  const plain = { kind: "env", value: "KEY" };
  const used = { ...plain, by: "main.ts:1", declared: true };
  assertEquals<unknown>(
    jsonOf({
      ...NOTHING,
      sections: [{ rows: [env] }],
      tests: [env],
      needed: [env],
      widened: [env],
      proof: {
        ended: { code: 0 },
        proven: [env],
        unproven: [],
      },
    }),
    {
      files: [],
      shared: [used],
      needed: [plain],
      widened: [plain],
      tests: [{ ...plain, by: "main.ts:1" }],
      unused: [],
      proven: [plain],
      unproven: [],
    },
  );
});
