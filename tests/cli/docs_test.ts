import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { GROUPS, nameOf } from "../../tools/site/pages.ts";
import {
  sectionsOf,
  topicOf as topicOfLink,
} from "../../src/cli/docs/markdown.ts";
import { Page } from "../support/pages.ts";
import { boughIn } from "./support.ts";

const PAGES = await Page.all();
const PATHS = Object.values(GROUPS).flat();

/** The topic of a page of the site: `routing` for `guide/routing`. */
function topicOf(name: string): string {
  return name === "testing"
    ? "contract_tests"
    : name.replace("guide/", "").toLowerCase();
}

/** The pages in the order of the site, by topic. */
const TOPICS = new Map(
  PATHS.map((path) =>
    [
      topicOf(nameOf(path)!),
      PAGES.find((page) => page.path === path)!,
    ] as const
  ),
);

/** The output of a successful call on a pipe. */
async function docs(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await boughIn(".", "docs", ...args);
  assertEquals([code, stderr], [0, ""], args.join(" "));
  return stdout;
}

Deno.test("bough docs lists the pages of the site, in its order, with their sections", async () => {
  const lines = (await docs()).split("\n");
  assertEquals(
    lines.map((line) => line.split(" ", 1)[0]),
    [...TOPICS.keys()],
  );
  assertEquals(
    lines.find((line) => line.startsWith("errors")),
    "errors               Send an error · Convert your own error classes · Unexpected errors · Declare an error format · Your own error responses",
  );
  // A page without sections has its title.
  assert(lines.includes("glossary             Glossary"));
});

Deno.test("bough docs prints a page as Markdown", async () => {
  for (const [topic, { text }] of TOPICS) {
    assertEquals(await docs(topic), text.trimEnd(), topic);
  }
  for (const name of ["Routing", "ROUTING", "./routing.md", "routing.md"]) {
    assertEquals(await docs(name), await docs("routing"), name);
  }
  assertEquals(await docs("first", "hour"), await docs("first_hour"));
  assertEquals(
    await docs("../testing/README.md"),
    await docs("Contract-Tests"),
  );
});

Deno.test("every link between pages names a page or a section", () => {
  const names = new Set(TOPICS.keys());
  const links = new Set<string>();
  for (const [topic, { text }] of TOPICS) {
    for (const { name } of sectionsOf(topic, text)) names.add(name);
    for (const [, link] of text.matchAll(/\]\((\.[^)\s]+)\)/g)) {
      if (/\.md(?:#|$)/.test(link!)) links.add(link!);
    }
  }
  assert(links.size > 100, `only ${links.size} links`);
  // The README of the package and those of examples are not among the pages.
  const isOutside = /^(?:\.\.\/)*(?:README\.md|(?:\.github|examples|tests)\/)/;
  const unknown = [...links].filter((link) => !names.has(topicOfLink(link)));
  assertEquals(unknown.filter((link) => !isOutside.test(link)), []);
});

Deno.test("bough docs prints a section with the sections below it, or lists sections", async () => {
  const section = await docs("handlers#bodies");
  assertStringIncludes(section, "## Bodies\n");
  assertStringIncludes(section, "### Forms that other sites send\n");
  assert(!section.includes("## Files"));
  assertEquals(await docs("../guide/handlers.md#bodies"), section);
  assertEquals(await docs("HANDLERS#LIMITS"), await docs("handlers#limits"));
  assertEquals(await docs(" "), await docs());
  // "classes" does not have the word, "streamSSE" has.
  assertEquals(await docs("sse"), "how_do_i#responses\nlive");
  const question = (await docs("What is a route file?")).split("\n");
  assertEquals(question[0], "behaviour#22-route-files-and-suspicious-names");
  // The words may be in another order, and some may be missing.
  assertEquals(
    await docs("application", "zebra", "call"),
    await docs("testing#call-the-application"),
  );
  assert((await docs("7.8")).startsWith("### 7.8 Streamed bodies\n"));
  assertEquals(
    await docs("call the", "application"),
    await docs("testing#call-the-application"),
  );
  // No heading has this word.
  const texts = (await docs("dist")).split("\n");
  assert(texts.includes("files#static-files-and-a-frontend"), texts.join());
  // The sections whose headings contain the word.
  const names = (await docs("cookie")).split("\n");
  assert(names.includes("handlers#cookies"), names.join());
  assert(names.includes("recipes#cookies-and-sessions"), names.join());
});

Deno.test("bough docs rejects an unknown name", async () => {
  for (
    const [word, rest] of [
      ["ruoting", '; did you mean "routing"?'],
      ["zebras", ""],
    ] as const
  ) {
    const { code, stdout, stderr } = await boughIn(".", "docs", word);
    const line = `bough docs: no page or section has "${word}"${rest}`;
    assertEquals([code, stdout, stderr.split("\n")[0]], [2, "", line]);
  }
});
