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
import {
  PERMISSION_KINDS,
  type PermissionKind,
  type Want,
} from "../../exports/permissions.ts";
import { UsageError } from "../command.ts";
import { readIfExists } from "../files.ts";
import { isPath } from "./coverage.ts";
import {
  hasLists,
  type PermissionSet,
  type SetConfig,
  setOf,
} from "./permission_set.ts";

interface Config {
  readonly permissions?: Readonly<Record<string, SetConfig>>;
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

  /**
   * A permission set; `undefined` if there is none.
   *
   * @throws {UsageError} If it allows everything, whatever it lists.
   */
  set(name: string): PermissionSet | undefined {
    const set = this.#config.permissions?.[name];
    if (set?.all === true) {
      throw new UsageError(
        `the permission set "${name}" has "all": true, which grants everything; remove that`,
      );
    }
    return set && setOf(set, dirname(this.path));
  }

  /**
   * Replaces what a permission set allows; everything else stays as it is.
   *
   * @returns Whether that changed anything.
   */
  write(name: string, wants: readonly Want[]): boolean {
    const before = this.#config.permissions?.[name] ?? {};
    let text = this.#text;
    for (const kind of PERMISSION_KINDS) {
      const entry = before[kind];
      const [path, old] = hasLists(entry)
        ? [[kind, "allow"], entry.allow]
        : [[kind], entry];
      const list = this.#listOf(kind, wants, Array.isArray(old) ? old : []);
      const isEmpty = list === undefined &&
        (old === undefined || old === false);
      if (isEmpty || JSON.stringify(list) === JSON.stringify(old)) continue;
      text = applyEdits(
        text,
        modify(text, ["permissions", name, ...path], list, {
          formattingOptions: this.#formatting(),
        }),
      );
    }
    if (text === this.#text) return false;
    this.#replace(text);
    return true;
  }

  /** Replaces the file at once, so that nobody reads a half. */
  #replace(text: string): void {
    const path = Deno.realPathSync(this.path);
    const temporary = `${path}.${crypto.randomUUID()}`;
    Deno.copyFileSync(path, temporary);
    try {
      Deno.writeTextFileSync(temporary, text);
      Deno.renameSync(temporary, path);
    } catch (error) {
      Deno.removeSync(temporary);
      throw error;
    }
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

  /** The list for a set: first its old entries, as they were written. */
  #listOf(
    kind: PermissionKind,
    wants: readonly Want[],
    before: readonly string[],
  ): true | string[] | undefined {
    const own = wants.filter((want) => want.kind === kind);
    if (own.length === 0) return undefined;
    const old = setOf({ [kind]: before }, dirname(this.path)).allow;
    const texts = own.map(({ value }): string | true => {
      const index = old.findIndex((want) => want.value === value);
      return before[index] ??
        (value === true || !isPath(kind) ? value : this.#relative(value));
    });
    if (texts.includes(true)) return true;
    const isOld = (text: string | true) => before.includes(`${text}`);
    return [
      ...before.filter((text) => texts.includes(text)),
      ...texts.filter((text) => !isOld(text)).sort(),
    ] as string[];
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
