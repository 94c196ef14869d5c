import { fromFileUrl } from "@std/path/from-file-url";
import { relative } from "@std/path/relative";
import {
  checkPermissions,
  type RoutePermissions,
} from "../../exports/permissions.ts";
import { checkModule } from "../../exports/route_module.ts";
import { Faults } from "../../faults.ts";
import { declaredSecurity } from "../../request/route.ts";
import type { Discovery, RouteFile } from "../../start/discover.ts";
import {
  importFailure,
  type RouteSource,
  settled,
} from "../../start/source.ts";

/** The declarations of a file that startup needs before it imports the file. */
export type Declarations = Pick<RouteFile, "permissions" | "security">;

/** Matches code that may declare or re-export permissions. */
const MAY_DECLARE = /\bpermissions\b|\bexport\s*\*/;
/** Matches code that has schemas, and so may declare security. */
const MAY_SECURE = /\bschema\b/;

/**
 * The permissions that files declare, and the security of lazy files, by file. Imports
 * only files that may have declarations, because `bough build` should not run the code
 * of other files.
 *
 * @throws {RouteError} If a file cannot be imported, or has invalid declarations.
 */
export async function declarationsOf(
  { files, middleware }: Pick<Discovery, "files" | "middleware">,
  { source, lazy }: { readonly source: RouteSource; readonly lazy: boolean },
): Promise<ReadonlyMap<RouteFile, Declarations>> {
  const declared = new Map<RouteFile, Declarations>();
  const faults = new Faults();
  for (const file of [...files, ...middleware]) {
    const text = Deno.readTextFileSync(file.location);
    const isLazy = lazy && !middleware.includes(file);
    if (!MAY_DECLARE.test(text) && !(isLazy && MAY_SECURE.test(text))) continue;
    const loaded = await settled(file, source.load(file, 0));
    if ("error" in loaded) {
      const { error } = loaded;
      faults.at(file.path, "import")(importFailure(error, source.label), error);
      continue;
    }
    const { exports } = loaded;
    const report = faults.at(file.path, "exports");
    const permissions = withoutUrls(
      checkPermissions(exports.permissions, report),
    );
    const module = isLazy ? checkModule(exports, report) : undefined;
    const security = module === undefined ? {} : declaredSecurity(module);
    declared.set(file, {
      ...(Object.keys(permissions).length > 0 && { permissions }),
      ...(Object.keys(security).length > 0 && { security }),
    });
  }
  faults.throwIfAny();
  return declared;
}

/** Replaces `file:` URLs with paths relative to the working directory. */
export function withoutUrls(permissions: RoutePermissions): RoutePermissions {
  const pathOf = (value: string | URL) =>
    value instanceof URL
      ? relative(Deno.cwd(), fromFileUrl(value)).replaceAll("\\", "/") || "."
      : value;
  const lists = Object.entries(permissions).map(([kind, list]) =>
    [kind, Array.isArray(list) ? list.map(pathOf) : list] as const
  );
  return Object.fromEntries(lists);
}
