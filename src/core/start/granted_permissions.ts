import {
  flagsOf,
  isGranted,
  type Permission,
  permissionsOf,
} from "./permissions.ts";
import type { RoutePermissions } from "../types/permissions.ts";
import { groupBy, quoted } from "../common/values.ts";
import type { Faults } from "../common/faults.ts";

/** The permissions that files declare, by file. */
export type Declarations = Map<string, RoutePermissions>;

/** A permission that the process does not have, and the files that declare it. */
type MissingPermission = Permission & { readonly files: readonly string[] };

/**
 * Reports all missing permissions in one fault, with the flags that grant them.
 *
 * @param declared The valid permissions of files.
 * @param faults Receives the fault.
 * @param label The path of the fault: `apiDir`, or the file that was imported lazily.
 */
export function reportMissing(
  declared: Iterable<readonly [file: string, RoutePermissions]>,
  faults: Faults,
  label: string,
): void {
  const all = [...declared].flatMap(([file, permissions]) =>
    permissionsOf(permissions).map((permission) => ({ file, permission }))
  );
  // JSON distinguishes the variable "true" from `true`, which means all variables.
  const same = groupBy(all, (each) => JSON.stringify(each.permission));
  const missing: MissingPermission[] = [];
  for (const group of same.values()) {
    const { permission } = group[0]!;
    const files = [...new Set(group.map(({ file }) => file))];
    try {
      if (!isGranted(permission)) missing.push({ ...permission, files });
    } catch (cause) {
      const { message } = cause as Error;
      for (const file of files) {
        faults.at(file, "exports")(
          `permissions.${permission.kind} has "${permission.value}", which Deno rejects: ${message}`,
        );
      }
    }
  }
  if (missing.length === 0) return;
  faults.at(label, "permissions")(
    [
      `permissions are missing; add them to the permission set with bough permissions, or run deno with ${
        flagsOf(missing).join(" ")
      }`,
      ...missing.map((each) =>
        `  ${flagsOf([each])[0]}: ${quoted(each.files)}`
      ),
    ].join("\n"),
  );
}
