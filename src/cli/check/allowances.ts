import { unescaped } from "../../common/log.ts";
import { ERRORS, type Finding, WARNINGS } from "./rules.ts";

/** A comment that allows a finding. */
const COMMENT = /\/\/[ \t]*bough-allow\b(.*)$/gm;
/** What follows in it: a rule, and a reason. */
const RULE_AND_REASON = /^\s+([^\s:]+)\s*(?::\s*(\S.*)?)?$/;
const FORM = "write: // bough-allow <rule>: <reason>";

/** The ends of the paths of route files, for a finding about their folder. */
const ROUTE_FILES = ["ts", "tsx", "js", "jsx"].map((end) => `/route.${end}`);

/** A comment or an option that allows the warnings of a rule. */
interface Allowance {
  readonly name: string;
  readonly rule: string;
  /** Why it can have no effect, if it cannot. */
  readonly fault?: string | undefined;
  isUsed: boolean;
}

/** What allows warnings: comments in the files concerned, and options. */
export class Allowances {
  readonly #options: readonly Allowance[];
  readonly #module: string | undefined;
  readonly #byFile = new Map<string, readonly Allowance[]>();

  /**
   * @param rules The rules that options allow everywhere.
   * @param module The module of the application. Its comments are for warnings that
   * are about no file, such as those about plugins.
   */
  constructor(rules: readonly string[], module: string | undefined) {
    this.#options = rules.map((rule) => {
      const name = `--allow=${rule}`;
      return { name, rule, fault: faultOf(rule), isUsed: false };
    });
    this.#module = module;
  }

  allows({ level, rule, path }: Finding): boolean {
    if (level === "error") return false;
    const fitting = [...this.#options, ...this.#around(path)]
      .filter((each) => each.rule === rule && each.fault === undefined);
    for (const each of fitting) each.isUsed = true;
    return fitting.length > 0;
  }

  /**
   * The allowances without effect, as findings.
   *
   * @param paths The files that may have some.
   * @param isComplete Whether all warnings are known: else, none is unused.
   */
  faults(paths: readonly string[], isComplete: boolean): Finding[] {
    for (const path of paths) this.#in(path);
    return [["the command", this.#options] as const, ...this.#byFile]
      .flatMap(([path, allowances]) =>
        allowances.flatMap(({ name, fault, isUsed }) => {
          if (fault === undefined && (isUsed || !isComplete)) return [];
          const reason = fault ??
            "allows nothing: there is no such warning; remove it";
          const message = `"${name}" ${reason}`;
          return [{ level: "warning", rule: "allowance", path, message }];
        })
      );
  }

  /** The allowances for a path: of the file, or of the route file of the folder. */
  #around(path: string): readonly Allowance[] {
    const paths = [path, ...ROUTE_FILES.map((end) => path + end)]
      .filter((each) => textOf(each) !== undefined);
    if (paths.length === 0 && this.#module !== undefined) {
      paths.push(this.#module);
    }
    return paths.flatMap((each) => this.#in(each));
  }

  #in(path: string): readonly Allowance[] {
    let found = this.#byFile.get(path);
    if (found === undefined) {
      const comments = (textOf(path) ?? "").matchAll(COMMENT);
      found = [...comments].map(([, content]) => commented(content!.trimEnd()));
      this.#byFile.set(path, found);
    }
    return found;
  }
}

/** The allowance of a comment, by what it has after its first word. */
function commented(content: string): Allowance {
  const [, rule = "", reason] = RULE_AND_REASON.exec(content) ?? [];
  const fault = rule === "" ? `names no rule; ${FORM}` : faultOf(rule) ??
    (reason === undefined ? `gives no reason; ${FORM}` : undefined);
  return { name: `bough-allow${content}`, rule, fault, isUsed: false };
}

function faultOf(rule: string): string | undefined {
  if (Object.hasOwn(WARNINGS, rule)) return undefined;
  if (Object.hasOwn(ERRORS, rule)) {
    return "has no effect: an error is mended, not allowed";
  }
  const known = Object.keys(WARNINGS).join(", ");
  return `names no rule that there is; the rules are ${known}`;
}

/** The text of a file, if it is one. The keys of a manifest are no paths of files. */
function textOf(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(unescaped(path));
  } catch {
    return undefined;
  }
}
