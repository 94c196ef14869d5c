import {
  checkPermissions,
  flagsOf,
  isGranted,
  type Permission,
  type PermissionDeclaration,
  permissionsOf,
  refusedPermission,
  type RoutePermissions,
} from "../exports/permissions.ts";
import { type Faults, ifSound } from "../faults.ts";

/** The permissions that files declare, by file; not yet checked at first. */
export type Declarations = Map<string, RoutePermissions>;

/** A permission that the process lacks, and the files that want it. */
type MissingPermission = Permission & { readonly files: readonly string[] };

/**
 * Checks the permissions that files declare, and removes malformed ones. With a label,
 * it also reports permissions that the process lacks.
 *
 * @param options The files to check, and the label of the fault about missing
 * permissions. Without a label, Deno is not queried.
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
    const permissions = ifSound(
      faults.at(file, "exports"),
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
 * @param faults Has the failed imports, and receives the fault.
 * @param label What the fault is about: `apiDir`, or the file that was imported late.
 */
function reportLacks(
  declared: readonly PermissionDeclaration[],
  faults: Faults,
  label: string,
): void {
  const wanted = new Map<
    string,
    Permission & { readonly files: Set<string> }
  >();
  for (const { file, permissions } of declared) {
    for (const want of permissionsOf(permissions)) {
      // The variable "true" is not all variables.
      const key = JSON.stringify([want.kind, want.value]);
      const known = wanted.get(key) ?? { ...want, files: new Set() };
      wanted.set(key, known);
      known.files.add(file);
    }
  }
  const lacks: MissingPermission[] = [];
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
  const refused = faults.all.flatMap(({ path, cause }): MissingPermission[] => {
    const want = refusedPermission(cause);
    return want === undefined ? [] : [{ ...want, files: [path] }];
  });
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

function lineOf(lack: MissingPermission): string {
  const files = lack.files.map((file) => `"${file}"`).join(", ");
  return `  ${flagsOf([lack])[0]}: ${files}`;
}
