import { dirname } from "@std/path/dirname";
import { isAbsolute } from "@std/path/is-absolute";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { resolve } from "@std/path/resolve";
import {
  applyEdits,
  type FormattingOptions,
  modify,
  parse,
  type ParseError,
} from "jsonc-parser";
import type { Want } from "../../routes/permission_flags.ts";
import {
  PERMISSION_KINDS,
  type PermissionKind,
} from "../../routes/permissions_export.ts";
import { UsageError } from "../command.ts";
import { readIfExists } from "../generated_file.ts";
import type { Tasks } from "./command_text.ts";
import { isPath } from "./coverage.ts";

/** What a permission set has for a kind. */
type Entry = boolean | readonly string[] | {
  readonly allow?: boolean | readonly string[];
  readonly deny?: boolean | readonly string[];
};

interface Config {
  readonly tasks?: Tasks;
  readonly permissions?: Readonly<
    Record<string, Partial<Record<PermissionKind, Entry>>>
  >;
}

/** The configuration of a project: its `deno.json` or `deno.jsonc`. */
export class Project {
  /** Its path. */
  readonly path: string;
  readonly #text: string;
  readonly #config: Config;

  private constructor(path: string, text: string) {
    this.path = path;
    this.#text = text;
    const errors: ParseError[] = [];
    this.#config = parse(text, errors, { allowTrailingComma: true }) ?? {};
    if (errors.length > 0) throw new UsageError(`"${path}" is no JSON`);
  }

  /** Finds the configuration for a folder: in it, or in one above it. */
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

  /** The tasks. */
  get tasks(): Tasks {
    return this.#config.tasks ?? {};
  }

  /** Whether a permission set gives all of a kind, without a list. */
  isUnscoped(set: string, kind: PermissionKind): boolean {
    return allowed(this.#config.permissions?.[set]?.[kind]) === true;
  }

  /** What a permission set gives, with absolute paths; `undefined` if there is none. */
  set(name: string): Want[] | undefined {
    const set = this.#config.permissions?.[name];
    if (set === undefined) return undefined;
    return PERMISSION_KINDS.flatMap((kind): Want[] => {
      const entry = allowed(set[kind]);
      if (entry === true) return [{ kind, value: true }];
      if (entry === false || entry === undefined) return [];
      return entry.map((value) => ({
        kind,
        value: isPath(kind) ? resolve(dirname(this.path), value) : value,
      }));
    });
  }

  /**
   * Writes a permission set; comments and all else stay as they are.
   *
   * @returns Whether that changed anything.
   */
  write(name: string, wants: readonly Want[]): boolean {
    const before = this.#config.permissions?.[name] ?? {};
    let text = this.#text;
    for (const kind of PERMISSION_KINDS) {
      const list = this.#entryOf(kind, wants);
      const entry = withDenied(before[kind], list);
      if (JSON.stringify(entry) === JSON.stringify(before[kind])) continue;
      text = applyEdits(
        text,
        modify(text, ["permissions", name, kind], entry, {
          formattingOptions: this.#formatting(),
        }),
      );
    }
    if (text === this.#text) return false;
    Deno.writeTextFileSync(this.path, text);
    return true;
  }

  /** The indentation that the file has. */
  #formatting(): FormattingOptions {
    const indent = /^[ \t]+(?=\S)/m.exec(this.#text)?.[0] ?? "  ";
    return {
      insertSpaces: !indent.startsWith("\t"),
      tabSize: indent.length,
      eol: "\n",
    };
  }

  #entryOf(
    kind: PermissionKind,
    wants: readonly Want[],
  ): true | string[] | undefined {
    const values = wants.flatMap((want) =>
      want.kind === kind ? [want.value] : []
    );
    if (values.length === 0) return undefined;
    if (values.includes(true)) return true;
    const list = (values as string[]).map((value) =>
      isPath(kind) ? this.#relative(value) : value
    );
    return [...new Set(list)].sort();
  }

  /** A path for the configuration, which is relative to it where it is below it. */
  #relative(path: string): string {
    const text = relative(dirname(this.path), resolve(path))
      .replaceAll("\\", "/");
    return text === ""
      ? "."
      // On Windows, it may be on another drive.
      : /^\.\.(?:\/|$)/.test(text) || isAbsolute(text)
      ? resolve(path)
      : `./${text}`;
  }
}

function allowed(
  entry: Entry | undefined,
): boolean | readonly string[] | undefined {
  return typeof entry === "object" && "allow" in entry
    ? entry.allow
    : entry as boolean | readonly string[] | undefined;
}

/** What a set denies stays denied, whatever is learned. */
function withDenied(
  before: Entry | undefined,
  allow: true | string[] | undefined,
): Entry | undefined {
  return typeof before === "object" && "deny" in before
    ? { ...(allow !== undefined && { allow }), deny: before.deny! }
    : allow;
}
