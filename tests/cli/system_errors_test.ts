/** Missing permissions and files of the system are not errors of the command. */
import { assertEquals, assertMatch } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { COMMAND, runProgram } from "./support.ts";

const ROUTE = {
  "api/a/route.ts": "export const GET = () => new Response();",
};
// A folder named "deno.json" cannot be read as a file.
const FOLDER = { ...ROUTE, "deno.json/keep": "" };

Deno.test("bough permissions prints no stack after an error of the system", async () => {
  for (
    const [permission, files, line] of [
      ["--allow-read", ROUTE, /^bough permissions: Requires .* access to/m],
      ["--allow-read", FOLDER, /^bough permissions: Is a directory/m],
    ] as const
  ) {
    await using folder = await TestFolder.create(files);
    const { code, stdout, stderr } = await runProgram(
      folder.path,
      ...["--no-prompt", permission, COMMAND],
      ...["permissions", "api", "--", "deno", "eval", "1"],
    );
    assertEquals([code, stdout], [2, ""]);
    assertMatch(stderr, line);
    assertEquals(stderr.match(/^ +at /m), null, stderr);
  }
});
