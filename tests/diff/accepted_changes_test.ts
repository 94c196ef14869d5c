import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { z } from "zod";
import { ChangedFolder, post } from "./support.ts";

const body = (a: z.ZodType) => z.object({ a, b: z.string() });
const BEFORE = { "route.ts": post(body(z.string().max(9))) };
const AFTER = { "route.ts": post(body(z.string().max(5))) };
const UNKNOWN = {
  "route.ts": post(body(z.string().max(5)).meta({ not: { const: 1 } })),
};

const entry = {
  rule: "request-narrowed",
  operation: "POST /api",
  place: "body#/a",
  message: '"maxLength" 9 became 5',
  reason: "no client sends long texts",
  date: "2030-01-02",
};

Deno.test("--accept writes the changes with a reason and a date, and accepts them", async () => {
  await using folder = await ChangedFolder.of(BEFORE, AFTER);
  const { code, stdout } = await folder.diff(
    "--accept=no client sends long texts",
    "--at=2030-01-02",
  );
  assertEquals(
    [code, stdout],
    [0, 'Accepted changes in "accepted_changes.json": 1'],
  );
  assertEquals(await entries(folder), [entry]);
  assertEquals(await folder.diff(), {
    code: 0,
    stdout: "No change breaks a client",
    stderr: "",
  });
});

Deno.test("--accept keeps earlier entries, and adds unknown changes", async () => {
  await using folder = await ChangedFolder.of(BEFORE, UNKNOWN);
  await folder.write("accepted.json", JSON.stringify([entry]));
  const { stdout } = await folder.diff("--accepted=accepted.json");
  assertStringIncludes(stdout, "0 breaking, 1 unknown");
  await folder.diff(
    ...["--accepted=accepted.json", "--accept=read by hand", "--at=2031-01-01"],
  );
  assertEquals(await entries(folder, "accepted.json"), [entry, {
    ...entry,
    place: "body#",
    message: 'the keyword "not" is not compared: nothing became {"const":1}',
    reason: "read by hand",
    date: "2031-01-01",
  }]);
  assertEquals((await folder.diff("--accepted=accepted.json")).code, 0);
});

Deno.test("bough diff reports an entry without a change, and --accept removes it", async () => {
  await using folder = await ChangedFolder.of(BEFORE, AFTER);
  const stale = { ...entry, place: "body#/gone" };
  await folder.write("accepted_changes.json", JSON.stringify([entry, stale]));
  assertEquals(await folder.diff(), {
    code: 0,
    stdout: "No change breaks a client",
    stderr:
      'Note: "accepted_changes.json" accepts POST /api body#/gone: "maxLength" 9 became 5, which no longer occurs; remove the entry',
  });
  const { stdout } = await folder.diff("--json");
  assertEquals(JSON.parse(stdout), { changes: [], stale: [stale] });
  await folder.diff("--accept=again");
  assertEquals(await entries(folder), [entry]);
});

Deno.test("an entry accepts only the change that it describes", async () => {
  await using folder = await ChangedFolder.of(BEFORE, {
    "route.ts": post(body(z.string().max(3))),
  });
  await folder.write("accepted_changes.json", JSON.stringify([entry]));
  const { code, stdout } = await folder.diff();
  assertEquals(code, 1);
  assertStringIncludes(stdout, '"maxLength" 9 became 3');
  for (const text of ["", "{}", "[1]", '[{ "rule": "request-narrowed" }]']) {
    await folder.write("accepted_changes.json", text);
    const { code, stderr } = await folder.diff();
    assertEquals(code, 2, text);
    assertStringIncludes(stderr, 'Cannot read "accepted_changes.json"', text);
  }
});

async function entries(
  folder: ChangedFolder,
  name = "accepted_changes.json",
): Promise<unknown> {
  return JSON.parse(await Deno.readTextFile(join(folder.path, name)));
}
