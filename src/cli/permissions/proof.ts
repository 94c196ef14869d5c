import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import type { Permission } from "../../core/exports/permissions.ts";
import { exists } from "../files.ts";
import type { Use } from "./attribution.ts";
import { type Audit, linesOf, RECORDER } from "./audit.ts";
import { type AccessRequest, listen } from "./broker.ts";
import { covers, hostOf, isPath, isWithin, smallest } from "./coverage.ts";
import { type Log, permissionOf } from "./log.ts";
import type { PermissionSet } from "./permission_set.ts";
import { type Ended, isComplete, runBounded } from "./shell_command.ts";

/** A shell command, and its time limit in seconds. */
export interface TimedCommand {
  readonly command: string;
  readonly time: number;
}

/** The prefix of variables that a process reads only to leave a note in the audit. */
const NOTE = "BOUGH_NOTE_";
/** The note before a signal to another process. */
const SIGNAL = `${NOTE}SIGNAL`;
/** The note after a signal, or after the start of a program. */
const DONE = `${NOTE}DONE`;

/**
 * Runs before the program of each process. The audit does not log the line that starts
 * another program. So this code reads a variable just before the start, and the audit
 * logs this access with its stack.
 */
const PROGRAM = `
if (globalThis.Deno !== undefined) {
  const { Command, env, pid } = Deno;
  const get = env.get.bind(env);
  const look = (name) => { try { get(name); } catch {} };
  let count = 0;
  const wrap = (owner, names, note) => {
    for (const name of names) {
      owner[name] = new Proxy(owner[name], {
        apply(original, self, args) {
          look(note());
          try {
            return Reflect.apply(original, self, args);
          } finally {
            look("${DONE}");
          }
        },
      });
    }
  };
  const child = process.getBuiltinModule("node:child_process");
  const start = () => "${NOTE}" + pid + "_" + count++;
  wrap(Command.prototype, ["spawn", "output", "outputSync"], start);
  wrap(child.ChildProcess.prototype, ["spawn"], start);
  wrap(child, ["spawnSync", "execSync", "execFileSync"], start);
  for (const owner of [Deno, process]) wrap(owner, ["kill"], () => "${SIGNAL}");
  look("${DONE}");
}
`;

/**
 * Runs a command under a permission set, and logs the accesses of its Deno processes.
 * Accesses that the set denies or ignores are refused. All other accesses are allowed,
 * even if they are missing from the set.
 */
export async function runUnder(
  set: PermissionSet,
  { command, time }: TimedCommand,
  log: Log,
): Promise<Ended> {
  const full = Promise.withResolvers<"size">();
  const folder = await Deno.makeTempDir({ prefix: "bough-permissions-" });
  log.run++;
  log.audit.begin();
  try {
    const socket = Deno.build.os === "windows"
      ? `\\\\.\\pipe\\bough-${crypto.randomUUID()}`
      : join(folder, "broker");
    await using _broker = await listen(socket, () => {
      let note: string | undefined;
      return (request) => {
        const { kind, value } = request;
        if (log.isFull) full.resolve("size");
        log.hasProcesses = true;
        if (kind !== "env" || !value?.startsWith(NOTE)) {
          return isAllowed(request, { set, log, note });
        }
        note = value === DONE ? undefined : value;
        return true;
      };
    });
    const recorder = join(folder, RECORDER);
    await Deno.writeTextFile(recorder, PROGRAM);
    const path = join(folder, "audit");
    await using _audit = await readAudit(path, log.audit);
    const [flags, options = ""] = ["DENO_V8_FLAGS", "NODE_OPTIONS"]
      .map((name) => Deno.env.get(name));
    const ended = await runBounded(command, {
      DENO_PERMISSION_BROKER_PATH: socket,
      DENO_AUDIT_PERMISSIONS: path,
      DENO_TRACE_PERMISSIONS: "1",
      DENO_NO_PROMPT: "1",
      DENO_V8_FLAGS: `${flags ? `${flags},` : ""}--stack-trace-limit=63`,
      NODE_OPTIONS: `${options} --require ${JSON.stringify(recorder)}`,
    }, { time, full: full.promise });
    await log.compare(set);
    return ended;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Decides on an access, and logs it. */
function isAllowed(request: AccessRequest, { set, log, note }: {
  readonly set: PermissionSet;
  readonly log: Log;
  readonly note: string | undefined;
}): boolean {
  const { kind, value } = request;
  const permission = permissionOf(request);
  const isIn = (list: readonly Permission[]) =>
    list.some((each) => covers(each, permission));
  // If a set refuses some variables, Deno omits these variables from the list of all
  // variables.
  const isPartial = kind === "env" && value === null &&
    [...set.deny, ...set.ignore].some((each) => each.kind === kind);
  if (isPartial) return true;
  if (isIn(set.deny)) return false;
  // Only a refused access makes an existing file appear absent.
  if (isIn(set.ignore)) {
    return kind === "env" || !exists(String(permission.value));
  }
  // Before a program starts, Deno asks to run all programs. If the broker refuses,
  // Deno asks to run only that program.
  const isQuestion = kind === "run" && value === null && note !== SIGNAL;
  if (isQuestion && !isIn(set.allow)) return false;
  const source = kind === "run" && note !== undefined
    ? { kind: "env" as const, value: note }
    : request;
  log.add(permission, source);
  return true;
}

/**
 * Reads the audit of all processes from a pipe, since each process empties a regular file
 * first. Without pipes, as on Windows, only the audit of the last process is read.
 */
async function readAudit(path: string, audit: Audit): Promise<AsyncDisposable> {
  const end = crypto.randomUUID();
  const isPipe = await new Deno.Command("mkfifo", { args: [path] }).output()
    .then(({ success }) => success, () => false);
  if (!isPipe) await Deno.writeTextFile(path, "");
  const read = async () => {
    const file = await Deno.open(path, { read: true, write: isPipe });
    for await (const line of linesOf(file.readable)) {
      if (line === end) break;
      audit.add(line);
    }
  };
  const reading = isPipe ? read() : undefined;
  return {
    async [Symbol.asyncDispose]() {
      if (isPipe) await Deno.writeTextFile(path, `\n${end}\n`);
      await (reading ?? read());
    },
  };
}

/** The maximum number of runs, in case each run requests further permissions. */
const RUNS = 4;

/** The result of the last run. */
export interface Proof {
  readonly ended: Ended;
  /** The entries of the permission set that the run used. */
  readonly proven: readonly Permission[];
  /** The entries that the run did not use. */
  readonly unproven: readonly Permission[];
}

/**
 * Runs a command under a permission set, then again under the set that the command
 * needed, until the set no longer changes.
 *
 * @param first The set of the first run.
 * @param context The log, and a function that receives the result of the last run, and
 * returns the set that all runs so far needed.
 */
export async function prove(
  attempt: TimedCommand,
  first: PermissionSet,
  { log, setAfter }: {
    readonly log: Log;
    readonly setAfter: (ended: Ended) => Promise<PermissionSet>;
  },
): Promise<Proof> {
  for (let set = first;;) {
    const ended = await runUnder(set, attempt, log);
    const next = await setAfter(ended);
    const [now, then] = [set, next].map(({ allow }) =>
      JSON.stringify(smallest([], allow))
    );
    if (now === then || log.run === RUNS || !isComplete(ended)) {
      const asked = log.accesses.filter(({ run }) => run === log.run);
      const isProven = (permission: Permission) =>
        asked.some((each) => covers(permission, each));
      return {
        ended,
        proven: set.allow.filter(isProven),
        unproven: set.allow.filter((permission) => !isProven(permission)),
      };
    }
    set = next;
  }
}

/**
 * The hosts and folders of values that differ from run to run. The same line of code
 * requested one value in an earlier run, and a different value in the last run. The set
 * did not include the value of the last run.
 */
export function widerThan(uses: readonly Use[], run: number): Permission[] {
  return uses.filter(({ missingRun }) => missingRun === run).flatMap((use) =>
    uses.filter((other) => other.run < run)
      .flatMap((other) => common(use, other) ?? []).slice(0, 1)
  );
}

function common(one: Use, other: Use): Permission | undefined {
  const { kind, value } = one;
  if (other.kind !== kind || value === true || other.value === true) return;
  if (one.by?.url !== other.by?.url || one.by?.line !== other.by?.line) return;
  if (kind === "net" || kind === "import") {
    const host = hostOf(value);
    return host === hostOf(other.value) ? { kind, value: host } : undefined;
  }
  if (!isPath(kind)) return;
  let folder = dirname(value);
  while (!isWithin(folder, other.value)) folder = dirname(folder);
  // A folder that contains the whole project would allow far too much.
  return isWithin(folder, Deno.cwd()) ? undefined : { kind, value: folder };
}
