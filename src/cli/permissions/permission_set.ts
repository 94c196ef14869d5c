import { resolve } from "@std/path/resolve";
import type { Want } from "../../routes/permission_flags.ts";
import {
  PERMISSION_KINDS,
  type PermissionKind,
} from "../../routes/permissions_export.ts";
import { isPath } from "./coverage.ts";

type List = boolean | readonly string[];
type Lists = { readonly [Name in keyof PermissionSet]?: List };

/** A permission set in `deno.json`. */
export type SetConfig =
  & Readonly<Partial<Record<PermissionKind, List | Lists>>>
  & { readonly all?: boolean };

/** A permission set, with absolute paths. */
export interface PermissionSet {
  readonly allow: readonly Want[];
  /** What is refused on purpose. */
  readonly deny: readonly Want[];
  /** What is not there, to the program. */
  readonly ignore: readonly Want[];
}

/** Whether an entry of a set has more than the list of what it allows. */
export function hasLists(entry: List | Lists | undefined): entry is Lists {
  return typeof entry === "object" && !Array.isArray(entry);
}

/**
 * Reads a permission set.
 *
 * @param folder The folder that its paths are relative to.
 */
export function setOf(config: SetConfig, folder: string): PermissionSet {
  const wantsOf = (name: keyof PermissionSet) =>
    PERMISSION_KINDS.flatMap((kind): Want[] => {
      const { [kind]: entry } = config;
      const { [name]: list = false } = hasLists(entry)
        ? entry
        : { allow: entry };
      if (list === true) return [{ kind, value: true }];
      return (list || []).map((value) => {
        const isRelative = isPath(kind) ||
          (kind === "run" && /[\\/]/.test(value));
        return { kind, value: isRelative ? resolve(folder, value) : value };
      });
    });
  return {
    allow: wantsOf("allow"),
    deny: wantsOf("deny"),
    ignore: wantsOf("ignore"),
  };
}

/** A permission set for `deno.json`. */
export function configOf(set: PermissionSet): SetConfig {
  return Object.fromEntries(PERMISSION_KINDS.map((kind) => {
    const lists = Object.entries(set).flatMap(([name, wants]) => {
      const values = (wants as readonly Want[])
        .flatMap((want) => want.kind === kind ? [want.value] : []);
      // Not each kind has each list.
      return values.length === 0
        ? []
        : [[name, values.includes(true) || values]];
    });
    return [kind, Object.fromEntries(lists)];
  }));
}
