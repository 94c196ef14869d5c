import {
  checkPermissions,
  flagsOf,
  isGranted,
  type PermissionDeclaration,
  refusedWant,
  type RoutePermissions,
  type Want,
  wantsOf,
} from "../exports/permissions.ts";
import type { Faults } from "../faults.ts";

/** Where the option `permissions` is named as a file. */
const OPTION = "option permissions";

/** A permission that the process lacks, and the files that want it. */
interface Lack extends Want {
  readonly files: readonly string[];
}

/** What the files of an application declare that they need, by file. */
export class Declarations {
  readonly #byFile = new Map<string, RoutePermissions>();

  /** @param option The option `permissions`, for the whole application. */
  constructor(option: RoutePermissions) {
    this.#byFile.set(OPTION, option);
  }

  /** Adds the export of a file, if it is sound. */
  add(path: string, exported: unknown, faults: Faults): void {
    if (exported === undefined) return;
    const before = faults.all.length;
    const permissions = checkPermissions(exported, faults.at(path, "exports"));
    if (faults.all.length === before) this.#byFile.set(path, permissions);
  }

  /** All of them. */
  get all(): PermissionDeclaration[] {
    return this.of([...this.#byFile.keys()]);
  }

  /** Those of a route: the option, its middleware files from the outside in, itself. */
  around(
    { file, middleware }: {
      readonly file: string;
      readonly middleware: readonly { readonly file: string }[];
    },
  ): PermissionDeclaration[] {
    const files = middleware.map(({ file }) => file);
    return this.of([...new Set([OPTION, ...files, file])]);
  }

  /** Those of some files. */
  of(files: readonly string[]): PermissionDeclaration[] {
    return files.flatMap((file) => {
      const permissions = this.#byFile.get(file);
      return permissions === undefined || Object.keys(permissions).length === 0
        ? []
        : [{ file, permissions }];
    });
  }
}

/**
 * Reports what files declare and the process lacks, all in one fault, with the flags
 * that give it. What imports were refused is told there, too: the fault of an import
 * names its own flag alone.
 *
 * @param declared What the files declare. Each permission is asked for once.
 * @param faults Has the failed imports, and receives the fault.
 * @param label What the fault is about: `apiDir`, or the file that was imported late.
 */
export function reportLacks(
  declared: readonly PermissionDeclaration[],
  faults: Faults,
  label: string,
): void {
  const wanted = new Map<string, Want & { readonly files: Set<string> }>();
  function add(want: Want, file: string): void {
    // The variable "true" is not all variables.
    const key = JSON.stringify([want.kind, want.value]);
    const known = wanted.get(key);
    if (known === undefined) {
      wanted.set(key, { ...want, files: new Set([file]) });
    } else known.files.add(file);
  }
  for (const { file, permissions } of declared) {
    for (const want of wantsOf(permissions)) add(want, file);
  }
  const lacks: Lack[] = [];
  for (const want of wanted.values()) {
    const files = [...want.files];
    try {
      if (!isGranted(want)) lacks.push({ ...want, files });
    } catch (cause) {
      const { message } = cause as Error;
      for (const file of files) {
        faults.at(file, "exports")(
          `permissions.${want.kind} has "${want.value}", which Deno does not take: ${message}`,
        );
      }
    }
  }
  const refused = refusedImports(faults);
  // A refused import says itself which folder it has to read.
  const saysAll = lacks.length === 0 &&
    refused.every(({ kind }) => kind === "read");
  if (saysAll) return;
  const all = [...lacks, ...refused];
  faults.at(label, "permissions")(
    [
      `permissions are missing; run deno with ${flagsOf(all).join(" ")}`,
      ...all.map(lineOf),
    ].join("\n"),
  );
}

function refusedImports(faults: Faults): Lack[] {
  return faults.all.flatMap(({ path, cause }) => {
    const want = refusedWant(cause);
    return want === undefined ? [] : [{ ...want, files: [path] }];
  });
}

function lineOf(lack: Lack): string {
  const files = lack.files.map((file) => `"${file}"`).join(", ");
  return `  ${flagsOf([lack])[0]}: ${files}`;
}
