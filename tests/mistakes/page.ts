import { type Mistake, MISTAKES } from "./mistakes.ts";

export const PAGE: URL = new URL(
  "../../src/guide/error_messages.md",
  import.meta.url,
);

const HEADINGS: Readonly<Record<Mistake["when"], string>> = {
  "at startup": "## At startup",
  "by `check`": "## By `bough check`",
  "in the log": "## In the log",
};

/**
 * The sections, before `deno fmt` aligns the columns of their tables: compare them cell
 * by cell.
 *
 * @param messages The message of each mistake, in the same order.
 */
export function sections(messages: readonly string[]): string {
  return Object.entries(HEADINGS).map(([when, heading]) => {
    const rows = MISTAKES.flatMap((each, index) => {
      if (each.when !== when) return [];
      const text = messages[index]!.replaceAll("\n", " ")
        .replaceAll("|", "\\|");
      return [`| ${each.mistake} | \`${text}\` |`];
    });
    const head = [heading, "", "| cause | message |", "| --- | --- |"];
    return [...head, ...rows].join("\n");
  }).join("\n\n");
}

/** The headings of the sections in a page, and the cells of each table row. */
export function rowsOf(text: string): string[][] {
  return text.split("\n").filter((line) => /^(?:\| (?!-)|## )/.test(line))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
}
