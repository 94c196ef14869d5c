import { printable } from "../common/printable.ts";
import { type ContractFailure, PROPERTIES, TITLES } from "./fault.ts";
import type { OperationResult } from "./run.ts";

/** How many requests before the last one are shown. */
const MAX_SHOWN = 10;

/** A failure as a text: what was expected and seen, and how to see it again. */
export function failureText(
  { property, operation, file, expected, seen, curl, test, replays, seed }:
    ContractFailure,
): string {
  const shown = curl.slice(-MAX_SHOWN);
  const lines = [
    `${operation} (${file}): ${TITLES[property]}`,
    `  expected: ${expected}`,
    `  seen:     ${seen}`,
    `  seed:     ${seed}`,
    ...(replays ? [] : [
      "  The application was not at its beginning: to see this again, run all with that seed in a new process.",
    ]),
    "",
    ...shown.map((line) => `  ${line}`),
    "",
    ...test.split("\n").map((line) => `  ${line}`),
  ];
  return lines.map(printable).join("\n");
}

/** The results as a table, with a line for each operation. */
export function summaryTable(results: readonly OperationResult[]): string {
  const operations = [...new Set(results.map(({ operation }) => operation))];
  const cell = (operation: string, property: string): string => {
    const found = results.filter((each) =>
      each.operation === operation && each.property === property
    );
    const [result] = found;
    if (result === undefined) return "-";
    if (found.some(({ failure }) => failure !== undefined)) return "FAILED";
    if (result.runs > 0) return String(result.runs);
    return result.note === undefined ? "none" : "-";
  };
  const rows = [
    ["ROUTE", ...PROPERTIES.map((name) => name.toUpperCase())],
    ...operations.map((operation) => [
      operation,
      ...PROPERTIES.map((property) => cell(operation, property)),
    ]),
  ];
  const widths = rows[0]!.map((_, column) =>
    Math.max(...rows.map((row) => printable(row[column]!).length))
  );
  return rows.map((row) =>
    row.map((text, column) => printable(text).padEnd(widths[column]!))
      .join("  ").trimEnd()
  ).join("\n");
}
