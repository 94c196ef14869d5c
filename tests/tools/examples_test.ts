import { assertEquals, assertStringIncludes } from "@std/assert";
import { writeExamples } from "../../tools/examples.ts";
import { runGroups } from "../../tools/test_groups.ts";

const MODULE = `/**
 * Adds.
 *
 * @example Usage
 * \`\`\`ts
 * console.log(\`
 *   indented\`);
 * \`\`\`
 */
export class Sum {
  /**
   * \`\`\`ts
   * import { setTimeout } from "node:timers/promises";
   * await setTimeout(0);
   * throw new Error("wrong");
   * \`\`\`
   */
  add() {}
}
`;
const PAGE = `# Page

\`\`\`ts
Deno.test("a test of the page", () => {});
\`\`\`

\`\`\`ts ignore
throw new Error("ignored");
\`\`\`

- A list:

  \`\`\`js
  const a = 1; throw new Error(\`at \${a}\`);
  \`\`\`
`;

Deno.test("each example is a test, with the lines of its file", async () => {
  const folder = await Deno.makeTempDir();
  const paths = [`${folder}/sum.ts`, `${folder}/page.md`, `${folder}/empty.md`];
  for (const [index, text] of [MODULE, PAGE, "```ts ignore\n```\n"].entries()) {
    await Deno.writeTextFile(paths[index]!, text);
  }
  const files = await writeExamples(paths, folder);
  const [run] = await runGroups([{ files, args: [] }], {
    args: ["test", "-A", "--no-check", "--no-config"],
    atOnce: 1,
    folder,
  });
  await Deno.remove(folder, { recursive: true });
  const { passed, failed, errors, output } = run!;
  assertEquals([passed, failed], [2, 2]);
  for (
    const text of [
      `${paths[0]}:5 ...`,
      "\n  indented\n",
      "a test of the page ... ok",
    ]
  ) assertStringIncludes(output, text);
  for (
    const text of ["sum.ts:12 =>", "sum.ts_12.ts:15:7", "page.md:13 =>", "at 1"]
  ) assertStringIncludes(errors, text);
});
