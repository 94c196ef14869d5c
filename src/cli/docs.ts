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
                   a link in a page; or any words, such as rate limits
                   (default: lists the pages)`,
  isPhrase: true,
  async run({ path: words }) {
    if (!words?.trim()) {
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
    const exact = sections.filter((section) => section.name === name);
    const [first, ...others] = exact.length > 0
      ? exact
      : bestOf(sections, words);
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

/** Words that say nothing of the topic of a question. */
const COMMON =
  /^(?:[a-z]|an|are|can|do|does|for|how|in|is|my|of|on|the|to|what|when|where|which|why|with)$/;

/** The sections with the most of the words; of these, those with the most in the heading. */
function bestOf(sections: readonly Section[], query: string): Section[] {
  const words = wordsOf(query).filter((word) => !COMMON.test(word));
  const count = (text: string) => {
    const beginnings = ` ${wordsOf(text).join(" ")}`;
    return words.filter((word) => beginnings.includes(` ${word}`)).length;
  };
  const ranks = sections.map(({ own, name, heading }) =>
    count(`${name} ${own}`) * (words.length + 1) + count(`${name} ${heading}`)
  );
  const best = Math.max(...ranks);
  return best === 0 ? [] : sections.filter((_, index) => ranks[index] === best);
}

/** The lowercase words and numbers of a text; `bodyLimit` is also "body" and "limit". */
function wordsOf(text: string): string[] {
  const parts = text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ");
  const words = `${text} ${parts}`.toLowerCase()
    .match(/[\p{L}\p{N}]+(?:\.\p{N}+)*/gu);
  return [...new Set(words)];
}

async function pageOf(topic: string): Promise<string> {
  return (await PAGES[topic]!()).default;
}
