/** Stands in for `node:child_process` in an audited process. */
import original from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";
import { childArgs, childEnv, noteRun } from "./run_note.ts";

type Run = (...args: unknown[]) => unknown;

/** A function that runs a program, and tells the audit so before. */
function audited<Original>(
  run: Original,
  isShell: boolean,
): Original {
  const before = (args: unknown[]): unknown[] => {
    const [program, ...rest] = args;
    const list = Array.isArray(rest[0]) ? rest.shift() as string[] : undefined;
    const options = typeof rest[0] === "object" && rest[0] !== null
      ? rest.shift() as Record<string, unknown>
      : {};
    const shell = isShell || options.shell ? shellOf(options.shell) : undefined;
    noteRun(shell ?? String(program));
    return [
      program,
      ...(list === undefined ? [] : [
        childArgs(String(program), list, options.cwd as string | undefined),
      ]),
      { ...options, ...envOf(options.env) },
      ...rest,
    ];
  };
  const original = run as Run;
  const wrapped = (...args: unknown[]): unknown => original(...before(args));
  const custom = (original as unknown as Record<symbol, Run | undefined>)[
    promisify.custom
  ];
  if (custom !== undefined) {
    Object.defineProperty(wrapped, promisify.custom, {
      value: (...args: unknown[]) => custom(...before(args)),
    });
  }
  return wrapped as Original;
}

function shellOf(shell: unknown): string {
  if (typeof shell === "string") return shell;
  return Deno.build.os === "windows" ? "cmd.exe" : "/bin/sh";
}

function envOf(own: unknown): { env?: Record<string, unknown> } {
  try {
    return {
      env: { ...(own as object | undefined) ?? process.env, ...childEnv() },
    };
  } catch {
    // To read all variables is not permitted; the function itself says so.
    return {};
  }
}

/** See `node:child_process`. */
export const exec: typeof original.exec = audited(original.exec, true);
/** See `node:child_process`. */
export const execSync: typeof original.execSync = audited(
  original.execSync,
  true,
);
/** See `node:child_process`. */
export const execFile: typeof original.execFile = audited(
  original.execFile,
  false,
);
/** See `node:child_process`. */
export const execFileSync: typeof original.execFileSync = audited(
  original.execFileSync,
  false,
);
/** See `node:child_process`. */
export const spawn: typeof original.spawn = audited(original.spawn, false);
/** See `node:child_process`. */
export const spawnSync: typeof original.spawnSync = audited(
  original.spawnSync,
  false,
);
/** See `node:child_process`. */
export const fork: typeof original.fork = ((...args: unknown[]) => {
  noteRun("deno");
  return (original.fork as Run)(...args);
}) as never;
/** See `node:child_process`. */
export const ChildProcess: typeof original.ChildProcess = original.ChildProcess;

export default {
  ...original,
  exec,
  execSync,
  execFile,
  execFileSync,
  spawn,
  spawnSync,
  fork,
};
