import { assertEquals } from "@std/assert";
import { basename, dirname } from "@std/path";
import { boughIn } from "../cli/support.ts";
import { TestFolder } from "../support/application.ts";
import { documentOf, exampleFolder } from "./support.ts";

for (const example of ["bookshop/main.ts", "realworld/main.ts"]) {
  Deno.test(`the document of examples/${example} has no change from itself`, async () => {
    const path = exampleFolder(example);
    await assertUnchanged(dirname(path), basename(path));
  });
}

Deno.test("the document of a new project has no change from itself", async () => {
  await using folder = await TestFolder.create({});
  await boughIn(folder.path, "new", "project");
  await assertUnchanged(`${folder.path}/project`, "main.ts");
});

async function assertUnchanged(folder: string, app: string): Promise<void> {
  const document = await documentOf(folder, app);
  await using file = await TestFolder.create({ "api.json": document });
  const against = `--against=${file.path}/api.json`;
  const args = ["diff", app, against, "--json"];
  const { code, stdout } = await boughIn(folder, ...args);
  assertEquals([code, JSON.parse(stdout)], [0, { changes: [], stale: [] }]);
}
