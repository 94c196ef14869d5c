import { join } from "@std/path/join";
import { toFileUrl } from "@std/path/to-file-url";
import { auditedArgs, type AuditOptions } from "./audited_command.ts";
import { type Access, Log } from "./log.ts";

/** How a command is run to learn from it. */
export interface LearnOptions {
  /** The words of the command, or a text for a shell. */
  readonly command: readonly string[] | string;
  /** How long it may run, in seconds. */
  readonly time: number;
  /** How large its logs may grow, in bytes. */
  readonly size: number;
  /** The URLs of the route files and middleware files. */
  readonly routes: readonly string[];
  /** See {@linkcode AuditOptions.isUnscoped}. */
  readonly isUnscoped: NonNullable<AuditOptions["isUnscoped"]>;
}

/** What was learned from a command. */
export interface Learned {
  readonly accesses: readonly Access[];
  /** Its exit code. */
  readonly code: number;
  /** Why it was stopped, if it was. */
  readonly stopped?: "time" | "size";
}

/** How often to look at the size of the logs, in milliseconds. */
const INTERVAL = 250;
/** How long a command may take to end by itself, in milliseconds. */
const GRACE = 10_000;

/**
 * Runs a command under the audit of Deno, and returns what it used. Its output goes to
 * standard error.
 *
 * @throws {Deno.errors.NotFound} If there is no such program.
 */
export async function learn(options: LearnOptions): Promise<Learned> {
  const logs = await Deno.makeTempDir({ prefix: "bough-permissions-" });
  try {
    const child = await spawn(options, logs);
    const output = Promise.all([child.stdout, child.stderr].map(toStderr));
    const stopped = await untilEnd(child, logs, options);
    const { code } = await child.status;
    await output;
    const log = new Log(Deno.cwd());
    for await (const { name } of Deno.readDir(logs)) {
      if (name.endsWith(".jsonl")) await log.add(join(logs, name));
    }
    return {
      accesses: log.accesses,
      code,
      ...(stopped !== undefined && { stopped }),
    };
  } finally {
    await Deno.remove(logs, { recursive: true });
  }
}

async function spawn(
  { command, routes, isUnscoped }: LearnOptions,
  logs: string,
): Promise<Deno.ChildProcess> {
  const preload = await writePreload(logs, routes);
  const [program = "", ...args] = typeof command === "string"
    ? ["sh", "-c", command]
    : command;
  const isDeno = program === "deno";
  const path = Deno.env.get("PATH") ?? "";
  return new Deno.Command(isDeno ? Deno.execPath() : program, {
    args: isDeno
      ? auditedArgs(args, { preload, allowAll: true, isUnscoped })
      : args,
    env: {
      DENO_AUDIT_PERMISSIONS: join(logs, "first.jsonl"),
      DENO_TRACE_PERMISSIONS: "1",
      DENO_NO_PROMPT: "1",
      ...(Deno.build.os !== "windows" && {
        PATH: `${await shim(logs, preload)}:${path}`,
      }),
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
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
esac
exec ${quoted(Deno.execPath())} "$@"
`,
  );
  await Deno.chmod(path, 0o755);
  return folder;
}

async function toStderr(stream: ReadableStream<Uint8Array>): Promise<void> {
  for await (const chunk of stream) Deno.stderr.writeSync(chunk);
}

/** Waits until a command ends, and stops it at its bounds. */
async function untilEnd(
  child: Deno.ChildProcess,
  logs: string,
  { time, size }: LearnOptions,
): Promise<Learned["stopped"]> {
  const ended = child.status.then(() => true);
  const deadline = performance.now() + time * 1_000;
  let stopped: Learned["stopped"];
  while (!await within(ended, INTERVAL)) {
    if (performance.now() > deadline) stopped = "time";
    else if (sizeOf(logs) > size) stopped = "size";
    if (stopped !== undefined) break;
  }
  if (stopped === "time") {
    child.kill("SIGTERM");
    if (!await within(ended, GRACE)) child.kill("SIGKILL");
  } else if (stopped === "size") {
    // Meanwhile, the logs would go on growing.
    child.kill("SIGKILL");
  }
  return stopped;
}

async function within(
  ended: Promise<boolean>,
  milliseconds: number,
): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}

function sizeOf(logs: string): number {
  let bytes = 0;
  for (const { name, isFile } of Deno.readDirSync(logs)) {
    if (isFile) bytes += Deno.statSync(join(logs, name)).size;
  }
  return bytes;
}
