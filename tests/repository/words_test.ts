/**
 * The sentences of pages, comments and messages are plain English, as far as a
 * program can judge. `tests/repository/guides_test.ts` finds links to missing sections.
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { walk } from "@std/fs/walk";
import { fromFileUrl, relative } from "@std/path";
import { anchorOf, Page } from "../support/pages.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const MAX_WORDS = 30;

const WORDS: Readonly<Record<string, string>> = {
  "told|tell|tells|telling": "report, print, declare",
  "mend|mends|mended": "fix",
  "misfit|misfits": "mismatch",
  "slip|slips": "misnamed export",
  "anew|for ever|alike": "again, forever, both",
  "beside": "next to",
  "whoever|somebody|everybody|nobody": "the client, the user, no code",
  "be it": "whether",
  "also where": "even if",
  "belong into|belongs into": "belongs in",
  "next to nothing": "little",
  "passed over": "skipped",
  "stray": "unknown",
  "honest|hostile": "legitimate, malicious",
  "near miss|near misses": "suspicious name",
  "rival|rivals|loser|losers": "preceding route, other candidate",
  "surroundings|farewell": "context, close",
  "confine|confines|confined": "restrict, sandbox",
  "demands|demanded": "require",
  "let in|lets in": "allow",
  "keep out|keeps out": "exclude, reject",
  "made smaller|put back": "shrunk, reset",
  "spell|spells": "format, write",
  "stop the start|stops the start": "prevent startup",
};

/** Patterns of bad sentences, with advice. */
const PATTERNS: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [
    /(?<!there )\b(?:is|are|was|were|been|be) no (?!longer\b|more\b)\w/i,
    `not "is no X": write "is not a X"`,
  ],
  [
    /\b(?:is|are|was|were|be|becomes?) an? [45]\d\d\b/,
    `not "is a 404": write that Bough responds with 404`,
  ],
  [/[,:] say\b/, `not "say": write such as, for example`],
  ...Object.entries(WORDS).map(([words, better]) =>
    [
      new RegExp(String.raw`(?<!\w)(?:${words})(?!\w)`, "i"),
      `not "${words}": write ${better}`,
    ] as const
  ),
];

const NEGATIVES =
  /\b(?:no|not|none|never|nothing|neither|cannot|unless)\b|n't\b/gi;

/** Wrong beginnings of doc comments. */
const OPENING = /^(?:What|Those|Something|The same|Where|All of)\b/;

interface Passage {
  readonly path: string;
  readonly line: number;
  text: string;
  readonly isDoc: boolean;
}

type Sentence = Pick<Passage, "line" | "text">;

/** Separates sentences: blank lines, headings, items, cells, tags, columns and punctuation. */
const SEPARATOR =
  /(\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) |\s*--\w|#)|\||(?<!\S)@(?:(?:typeP|p)aram \S+|\w+)|(?<=\S) {2,}(?=\S)|(?<=[.!?:]["')*]*)\s+(?=[A-Z"`(*])|(?<=\.)\s+)/;

/** The sentences of a passage. Code counts as one word. */
function sentencesOf({ line, text }: Passage): Sentence[] {
  const breaks = (text: string) => text.replaceAll(/[^\n]/g, "");
  const prose = text
    .replaceAll(/^( *)```[^]*?^\1```/gm, breaks)
    .replaceAll(/(`+)[^`][^]*?\1/g, (code) => `CODE${breaks(code)}`)
    .replaceAll(/\{@link\w* ([^}]*)\}/g, "$1")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  const sentences: Sentence[] = [];
  for (const part of prose.split(SEPARATOR)) {
    const start = line + breaks(/^\s*/.exec(part)![0]).length;
    const sentence = part.replaceAll(/[*_#]/g, "").replaceAll(/\s+/g, " ");
    if (/\w/.test(part)) sentences.push({ line: start, text: sentence.trim() });
    line += breaks(part).length;
  }
  return sentences;
}

function faultsOf(sentence: string): string[] {
  const faults = PATTERNS.filter(([pattern]) => pattern.test(sentence))
    .map(([, advice]) => advice);
  const words = sentence.match(/[\w'’/.-]*\w/g)?.length ?? 0;
  if (words > MAX_WORDS) faults.push(`${words} words: at most ${MAX_WORDS}`);
  const negatives = sentence.split(/[,;:]|\b(?:and|or)\b/)
    .map((clause) => clause.match(NEGATIVES)?.length ?? 0);
  if (Math.max(...negatives) > 1) faults.push("two negatives in one clause");
  if (negatives.reduce((sum, count) => sum + count) > 2) {
    faults.push("three negatives in one sentence");
  }
  return faults;
}

/** The rules that a passage breaks, as `file:line: rule: sentence`. */
function faultsIn(passage: Passage): string[] {
  return sentencesOf(passage).flatMap(({ line, text }, index) => {
    const faults = faultsOf(text);
    if (passage.isDoc && index === 0 && OPENING.test(text)) {
      faults.push("begin a doc comment with the noun, or the verb");
    }
    return faults.map((fault) => `${passage.path}:${line}: ${fault}: ${text}`);
  });
}

/** A call whose first argument is the name of a test or of a step. */
const TEST = /^(?:Deno\.test|(?:t|step|context)\.step)\b/;

/** The comments of a source file, with its messages or the names of its tests. */
function passagesOf(
  path: string,
  source: string,
  isTest = false,
): Passage[] {
  const passages: Passage[] = [];
  const add = (start: number, text: string, isDoc = false) => {
    const line = source.slice(0, start).split("\n").length;
    passages.push({ path, line, text, isDoc });
  };
  const addMessage = ({ range }: Deno.lint.Node, text: unknown) => {
    // Skips HTML, SQL, and several lines with code.
    const isFile =
      /^\s*(?:<|(?:CREATE|DELETE|INSERT|SELECT|UPDATE) )|\n[^]*(?:import |export |=> )/;
    if (typeof text !== "string" || isFile.test(text)) return;
    if (/[a-z]{2} [a-z]/i.test(text)) add(range[0], text);
  };
  const addComments = (comments: Deno.lint.RuleContext["sourceCode"]) => {
    let end = -1;
    for (const { type, value, range } of comments.getAllComments()) {
      if (/^\s*deno-|^\//.test(value)) continue;
      const isNextLine = /^\n *$/.test(source.slice(end, range[0]));
      if (type === "Block") {
        add(range[0], value.replaceAll(/^[ \t]*\*+ ?/gm, ""), value[0] === "*");
      } else if (isNextLine) passages.at(-1)!.text += `\n${value}`;
      else add(range[0], value);
      end = type === "Line" ? range[1] : -1;
    }
  };
  const addText = (node: Deno.lint.Node) => {
    if (node.type === "Literal") addMessage(node, node.value);
    if (node.type !== "TemplateLiteral") return;
    addMessage(node, node.quasis.map(({ cooked }) => cooked).join("X"));
  };
  const words: Deno.lint.Rule = {
    create: ({ sourceCode }) => ({
      Program: () => addComments(sourceCode),
      ...(isTest
        ? {
          CallExpression: (node) => {
            const [name] = node.arguments;
            const isName = TEST.test(sourceCode.getText(node.callee));
            if (isName && name !== undefined) addText(name);
          },
        }
        : { Literal: addText, TemplateLiteral: addText }),
    }),
  };
  Deno.lint.runPlugin({ name: "words", rules: { words } }, path, source);
  return passages;
}

/** The sections that are missing in the list at the beginning of a page. */
function unlistedIn(page: string): string[] {
  const [intro = "", ...sections] = page.replaceAll(/^```[^]*?^```/gm, "")
    .split(/^## /m);
  const listed = [...intro.matchAll(/\]\(#([^)]+)\)/g)].map(([, to]) => to!);
  if (listed.length < 3) return [];
  return sections.map((text) => text.slice(0, text.indexOf("\n")))
    .filter((heading) => !listed.includes(anchorOf(heading)));
}

const PAGES = (await Page.all()).filter(({ path }) =>
  /^(?:README\.md$|src\/|\.github\/)/.test(path)
);

async function passagesIn(folder: string, isTest = false): Promise<Passage[]> {
  const passages: Passage[] = [];
  const options = { exts: ["ts"], includeDirs: false };
  for await (const { path } of walk(`${ROOT}${folder}`, options)) {
    const source = await Deno.readTextFile(path);
    passages.push(...passagesOf(relative(ROOT, path), source, isTest));
  }
  return passages;
}

Deno.test("test names, and comments in tests and examples, follow the rules", async () => {
  const passages = [
    ...await passagesIn("tests", true),
    ...await passagesIn("examples", true),
  ];
  assert(passages.length > 3000, `only ${passages.length} passages`);
  const faults = passages.flatMap(faultsIn);
  assert(faults.length === 0, `${faults.length} faults:\n${faults.join("\n")}`);
});

Deno.test("pages, comments and messages follow the rules of plain English", async () => {
  const passages = [
    ...passagesOf("mod.ts", await Deno.readTextFile(`${ROOT}mod.ts`)),
    ...await passagesIn("src"),
  ];
  assert(passages.length > 2000, `only ${passages.length} passages`);
  for (const { path, text } of PAGES) {
    passages.push({ path, text, line: 1, isDoc: false });
  }
  const faults = passages.flatMap(faultsIn);
  assert(faults.length === 0, `${faults.length} faults:\n${faults.join("\n")}`);
});

Deno.test("a list of the sections of a page is complete", () => {
  const unlisted = PAGES.flatMap(({ path, text }) =>
    unlistedIn(text).map((heading) => `${path}: ${heading}`)
  );
  assertEquals(unlisted, []);
});

Deno.test("the checks find missing sections and bad sentences", () => {
  const page = "[a](#a) · [b](#b) · [c](#c-d)\n\n## A\n\n## B\n\n## C d\n";
  assertEquals(unlistedIn(page), []);
  assertEquals(unlistedIn(`${page}\n## E\n`), ["E"]);
  const bad: [sentence: string, rule: string][] = [
    ["A GET is no POST.", `"is no X"`],
    ["Such a request is a 404.", `"is a 404"`],
    [`It is ${"very, ".repeat(29)}long.`, "32 words"],
    ["Send JSON, say a number.", `"say"`],
    ["It doesn't run unless\nit has to.", "two negatives"],
    ["No file, not one, cannot be read.", "three negatives"],
  ];
  for (const words of Object.keys(WORDS)) {
    for (const word of words.split("|")) bad.push([`It ${word} x.`, words]);
  }
  for (const [sentence, rule] of bad) {
    const text = `Bough is good.\nIt is, in \`tell\`. ${sentence}`;
    const faults = faultsIn({ path: "a.md", line: 4, text, isDoc: true });
    assertEquals(faults.length, 1, sentence);
    assertStringIncludes(faults[0]!, "a.md:5: ");
    assertStringIncludes(faults[0]!, rule);
  }
});
