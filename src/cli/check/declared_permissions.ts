import { fromFileUrl } from "@std/path/from-file-url";
import { relative } from "@std/path/relative";
import {
  checkPermissions,
  type RoutePermissions,
} from "../../exports/permissions.ts";
import { Faults } from "../../faults.ts";
import type { Discovery, RouteFile } from "../../start/discover.ts";
import {
  importFailure,
  type RouteSource,
  settled,
} from "../../start/source.ts";

/** What a file that declares permissions has in its text, if it re-exports them, too. */
const MAY_DECLARE = /\bpermissions\b|\bexport\s*\*/;

/**
 * The permissions that files declare, by file. Only files that may declare some are
 * imported, so that a manifest of an application without any needs no import at all.
 *
 * @throws {RouteError} If one of them cannot be imported, or declares wrong ones.
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
      faults.at(file.path, "import")(importFailure(error, source.label), error);
      continue;
    }
    const permissions = checkPermissions(
      loaded.exports.permissions,
      faults.at(file.path, "exports"),
    );
    if (Object.keys(permissions).length === 0) continue;
    declared.set(file, withoutUrls(permissions));
  }
  faults.throwIfAny();
  return declared;
}

/** Permissions as text: `file:` URLs become paths, relative to the working directory. */
export function withoutUrls(permissions: RoutePermissions): RoutePermissions {
  const textOf = (value: string | URL) =>
    value instanceof URL
      ? relative(Deno.cwd(), fromFileUrl(value)).replaceAll("\\", "/") || "."
      : value;
  const lists = Object.entries(permissions).map(([kind, list]) =>
    [kind, Array.isArray(list) ? list.map(textOf) : list] as const
  );
  return Object.fromEntries(lists);
}
