import { closest } from "../core/common/forms.ts";
import { type Command, GOOD, print, UsageError } from "./command.ts";
import { outlineOf, sectionsOf, topicOf } from "./docs/markdown.ts";
import { PAGES } from "./docs/pages.ts";

const TOPICS = Object.keys(PAGES);

export const docs: Command = {
  summary: "Prints a page of the documentation, or a section of it",
  help: `
Usage: bough docs [topic]

  topic            a page, such as routing; a section, such as handlers#limits;
                   a link in a page; or words of a heading or text, such as
                   rate limits (default: lists the pages)`,
  isPhrase: true,
  async run({ path: words }) {
    if (words === undefined) {
      for (const topic of TOPICS) {
        print(`${topic.padEnd(19)}  ${outlineOf(await pageOf(topic))}`);
      }
      return GOOD;
    }
    const name = topicOf(words);
    if (TOPICS.includes(name)) {
      print((await pageOf(name)).trimEnd());
      return GOOD;
    }
    const sections = (await Promise.all(
      TOPICS.map(async (topic) => sectionsOf(topic, await pageOf(topic))),
    )).flat();
    const phrase = words.toLowerCase();
    const holding = (part: "heading" | "own") =>
      sections.filter((each) => each[part].toLowerCase().includes(phrase));
    const exact = sections.filter((section) => section.name === name);
    const [first, ...others] = [exact, holding("heading"), holding("own")]
      .find((found) => found.length > 0) ?? [];
    if (first === undefined) {
      const near = closest(name, TOPICS);
      const advice = near === undefined ? "" : `; did you mean "${near}"?`;
      throw new UsageError(`no page or section has "${words}"${advice}`);
    }
    print(
      others.length === 0
        ? first.text
        : [first, ...others].map((section) => section.name).join("\n"),
    );
    return GOOD;
  },
};

async function pageOf(topic: string): Promise<string> {
  return (await PAGES[topic]!()).default;
}
