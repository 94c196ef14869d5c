import { printable } from "../common/log.ts";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** Whether it is left out where all of it is empty. */
  readonly isOptional?: boolean;
}

/** How many columns of a table stay whole, the first ones. */
const WHOLE = 2;
/** How narrow the others get before the last of them is left out. */
const MIN_WIDTH = 20;
const GAP = "  ";

/**
 * The lines of a table, the titles first.
 *
 * @param width How many characters a line may have. Cells are shortened in the middle,
 * columns left out from the last one on; a line more says so.
 */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width = Infinity,
): string[] {
  const isBounded = width < Infinity;
  const filled = columns
    .map(({ title, cell, isOptional }) => ({
      title,
      cells: rows.map((row) => printable(cell(row))),
      isOptional: isOptional || isBounded,
    }))
    .filter(({ cells, isOptional }, index) =>
      index < WHOLE || !isOptional || cells.some((cell) => cell !== "")
    )
    .map(({ title, cells }) => [title, ...cells]);
  const shown = [...filled];
  while (shown.length > WHOLE && total(shown, MIN_WIDTH) > width) shown.pop();
  let limit = longest(shown.flat());
  while (limit > MIN_WIDTH && total(shown, limit) > width) limit--;
  const widths = widthsOf(shown, limit);
  const lines = ["", ...rows].map((_, line) =>
    shown.map((cells, column) =>
      shortenMiddle(cells[line]!, widths[column]!).padEnd(widths[column]!)
    ).join(GAP).trimEnd()
  );
  const isWhole = shown.length === filled.length &&
    widths.every((each, column) => each === longest(shown[column]!));
  if (isWhole) return lines;
  const hidden = filled.slice(shown.length).map(([title]) => title);
  return [
    ...lines,
    `Shortened to fit${
      hidden.length > 0 ? `, without ${hidden.join(", ")}` : ""
    }; --long shows everything`,
  ];
}

function longest(cells: readonly string[]): number {
  return cells.reduce((width, { length }) => Math.max(width, length), 0);
}

function widthsOf(columns: readonly string[][], limit: number): number[] {
  // Where nothing is left to shorten, URLs are.
  const whole = columns.length > WHOLE ? WHOLE : WHOLE - 1;
  return columns.map((cells, index) =>
    Math.min(longest(cells), index < whole ? Infinity : limit)
  );
}

function total(columns: readonly string[][], limit: number): number {
  return widthsOf(columns, limit).reduce((sum, each) => sum + each, 0) +
    GAP.length * (columns.length - 1);
}

/** Keeps both ends: the top folder of a file, and its name. */
function shortenMiddle(text: string, width: number): string {
  if (text.length <= width) return text;
  const end = Math.floor((width - 1) / 2);
  return `${text.slice(0, width - 1 - end)}…${text.slice(-end)}`.toWellFormed();
}
