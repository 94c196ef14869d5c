import { unescaped } from "../../core/common/log.ts";
import { isGranted } from "../../core/start/permissions.ts";
import { ERRORS, type Finding, WARNINGS } from "./rules.ts";

/** A comment that allows the warnings of a rule. */
const COMMENT = /\/\/[ \t]*bough-allow\b(.*)$/gm;
/** The rest of the comment: a rule and a reason. */
const RULE_AND_REASON = /^\s+([^\s:]+)\s*(?::\s*(\S.*)?)?$/;
const FORM = "write: // bough-allow <rule>: <reason>";

/** The names of route files, in which comments also allow warnings about the folder. */
const ROUTE_FILES = ["/route.ts", "/route.tsx", "/route.js", "/route.jsx"];

/** A comment or an option that allows the warnings of a rule. */
interface Allowance {
  readonly name: string;
  readonly rule: string;
  /** The reason why the allowance is invalid; `undefined` if the allowance is valid. */
  readonly fault?: string | undefined;
  isUsed: boolean;
}

/** The comments and options that allow warnings. */
export class Allowances {
  readonly #options: readonly Allowance[];
  readonly #module: string | undefined;
  readonly #byFile = new Map<string, readonly Allowance[]>();

  /**
   * @param rules The rules that options allow in all files.
   * @param module The module of the application. Its comments allow warnings about
   * plugins, which have no file.
   */
  constructor(rules: readonly string[], module: string | undefined) {
    this.#options = rules.map((rule) => {
      const name = `--allow=${rule}`;
      return { name, rule, fault: faultOf(rule), isUsed: false };
    });
    this.#module = module;
  }

  allows({ rule, path }: Finding): boolean {
    const matching = [...this.#options, ...this.#around(path)]
      .filter((each) => each.rule === rule && each.fault === undefined);
    for (const each of matching) each.isUsed = true;
    return matching.length > 0;
  }

  /**
   * Findings about allowances without effect.
   *
   * @param paths The files that may contain allowances.
   * @param isComplete Whether all warnings are known, so that an unused allowance is a
   * finding.
   */
  faults(paths: readonly string[], isComplete: boolean): Finding[] {
    for (const path of paths) this.#in(path);
    return [["the command", this.#options] as const, ...this.#byFile]
      .flatMap(([path, allowances]) =>
        allowances.flatMap(({ name, fault, isUsed }) => {
          if (fault === undefined && (isUsed || !isComplete)) return [];
          const reason = fault ?? "matches no warning; remove it";
          const message = `"${name}" ${reason}`;
          return [{ level: "warning", rule: "allowance", path, message }];
        })
      );
  }

  /** The allowances for a path: from its file, its route file, or else the module. */
  #around(path: string): readonly Allowance[] {
    const paths = [path, ...ROUTE_FILES.map((end) => path + end)]
      .filter((each) => textOf(each) !== undefined);
    if (paths.length === 0 && this.#module !== undefined) {
      paths.push(this.#module);
    }
    return paths.flatMap((each) => this.#in(each));
  }

  #in(path: string): readonly Allowance[] {
    return this.#byFile.getOrInsertComputed(path, () => {
      const comments = (textOf(path) ?? "").matchAll(COMMENT);
      return [...comments].map(([, content]) => commented(content!.trimEnd()));
    });
  }
}

/** Parses the part of a comment after `bough-allow`. */
function commented(content: string): Allowance {
  const [, rule = "", reason] = RULE_AND_REASON.exec(content) ?? [];
  const fault = rule === "" ? `names no rule; ${FORM}` : faultOf(rule) ??
    (reason === undefined ? `gives no reason; ${FORM}` : undefined);
  return { name: `bough-allow${content}`, rule, fault, isUsed: false };
}

function faultOf(rule: string): string | undefined {
  if (Object.hasOwn(WARNINGS, rule)) return undefined;
  if (Object.hasOwn(ERRORS, rule)) {
    return "names an error; fix the error, since only warnings can be allowed";
  }
  const known = Object.keys(WARNINGS).join(", ");
  return `names an unknown rule; the rules are ${known}`;
}

/** The content of a file; `undefined` for a folder, or for a key of a manifest. */
function textOf(path: string): string | undefined {
  const value = unescaped(path);
  try {
    // Without the permission, Deno would prompt in a program that calls the check.
    return isGranted({ kind: "read", value })
      ? Deno.readTextFileSync(value)
      : undefined;
  } catch {
    return undefined;
  }
}
