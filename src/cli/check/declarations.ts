import { relative } from "@std/path/relative";
import { checkForm } from "../../core/common/forms.ts";
import { MEMBERS, pathOf, PERMISSIONS } from "../../core/start/permissions.ts";
import type {
  PermissionKind,
  RoutePermissions,
} from "../../core/types/permissions.ts";
import { Faults } from "../../core/common/faults.ts";
import type { Discovery, RouteFile } from "../../core/start/discover.ts";
import {
  importFailure,
  type RouteSource,
  settled,
} from "../../core/start/source.ts";

const MAY_DECLARE = /\bpermissions\b|\bexport\s*\*/;

/**
 * The permissions that files declare. Imports only files that may declare some, because
 * `bough build` should not run the code of other files.
 *
 * @throws {RouteError} If a file cannot be imported, or has invalid declarations.
 */
export async function declaredPermissions(
  { files, middleware }: Pick<Discovery, "files" | "middleware">,
  source: RouteSource,
): Promise<ReadonlyMap<RouteFile, RoutePermissions>> {
  const declared = new Map<RouteFile, RoutePermissions>();
  const faults = new Faults();
  for (const file of [...files, ...middleware]) {
    if (!MAY_DECLARE.test(Deno.readTextFileSync(file.location))) continue;
    const loaded = await settled(file, source.load(file, 0));
    if ("error" in loaded) {
      const { error } = loaded;
      faults.at(file.path, "import")(importFailure(error), error);
      continue;
    }
    const report = faults.at(file.path, "exports");
    const { permissions = {} } = loaded.exports;
    const isValid = checkForm(PERMISSIONS, permissions, "permissions", report);
    if (!isValid || Object.keys(permissions as object).length === 0) continue;
    declared.set(file, withoutUrls(permissions as RoutePermissions));
  }
  faults.throwIfAny();
  return declared;
}

/** Replaces `file:` URLs with paths relative to the working directory. */
export function withoutUrls(permissions: RoutePermissions): RoutePermissions {
  const withoutUrl = (value: string | URL) => {
    const path = pathOf(value);
    return path === undefined || path === value
      ? value
      : relative(Deno.cwd(), path).replaceAll("\\", "/") || ".";
  };
  const lists = Object.entries(permissions).map(([kind, list]) =>
    MEMBERS[kind as PermissionKind] === "path" && Array.isArray(list)
      ? [kind, list.map(withoutUrl)]
      : [kind, list]
  );
  return Object.fromEntries(lists);
}
