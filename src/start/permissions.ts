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
import { type Faults, ifSound } from "../faults.ts";

/** What files declare that they need, by file; first as they export it. */
export type Declarations = Map<string, RoutePermissions>;

/** A permission that the process lacks, and the files that want it. */
interface Lack extends Want {
  readonly files: readonly string[];
}

/**
 * Checks what files declare, and forgets what is malformed. If asked to, it reports
 * what the process lacks of it.
 *
 * @param declarations What files declare.
 * @param faults Receives what is wrong.
 * @param options The files to look at, and what a fault about what is lacking names;
 * without a name, nothing is asked of Deno.
 */
export function checkDeclarations(
  declarations: Declarations,
  faults: Faults,
  { files, label }: {
    readonly files: readonly string[];
    readonly label: string | undefined;
  },
): void {
  const declared: PermissionDeclaration[] = [];
  for (const file of files) {
    const report = faults.at(file, "exports");
    const permissions = ifSound(
      report,
      (report) => checkPermissions(declarations.get(file), report),
    );
    if (permissions === undefined) declarations.delete(file);
    else declared.push({ file, permissions });
  }
  if (label !== undefined) reportLacks(declared, faults, label);
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
