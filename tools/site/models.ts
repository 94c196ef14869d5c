/** The site for language models: its pages as Markdown, and https://llmstxt.org. */
import { outlineOf } from "../../src/cli/docs/markdown.ts";
import {
  FRONT_PAGE,
  GROUPS,
  linkOnSite,
  nameOf,
  textOf,
  titleOf,
} from "./pages.ts";

/**
 * The files by name: `guide/routing.md` and the other pages, `llms.txt`, which lists
 * them, and `llms-full.txt`, which contains them.
 *
 * @param base The path of the site, such as `/bough/`.
 */
export function modelFiles(base: string): Record<string, string> {
  const pages: Record<string, string> = {};
  const lists = Object.entries(GROUPS).map(([group, paths]) => {
    const items = paths.map((path) => {
      const name = `${nameOf(path)}.md`;
      const text = textOf(path);
      pages[name] = text.replaceAll(
        /(?<=\]\()[.#][^)\s]*/g,
        (link) => linkOnSite(path, link).replace(/^\/([^#]+)/, `${base}$1.md`),
      );
      return `- [${titleOf(text)}](${base}${name}): ${outlineOf(text)}\n`;
    });
    return `## ${group}\n\n${items.join("")}`;
  });
  const [, title, purpose] = /^# (.+)\n\n([^]+?)\n\n/m.exec(
    textOf(FRONT_PAGE),
  )!;
  const head = `# Bough\n\n> ${title}. ${purpose!.replaceAll("\n", " ")}\n`;
  const full =
    `[llms-full.txt](${base}llms-full.txt) contains all of these pages.\n`;
  return {
    ...pages,
    "llms.txt": [head, full, ...lists].join("\n"),
    "llms-full.txt": [head, ...Object.values(pages)].join("\n"),
  };
}
