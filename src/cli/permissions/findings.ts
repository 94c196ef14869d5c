import { printable } from "../../common/log.ts";
import { flagsOf, type Permission } from "../../exports/permissions.ts";
import { colored } from "../command.ts";
import { type Column, tableLines } from "../table.ts";
import type { ObservedApplication, SourceFile } from "./application.ts";
import { attribute, type Use } from "./attribution.ts";
import { covers, isPath, smallest } from "./coverage.ts";
import type { Access } from "./log.ts";
import { spelled, spelledPath } from "./modules.ts";
import { type PermissionSet, statesOf } from "./permission_set.ts";
import type { Proof } from "./trial.ts";

/** The needs of an application, as far as they are known. */
interface Needs {
  /** The uses, file by file. */
  readonly sections: readonly Section[];
  readonly tests: readonly Row[];
  readonly uses: readonly Use[];
  /** The needs that are known without a run: of declarations and imports. */
  readonly known: readonly Permission[];
  readonly needed: readonly Permission[];
  /** Entries of the permission set that nothing needs. */
  readonly unused: readonly Permission[];
  /** The entries that the set is to have. */
  readonly allowed: readonly Permission[];
}

/**
 * Sums up the needs of an application.
 *
 * @param accesses The accesses that it asked for.
 * @param further Where it listens, what the set allows so far, what stands for values that
 *   differ from run to run, whether to remove from the set what nothing needs, and whether
 *   that is known from a run.
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
  const { files, option, declared, start, imports } = application;
  const widest = accesses.map((access) => {
    const { value } = widened.find((want) => covers(want, access)) ?? access;
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
  const forShared = {
    ...application,
    option: [...option, ...listening],
    declared: [...declared, ...listening],
  };
  sections.push({
    rows: rowsOf(shared, (use) => declaredForShared(use, forShared)),
  });
  const uses = [...byFile.values(), shared, attribution.implied].flat();
  const kept = [...start, ...declared, ...listening];
  const isUsed = (want: Permission) =>
    [...kept, ...imports, ...uses].some((each) => covers(want, each));
  // A run without accesses does not show what is used.
  const stays = isComplete && accesses.length > 0
    ? before.filter(isUsed)
    : before;
  return {
    sections,
    tests: rowsOf(attribution.tests),
    uses,
    known: [...kept, ...imports, ...attribution.implied],
    needed: smallest([...imports, ...uses], [...kept, ...stays]),
    unused: before.filter((want) => !stays.includes(want)),
    allowed: smallest(
      [...imports, ...uses.filter(({ lackingRun }) => lackingRun > 0)],
      [...kept, ...(isPruning ? stays : before)],
    ),
  };
}

/** A use, as it is printed. */
export interface Row extends Permission {
  /** The module and the line that used it, the first of several. */
  readonly by: string;
  /** Whether the permission set of some run lacked it. */
  readonly isNew: boolean;
  /** Whether those who have to declare it do so. */
  readonly isDeclared: boolean;
}

/** The uses of one file, or at last those without a known route. */
interface Section {
  /** The file; nothing for what is shared. */
  readonly file?: SourceFile;
  readonly rows: readonly Row[];
}

/**
 * What is declared for something that belongs to no route: by the application, or by
 * all routes that import the file that used it. If that is unknown, it may be any route.
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
    ...first.declared.filter((want) =>
      others.every(({ declared }) =>
        declared.some((each) => covers(each, want))
      )
    ),
  ];
}

/** Uses as they are printed, with what is declared for each. */
function rowsOf(
  uses: readonly Use[],
  declaredFor: (use: Use) => readonly Permission[] = () => [],
): Row[] {
  const isDeclared = (use: Use) =>
    declaredFor(use).some((want) => covers(want, use));
  return [true, false].flatMap((which) => {
    const these = uses.filter((use) => isDeclared(use) === which);
    return smallest(these, []).map((want) => {
      const covered = these.filter((use) => covers(want, use));
      return {
        ...want,
        by: placeOf(covered[0]!),
        isDeclared: which,
        isNew: covered.some(({ lackingRun }) => lackingRun > 0),
      };
    });
  });
}

/** The line that used something, or one that it came after. */
function placeOf({ by, isSure }: Pick<Use, "by" | "isSure">): string {
  if (by === undefined) return "unknown";
  return `${isSure ? "" : "after "}${spelled(by.url)}:${by.line}`;
}

/** A permission as its flag, with a path as a person writes it. */
export function flagOf({ kind, value }: Permission): string {
  return flagsOf([{ kind, value: shortened({ kind, value }) }])[0]!;
}

/** The value of a permission, with a path as a person writes it. */
function shortened({ kind, value }: Permission): string | true {
  return value === true || !isPath(kind) ? value : spelledPath(value);
}

export function undeclared({ sections }: Needs): string[] {
  const isMeant = (row: Row) => !row.isDeclared || row.isNew;
  return sentences(sections, isMeant, (row) => {
    const value = shortened(row);
    const entry = value === true
      ? "true"
      : JSON.stringify([value]).replace(",", ", ");
    return `but does not declare it; add ${row.kind}: ${entry} to its permissions`;
  });
}

export async function lacking(
  { sections, known }: Needs,
  set: PermissionSet,
  name: string,
): Promise<string[]> {
  const remedy = `add it with --write=${name}`;
  const states = await statesOf(set, known);
  const used = sections.flatMap(({ rows }) => rows).filter((row) => row.isNew);
  const unused = known.filter((want, index) =>
    states[index] === "prompt" && !used.some((each) => covers(want, each))
  );
  return [
    ...smallest(unused, []).map((want) =>
      `the permission set "${name}" has no ${flagOf(want)}; ${remedy}`
    ),
    ...sentences(
      sections,
      ({ isNew }) => isNew,
      () => `which the permission set "${name}" lacks; ${remedy}`,
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
      const who = path === undefined ? "the application" : `"${path}"${urls}`;
      const isAfter = row.by.startsWith("after ");
      const at = isAfter ? ` ${row.by}` : ` in ${row.by}`;
      const place = row.by === "unknown" ? "" : at;
      return `${who} used ${flagOf(row)}${place}, ${endOf(row)}`;
    })
  );
}

/** What is printed of the needs. */
export interface Summary extends Needs {
  /** Hosts and folders that replace values which differ from run to run. */
  readonly widened: readonly Permission[];
  /** The proof, if the last run was complete and lacked nothing. */
  readonly proof: Proof | undefined;
  /** Why entries are needed that no run used. */
  readonly origins: Readonly<Record<string, readonly Permission[]>>;
  readonly isPruning: boolean;
}

const NOT_DECLARED = "not declared";

/** A summary as a text: a table for each file, shared uses, and the proof. */
export function textOf(summary: Summary): string {
  const { sections, needed, unused, tests, widened, isPruning } = summary;
  const lists: [string, readonly Cells[]][] = [
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
    return "nothing is proven: the command used none of these permissions";
  }
  const title = `proven ${proven.length} of ${proven.length + unproven.length}`;
  const originOf = (want: Permission) =>
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

function cellsOf(want: Permission): string[] {
  const value = shortened(want);
  return [want.kind, value === true ? "all" : value];
}

/** A summary for programs. */
export function jsonOf(summary: Summary): Record<string, unknown> {
  const { sections, needed, unused, tests, widened, proof } = summary;
  const rowsOf = ({ rows }: Section) =>
    rows.map((row) => ({ ...placed(row), declared: row.isDeclared }));
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
    tests: tests.map(placed),
    unused: unused.map(plain),
    proven: proof?.proven.map(plain),
    unproven: proof?.unproven.map(plain),
  };
}

function plain(want: Permission): { kind: string; value: string | true } {
  return { kind: want.kind, value: shortened(want) };
}

function placed(row: Row): Record<string, unknown> {
  return { ...plain(row), by: row.by };
}
