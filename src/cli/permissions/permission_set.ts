import { join } from "@std/path/join";
import { resolve } from "@std/path/resolve";
import {
  PERMISSION_KINDS,
  type PermissionKind,
  type Want,
} from "../../exports/permissions.ts";
import { UsageError } from "../command.ts";
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
  /** Permissions that are refused on purpose. */
  readonly deny: readonly Want[];
  /** Values that the program is to find absent. */
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

/** `prompt` if a set does not name a permission, `denied` even if it ignores that. */
export type State = "granted" | "denied" | "prompt";

/** The member of a permission that has its value. */
const MEMBERS = {
  read: "path",
  write: "path",
  ffi: "path",
  net: "host",
  import: "host",
  env: "variable",
  sys: "kind",
  run: "command",
};

/**
 * The states of permissions under a set, by Deno itself: by a process under that set.
 *
 * @throws {UsageError} If Deno refuses the set.
 */
export async function statesOf(
  set: PermissionSet,
  wants: readonly Want[],
): Promise<State[]> {
  const questions = wants.map(({ kind, value }) => ({
    name: kind,
    ...(value !== true && { [MEMBERS[kind]]: value }),
  }));
  const folder = await Deno.makeTempDir({ prefix: "bough-matcher-" });
  try {
    const config = join(folder, "deno.json");
    const program = join(folder, "matcher.js");
    const permissions = { set: configOf(set) };
    await Deno.writeTextFile(config, JSON.stringify({ permissions }));
    await Deno.writeTextFile(
      program,
      `console.log(JSON.stringify(${
        JSON.stringify(questions)
      }.map((question) => {
  try {
    return Deno.permissions.querySync(question).state;
  } catch {
    return "prompt"; // No set can name such a value.
  }
})));`,
    );
    const { success, stdout, stderr } = await new Deno.Command(
      Deno.execPath(),
      {
        args: ["run", "-P=set", `--config=${config}`, "--no-prompt", program],
        env: { NO_COLOR: "1" },
      },
    ).output();
    const [output, errors] = [stdout, stderr].map((bytes) =>
      new TextDecoder().decode(bytes)
    ) as [string, string];
    if (success) return JSON.parse(output);
    const reason = /^error: (.*)/m.exec(errors)?.[1] ?? errors;
    throw new UsageError(`Deno cannot use the permission set: ${reason}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
