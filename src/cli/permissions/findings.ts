import { printable } from "../../core/common/log.ts";
import { flagsOf, type Permission } from "../../core/exports/permissions.ts";
import { colored } from "../command.ts";
import { type Column, tableLines } from "../table.ts";
import type { ObservedApplication, SourceFile } from "./application.ts";
import { attribute, type Use } from "./attribution.ts";
import { covers, isPath, smallest } from "./coverage.ts";
import type { Access } from "./log.ts";
import { displayName, displayPath } from "./modules.ts";
import { type PermissionSet, statesOf } from "./permission_set.ts";
import type { Proof } from "./proof.ts";

/** The known needs of an application. */
interface Needs {
  /** The uses of each file, and the shared uses. */
  readonly sections: readonly Section[];
  readonly tests: readonly Row[];
  readonly uses: readonly Use[];
  /** The needs that are known without a run, from declarations and imports. */
  readonly known: readonly Permission[];
  readonly needed: readonly Permission[];
  /** Entries of the permission set that nothing needs. */
  readonly unused: readonly Permission[];
  /** The new entries of the set. */
  readonly allowed: readonly Permission[];
}

/**
 * Summarizes the needs of an application.
 *
 * @param accesses The accesses that the application requested.
 * @param further The permissions to listen on addresses, the previous entries of the
 * set, and the hosts and folders that replace varying values. Two flags specify whether
 * to remove unused entries, and whether the run was complete enough to find unused
 * entries.
 */
export function needsOf(
  application: ObservedApplication,
  accesses: readonly Access[],
  { listening, before, widened, isPruning, isComplete }: {
    readonly listening: readonly Permission[];
    readonly before: readonly Permission[];
    readonly widened: readonly Permission[];
    readonly isPruning: boolean;
    readonly isComplete: boolean;
  },
): Needs {
  const { files, declared, start, imports } = application;
  const widest = accesses.map((access) => {
    const { value } = widened.find((each) => covers(each, access)) ?? access;
    return { ...access, value };
  });
  const attribution = attribute(widest, {
    ...application,
    routes: files.map(({ url }) => url),
  });
  const { byFile, shared } = attribution;
  const sections: Section[] = files.map((file) => ({
    file,
    rows: rowsOf(byFile.get(file.url) ?? [], () => file.declared),
  }));
  const declaredFor = (use: Use) => [
    ...declaredForShared(use, application),
    ...listening,
  ];
  sections.push({ rows: rowsOf(shared, declaredFor) });
  const uses = [...byFile.values(), shared, attribution.implied].flat();
  const kept = [...start, ...declared, ...listening];
  const isUsed = (permission: Permission) =>
    [...kept, ...imports, ...uses].some((each) => covers(permission, each));
  // A run without accesses does not show which entries are used.
  const stays = isComplete && accesses.length > 0
    ? before.filter(isUsed)
    : before;
  return {
    sections,
    tests: rowsOf(attribution.tests),
    uses,
    known: [...kept, ...imports, ...attribution.implied],
    needed: smallest([...imports, ...uses], [...kept, ...stays]),
    unused: before.filter((permission) => !stays.includes(permission)),
    allowed: smallest(
      [...imports, ...uses.filter(({ missingRun }) => missingRun > 0)],
      [...kept, ...(isPruning ? stays : before)],
    ),
  };
}

/** A use in the output. */
export interface Row extends Permission {
  /** The first module and line that used the permission, for tables. */
  readonly by: string;
  /** The place in a sentence, such as ` in api/route.ts:3`; empty if unknown. */
  readonly place: string;
  /** Whether the permission was missing from the permission set of any run. */
  readonly isNew: boolean;
  /** Whether each file that must declare the permission declares it. */
  readonly isDeclared: boolean;
}

/** The uses of one file, or the shared uses, whose route is unknown. */
interface Section {
  /** The file; `undefined` for shared uses. */
  readonly file?: SourceFile;
  readonly rows: readonly Row[];
}

/**
 * The declarations that count for a shared use: in the option, or in every route that
 * imports the file. If the file is unknown, the declarations of any route count.
 */
function declaredForShared(
  { file, by, isSure }: Use,
  { files, graph, option, declared }: ObservedApplication,
): readonly Permission[] {
  const module = file ?? by?.url;
  if (module === undefined || !isSure) return declared;
  const [first, ...others] = files.filter(({ url }) => graph.uses(url, module));
  if (first === undefined) return option;
  return [
    ...option,
    ...first.declared.filter((permission) =>
      others.every(({ declared }) =>
        declared.some((each) => covers(each, permission))
      )
    ),
  ];
}

/** Summarizes uses as rows of the output, which state whether the uses are declared. */
function rowsOf(
  uses: readonly Use[],
  declaredFor: (use: Use) => readonly Permission[] = () => [],
): Row[] {
  const isDeclared = (use: Use) =>
    declaredFor(use).some((permission) => covers(permission, use));
  return [true, false].flatMap((which) => {
    const these = uses.filter((use) => isDeclared(use) === which);
    return smallest(these, []).map((permission) => {
      const covered = these.filter((use) => covers(permission, use));
      return {
        ...permission,
        ...placeOf(covered[0]!),
        isDeclared: which,
        isNew: covered.some(({ missingRun }) => missingRun > 0),
      };
    });
  });
}

/** The line that made the access, or a line that ran before it. */
function placeOf({ by, isSure }: Use): Pick<Row, "by" | "place"> {
  if (by === undefined) return { by: "unknown", place: "" };
  const line = `${displayName(by.url)}:${by.line}`;
  return isSure
    ? { by: line, place: ` in ${line}` }
    : { by: `after ${line}`, place: ` after ${line}` };
}

/** The flag of a permission, with a readable path. */
export function flagOf({ kind, value }: Permission): string {
  return flagsOf([{ kind, value: shortened({ kind, value }) }])[0]!;
}

/** The value of a permission, with a readable path. */
function shortened({ kind, value }: Permission): string | true {
  return value === true || !isPath(kind) ? value : displayPath(value);
}

export function undeclared({ sections }: Needs): string[] {
  return sentences(sections, (row) => !row.isDeclared || row.isNew, (row) => {
    const value = shortened(row);
    const entry = value === true
      ? "true"
      : JSON.stringify([value]).replace(",", ", ");
    return `but does not declare it; add ${row.kind}: ${entry} to its permissions`;
  });
}

export async function missing(
  { sections, known }: Needs,
  set: PermissionSet,
  name: string,
): Promise<string[]> {
  const remedy = `add it with --write=${name}`;
  const states = await statesOf(set, known);
  const used = sections.flatMap(({ rows }) => rows).filter((row) => row.isNew);
  const unused = known.filter((permission, index) =>
    states[index] === "prompt" && !used.some((each) => covers(permission, each))
  );
  return [
    ...smallest(unused, []).map((permission) =>
      `the permission set "${name}" has no ${flagOf(permission)}; ${remedy}`
    ),
    ...sentences(
      sections,
      ({ isNew }) => isNew,
      () => `which is missing from the permission set "${name}"; ${remedy}`,
    ),
  ];
}

function sentences(
  sections: readonly Section[],
  isMeant: (row: Row) => boolean,
  endOf: (row: Row) => string,
): string[] {
  return sections.flatMap(({ file, rows }) =>
    rows.filter(isMeant).map((row) => {
      const { path, patterns = [] } = file ?? {};
      const urls = patterns.length === 0 ? "" : ` (${patterns.join(", ")})`;
      const owner = path === undefined ? "the application" : `"${path}"${urls}`;
      return `${owner} used ${flagOf(row)}${row.place}, ${endOf(row)}`;
    })
  );
}

/** The needs and the proof, for the output. */
export interface Summary extends Needs {
  /** Hosts and folders that replace values that differ from run to run. */
  readonly widened: readonly Permission[];
  /** The proof, if the last run was complete and needed no further permission. */
  readonly proof: Proof | undefined;
  /** The permissions by origin, to explain entries that the last run did not use. */
  readonly origins: Readonly<Record<string, readonly Permission[]>>;
  readonly isPruning: boolean;
}

const NOT_DECLARED = "not declared";

/** Formats a summary: a table for each file, shared uses, and the proof. */
export function textOf(summary: Summary): string {
  const { sections, needed, unused, tests, widened, isPruning } = summary;
  const lists: [string, readonly Cells[]][] = [
    ["all needed permissions", needed.map(cellsOf)],
    ["widened, since values differ from run to run", widened.map(cellsOf)],
    [
      "needed by the tests only, so left out of the set",
      tests.map((row) => [...cellsOf(row), row.by]),
    ],
    [
      `no longer used${isPruning ? "" : "; --prune removes these"}`,
      unused.map((permission) => ["-", ...cellsOf(permission)]),
    ],
  ];
  return [
    ...sections.map(blockOf).filter((block) => block !== ""),
    ...lists.filter(([, rows], index) => index === 0 || rows.length > 0)
      .map(([title, rows]) => blockWith(title, rows)),
    ...(summary.proof === undefined ? [] : [proofOf(summary.proof, summary)]),
  ].join("\n\n");
}

type Cells = readonly string[];

const COLUMNS = [0, 1, 2, 3].map((index): Column<Cells> => ({
  title: "",
  cell: (row) => row[index] ?? "",
}));

function blockWith(title: string, rows: readonly Cells[]): string {
  const lines = tableLines(COLUMNS, rows).slice(1).map((line) =>
    `  ${line.replace(NOT_DECLARED, colored("red", NOT_DECLARED))}`
  );
  return [colored("bold", printable(title)), ...lines].join("\n");
}

function proofOf({ proven, unproven }: Proof, { origins }: Summary): string {
  if (proven.length === 0) {
    return "the set is unproven: the command used none of its permissions";
  }
  const title = `proven ${proven.length} of ${proven.length + unproven.length}`;
  const originOf = (permission: Permission) =>
    Object.keys(origins).find((origin) =>
      origins[origin]!.some((each) => covers(each, permission))
    ) ?? "";
  return unproven.length === 0 ? colored("bold", title) : blockWith(
    `${title}; the last run did not use these:`,
    unproven.map((each) => [...cellsOf(each), originOf(each)]),
  );
}

function blockOf({ file, rows }: Section): string {
  if (file === undefined && rows.length === 0) return "";
  const title = file === undefined
    ? "shared"
    : [file.path, ...file.patterns].join("  ");
  const uses = rows.map((row) => [
    ...cellsOf(row),
    row.by,
    row.isDeclared ? "declared" : NOT_DECLARED,
  ]);
  const imports = (file?.imports ?? []).map((each) => ["imports", each]);
  const lines = [...uses, ...imports];
  return blockWith(title, lines.length === 0 ? [["nothing"]] : lines);
}

function cellsOf(permission: Permission): string[] {
  const value = shortened(permission);
  return [permission.kind, value === true ? "all" : value];
}

/** The summary that `--json` prints. */
export function jsonOf(summary: Summary): Record<string, unknown> {
  const { sections, needed, unused, tests, widened, proof } = summary;
  const used = (row: Row) => ({ ...withPlace(row), declared: row.isDeclared });
  return {
    files: sections.flatMap(({ file, rows }) =>
      file === undefined ? [] : [{
        file: file.path,
        paths: file.patterns,
        used: rows.map(used),
        imports: file.imports,
      }]
    ),
    shared: sections.flatMap(({ file, rows }) => file ? [] : rows.map(used)),
    needed: needed.map(plain),
    widened: widened.map(plain),
    tests: tests.map(withPlace),
    unused: unused.map(plain),
    proven: proof?.proven.map(plain),
    unproven: proof?.unproven.map(plain),
  };
}

function plain(permission: Permission): { kind: string; value: string | true } {
  return { kind: permission.kind, value: shortened(permission) };
}

function withPlace(row: Row): Record<string, unknown> {
  return { ...plain(row), by: row.by };
}
