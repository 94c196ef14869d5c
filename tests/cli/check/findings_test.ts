import { assertEquals, assertStringIncludes } from "@std/assert";
import { findingsOf } from "../../../src/cli/check/findings.ts";
import { FolderApplication, TestFolder } from "../../support/application.ts";
import { FakePermissions } from "../../support/permissions.ts";
import { boughIn } from "../support.ts";

const GET = "export const GET = () => new Response();";
const OPEN =
  `export const schema = { get: { security: [{ key: [] }] } };\n${GET}`;
const ALLOWED = `// bough-allow unguarded: the proxy checks the key\n${OPEN}`;

/** The rules of the findings about a tree of files. */
async function rulesOf(
  files: Readonly<Record<string, string>>,
  ...options: readonly string[]
): Promise<string[]> {
  await using folder = await TestFolder.create(files);
  const { stdout } = await boughIn(folder.path, "check", "--json", ...options);
  return JSON.parse(stdout).map(({ rule }: { rule: string }) => rule);
}

Deno.test("a comment allows the warnings of a rule in its file", async () => {
  await using folder = await TestFolder.create({ "api/a/route.ts": ALLOWED });
  assertEquals(await boughIn(folder.path, "check"), {
    code: 0,
    stdout:
      'Checked 1 route, 1 handler, 0 middleware files in "api": nothing found except 1 allowed warning',
    stderr: "",
  });
  assertEquals(
    await rulesOf({ "api/a/route.ts": ALLOWED, "api/b/route.ts": OPEN }),
    ["unguarded"],
  );
  assertEquals(
    await rulesOf({
      "api/a/route.ts": ALLOWED.replace("unguarded", "unguarded-method"),
      "api/b/route.ts": `/* Write "${ALLOWED.replace("\n", '" */\n')}`,
      "api/c/route.ts": ALLOWED.replace(/:.*/, ""),
      "api/routes.ts": "// bough-allow route-name: a list for the menu\n",
    }),
    ["unguarded", "unguarded", "unguarded"],
  );
});

Deno.test("the option --allow allows the warnings of rules in all files, and of folders", async () => {
  const files = { "api/a/route.ts": OPEN, "api/:id/route.ts": GET };
  for (
    const options of [
      ["--allow=unguarded", "--allow", "folder-notation"],
      ["--allow=unguarded,folder-notation"],
    ]
  ) assertEquals(await rulesOf(files, ...options), []);
  assertEquals(await rulesOf(files, "--allow=folder-notation"), ["unguarded"]);
});

Deno.test("errors cannot be allowed", async () => {
  const code = "// bough-allow exports: later\nexport const get = () => {};";
  await using folder = await TestFolder.create({ "api/route.ts": code });
  const { stdout } = await boughIn(folder.path, "check", "--json");
  assertEquals(JSON.parse(stdout)[0].rule, "exports");
  for (const rule of ["exports", "constructor", "nope"]) {
    const outcome = await boughIn(folder.path, "check", `--allow=${rule}`);
    assertEquals([outcome.code, outcome.stdout], [2, ""]);
    assertStringIncludes(
      outcome.stderr,
      `--allow has "${rule}", which is not the rule of a warning; the rules are document, `,
    );
  }
});

Deno.test("the check reads no file for which Deno would prompt", async () => {
  await using application = await FolderApplication.create({
    "a/route.ts": ALLOWED,
  });
  const inspection = await application.app.inspect();
  assertEquals((await findingsOf(inspection)).warnings, []);
  using _permissions = new FakePermissions([]);
  const { warnings } = await findingsOf(inspection);
  assertEquals(warnings.map(({ rule }) => rule), ["unguarded"]);
});
