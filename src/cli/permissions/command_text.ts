import { UsageError } from "../command.ts";

/** What only a shell understands. In Windows, a backslash is of a path. */
const SHELL_SYNTAX = Deno.build.os === "windows"
  ? /[|&;<>()$`*?{}~#\n]|^\s*\w+=/
  : /[|&;<>()$`*?{}~#\\\n]|^\s*\w+=/;
/** How often a task may name another. */
const DEPTH = 10;

/** The tasks of a project, as its configuration has them. */
export type Tasks = Readonly<
  Record<
    string,
    string | { command?: string; dependencies?: readonly string[] }
  >
>;

/**
 * Puts the command of a task in the place of `deno task <name>`: what a task runs does
 * not look for `deno` in the PATH, and so cannot be audited.
 *
 * @throws {UsageError} If there is no such task.
 */
export function expandTasks(text: string, tasks: Tasks): string {
  function expand(command: string, depth: number): string {
    if (depth > DEPTH) {
      throw new UsageError(
        `--from names tasks that name each other: "${text}"`,
      );
    }
    return command.split("&&").map((part) => {
      const [, name, rest = ""] =
        /^\s*deno task ([^\s-]\S*)((?:\s[^]*)?)$/.exec(part) ?? [];
      if (name === undefined) return part.trim();
      return expand(commandOf(name, tasks) + rest.trimEnd(), depth + 1);
    }).join(" && ");
  }
  return expand(text, 0);
}

/** What a task runs, its dependencies first. */
function commandOf(name: string, tasks: Tasks): string {
  const task = tasks[name];
  const { command = "", dependencies = [] } = typeof task === "string"
    ? { command: task }
    : task ?? {};
  if (command === "") {
    throw new UsageError(
      `--from names the task "${name}", which has no command`,
    );
  }
  return [...dependencies.map((each) => `deno task ${each}`), command]
    .join(" && ");
}

/** The words of a command, or nothing where only a shell can tell. */
export function wordsOf(text: string): string[] | undefined {
  const quoted = text.replaceAll(/"[^"$`\\]*"|'[^']*'/g, "");
  if (SHELL_SYNTAX.test(quoted) || /["']/.test(quoted)) return undefined;
  const words = text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(
      /"([^"]*)"|'([^']*)'/g,
      (_, double, single) => double ?? single,
    )
  );
}
