import { dirname } from "@std/path/dirname";
import { isAbsolute } from "@std/path/is-absolute";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { resolve } from "@std/path/resolve";
import {
  applyEdits,
  findNodeAtLocation,
  type JSONPath,
  modify,
  parse,
  type ParseError,
  parseTree,
} from "jsonc-parser";
import {
  MEMBERS,
  type Permission,
  PERMISSION_KINDS,
} from "../../core/start/permissions.ts";
import type { PermissionKind } from "../../core/types/permissions.ts";
import { UsageError } from "../command.ts";
import { readIfExists, replaceFile } from "../files.ts";
import { hasPath, homeFolder, isWithin } from "./coverage.ts";

type List = boolean | readonly string[];
type Lists = { readonly [Name in keyof PermissionSet]?: List | undefined };

/** A permission set in `deno.json`. */
type SetConfig =
  & Readonly<Partial<Record<PermissionKind, List | Lists>>>
  & { readonly all?: boolean };

/** A permission set, with absolute paths. */
export interface PermissionSet {
  readonly allow: readonly Permission[];
  /** Permissions that are denied on purpose. */
  readonly deny: readonly Permission[];
  /** Values that appear absent to the program. */
  readonly ignore: readonly Permission[];
}

/** Whether an entry of a set has several lists, not only the list `allow`. */
function hasLists(entry: List | Lists | undefined): entry is Lists {
  return typeof entry === "object" && !Array.isArray(entry);
}

/**
 * Reads a permission set.
 *
 * @param folder The folder that the paths of the set are relative to.
 */
export function setOf(config: SetConfig, folder: string): PermissionSet {
  const permissionsOf = (name: keyof PermissionSet) =>
    PERMISSION_KINDS.flatMap((kind): Permission[] => {
      const { [kind]: entry } = config;
      const lists: Lists = hasLists(entry) ? entry : { allow: entry };
      const list = lists[name] || [];
      if (list === true) return [{ kind, value: true }];
      return list.map((value) => ({
        kind,
        value: hasPath({ kind, value }) ? resolve(folder, value) : value,
      }));
    });
  return {
    allow: permissionsOf("allow"),
    deny: permissionsOf("deny"),
    ignore: permissionsOf("ignore"),
  };
}

/** Converts a permission set for `deno.json`. */
export function configOf(set: PermissionSet): SetConfig {
  return Object.fromEntries(PERMISSION_KINDS.map((kind) => {
    const lists = Object.entries(set).flatMap(([name, list]) => {
      const values = (list as readonly Permission[])
        .flatMap((each) => each.kind === kind ? [each.value] : []);
      // Not every kind supports every list, so empty lists are omitted.
      return values.length === 0
        ? []
        : [[name, values.includes(true) || values]];
    });
    return [kind, Object.fromEntries(lists)];
  }));
}

/**
 * The answer of Deno to a permission: `prompt` if the set does not name it, `denied` if
 * the set denies or ignores it, and `impossible` if only `--allow-all` grants it.
 */
export type State = Deno.PermissionState | "impossible";

/**
 * Asks Deno, in a process that runs under a permission set, for the states of permissions.
 *
 * @throws {UsageError} If Deno rejects the set.
 */
export async function statesOf(
  set: PermissionSet,
  permissions: readonly Permission[],
): Promise<State[]> {
  const questions = permissions.map(({ kind, value }) => ({
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
      `const questions = ${JSON.stringify(questions)};
console.log(JSON.stringify(questions.map((question) => {
  let state = "prompt"; // No set can name a value that throws.
  try {
    state = Deno.permissions.querySync(question).state;
    // Queries ignore that "/proc" and the like need all permissions.
    if (state === "granted" && question.path) Deno.lstatSync(question.path);
  } catch ({ message }) {
    if (/^Requires all access/.test(message)) state = "impossible";
  }
  return state;
})));`,
    );
    const command = new Deno.Command(Deno.execPath(), {
      args: ["run", "-P=set", `--config=${config}`, "--no-prompt", program],
      env: { NO_COLOR: "1" },
    });
    const { success, stdout, stderr } = await command.output();
    const output = new TextDecoder().decode(success ? stdout : stderr);
    if (success) return JSON.parse(output);
    const reason = /^error: (.*)/m.exec(output)?.[1] ?? output;
    throw new UsageError(`Deno cannot use the permission set: ${reason}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The configuration of a project: its `deno.json` or `deno.jsonc`. */
export class Project {
  readonly path: string;
  /** The folder that the paths of sets are relative to. */
  readonly folder: string;
  #text: string;
  readonly #config: {
    permissions?: Readonly<Record<string, SetConfig>>;
    tasks?: Readonly<Record<string, string | { command?: string }>>;
  };

  private constructor(path: string, text: string) {
    this.path = path;
    this.folder = dirname(path);
    this.#text = text;
    const errors: ParseError[] = [];
    this.#config = parse(text, errors, { allowTrailingComma: true }) ?? {};
    if (errors.length > 0) throw new UsageError(`"${path}" is not valid JSON`);
  }

  /** Finds the configuration of a folder, in the folder itself or in a folder above. */
  static find(folder: string): Project | undefined {
    for (let at = resolve(folder);; at = dirname(at)) {
      for (const name of ["deno.json", "deno.jsonc"]) {
        const path = join(at, name);
        const text = readIfExists(path);
        if (text !== undefined) return new Project(path, text);
      }
      if (dirname(at) === at) return undefined;
    }
  }

  get commands(): string[] {
    return Object.values(this.#config.tasks ?? {}).map((task) =>
      (typeof task === "string" ? task : task.command) ?? ""
    );
  }

  /**
   * The permission set with a name; `undefined` if the name is unknown.
   *
   * @throws {UsageError} If the set allows everything with `all`.
   */
  set(name: string): PermissionSet | undefined {
    const set = this.#config.permissions?.[name];
    if (set?.all === true) {
      throw new UsageError(
        `the permission set "${name}" has "all": true, which grants everything; remove it`,
      );
    }
    return set && setOf(set, this.folder);
  }

  /** Replaces only the allowed permissions of a set; returns whether the file changed. */
  write(name: string, permissions: readonly Permission[]): boolean {
    const before = this.#config.permissions?.[name] ?? {};
    let text = this.#text;
    const indent = /^[ \t]+(?=\S)/m.exec(text)?.[0] ?? "  ";
    const formattingOptions = {
      insertSpaces: !indent.startsWith("\t"),
      tabSize: indent.length,
      eol: "\n",
    };
    for (const kind of PERMISSION_KINDS) {
      const entry = before[kind];
      const [path, old] = hasLists(entry)
        ? [[kind, "allow"], entry.allow]
        : [[kind], entry];
      const texts = Array.isArray(old) ? old : [];
      const list = this.#listOf(kind, permissions, texts);
      const isEmpty = list === undefined && !old;
      if (isEmpty || JSON.stringify(list) === JSON.stringify(old)) continue;
      const at = ["permissions", name, ...path];
      const edit = (to: JSONPath, value: unknown, isArrayInsertion = false) => {
        const options = { formattingOptions, isArrayInsertion };
        const edits = modify(text, [...at, ...to], value, options);
        text = applyEdits(text, edits);
      };
      const node = findNodeAtLocation(parseTree(text)!, at);
      const { offset = 0, length = 0 } = node ?? {};
      const hasLines = text.slice(offset, offset + length).includes("\n");
      if (!hasLines || !Array.isArray(old) || !Array.isArray(list)) {
        edit([], list);
        continue;
      }
      // Comments may stand between the entries, so each entry is edited by itself.
      for (const [index, value] of [...old.entries()].reverse()) {
        if (!list.includes(value)) edit([index], undefined);
      }
      const kept = old.filter((value) => list.includes(value)).length;
      for (const [index, value] of list.entries()) {
        if (index >= kept) edit([index], value, true);
      }
    }
    if (text === this.#text) return false;
    const path = Deno.realPathSync(this.path);
    if (Deno.readTextFileSync(path) !== this.#text) {
      throw new UsageError(
        `"${this.path}" changed during the run; run the command again`,
      );
    }
    this.#text = text;
    replaceFile(path, text);
    return true;
  }

  /** The new list of one kind, which begins with the remaining old entries. */
  #listOf(
    kind: PermissionKind,
    permissions: readonly Permission[],
    before: readonly string[],
  ): true | string[] | undefined {
    const own = permissions.filter((each) => each.kind === kind);
    if (own.length === 0) return undefined;
    const old = setOf({ [kind]: before }, this.folder).allow;
    const texts = own.map((each): string | true => {
      const { value } = each;
      const index = old.findIndex((each) => each.value === value);
      return before[index] ??
        (hasPath(each) ? this.#relative(each.value) : value);
    });
    if (texts.includes(true)) return true;
    const isOld = (text: string | true) => before.includes(`${text}`);
    return [
      ...before.filter((text) => texts.includes(text)),
      ...texts.filter((text) => !isOld(text)).sort(),
    ] as string[];
  }

  /** A path for the configuration, relative if it is below its folder. */
  #relative(path: string): string {
    const text = relative(this.folder, path).replaceAll("\\", "/");
    if (text === "") return ".";
    // On Windows, the path may be on another drive.
    if (isAbsolute(text)) return resolve(path);
    if (!/^\.\.(?:\/|$)/.test(text)) return `./${text}`;
    // The home folder has another name on another machine.
    const home = homeFolder();
    return home && isWithin(home, path) ? text : resolve(path);
  }
}
