import { MISTAKES } from "./mistakes.ts";

export const PAGE: URL = new URL(
  "../../src/guide/error_messages.md",
  import.meta.url,
);

/**
 * The table, before `deno fmt` aligns its columns: compare it cell by cell.
 *
 * @param messages The message of each mistake, in the same order.
 */
export function table(messages: readonly string[]): string {
  const rows = MISTAKES.map(({ mistake, when }, index) => {
    const text = messages[index]!.replaceAll("\n", " ").replaceAll("|", "\\|");
    return `| ${mistake} | ${when} | \`${text}\` |`;
  });
  return ["| cause | when | message |", "| --- | --- | --- |", ...rows]
    .join("\n");
}

/** The cells of each table row in a page. */
export function rowsOf(text: string): string[][] {
  return text.split("\n").filter((line) => /^\| (?!-)/.test(line))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
}
