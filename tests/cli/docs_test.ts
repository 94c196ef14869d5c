import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { stripVTControlCharacters } from "node:util";
import { GROUPS, nameOf } from "../../tools/site/pages.ts";
import { WORDS } from "../instruments/browser/site_words.ts";
import { sectionsOf } from "../../src/cli/docs/markdown.ts";
import { Page } from "../support/pages.ts";
import { boughIn, boughOnColumns } from "./support.ts";

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

/** The sections that a search prints and lists, the printed one first. */
async function found(...words: readonly string[]): Promise<string[]> {
  const [line] = (await docs(...words)).split("\n", 1);
  const list = /^Section (.+)$/.exec(line!)?.[1];
  return list?.split(/; see also |, /) ?? words.slice();
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

Deno.test("bough docs prints a page as Markdown, with links that are topics", async () => {
  for (const [topic, { text }] of TOPICS) {
    const shown = await docs(topic);
    const withoutLinks = (page: string) =>
      page.replaceAll(/\]\([^)\s]+\)/g, "]()").trimEnd();
    assertEquals(withoutLinks(shown), withoutLinks(text), topic);
  }
  const page = await docs("errors");
  assertStringIncludes(
    page,
    "[How Bough behaves](behaviour#8-errors-and-responses)",
  );
  assertStringIncludes(page, "[a middleware](validation#why-400-and-not-422)");
  assertStringIncludes(page, "(https://www.rfc-editor.org/rfc/rfc9457)");
  assertStringIncludes(await docs("recipes"), "/examples/recipes/uploads/)");
  assertStringIncludes(await docs("hono"), "(https://hono.dev/");
  assertStringIncludes(page, "(errors#your-own-error-responses)");
  const more = await docs("testing");
  assertStringIncludes(more, "[`contractTests(app)`](contract_tests)");
  for (const name of ["Routing", "ROUTING", "./routing.md", "routing.md"]) {
    assertEquals(await docs(name), await docs("routing"), name);
  }
  assertEquals(await docs("first hour"), await docs("first_hour"));
  assertEquals(await docs("API"), await docs("api"));
  assertEquals(
    await docs("../testing/README.md"),
    await docs("Contract-Tests"),
  );
});

Deno.test("every link of a page is a topic, a section, or an existing file of the repository", async () => {
  const names = new Set(TOPICS.keys());
  const links: string[] = [];
  for (const topic of TOPICS.keys()) {
    const page = await docs(topic);
    for (const { name } of sectionsOf(topic, page)) names.add(name);
    links.push(...page.matchAll(/\]\(([^)\s]+)\)/g).map(([, link]) => link!));
  }
  const inPackage = links.filter((link) => !/^[a-z]+:/.test(link));
  assert(inPackage.length > 500, `only ${inPackage.length} links`);
  assertEquals(inPackage.filter((link) => !names.has(link)), []);
  const { name, version } = config;
  const source = `https://github.com/${name.slice(1)}/blob/v${version}/`;
  const files = links.filter((link) => link.startsWith(source));
  assert(files.length > 20, `only ${files.length} files`);
  for (const link of files) {
    const [path] = link.slice(source.length).split("#");
    await Deno.stat(new URL(`../../${path}`, import.meta.url));
  }
});

Deno.test("bough docs prints a section with the sections below it", async () => {
  const exact = await docs("testing#call-the-application");
  const [, ...lines] = (await docs("Call", "the", "application")).split("\n");
  assertEquals(exact.split("\n").slice(1), lines);
  const section = await docs("handlers#bodies");
  assertStringIncludes(section, "## Bodies\n");
  assertStringIncludes(section, "### Forms that other sites send\n");
  assert(!section.includes("## Files"));
  assertEquals((await found("7.8"))[0], "behaviour#78-streamed-bodies");
});

Deno.test("bough docs finds the section for the words of users", async () => {
  const ranks: Record<string, number> = {};
  for (const [words, name] of Object.entries(WORDS)) {
    const sections = await found(words);
    const topics = sections.map((section) => section.split("#")[0]);
    ranks[words] = 1 + topics.indexOf(topicOf(name));
  }
  const shown = JSON.stringify(ranks);
  assert(Object.values(ranks).every((rank) => rank > 0), shown);
  const first = Object.values(ranks).filter((rank) => rank === 1);
  assert(first.length >= 14, shown);
});

Deno.test("bough docs finds the section that answers a question", async () => {
  for (
    const [words, name] of [
      ["docker", "deployment#docker"],
      ["download", "handlers#files"],
      ["graceful", "deployment#signals-and-health-checks"],
      ["multiple query values", "handlers#query-parameters"],
      ["request id", "log#request-ids"],
    ] as const
  ) assertEquals((await found(words))[0], name, words);
});

Deno.test("bough docs prefers a heading, and lists other sections", async () => {
  const [best, ...others] = await found("cookie");
  assertEquals(best, "handlers#cookies");
  assert(others.includes("recipes#cookies-and-sessions"), others.join());
  assert(others.length <= 4, others.join());
});

Deno.test("bough docs names the closest topics if nothing matches", async () => {
  for (
    const [word, topics] of [
      ["rooting", '"routing"'],
      ["middlewear", '"middleware"'],
    ] as const
  ) {
    const { code, stdout, stderr } = await boughIn(".", "docs", word);
    assertEquals([code, stdout], [2, ""], word);
    const [line] = stderr.split("\n");
    const start =
      `bough docs: no page contains "${word}"; the closest topics are ${topics}, `;
    assertEquals(line!.slice(0, start.length), start);
    assertEquals(line!.match(/"/g)?.length, 8, line);
  }
});

/** The output of a successful call on a terminal, without the codes of styles. */
async function shown(columns: number, ...args: string[]): Promise<string> {
  const { code, stdout } = await boughOnColumns(columns, ".", "docs", ...args);
  assertEquals(code, 0);
  return stripVTControlCharacters(stdout);
}

Deno.test("bough docs prints plain text on a terminal", async () => {
  const page = await shown(80, "versions");
  assert(page.startsWith("Versions and support\n\nSupported versions\n"), page);
  assertStringIncludes(page, "\nDeno\n  supported: the latest version");
  assertStringIncludes(page, "\n  tested with: 2.9.6\n");
  assertStringIncludes(
    await shown(200, "versions"),
    "\nDeno                                                                 the latest version, and the latest LTS  2.9.6\n",
  );
  const section = await shown(80, "errors#send-an-error");
  assertStringIncludes(
    section,
    "\n    $ curl -i http://localhost:8000/api/seats/b\n",
  );
  assertStringIncludes(
    section,
    "onError (errors#your-own-error-responses) can",
  );
  const list = await shown(80);
  for (const line of list.split("\n")) assert(line.length <= 80, line);
  for (const topic of TOPICS.keys()) {
    const text = await shown(80, topic);
    assert(
      !/^ *```|^#+ |\]\([^)]/m.test(text.replaceAll(/^ {4}.*$/gm, "")),
      topic,
    );
  }
});
