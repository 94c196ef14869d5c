/** Missing permissions and files of the system are not errors of the command. */
import { assertEquals, assertMatch } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { COMMAND, runProgram } from "./support.ts";

const FILES = {
  "api/a/route.ts": "export const GET = () => new Response();",
  "deno.json/keep": "",
};
const FROM = ["permissions", "api", "--", "deno", "eval", "1"];

/** The permissions of a command, the command, and the line that it prints. */
const CASES: readonly (readonly [string[], string[], RegExp])[] = [
  [["--allow-read"], FROM, /^bough permissions: Requires .* access to/m],
  [["-A"], FROM, /^bough permissions: Is a directory/m],
  [["--allow-read"], FROM, /^bough permissions: Is a dir/m],
];

for (const [permissions, args, line] of CASES) {
  Deno.test(`bough ${args.join(" ")} prints no stack with ${permissions.join(" ") || "no permission"}`, async () => {
    const files: Record<string, string> = { ...FILES };
    // A folder named "deno.json" cannot be read as a file.
    if (!/Is a dir/.test(line.source)) delete files["deno.json/keep"];
    await using folder = await TestFolder.create(files);
    const { code, stdout, stderr } = await runProgram(
      folder.path,
      ...["--no-prompt", ...permissions, COMMAND, ...args],
    );
    assertEquals([code, stdout], [2, ""]);
    assertMatch(stderr, line);
    assertEquals(stderr.match(/^ +at /m), null, stderr);
  });
}
