import type {
  Permission,
  PermissionKind,
} from "../../../src/exports/permissions.ts";

/** The root of the file system. */
export const ROOT: string = Deno.build.os === "windows" ? "C:\\" : "/";

/** Permissions of one kind, for several values. */
export function permissionsOf(
  kind: PermissionKind,
  ...values: readonly (string | true)[]
): Permission[] {
  return values.map((value) => ({ kind, value }));
}
