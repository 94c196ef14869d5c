import { flagsOf, type Want } from "../../exports/permissions.ts";
import type { Application, SourceFile } from "./application.ts";
import { attribute, type Attribution, type Use } from "./attribution.ts";
import { covers, isPath, smallest } from "./coverage.ts";
import type { Access } from "./log.ts";
import { spelled, spelledPath } from "./modules.ts";
import { type PermissionSet, statesOf } from "./permission_set.ts";

/** The needs of an application, as far as they are known. */
export interface Needs {
  /** The uses, file by file. */
  readonly sections: readonly Section[];
  /** The uses of the tests alone. */
  readonly tests: readonly Row[];
  /** All uses of the application. */
  readonly uses: readonly Use[];
  /** The needs that are known without a run: of declarations and imports. */
  readonly known: readonly Want[];
  /** All needs. */
  readonly needed: readonly Want[];
  /** Entries of the permission set that nothing needs. */
  readonly unused: readonly Want[];
  /** The entries that the set is to have. */
  readonly allowed: readonly Want[];
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
  application: Application,
  accesses: readonly Access[],
  { listening, before, widened, isPruning, isComplete }: {
    readonly listening: readonly Want[];
    readonly before: readonly Want[];
    readonly widened: readonly Want[];
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
  const sections = sectionsOf({
    ...application,
    option: [...option, ...listening],
    declared: [...declared, ...listening],
  }, attribution);
  const { byFile, shared } = attribution;
  const uses = [...byFile.values(), shared, attribution.implied].flat();
  const kept = [...start, ...declared, ...listening];
  const isUsed = (want: Want) =>
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
      [
        ...imports,
        ...uses.filter(({ lackingRun }) => lackingRun > 0),
      ],
      [...kept, ...(isPruning ? stays : before)],
    ),
  };
}

/** A use, as it is printed. */
export interface Row extends Want {
  /** The module and the line that used it, the first of several. */
  readonly by: string;
  /** Whether the permission set of some run lacked it. */
  readonly isNew: boolean;
  /** Whether those who have to declare it do so. */
  readonly isDeclared: boolean;
}

/** The uses of one file, or those without a known route. */
export interface Section {
  /** The file; nothing for what is shared. */
  readonly file?: SourceFile;
  readonly rows: readonly Row[];
}

/** Sums up what was used, file by file and at last what is shared. */
export function sectionsOf(
  application: Application,
  { byFile, shared }: Attribution,
): Section[] {
  const sections = application.files.map((file) => ({
    file,
    rows: rowsOf(byFile.get(file.url) ?? [], () => file.declared),
  }));
  const rows = rowsOf(shared, (use) => declaredForShared(use, application));
  return [...sections, { rows }];
}

/**
 * What is declared for something that belongs to no route: by the application, or by
 * all routes that import the file that used it. If that is unknown, it may be any route.
 */
function declaredForShared(
  { file, by, isSure }: Use,
  { files, graph, option, declared }: Application,
): readonly Want[] {
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
export function rowsOf(
  uses: readonly Use[],
  declaredFor: (use: Use) => readonly Want[] = () => [],
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
export function flagOf({ kind, value }: Want): string {
  return flagsOf([{ kind, value: shortened({ kind, value }) }])[0]!;
}

/** The value of a permission, with a path as a person writes it. */
export function shortened({ kind, value }: Want): string | true {
  return value === true || !isPath(kind) ? value : spelledPath(value);
}

/** The uses that are not declared. */
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

/** The needs that a permission set lacks. */
export async function lacking(
  { sections, known }: Needs,
  set: PermissionSet,
  name: string,
): Promise<string[]> {
  const states = await statesOf(set, known);
  const used = sections.flatMap(({ rows }) =>
    rows.filter(({ isNew }) => isNew)
  );
  const unused = known.filter((want, index) =>
    states[index] === "prompt" && !used.some((each) => covers(want, each))
  );
  return [
    ...smallest(unused, []).map((want) =>
      `the permission set "${name}" has no ${
        flagOf(want)
      }; add it with --write=${name}`
    ),
    ...sentences(
      sections,
      ({ isNew }) => isNew,
      () =>
        `which the permission set "${name}" lacks; add it with --write=${name}`,
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
      const who = file === undefined
        ? "the application"
        : `"${file.path}"${
          file.patterns.length === 0 ? "" : ` (${file.patterns.join(", ")})`
        }`;
      return `${who} used ${flagOf(row)}${wordsOf(row.by)}, ${endOf(row)}`;
    })
  );
}

/** The place of a use, in a sentence. */
function wordsOf(place: string): string {
  if (place === "unknown") return "";
  return place.startsWith("after ") ? ` ${place}` : ` in ${place}`;
}
