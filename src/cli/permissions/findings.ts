import { flagsOf, type Want } from "../../routes/permission_flags.ts";
import type { Application, SourceFile } from "./application.ts";
import type { Attribution, Use } from "./attribution.ts";
import { covers, isPath, smallest } from "./coverage.ts";
import { spelled, spelledPath } from "./modules.ts";

/** Something that was used, as it is printed. */
export interface Row extends Want {
  /** The module and the line that used it, the first of several. */
  readonly by: string;
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
 * all routes that import the file that used it.
 */
function declaredForShared(
  { file, by }: Use,
  { files, graph, option }: Application,
): readonly Want[] {
  const module = file ?? by?.url;
  if (module === undefined) return option;
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

function rowsOf(
  uses: readonly Use[],
  declaredFor: (use: Use) => readonly Want[],
): Row[] {
  const isDeclared = (use: Use) =>
    declaredFor(use).some((want) => covers(want, use));
  return [true, false].flatMap((which) => {
    const these = uses.filter((use) => isDeclared(use) === which);
    return smallest(these, []).map((want) => {
      const use = these.find((use) => covers(want, use))!;
      return { ...want, by: placeOf(use), isDeclared: which };
    });
  });
}

function placeOf({ by }: Use): string {
  return by === undefined ? "unknown" : `${spelled(by.url)}:${by.line}`;
}

/** A permission as its flag, with a path as a person writes it. */
function flagOf({ kind, value }: Want): string {
  return flagsOf([{ kind, value: shortened({ kind, value }) }])[0]!;
}

/** The value of a permission, with a path as a person writes it. */
export function shortened({ kind, value }: Want): string | true {
  return value === true || !isPath(kind) ? value : spelledPath(value);
}

/** What makes `--check` fail: what is used and not declared. */
export function undeclared(sections: readonly Section[]): string[] {
  return sections.flatMap(({ file, rows }) =>
    rows.filter(({ isDeclared }) => !isDeclared).map((row) => {
      const who = file === undefined
        ? "the application"
        : `"${file.path}"${
          file.patterns.length === 0 ? "" : ` (${file.patterns.join(", ")})`
        }`;
      const value = shortened(row);
      const entry = value === true
        ? "true"
        : JSON.stringify([value]).replace(",", ", ");
      return `${who} used ${
        flagOf(row)
      } in ${row.by}, and does not declare it; add ${row.kind}: ${entry} to its permissions`;
    })
  );
}

/** What is needed, and not in the set. */
export function missingFrom(
  set: readonly Want[],
  needed: readonly Want[],
  name: string,
): string[] {
  return needed.filter((want) => !set.some((each) => covers(each, want)))
    .map((want) =>
      `the permission set "${name}" has no ${
        flagOf(want)
      }; write it anew with --write=${name}`
    );
}
