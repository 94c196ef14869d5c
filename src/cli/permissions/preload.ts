/**
 * Runs before an audited program, called by a module that `learn.ts` writes: raises the
 * limit of stacks, sees which programs it runs, and gives each child process a log of
 * its own.
 *
 * The audit of Deno does not have `run`. So this looks at an environment variable whose
 * name tells the program: the audit has that with its stack, granted or not.
 */
import { registerHooks } from "node:module";
// Loaded by a hook, it would need a permission.
import "./child_process.ts";
import { rememberStacks } from "./known_stacks.ts";
import {
  type Audit,
  beginAudit,
  childArgs,
  childEnv,
  noteRun,
} from "./run_note.ts";

const WRAPPER = new URL("./child_process.ts", import.meta.url).href;

/** What an audited process has to know. */
export interface Preload extends Audit {
  /** The URLs of the route files and middleware files. */
  readonly routes: readonly string[];
}

/** Sets up the process. */
export function preload({ routes, ...audit }: Preload): void {
  Error.stackTraceLimit = 63;
  rememberStacks(routes);
  beginAudit(audit);
  registerHooks({
    resolve: (specifier, context, next) =>
      /^(?:node:)?child_process$/.test(specifier) &&
        context.parentURL !== WRAPPER
        ? { url: WRAPPER, shortCircuit: true }
        : next(specifier, context),
  });
  define("Command", Command);
  for (const [name, method] of Object.entries(RUNNERS)) {
    if (!(name in Deno)) continue;
    define(
      name,
      (
        program: string | URL,
        args?: string[] | Deno.CommandOptions,
        options?: Deno.CommandOptions,
      ) =>
        new Command(program, Array.isArray(args) ? { ...options, args } : args)
          [method](),
    );
  }
}

class Command extends Deno.Command {
  constructor(program: string | URL, options: Deno.CommandOptions = {}) {
    noteRun(String(program));
    super(program, {
      ...options,
      args: childArgs(String(program), options.args, options.cwd),
      env: { ...options.env, ...childEnv() },
    });
  }
}

/** Functions of Deno that make a command of their own, and what they do with it. */
const RUNNERS = {
  spawn: "spawn",
  spawnAndWait: "output",
  spawnAndWaitSync: "outputSync",
} as const;

/** Replaces a member of `Deno`, which tests may replace again. */
function define(name: string, value: unknown): void {
  Object.defineProperty(Deno, name, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}
