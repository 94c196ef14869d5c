/** The skill for agents: its form, and its code in a new project. */
import { assert, assertEquals } from "@std/assert";
import { templateFiles } from "../../src/cli/generate/template.ts";
import { createProject } from "../cli/permissions/project.ts";
import { boughIn } from "../cli/support.ts";
import { Page } from "../support/pages.ts";
import { DenoProcess } from "../support/process.ts";

const SKILL = (await Page.all())
  .find(({ path }) => path === "src/guide/SKILL.md")!;

Deno.test("the skill has the head of a skill, and at most 200 lines", () => {
  const [, name, description] =
    /^---\nname: (\S+)\ndescription: >-\n((?: {2}.+\n)+)---\n\n# /.exec(
      SKILL.text,
    )!;
  assertEquals(name, "bough");
  assert(description!.includes("@bough/framework"));
  assert(description!.length < 1024); // the limit of Claude Code
  assert(SKILL.text.trimEnd().split("\n").length <= 200);
});

Deno.test("the code of the skill passes its loop, with the main.ts of a new project", async () => {
  const { "main.ts": main, "env.ts": env } = templateFiles();
  await using folder = await createProject({
    ...SKILL.files,
    "main.ts": main!,
    "env.ts": env!,
  });
  assertEquals(await boughIn(folder.path, "check", "main.ts"), {
    code: 0,
    stdout:
      'Checked 2 routes, 5 handlers, 1 middleware file, 3 plugin routes in "main.ts": nothing found',
    stderr: "",
  });
  const test = new DenoProcess(
    folder.path,
    ["--allow-read", "--allow-env"],
    "notes_test.ts",
    { command: "test", config: `${folder.path}/deno.jsonc` },
  );
  const { code, output } = await test.outcome();
  assertEquals(code, 0, output);
  assert(/\n.*1[0-9] passed/.test(output), output);
});
