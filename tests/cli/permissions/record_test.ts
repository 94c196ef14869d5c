import { assert, assertEquals } from "@std/assert";
import { basename, dirname, join, resolve } from "@std/path";
import { temporaryFolder } from "../../../src/cli/permissions/coverage.ts";
import { setOf } from "../../../src/cli/permissions/permission_set.ts";
import {
  permissionOf,
  record,
  type Recording,
} from "../../../src/cli/permissions/record.ts";
import type { PermissionKind } from "../../../src/core/types/permissions.ts";
import { TestFolder } from "../../support/application.ts";
import { ROOT } from "./support.ts";

Deno.test("permissionOf() resolves paths, and the folder for temporary files", () => {
  const { pid } = Deno;
  const of = (kind: PermissionKind, value: string | null) =>
    permissionOf({ kind, value, pid }).value;
  assertEquals(of("write", "<TMP>"), temporaryFolder());
  assertEquals(of("env", null), true);
  assertEquals(of("read", "data/a"), resolve("data/a"));
  assertEquals(of("read", join(ROOT, "data")), join(ROOT, "data"));
  assertEquals(of("run", "./tool"), resolve("tool"));
  assertEquals(of("run", "git"), "git");
  assertEquals(of("env", "a/b"), "a/b");
  // Deno has another path on another machine.
  const name = basename(Deno.execPath());
  const path = Deno.env.get("PATH")!;
  try {
    Deno.env.set("PATH", dirname(Deno.execPath()));
    assertEquals(of("run", Deno.execPath()), name);
    Deno.env.set("PATH", resolve("none"));
    assertEquals(of("run", Deno.execPath()), Deno.execPath());
  } finally {
    Deno.env.set("PATH", path);
  }
  assertEquals(of("net", "a.example:80"), "a.example:80");
});

/** Records a program, under a set that denies and ignores some accesses. */
async function recordingOf(
  program: string,
  limit?: number,
): Promise<Recording> {
  await using folder = await TestFolder.create({
    "a.js": program,
    "hidden.txt": "",
  });
  const set = setOf({
    read: { ignore: [join(folder.path, "hidden.txt")] },
    env: { deny: ["SECRET"], ignore: ["OTHER"] },
  }, folder.path);
  const path = JSON.stringify(join(folder.path, "a.js"));
  return await record(`deno run -A --no-config ${path} ${folder.path}`, {
    set,
    time: 60,
    ...(limit !== undefined && { limit }),
  });
}

Deno.test("record() counts every question, and refuses what the set denies", async () => {
  const { ended, accesses, questions } = await recordingOf(`
const refused = (run) => {
  try {
    run();
  } catch (error) {
    return error.name;
  }
};
for (let count = 0; count < 3; count++) Deno.env.get("KEY");
const folder = Deno.makeTempDirSync();
for (const name of ["a", "b"]) Deno.writeTextFileSync(folder + "/" + name, "");
Deno.removeSync(folder, { recursive: true });
const found = [
  refused(() => Deno.env.get("SECRET")),
  refused(() => Deno.env.get("OTHER")),
  refused(() => Deno.readTextFileSync(Deno.args[0] + "/hidden.txt")),
  refused(() => new Deno.Command("true").outputSync()),
];
if (found.join() !== "NotCapable,,NotCapable,") throw new Error(found.join());`);
  assertEquals(ended, { code: 0 });
  assertEquals(
    accesses.reduce((sum, { count }) => sum + count, 0),
    questions,
  );
  const of = (which: string) =>
    accesses.filter(({ subject }) => subject === which)
      .map(({ kind, value, count }) =>
        `${kind} ${String(value).split("/").at(-1)} ${count}`
      );
  const isTemporary = (use: string) => use.startsWith("write");
  assertEquals(of("use").filter((use) => !isTemporary(use)), [
    "env KEY 3",
    "run true 1",
  ]);
  const writes = of("use").filter(isTemporary).map((use) => use.split(" ")[2]);
  assertEquals(writes.reduce((sum, count) => sum + Number(count), 0), 4);
  assertEquals(of("denied"), [
    "env SECRET 1",
    "env OTHER 1",
    "read hidden.txt 1",
  ]);
  // A question about all programs precedes that about one program.
  assert(of("recording").includes("run true 1"), of("recording").join());
});

Deno.test("record() stops a command with too many different accesses", async () => {
  const { ended } = await recordingOf(
    `for (let id = 0;; id++) Deno.env.get("V" + id);`,
    100,
  );
  assertEquals(ended.stopped, "size");
});
