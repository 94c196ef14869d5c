import { closest } from "../core/common/forms.ts";
import { type Command, GOOD, print, UsageError } from "./command.ts";
import {
  outlineOf,
  type Section,
  sectionsOf,
  topicOf,
} from "./docs/markdown.ts";
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
    const [first, ...others] = sections.some((each) => each.name === name)
      ? sections.filter((each) => each.name === name)
      : bestOf(sections, words.toLowerCase().split(/\s+/));
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

/** The sections with the most of the words; of these, those with the most in the heading. */
function bestOf(
  sections: readonly Section[],
  words: readonly string[],
): Section[] {
  const count = (text: string) =>
    words.filter((word) => text.toLowerCase().includes(word)).length;
  const ranks = sections.map(({ own, heading }) =>
    count(own) * (words.length + 1) + count(heading)
  );
  const best = Math.max(...ranks);
  return best === 0 ? [] : sections.filter((_, index) => ranks[index] === best);
}

async function pageOf(topic: string): Promise<string> {
  return (await PAGES[topic]!()).default;
}
