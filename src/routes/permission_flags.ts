import { NATIVE } from "./paths.ts";
import {
  PERMISSION_KINDS,
  type PermissionKind,
  type RoutePermissions,
} from "./permissions_export.ts";

/** One thing that a file wants to use: a kind of permission, and what of it. */
export interface Want {
  readonly kind: PermissionKind;
  /** A value of the flag; `true` for all there is. */
  readonly value: string | true;
}

/** What permissions consist of, value by value. */
export function wantsOf(permissions: RoutePermissions): Want[] {
  return PERMISSION_KINDS.flatMap((kind): Want[] => {
    const list = permissions[kind];
    if (list === undefined) return [];
    if (list === true) return [{ kind, value: true }];
    return list.map((value) => ({
      kind,
      value: value instanceof URL ? NATIVE.fromFileUrl(value) : value,
    }));
  });
}

/** The flags that give permissions, one of each kind: `--allow-net=a.com,b.com`. */
export function flagsOf(wants: readonly Want[]): string[] {
  return PERMISSION_KINDS.flatMap((kind) => {
    const values = wants.flatMap((want) =>
      want.kind === kind ? [want.value] : []
    );
    if (values.length === 0) return [];
    if (values.includes(true)) return [`--allow-${kind}`];
    // A comma separates values; two of them stand for one.
    const list = [...new Set(values as string[])].sort()
      .map((value) => value.replaceAll(",", ",,")).join(",");
    const flag = `--allow-${kind}=${list}`;
    return [/[^\w@%+=:,./*-]/.test(flag) ? JSON.stringify(flag) : flag];
  });
}

/**
 * Whether the process has a permission, asked without a prompt. A host other than
 * Deno has no permissions to ask for: there, everything is allowed.
 *
 * @throws {Error} If the value is none that Deno knows, such as a URL for a host.
 */
export function isGranted(want: Want): boolean {
  const permissions = globalThis.Deno?.permissions;
  if (permissions?.querySync === undefined) return true;
  return permissions.querySync(descriptorOf(want)).state === "granted";
}

function descriptorOf({ kind, value }: Want): Deno.PermissionDescriptor {
  if (value === true) return { name: kind } as Deno.PermissionDescriptor;
  const member = {
    read: "path",
    write: "path",
    ffi: "path",
    net: "host",
    import: "host",
    env: "variable",
    run: "command",
    sys: "kind",
  }[kind];
  // Deno takes `*.example.com` as a flag, but not as a question.
  const asked = member === "host" ? value.replace(/^\*\./, "any-host.") : value;
  return {
    name: kind,
    [member]: asked,
  } as unknown as Deno.PermissionDescriptor;
}

/** What an import was refused by Deno, if it was. */
export function refusedWant(error: unknown): Want | undefined {
  if (!(error instanceof Error)) return undefined;
  // Deno colours the message of a dynamic import on a terminal.
  const plain = error.message.replaceAll(ANSI_COLOR, "");
  const [found, name, value] =
    /^Requires (\w+) access(?: to "(.*?)")?(?:[,;]|$)/.exec(plain) ?? [];
  const kind = PERMISSION_KINDS.find((kind) => kind === name);
  if (found === undefined || kind === undefined) return undefined;
  return { kind, value: value ?? true };
}

// deno-lint-ignore no-control-regex
const ANSI_COLOR = /\x1b\[[\d;]*m/g;
