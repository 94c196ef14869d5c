import { assert, assertEquals } from "@std/assert";
import { walk } from "@std/fs/walk";
import { fromFileUrl } from "@std/path";
import { anchorOf, Page } from "../support/pages.ts";

const ROOT = new URL("../../", import.meta.url);
const PAGE = await Deno.readTextFile(new URL("src/guide/behaviour.md", ROOT));

/** The numbers of the sections and rules of the page: `7`, `7.1`, `7.2`. */
const NUMBERS = [...PAGE.matchAll(/^(?:## (\d+)\.|### (\d+\.\d+)) /gm)]
  .map(([, section, rule]) => section ?? rule!);

/** Numbers after the name of a page: `7.2`, `7.3, 7.4` or `1.3 and 1.6`. */
const NUMBER_LIST = String.raw`((?:(?:, | and |, and )?\d+(?:\.\d+)*)+)`;
const BEHAVIOUR = new RegExp(`\\bbehaviour,? ${NUMBER_LIST}`, "gi");

interface Citation {
  readonly file: string;
  readonly number: string;
}

/** The citations in the files of the repository, one for each number. */
async function citations(): Promise<Citation[]> {
  const found: Citation[] = [];
  for (const folder of [".github", "src", "tests", "examples", "tools"]) {
    const path = fromFileUrl(new URL(folder, ROOT));
    const options = { exts: ["ts", "tsx", "js", "md"], includeDirs: false };
    for await (const { path: file } of walk(path, options)) {
      const text = unwrapped(await Deno.readTextFile(file));
      for (const [, list] of text.matchAll(BEHAVIOUR)) {
        for (const [number] of list!.matchAll(/\d+(?:\.\d+)*/g)) {
          found.push({ file, number });
        }
      }
    }
  }
  return found;
}

/** Joins lines, since the number of a citation may be on the next line. */
function unwrapped(text: string): string {
  return text.replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, " ");
}

Deno.test("the numbers of the rules in src/guide/behaviour.md increase", () => {
  assert(NUMBERS.length > 50, `only ${NUMBERS.length} rules`);
  const values = NUMBERS.map((number) => {
    const [section, rule = "0"] = number.split(".");
    return Number(section) * 100 + Number(rule);
  });
  // The number of a rule that went stays empty, so that no citation changes its meaning.
  assertEquals(values, values.toSorted((a, b) => a - b));
  assertEquals(new Set(values).size, values.length);
});

Deno.test("every citation names a rule of src/guide/behaviour.md", async () => {
  const cited = await citations();
  assert(cited.length > 100, `only ${cited.length} citations`);
  assertEquals(
    cited.filter(({ number }) => !NUMBERS.includes(number)),
    [],
  );
});

Deno.test("every link to a rule has the number of this rule", async () => {
  const anchors = new Map(
    [...PAGE.matchAll(/^### (\d+\.\d+) .+$/gm)].map(([heading, number]) =>
      [anchorOf(heading.slice("### ".length)), number] as const
    ),
  );
  const links: string[] = [];
  const wrong: string[] = [];
  for (const { path, text } of await Page.all()) {
    for (
      const [link, number, anchor] of unwrapped(text).matchAll(
        /\[rule (\d+\.\d+)\]\([^)#]*#([^)]+)\)/gi,
      )
    ) {
      links.push(link);
      if (anchors.get(anchor!) !== number) wrong.push(`${path}: ${link}`);
    }
  }
  assert(links.length > 10, `only ${links.length} links`);
  assertEquals(wrong, []);
});
