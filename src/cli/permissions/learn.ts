import { join } from "@std/path/join";
import { toFileUrl } from "@std/path/to-file-url";
import { auditedArgs, type AuditOptions } from "./audited_command.ts";
import { type Bounds, type Ended, runBounded } from "./bounded_child.ts";
import { type Access, Log } from "./log.ts";

/** How a command is run to learn from it. */
export interface LearnOptions extends Bounds {
  /** The words of the command, or a text for a shell. */
  readonly command: readonly string[] | string;
  /** The URLs of the route files and middleware files. */
  readonly routes: readonly string[];
  /** See {@linkcode AuditOptions.isUnscoped}. */
  readonly isUnscoped: NonNullable<AuditOptions["isUnscoped"]>;
}

/** What was learned from a command. */
export interface Learned extends Ended {
  readonly accesses: readonly Access[];
  /** Whether it is known which programs all of its processes ran. */
  readonly seesRun: boolean;
}

/**
 * Runs a command under the audit of Deno, and returns what it used. Its output goes to
 * standard error.
 *
 * @throws {Deno.errors.NotFound} If there is no such program.
 */
export async function learn(options: LearnOptions): Promise<Learned> {
  const logs = await Deno.makeTempDir({ prefix: "bough-permissions-" });
  try {
    const ended = await run(options, logs);
    const log = new Log(Deno.cwd());
    for await (const { name } of Deno.readDir(logs)) {
      if (name.endsWith(".jsonl")) await log.add(join(logs, name));
    }
    return {
      accesses: log.accesses,
      seesRun: log.seesRun,
      ...ended,
    };
  } finally {
    await Deno.remove(logs, { recursive: true });
  }
}

async function run(
  { command, routes, isUnscoped, ...bounds }: LearnOptions,
  logs: string,
): Promise<Ended> {
  const preload = await writePreload(logs, routes);
  const [program = "", ...args] = typeof command === "string"
    ? ["sh", "-c", command]
    : command;
  const isDeno = program === "deno";
  const path = Deno.env.get("PATH") ?? "";
  return await runBounded(isDeno ? Deno.execPath() : program, {
    args: isDeno
      ? auditedArgs(args, {
        preload,
        cwd: Deno.cwd(),
        allowAll: true,
        isUnscoped,
      })
      : args,
    env: {
      DENO_AUDIT_PERMISSIONS: join(logs, "first.jsonl"),
      DENO_TRACE_PERMISSIONS: "1",
      DENO_NO_PROMPT: "1",
      ...(Deno.build.os !== "windows" && {
        PATH: `${await shim(logs, preload)}:${path}`,
      }),
    },
  }, { ...bounds, logs });
}

/** Writes the module that every process runs first. What it imports needs no permission. */
async function writePreload(
  logs: string,
  routes: readonly string[],
): Promise<string> {
  const path = join(logs, "preload.js");
  const module = new URL("./preload.ts", import.meta.url).href;
  await Deno.writeTextFile(
    path,
    `import { preload } from ${JSON.stringify(module)};
preload({
  logs: ${JSON.stringify(logs)},
  preload: import.meta.url,
  routes: ${JSON.stringify(routes)},
});
`,
  );
  return toFileUrl(path).href;
}

/**
 * Writes a program `deno` for shells and others that look for it in the PATH: it gives
 * each process a log of its own, and adds the preload.
 */
async function shim(logs: string, preload: string): Promise<string> {
  const folder = join(logs, "bin");
  const path = join(folder, "deno");
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  await Deno.mkdir(folder);
  await Deno.writeTextFile(
    path,
    `#!/bin/sh
export DENO_AUDIT_PERMISSIONS=${quoted(logs)}/shell-$$.jsonl
case "$1" in
  run|test|bench)
    subcommand=$1
    shift
    exec ${quoted(Deno.execPath())} "$subcommand" ${
      quoted(`--preload=${preload}`)
    } "$@" ;;
  serve)
    export DENO_V8_FLAGS=--stack-trace-limit=63 ;;
esac
exec ${quoted(Deno.execPath())} "$@"
`,
  );
  await Deno.chmod(path, 0o755);
  return folder;
}
