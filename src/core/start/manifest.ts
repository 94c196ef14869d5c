import { printable } from "../common/log.ts";
import { checkForm, recordOf } from "../common/forms.ts";
import { PERMISSIONS as PERMISSIONS_FORM } from "./permissions.ts";
import type { RoutePermissions } from "../types/permissions.ts";
import type { Faults } from "../common/faults.ts";
import type { RouteManifest } from "../types/options.ts";
import {
  type Discovery,
  fileKind,
  type RouteFile,
  suspiciousGuard,
  type Warning,
} from "./discover.ts";

/** The manifest member with the declared permissions of files. */
export const PERMISSIONS = "permissions";

/** Finds the files that a manifest lists, and reports the faults of the manifest. */
export function discoverListed(
  manifest: RouteManifest,
  faults: Faults,
): Discovery {
  const files: Record<"route" | "middleware", RouteFile[]> = {
    route: [],
    middleware: [],
  };
  const warnings: Warning[] = [];
  const permissions = permissionsIn(manifest, faults);

  for (const key of Object.keys(manifest).sort()) {
    if (key === PERMISSIONS) continue;
    const path = printable(key);
    const names = key.split("/");
    const malformed = keyFault(key, names);
    const name = names.pop()!;
    const kind = fileKind(name);
    const guardOff = suspiciousGuard(name);
    if (malformed !== undefined) {
      faults.at(path, "manifest")(malformed);
    } else if (guardOff !== undefined) {
      faults.at(path, "guard-off")(guardOff);
    } else if (kind === undefined) {
      const message =
        "Bough serves only paths of route files, so this entry is skipped";
      warnings.push({ path, rule: "route-name", message });
    } else {
      const declared = permissions[key];
      // Read the entry only once, so that later changes to the manifest have no effect.
      const entry = manifest[key]!;
      const file = { path, location: key, folders: names, entry };
      files[kind].push(
        declared === undefined ? file : { ...file, permissions: declared },
      );
    }
  }
  return { files: files.route, middleware: files.middleware, warnings };
}

/**
 * Describes the fault of a key; `undefined` if the key is valid. For example,
 * `./(staff)/middleware.ts` would guard a folder named `.`, but not the routes in
 * `(staff)`.
 */
function keyFault(key: string, names: readonly string[]): string | undefined {
  return !key.includes("\\") && !names.some((name) => /^\.{0,2}$/.test(name))
    ? undefined
    : 'the path has a backslash, ".", ".." or an empty segment; write a path such as "users/[id]/route.ts"';
}

/** Reads the permissions that a manifest declares, by the path of the file. */
function permissionsIn(
  manifest: RouteManifest,
  faults: Faults,
): Readonly<Record<string, RoutePermissions>> {
  const all = Object.hasOwn(manifest, PERMISSIONS) ? manifest[PERMISSIONS] : {};
  const form = recordOf(
    PERMISSIONS_FORM,
    'must map paths of files, as "bough build" writes it',
  );
  const report = faults.at(PERMISSIONS, "manifest");
  const isValid = checkForm(form, all, PERMISSIONS, report);
  return { __proto__: null, ...isValid && all } as never;
}
