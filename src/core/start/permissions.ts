import {
  anyOf,
  type Form,
  listOf,
  NAME,
  object,
  oneOf,
} from "../common/forms.ts";
import { NATIVE, type PathModule } from "../common/paths.ts";
import { groupBy, parseUrl, quoted } from "../common/values.ts";
import type { Faults } from "../common/faults.ts";
import type { PermissionKind, RoutePermissions } from "../types/permissions.ts";

/** The member of a permission descriptor that contains the value. */
export const MEMBERS: Readonly<Record<PermissionKind, string>> = {
  read: "path",
  write: "path",
  net: "host",
  env: "variable",
  run: "command",
  sys: "kind",
  ffi: "path",
  import: "host",
};

/** All kinds of permissions. */
export const PERMISSION_KINDS: readonly PermissionKind[] = Object.keys(
  MEMBERS,
) as PermissionKind[];

const PATH: Form = {
  accepts: (value) =>
    (typeof value === "string" || value instanceof URL) && !!pathOf(value),
  expected: 'must be a path or the "file:" URL of a local path, without "%2F"',
};

/** The form of declared permissions. */
export const PERMISSIONS: Form = {
  ...object(
    Object.fromEntries(
      Object.entries(MEMBERS).map(([kind, member]) => [
        kind,
        anyOf(
          "must be a list, or true for all",
          oneOf(true),
          listOf(member === "path" ? PATH : NAME, ""),
        ),
      ]),
    ),
    'must be an object such as { net: ["api.example.com"], env: ["API_KEY"] }',
  ),
  allowsUndefined: true,
};

/** One permission: its kind and a value. */
export interface Permission {
  readonly kind: PermissionKind;
  /** A value of the flag; `true` for all values. */
  readonly value: string | true;
}

/**
 * The path that a declaration names: a path, or a `file:` URL, as a `URL` or as a
 * string. A path stays as it is.
 *
 * @returns `undefined` if a URL names no path of the system.
 */
export function pathOf(
  value: string | URL,
  path: PathModule = NATIVE,
): string | undefined {
  if (typeof value === "string" && !value.startsWith("file:")) return value;
  const url = parseUrl(value);
  if (url?.protocol !== "file:") return undefined;
  const isPosix = path.SEPARATOR === "/";
  // `fromFileUrl()` would drop the host, and read the escapes as separators.
  if (isPosix && url.host !== "") return undefined;
  if ((isPosix ? /%2f/i : /%2f|%5c/i).test(url.pathname)) return undefined;
  try {
    return path.fromFileUrl(url);
  } catch {
    return undefined; // escapes that are not UTF-8, such as "%FF"
  }
}

/** Splits checked permissions into one permission for each value. */
export function permissionsOf(permissions: RoutePermissions): Permission[] {
  return PERMISSION_KINDS.flatMap((kind): Permission[] => {
    const list = permissions[kind];
    if (list === undefined) return [];
    if (list === true) return [{ kind, value: true }];
    return list.map((value) => ({
      kind,
      value: MEMBERS[kind] === "path" ? pathOf(value)! : String(value),
    }));
  });
}

/** The flags that grant permissions, one for each kind: `--allow-net=a.com,b.com`. */
export function flagsOf(permissions: readonly Permission[]): string[] {
  return argumentsOf(permissions).map((flag) =>
    /[^\w@%+=:,./*-]/.test(flag) ? JSON.stringify(flag) : flag
  );
}

/**
 * The arguments of Deno that allow, deny or ignore permissions, one for each kind.
 * Unlike flags in messages, they are not quoted for a shell.
 */
export function argumentsOf(
  permissions: readonly Permission[],
  list: "allow" | "deny" | "ignore" = "allow",
): string[] {
  return PERMISSION_KINDS.flatMap((kind) => {
    const values = permissions.flatMap((permission) =>
      permission.kind === kind ? [permission.value] : []
    );
    if (values.length === 0) return [];
    if (values.includes(true)) return [`--${list}-${kind}`];
    // A comma separates values; two commas represent a literal comma.
    const text = [...new Set(values as string[])].sort()
      .map((value) => value.replaceAll(",", ",,")).join(",");
    return [`--${list}-${kind}=${text}`];
  });
}

/** The descriptor that queries a permission. */
export function descriptorOf(
  { kind, value }: Permission,
): Deno.PermissionDescriptor {
  const member = MEMBERS[kind];
  // Deno accepts `*.example.com` in a flag, but not in a query.
  const queried = value !== true && member === "host"
    ? value.replace(/^\*\./, "any-host.")
    : value;
  const descriptor = { name: kind, ...value !== true && { [member]: queried } };
  return descriptor as Deno.PermissionDescriptor;
}

/**
 * Whether the process has a permission, queried without a prompt. Runtimes other than
 * Deno allow everything, since they do not have permissions.
 *
 * @throws {Error} If the value is invalid for Deno, such as a URL for a host.
 */
export function isGranted(permission: Permission): boolean {
  const permissions = globalThis.Deno?.permissions;
  if (permissions?.querySync === undefined) return true;
  return permissions.querySync(descriptorOf(permission)).state === "granted";
}

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
