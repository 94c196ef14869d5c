import { quoted } from "../core/common/values.ts";
import { type Command, GOOD, print, UsageError } from "./command.ts";
import {
  outlineOf,
  type Section,
  sectionsOf,
  topicOf,
  withTopics,
} from "./docs/markdown.ts";
import { PAGES } from "./docs/pages.ts";
import { plain } from "./docs/terminal.ts";

const TOPICS = Object.keys(PAGES);
/** Pages that name everything, and explain little. */
const REFERENCE =
  /^(?:api|behaviour|changelog|error_messages|first_hour|from_\w+|how_do_i|skill)$/;
/** The number of further sections that a search lists. */
const OTHERS = 4;

export const docs: Command = {
  summary: "Prints a page of the documentation, or finds words in it",
  help: `
Usage: bough docs [topic]

  topic            a page, such as routing, a section, such as handlers#limits,
                   or words to search for, such as rate limit (default: lists
                   the pages)

A terminal gets plain text, a pipe Markdown. Links in the pages are topics.`,
  isPhrase: true,
  async run({ path: words }) {
    const columns = Deno.stdout.isTerminal()
      ? Deno.consoleSize().columns || 80
      : undefined;
    const show = (text: string) =>
      print(columns === undefined ? text : plain(text, columns));
    if (words === undefined) {
      const lines = await Promise.all(TOPICS.map(summaryOf));
      print(lines.map((line) => line.slice(0, columns)).join("\n"));
      return GOOD;
    }
    const name = topicOf(words);
    if (TOPICS.includes(name)) {
      show((await pageOf(name)).trimEnd());
      return GOOD;
    }
    const sections = (await Promise.all(
      TOPICS.map(async (topic) => sectionsOf(topic, await pageOf(topic))),
    )).flat();
    const exact = sections.find((section) => section.name === name);
    const [best, ...others] = exact
      ? [exact]
      : search(sections, phraseOf(words));
    if (best === undefined) {
      const closest = quoted(closestTopics(name));
      throw new UsageError(
        `no page contains "${words}"; the closest topics are ${closest}`,
      );
    }
    const more = others.slice(0, OTHERS).map((section) => section.name);
    const also = more.length > 0 ? `; see also ${more.join(", ")}` : "";
    show(`Section ${best.name}${also}\n\n${best.text}`);
    return GOOD;
  },
};

/** The Markdown of a page, with links that name topics. */
async function pageOf(topic: string): Promise<string> {
  return withTopics((await PAGES[topic]!()).default, topic, TOPICS);
}

async function summaryOf(topic: string): Promise<string> {
  return `${topic.padEnd(19)}  ${outlineOf(await pageOf(topic))}`;
}

/** The best section of each page that contains the words, the best first. */
function search(sections: readonly Section[], words: string): Section[] {
  const scores = new Map(
    sections.map((section) => [section, scoreOf(section, words)]),
  );
  const found = sections.filter((section) => scores.get(section)! > 0)
    .sort((a, b) => scores.get(b)! - scores.get(a)!);
  return Object.values(Object.groupBy(found, ({ topic }) => topic))
    .map((ofPage) => ofPage![0]!);
}

function scoreOf(
  { topic, heading, level, ownText }: Section,
  phrase: string,
): number {
  const words = wordsOf(ownText);
  const titles = wordsOf(heading);
  const scores = wordsOf(phrase).map((word) => {
    const isWord = (each: string) => each.startsWith(word);
    const count = words.filter(isWord).length / Math.sqrt(words.length);
    return count + (titles.some(isWord) ? level === 1 ? 1.5 : 1 : 0);
  });
  const found = scores.filter((score) => score > 0).length;
  const isStart = heading.toLowerCase().startsWith(phrase);
  return scores.reduce((total, score) => total + score, isStart ? 2 : 0) *
    (found / scores.length) ** 2 *
    (REFERENCE.test(topic) ? 0.3 : 1);
}

/** Words to search for, in lowercase, without words that most sections contain. */
function phraseOf(words: string): string {
  const common =
    /\b(?:an?|and|by|do|for|how|i|in|is|of|on|or|the|to|with)\b */g;
  return words.toLowerCase().replaceAll(common, "").trim() || words;
}

/** The words of a text in lowercase; `bodyLimit` also contains "body" and "limit". */
function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).flatMap((word) => {
    const parts = word.split(/(?<=[a-z])(?=[A-Z])/);
    return parts.length > 1 ? [word, ...parts] : parts;
  }).filter((word) => word !== "").map((word) => word.toLowerCase());
}

/** The three topics that share the most pairs of letters with a word. */
function closestTopics(word: string): string[] {
  const pairs = (text: string) =>
    new Set(Array.from(text, (_, index) => text.slice(index, index + 2)));
  const own = pairs(word);
  const likeness = (topic: string) => {
    const others = pairs(topic);
    return own.intersection(others).size / (own.size + others.size);
  };
  return TOPICS.toSorted((a, b) => likeness(b) - likeness(a)).slice(0, 3);
}
