import { printable } from "../core/common/log.ts";
import { aligned } from "../shared/aligned.ts";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** Whether the column is hidden if all its cells are empty. */
  readonly isOptional?: boolean;
}

/** The number of leading columns, which are never hidden, and are shortened last. */
const WHOLE = 2;
/**
 * The minimum width of the other columns, in characters. If the columns would be
 * narrower, the last column is hidden.
 */
const MIN_WIDTH = 20;

/**
 * Formats a table as lines. The first line contains the titles.
 *
 * @param width The maximum length of a line, in characters. If necessary, long cells
 * are shortened in the middle, and the last columns are hidden. A final line reports
 * these changes.
 */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width = Infinity,
): string[] {
  const isBounded = width < Infinity;
  const filled = columns
    .filter(({ cell, isOptional }, index) =>
      index < WHOLE || !(isOptional || isBounded) ||
      rows.some((row) => cell(row) !== "")
    )
    .map(({ title, cell }) => [
      title,
      ...rows.map((row) => printable(cell(row))),
    ]);
  const shown = [...filled];
  while (shown.length > WHOLE && total(shown, MIN_WIDTH) > width) shown.pop();
  let limit = longest(shown.flat());
  while (limit > MIN_WIDTH && total(shown, limit) > width) limit--;
  const widths = widthsOf(shown, limit);
  const lines = aligned(
    ["", ...rows].map((_, line) =>
      shown.map((cells, column) => shortenMiddle(cells[line]!, widths[column]!))
    ),
  );
  const isWhole = shown.length === filled.length &&
    widths.every((each, column) => each === longest(shown[column]!));
  if (isWhole) return lines;
  const hidden = filled.slice(shown.length).map(([title]) => title).join(", ");
  const omitted = hidden === "" ? "" : `, without ${hidden}`;
  return [...lines, `Shortened to fit${omitted}; --long shows everything`];
}

function longest(cells: readonly string[]): number {
  return cells.reduce((width, { length }) => Math.max(width, length), 0);
}

function widthsOf(columns: readonly string[][], limit: number): number[] {
  // If only the leading columns are left, the URLs are also shortened.
  const whole = columns.length > WHOLE ? WHOLE : WHOLE - 1;
  return columns.map((cells, index) =>
    Math.min(longest(cells), index < whole ? Infinity : limit)
  );
}

function total(columns: readonly string[][], limit: number): number {
  return widthsOf(columns, limit).reduce((sum, each) => sum + each, 0) +
    2 * (columns.length - 1);
}

/** Keeps both ends of a path: the top folder and the file name. */
function shortenMiddle(text: string, width: number): string {
  if (text.length <= width) return text;
  const end = Math.floor((width - 1) / 2);
  return `${text.slice(0, width - 1 - end)}…${text.slice(-end)}`.toWellFormed();
}
