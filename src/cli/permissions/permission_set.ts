import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { resolve } from "@std/path/resolve";
import { homedir } from "node:os";
import { applyEdits, modify, parse, type ParseError } from "jsonc-parser";
import { contains } from "../../core/common/paths.ts";
import {
  argumentsOf,
  descriptorOf,
  type Permission,
  PERMISSION_KINDS,
} from "../../core/start/permissions.ts";
import type { PermissionKind } from "../../core/types/permissions.ts";
import { UsageError } from "../command.ts";
import { exists, replaceFile } from "../files.ts";
import { hasPath } from "./needs.ts";

/** A permission set. */
export interface PermissionSet {
  /** The allowed permissions, with absolute paths. */
  readonly allow: readonly Permission[];
  /** The arguments of Deno for what the set denies or ignores on purpose. */
  readonly others: readonly string[];
}

type Values = boolean | readonly string[];
type Lists = Readonly<Partial<Record<"allow" | "deny" | "ignore", Values>>>;
type SetConfig = Readonly<Partial<Record<PermissionKind, Values | Lists>>>;

/** The lists of one kind. A single list is the list `allow`. */
function listsOf(entry: Values | Lists = []): Lists {
  const isList = typeof entry === "boolean" || Array.isArray(entry);
  return isList ? { allow: entry as Values } : entry as Lists;
}

/** The arguments with which Deno runs a program under a permission set. */
export function runArguments({ allow, others }: PermissionSet): string[] {
  return ["run", "--no-prompt", ...argumentsOf(allow), ...others];
}

/** Queries permissions. Queries ignore that "/proc" and the like need `--allow-all`. */
const PROGRAM = `
const { permissions, lstatSync, errors, stdin } = Deno;
const questions = await new Response(stdin.readable).json();
console.log(JSON.stringify(questions.map((question) => {
  try {
    const { state } = permissions.querySync(question);
    const isFile = question.name === "read" && question.path;
    if (isFile && state === "granted") lstatSync(question.path);
    return state;
  } catch (error) {
    const isUnknown = error instanceof errors.NotCapable || error.name === "TypeError";
    return isUnknown ? "prompt" : "granted";
  }
})));`;

/**
 * Asks Deno, in a process under a permission set, for the states of permissions. The
 * state is `prompt` if the set lacks a permission, and `denied` if the set denies it.
 *
 * @throws {UsageError} If Deno rejects the set.
 */
export async function statesOf(
  set: PermissionSet,
  permissions: readonly Permission[],
): Promise<Deno.PermissionState[]> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...runArguments(set),
      ...["--quiet", "--no-config", "--no-lock"],
      `data:text/javascript,${encodeURIComponent(PROGRAM)}`,
    ],
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = child.output();
  const questions = JSON.stringify(permissions.map(descriptorOf));
  // The input is closed if Deno rejects the set.
  await new Response(questions).body!.pipeTo(child.stdin).catch(() => {});
  const { success, stdout, stderr } = await output;
  const decoder = new TextDecoder();
  if (success) return JSON.parse(decoder.decode(stdout));
  throw new UsageError(
    `Deno cannot use the permission set: ${decoder.decode(stderr).trim()}`,
  );
}

/** The configuration of a project: its `deno.json` or `deno.jsonc`. */
export class Project {
  readonly path: string;
  readonly #folder: string;

  private constructor(path: string) {
    this.path = path;
    this.#folder = dirname(path);
  }

  /** Finds the configuration of a folder, in the folder itself or in a folder above. */
  static find(folder: string): Project | undefined {
    const path = ["deno.json", "deno.jsonc"].map((name) => join(folder, name))
      .find(exists);
    if (path !== undefined) return new Project(path);
    const above = dirname(folder);
    return above === folder ? undefined : Project.find(above);
  }

  /** The text of the file, and the set with a name in it. */
  #read(name: string | undefined) {
    const errors: ParseError[] = [];
    const text = Deno.readTextFileSync(this.path);
    const { permissions } = parse(text, errors, { allowTrailingComma: true }) ??
      {};
    if (errors.length > 0) {
      throw new UsageError(`"${this.path}" is not valid JSON`);
    }
    const config: SetConfig =
      (name === undefined ? undefined : permissions?.[name]) ?? {};
    return { text, config };
  }

  /** The permission set with a name, which is empty if the file does not have it. */
  set(name: string | undefined): PermissionSet {
    const { config } = this.#read(name);
    const permissionsOf = (list: keyof Lists) =>
      PERMISSION_KINDS.flatMap((kind): Permission[] => {
        const values = listsOf(config[kind])[list] || [];
        if (values === true) return [{ kind, value: true }];
        return values.map((value) => ({
          kind,
          value: hasPath({ kind, value })
            ? resolve(this.#folder, value)
            : value,
        }));
      });
    const others = (["deny", "ignore"] as const)
      .flatMap((list) => argumentsOf(permissionsOf(list), list));
    return { allow: permissionsOf("allow"), others };
  }

  /** Replaces the allowed permissions of a set; its other lists stay. */
  write(name: string, permissions: readonly Permission[]): void {
    const { text, config } = this.#read(name);
    const kinds = PERMISSION_KINDS.flatMap((kind) => {
      const values = permissions
        .flatMap((each) => each.kind === kind ? [this.shown(each).value] : [])
        .sort();
      const { allow: _, ...others } = listsOf(config[kind]);
      const hasOthers = Object.keys(others).length > 0;
      if (values.length === 0 && !hasOthers) return [];
      const allow = values.includes(true) || values;
      return [[kind, hasOthers ? { allow, ...others } : allow]];
    });
    const set = Object.fromEntries(kinds);
    const edits = modify(text, ["permissions", name], set, {
      formattingOptions: { insertSpaces: true, tabSize: 2 },
    });
    replaceFile(Deno.realPathSync(this.path), applyEdits(text, edits));
  }

  /** An entry with a relative path if it is in the project. */
  shown(permission: Permission): Permission {
    if (!hasPath(permission)) return permission;
    const { kind, value } = permission;
    const path = relative(this.#folder, value).replaceAll("\\", "/");
    if (contains(this.#folder, value)) {
      return { kind, value: path === "" ? "." : `./${path}` };
    }
    // The home folder has another name on another machine.
    const isPortable = contains(homedir(), value);
    return isPortable ? { kind, value: path } : permission;
  }
}
