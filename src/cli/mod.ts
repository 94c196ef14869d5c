/**
 * The command `bough`, which lists, checks, tests and builds an application.
 *
 * ```console
 * $ deno run -A jsr:@bough/framework/cli routes api
 * $ deno run -A jsr:@bough/framework/cli --help
 * ```
 *
 * @example Use it from a program
 * ```ts
 * import { main } from "@bough/framework/cli";
 *
 * const exitCode = await main(["check", "examples/minimal/api"]);
 * console.log(exitCode); // 0
 * ```
 *
 * @module
 */
import { parseArgs } from "@std/cli/parse-args";
import config from "../../deno.json" with { type: "json" };
import { RouteError } from "../core/common/faults.ts";
import {
  inspectSafely,
  printable,
  printableLines,
} from "../core/common/log.ts";
import { check } from "./check.ts";
import {
  type Command,
  contained,
  FINDINGS,
  GOOD,
  MISUSE,
  ModuleError,
  print,
  printError,
  UsageError,
} from "./command.ts";
import { diff } from "./diff.ts";
import { docs } from "./docs.ts";
import { build, types } from "./generate.ts";
import { newProject } from "./new.ts";
import { openapi } from "./openapi.ts";
import { permissions } from "./permissions.ts";
import { routes } from "./routes.ts";
import { test } from "./test_command.ts";

const NAMED = { routes, check, build, types, openapi, diff, test, permissions };
const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ...Object.entries(NAMED),
  ["new", newProject],
  ["docs", docs],
]);

/**
 * Runs the command.
 *
 * @param args The name of the command, and its arguments: `["routes", "api"]`.
 * @returns The exit code: 0 for success, 1 for findings, 2 if the arguments are wrong
 * or the application ended the command.
 *
 * @example Usage
 * ```ts
 * import { main } from "@bough/framework/cli";
 *
 * const exitCode = await main(["routes", "examples/minimal/api"]);
 * ```
 */
export async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h") {
    print(overview());
    return name === undefined ? MISUSE : GOOD;
  }
  if (name === "--version" || name === "-V") {
    print(config.version);
    return GOOD;
  }
  const command = COMMANDS.get(name);
  if (command === undefined) {
    printError(
      `bough: unknown command "${printable(name)}"\n\n${overview()}`,
    );
    return MISUSE;
  }
  try {
    return await contained(name, () => run(command, rest));
  } catch (error) {
    if (error instanceof RouteError) printError(error.message);
    else if (error instanceof ModuleError) {
      printError(`bough ${name}: ${printableLines(error.message)}`);
    } else if (error instanceof UsageError || isOfSystem(error)) {
      const { help } = command;
      const more = error instanceof UsageError ? `\n\n${help.trim()}` : "";
      printError(`bough ${name}: ${printable(error.message)}${more}`);
      return MISUSE;
    } else throw error;
    return command.failure ?? FINDINGS;
  }
}

/** Whether Deno denied access, or the system failed; the message names the cause. */
function isOfSystem(error: unknown): error is Error {
  return Object.values(Deno.errors).some((Kind) => error instanceof Kind);
}

async function run(command: Command, all: readonly string[]): Promise<number> {
  const end = command.hasCommand ? all.indexOf("--") : -1;
  const args = end === -1 ? all : all.slice(0, end);
  const unknown: string[] = [];
  const { boolean = [], string = [], list = [] } = command;
  const named = [...string, ...list];
  const parsed: { _: (string | number)[] } & Record<string, unknown> =
    parseArgs([...args], {
      boolean: ["help", ...boolean],
      string: ["_", ...named],
      collect: [...list],
      alias: { h: "help", o: "output" },
      unknown: (arg, key) => {
        if (key !== undefined) unknown.push(arg);
        return key === undefined;
      },
    });
  if (parsed.help === true) {
    print(`${command.summary}\n\n${command.help.trim()}`);
    return GOOD;
  }
  const [unread] = unknown;
  if (unread !== undefined) {
    // `--title=` without a value is unknown to `parseArgs`.
    const [, option] = /^(.+)=$/.exec(unread) ?? [];
    throw new UsageError(
      option ? `${option} needs a value` : `unknown option "${unread}"`,
    );
  }
  for (const name of named) {
    if ([parsed[name]].flat().includes("")) {
      throw new UsageError(`--${name} needs a value`);
    }
  }
  const [first, surplus] = parsed._.map(String);
  if (surplus !== undefined && !command.isPhrase) {
    throw new UsageError(`unexpected argument "${surplus}"`);
  }
  const path = surplus === undefined ? first : parsed._.join(" ");
  return await command.run({
    path,
    isOn: (name) => parsed[name] === true,
    value: (name) => parsed[name] as string | undefined,
    values: (name) =>
      (parsed[name] as string[] ?? []).flatMap((each) => each.split(",")),
    command: end === -1 ? [] : all.slice(end + 1),
  });
}

function overview(): string {
  const lines = [...COMMANDS].map(([name, { summary }]) =>
    `  ${name.padEnd(11)}  ${summary}`
  );
  return `Usage: bough <command> [arguments]

${lines.join("\n")}

Run "bough <command> --help" for details. Exit codes: 0 success, 1 findings, 2 misuse.`;
}

/** Ends the process. The `unload` listeners run, but cannot change the exit code. */
function end(code: number): void {
  const { exit } = Deno;
  Object.assign(Deno, { exit: () => {} });
  addEventListener("unload", () => Deno.exitCode = code);
  exit(code);
}

if (import.meta.main) {
  // With `await`, Deno would report an error here if a module of the application never
  // settled.
  main(Deno.args).then(end, (error) => {
    printError(inspectSafely(error));
    end(MISUSE);
  });
}
