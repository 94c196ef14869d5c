/**
 * Aligns the cells of rows in columns, with two spaces between the columns.
 *
 * @param widthOf The number of characters that a terminal shows of a cell.
 */
export function aligned(
  rows: readonly (readonly string[])[],
  widthOf: (cell: string) => number = ({ length }) => length,
): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((width, row) => Math.max(width, widthOf(row[column]!)), 0)
  );
  return rows.map((row) =>
    row.map((cell, column) =>
      cell + " ".repeat(widths[column]! - widthOf(cell))
    ).join("  ").trimEnd()
  );
}
