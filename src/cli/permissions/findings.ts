import { flagsOf, type Want } from "../../routes/permission_flags.ts";
import type { Application, SourceFile } from "./application.ts";
import type { Attribution, Use } from "./attribution.ts";
import { covers, isPath, smallest } from "./coverage.ts";
import { spelled, spelledPath } from "./modules.ts";

/** Something that was used, as it is printed. */
export interface Row extends Want {
  /** The module and the line that used it, the first of several. */
  readonly by: string;
  /** Whether the permission set of some run lacked it. */
  readonly isNew: boolean;
  /** Whether somebody declares it who has to. */
  readonly isDeclared: boolean;
}

/** What one file used, or what no route is known for. */
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

/** What is used and not declared. */
export function undeclared(sections: readonly Section[]): string[] {
  const isMeant = (row: Row) => !row.isDeclared || row.isNew;
  return sentences(sections, isMeant, (row) => {
    const value = shortened(row);
    const entry = value === true
      ? "true"
      : JSON.stringify([value]).replace(",", ", ");
    return `and does not declare it; add ${row.kind}: ${entry} to its permissions`;
  });
}

/** What is used, and not in the permission set of a name. */
export function lacking(sections: readonly Section[], set: string): string[] {
  return sentences(
    sections,
    ({ isNew }) => isNew,
    () => `which the permission set "${set}" lacks; add it with --write=${set}`,
  );
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

/** Where something was used, in a sentence. */
function wordsOf(place: string): string {
  if (place === "unknown") return "";
  return place.startsWith("after ") ? ` ${place}` : ` in ${place}`;
}
