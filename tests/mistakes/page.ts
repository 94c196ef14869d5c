import { MISTAKES } from "./mistakes.ts";

/** The page with the table of mistakes. */
export const PAGE: URL = new URL(
  "../../src/guide/mistakes.md",
  import.meta.url,
);

/**
 * A line of the table. The spaces are those of `deno fmt` or not: compare by cells.
 *
 * @param shown What is shown of each mistake, in the same order.
 */
export function table(shown: readonly string[]): string {
  const rows = MISTAKES.map(({ mistake, told }, index) => {
    const text = shown[index]!.replaceAll("\n", " ").replaceAll("|", "\\|");
    return `| ${mistake} | ${told} | \`${text}\` |`;
  });
  return ["| mistake | told | what is shown |", "| --- | --- | --- |", ...rows]
    .join("\n");
}

/** The cells of each row of the tables in a text. */
export function rowsOf(text: string): string[][] {
  return text.split("\n").filter((line) => /^\| (?!-)/.test(line))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
}
