import { assertEquals } from "@std/assert";
import { Page } from "../support/pages.ts";
import { ChangedFolder } from "./support.ts";

Deno.test("the guide shows the current output of bough diff", async () => {
  const page = (await Page.all())
    .find(({ path }) => path === "src/diff/README.md")!;
  const file = "api/v1/posts/route.ts";
  const after = page.files[file]!;
  const before = after.replace("max(80)", "max(100)");
  await using folder = await ChangedFolder.create(
    { [file]: before },
    { [file]: after },
  );
  const { stdout } = await folder.diff("api");
  const { code: shown } = page.snippets.find(({ code }) =>
    code.startsWith("$ bough diff api ")
  )!;
  const [, ...lines] = shown.trimEnd().split("\n");
  const printed = stdout.split("\n").map((line) =>
    line.replace(/(?<=^ +curl) .*/, " …").replace(/^( {6})\S.*/, "$1…")
  );
  const unique = printed.filter((line, index) => line !== printed[index - 1]);
  assertEquals(lines, unique);
});
