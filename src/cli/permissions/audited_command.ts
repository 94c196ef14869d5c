import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** The subcommands of Deno that run a program, and so can be audited. */
const RUNNING = ["run", "test", "serve", "bench"];

/** Flags that give permissions, so that a command without any is told apart. */
const PERMISSION_FLAG =
  /^(?:-A|-P|-[RWNESI]|--permission-set|--allow-[a-z]+)(?:=|$)|^-P/;

/** The whole file system, as a list: unscoped, Deno logs a `write` for each `read`. */
const ROOT = Deno.build.os === "windows" ? "C:\\" : "/";

const SCOPED: Readonly<Record<string, readonly string[]>> = {
  "-R": [`--allow-read=${ROOT}`],
  "--allow-read": [`--allow-read=${ROOT}`],
  "-W": [`--allow-write=${ROOT}`],
  "--allow-write": [`--allow-write=${ROOT}`],
};

/** All permissions, those for files as lists. */
const ALL = [
  ...["net", "env", "sys", "run", "ffi"].map((kind) => `--allow-${kind}`),
  "--allow-import",
  `--allow-read=${ROOT}`,
  `--allow-write=${ROOT}`,
];

/** How a command of Deno is to be audited. */
export interface AuditOptions {
  /** The URL of the module to run before the program. */
  readonly preload: string;
  /** The folder that the command is run in. */
  readonly cwd: string;
  /** Whether a command that has no permissions gets all of them. */
  readonly allowAll: boolean;
  /** Whether the permission set of a name reads or writes without a list. */
  readonly isUnscoped?: (set: string, kind: "read" | "write") => boolean;
}

/**
 * The arguments of a command of Deno, as they are for an audit: with the module that
 * sees programs being run, and with lists in place of all files.
 *
 * @param args The arguments, the subcommand first: `["test", "-A"]`.
 */
export function auditedArgs(
  args: readonly string[],
  { preload, cwd, allowAll, isUnscoped = () => false }: AuditOptions,
): string[] {
  const [subcommand, ...rest] = args;
  if (subcommand === undefined || !RUNNING.includes(subcommand)) {
    return [...args];
  }
  const end = endOfFlags(subcommand, rest);
  const isServing = subcommand === "serve";
  const flags = rest.slice(0, end).flatMap((flag) =>
    flag === "-A" || flag === "--allow-all" ? ALL : SCOPED[flag] ?? [flag]
  );
  const given = flags.filter((flag) => PERMISSION_FLAG.test(flag));
  const set = given.map((flag) =>
    /^(?:-P|--permission-set)(?:=?(.*))$/.exec(flag)?.[1]
  ).find((name) => name !== undefined);
  const scoped = (["read", "write"] as const).flatMap((kind) =>
    set !== undefined && isUnscoped(set || "default", kind)
      ? SCOPED[`--allow-${kind}`]!
      : []
  );
  return [
    subcommand,
    ...(isServing ? [] : [`--preload=${preload}`]),
    ...(given.length === 0 && allowAll ? ALL : []),
    ...scoped,
    ...flags,
    ...(isServing
      ? rest.slice(end).map((arg, index) =>
        index === 0 ? served(arg, { preload, cwd }) : arg
      )
      : rest.slice(end)),
  ];
}

/**
 * A module in the place of one that `deno serve` is to serve, since that takes no notice
 * of a preload. What it imports is known from its text, and so needs no permission.
 */
function served(
  module: string,
  { preload, cwd }: { readonly preload: string; readonly cwd: string },
): string {
  const url = /^[a-z]{2,}:/.test(module)
    ? module
    : pathToFileURL(resolve(cwd, module)).href;
  const text = `import ${JSON.stringify(preload)};
export default (await import(${JSON.stringify(url)})).default;`;
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

/** Where the arguments of the program begin, whose form is its own business. */
function endOfFlags(subcommand: string, args: readonly string[]): number {
  const end = subcommand === "test" || subcommand === "bench"
    ? args.indexOf("--")
    : args.findIndex((arg, index) =>
      arg === "-" || arg === "--" ||
      (/^(?!-).*(?:\.[cm]?[jt]sx?|^[a-z]+:.*)$/.test(arg) &&
        !/^--(?:preload|import|require)$/.test(args[index - 1] ?? ""))
    );
  return end === -1 ? args.length : end;
}

/** The files that `deno run` and `deno serve` start, which are of the application. */
export function entryOf(args: readonly string[]): string | undefined {
  const [subcommand, ...rest] = args;
  if (subcommand !== "run" && subcommand !== "serve") return undefined;
  return rest.find((arg) => /^(?!-).*\.[cm]?[jt]sx?$/.test(arg));
}
