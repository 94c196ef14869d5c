import { printable } from "../../common/printable.ts";
import type { Want } from "../../routes/permission_flags.ts";
import { colored } from "../command.ts";
import { type Section, shortened } from "./findings.ts";

/** What was learned, as a text: a table for each file, and what is shared. */
export function textOf(
  sections: readonly Section[],
  needed: readonly Want[],
): string {
  const blocks = sections.map(blockOf).filter((block) => block !== "");
  const all = tableOf(needed.map((want) => [want.kind, valueOf(want)]));
  return [...blocks, `${colored("bold", "all that is needed")}\n${all}`]
    .join("\n\n");
}

function blockOf({ file, rows }: Section): string {
  if (file === undefined && rows.length === 0) return "";
  const head = file === undefined
    ? "shared"
    : [file.path, ...file.patterns].join("  ");
  const uses = rows.map((row) => [
    row.kind,
    valueOf(row),
    row.by,
    row.isDeclared ? "declared" : colored("red", "not declared"),
  ]);
  const imports = (file?.imports ?? []).map((each) => ["imports", each]);
  const lines = [...uses, ...imports];
  const text = lines.length === 0 ? "  nothing" : tableOf(lines);
  return `${colored("bold", printable(head))}\n${text}`;
}

function valueOf(want: Want): string {
  const value = shortened(want);
  return value === true ? "all" : value;
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = [0, 1, 2].map((column) =>
    Math.max(0, ...cells.map((row) => row[column]?.length ?? 0))
  );
  return cells.map((row) =>
    `  ${
      row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")
    }`
      .trimEnd()
  ).join("\n");
}

/** The same for programs. */
export function jsonOf(
  sections: readonly Section[],
  needed: readonly Want[],
): Record<string, unknown> {
  const rowsOf = ({ rows }: Section) =>
    rows.map((row) => ({
      kind: row.kind,
      value: shortened(row),
      by: row.by,
      declared: row.isDeclared,
    }));
  return {
    files: sections.flatMap((section) => {
      const { file } = section;
      return file === undefined ? [] : [{
        file: file.path,
        paths: file.patterns,
        used: rowsOf(section),
        imports: file.imports,
      }];
    }),
    shared: sections.filter(({ file }) => file === undefined).flatMap(rowsOf),
    needed: needed.map((want) => ({ kind: want.kind, value: shortened(want) })),
  };
}
