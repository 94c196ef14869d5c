import { stripVTControlCharacters } from "node:util";
import { aligned } from "../../shared/aligned.ts";
import { colored } from "../command.ts";

/** Formats Markdown for a terminal with a number of columns. */
export function plain(markdown: string, columns: number): string {
  return markdown
    .split(/^( *```[^]*?^ *```$|(?:^\|.*\n)+)/m)
    .map((part) => {
      if (/^ *```/.test(part)) {
        const code = part.replaceAll(/^ *```.*\n?/gm, "").trimEnd();
        return code.replaceAll(/^(?=.)/gm, "    ");
      }
      return part.startsWith("|") ? table(part, columns) : styled(part);
    })
    .join("");
}

/** Formats headings, links and code in text. */
function styled(text: string): string {
  return text
    .replaceAll(/\[((?:`[^`]+`|[^`\]])+)\]\(([^)\s]+)\)/g, "$1 ($2)")
    .replaceAll(/`([^`]+)`/g, (_, code) => colored("cyan", code))
    .replaceAll(/\*\*([^*]+)\*\*/g, (_, words) => colored("bold", words))
    .replaceAll(/^#+ (.+)$/gm, (_, heading) => colored("bold", heading));
}

/**
 * Aligns a table. If it is too wide, each row becomes a list of its cells, with their
 * titles.
 */
function table(text: string, columns: number): string {
  const [titles = [], , ...rows] = text.trimEnd().split("\n")
    .map((line) =>
      line.split(/(?<!\\)\|/).slice(1, -1)
        .map((cell) => styled(cell.trim().replaceAll("\\|", "|")))
    );
  const lines = aligned([titles, ...rows], width);
  const fits = lines.every((line) => width(line) <= columns);
  const shown = fits ? lines : rows.flatMap(([first, ...cells]) => [
    colored("bold", first!),
    ...cells.flatMap((cell, column) =>
      cell === "" ? [] : [`  ${titles[column + 1]}: ${cell}`]
    ),
  ]);
  return shown.join("\n") + "\n";
}

/** The number of characters that a terminal shows of a text. */
function width(text: string): number {
  return stripVTControlCharacters(text).length;
}
