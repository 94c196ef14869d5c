import { printable } from "../../common/log.ts";
import type { Want } from "../../exports/permissions.ts";
import { colored } from "../command.ts";
import { covers } from "./coverage.ts";
import { type Needs, type Section, shortened } from "./findings.ts";
import type { Proof } from "./prove.ts";

/** The printed summary. */
export interface Summary extends Needs {
  /** Hosts and folders that replace values which differ from run to run. */
  readonly widened: readonly Want[];
  /** The proof, if the last run was complete and lacked nothing. */
  readonly proof: Proof | undefined;
  /** Why entries are needed that no run used. */
  readonly origins: Readonly<Record<string, readonly Want[]>>;
  /** Whether unused entries are removed. */
  readonly isPruning: boolean;
}

const NOT_DECLARED = "not declared";

/** A summary as a text: a table for each file, shared uses, and the proof. */
export function textOf(summary: Summary): string {
  const { sections, needed, unused, tests, widened, isPruning } = summary;
  const lists: [string, readonly (readonly string[])[]][] = [
    ["all that is needed", needed.map(cellsOf)],
    ["widened, since it differs from run to run", widened.map(cellsOf)],
    [
      "granted to the tests, not written",
      tests.map((row) => [...cellsOf(row), row.by]),
    ],
    [
      `no longer used${isPruning ? "" : "; --prune removes"}`,
      unused.map((want) => ["-", ...cellsOf(want)]),
    ],
  ];
  return [
    ...sections.map(blockOf).filter((block) => block !== ""),
    ...lists.filter(([, rows], index) => index === 0 || rows.length > 0)
      .map(([title, rows]) => blockWith(title, rows)),
    ...(summary.proof === undefined ? [] : [proofOf(summary.proof, summary)]),
  ].join("\n\n");
}

function blockWith(
  title: string,
  rows: readonly (readonly string[])[],
): string {
  return [colored("bold", printable(title)), ...tableOf(rows)].join("\n");
}

function proofOf({ proven, unproven }: Proof, { origins }: Summary): string {
  const count = proven.length + unproven.length;
  if (proven.length === 0) {
    return "nothing is proven: the command used none of these permissions";
  }
  const title = `proven ${proven.length} of ${count}`;
  const originOf = (want: Want) =>
    Object.keys(origins).find((origin) =>
      origins[origin]!.some((each) => covers(each, want))
    ) ?? "";
  return unproven.length === 0 ? colored("bold", title) : blockWith(
    `${title}; the last run did not use`,
    unproven.map((want) => [...cellsOf(want), originOf(want)]),
  );
}

function blockOf({ file, rows }: Section): string {
  if (file === undefined && rows.length === 0) return "";
  const head = file === undefined
    ? "shared"
    : [file.path, ...file.patterns].join("  ");
  const uses = rows.map((row) => [
    ...cellsOf(row),
    row.by,
    row.isDeclared ? "declared" : NOT_DECLARED,
  ]);
  const imports = (file?.imports ?? []).map((each) => ["imports", each]);
  const lines = [...uses, ...imports];
  return blockWith(head, lines.length === 0 ? [["nothing"]] : lines);
}

function cellsOf(want: Want): string[] {
  const value = shortened(want);
  return [want.kind, value === true ? "all" : value];
}

function tableOf(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths = [0, 1, 2].map((column) =>
    Math.max(0, ...cells.map((row) => row[column]?.length ?? 0))
  );
  return cells.map((row) =>
    `  ${
      row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")
    }`.trimEnd().replace(NOT_DECLARED, colored("red", NOT_DECLARED))
  );
}

/** A summary for programs. */
export function jsonOf(summary: Summary): Record<string, unknown> {
  const { sections, needed, unused, tests, widened, proof } = summary;
  const rowsOf = ({ rows }: Section) =>
    rows.map((row) => ({
      ...plain(row),
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
    needed: needed.map(plain),
    widened: widened.map(plain),
    tests: tests.map((row) => ({ ...plain(row), by: row.by })),
    unused: unused.map(plain),
    ...(proof !== undefined && {
      proven: proof.proven.map(plain),
      unproven: proof.unproven.map(plain),
    }),
  };
}

function plain(want: Want): { kind: string; value: string | true } {
  return { kind: want.kind, value: shortened(want) };
}
