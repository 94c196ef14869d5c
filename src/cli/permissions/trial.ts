import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import type { Permission } from "../../exports/permissions.ts";
import { exists } from "../files.ts";
import type { Use } from "./attribution.ts";
import { type Audit, linesOf, NOTER } from "./audit.ts";
import { listen, type Request } from "./broker.ts";
import { covers, hostOf, isPath, isWithin, smallest } from "./coverage.ts";
import { type Log, permissionOf } from "./log.ts";
import type { PermissionSet } from "./permission_set.ts";
import { type Ended, isComplete, runBounded } from "./shell_command.ts";

/** A command for a shell, and how long it may run, in seconds. */
export interface Trial {
  readonly command: string;
  readonly time: number;
}

/** The beginning of variables that a process reads only to note something. */
const NOTE = "BOUGH_NOTE_";
/** Noted around a signal to another process. */
const SIGNAL = `${NOTE}SIGNAL`;
/** Noted after a signal, or after a program was started. */
const DONE = `${NOTE}DONE`;

/**
 * Runs before the program of each process. The audit does not log when a program starts
 * another, but it logs this look at a variable just before that, with its stack.
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
 * Runs a command under a permission set, and logs the accesses of its processes of Deno.
 * Those that the set denies or ignores are refused; those that it lacks are allowed.
 */
export async function runUnder(
  set: PermissionSet,
  { command, time }: Trial,
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
    const noter = join(folder, NOTER);
    await Deno.writeTextFile(noter, PROGRAM);
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
      NODE_OPTIONS: `${options} --require ${JSON.stringify(noter)}`,
    }, { time, full: full.promise });
    await log.compare(set);
    return ended;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Decides on an access, and logs it. */
function isAllowed(request: Request, { set, log, note }: {
  readonly set: PermissionSet;
  readonly log: Log;
  readonly note: string | undefined;
}): boolean {
  const { kind, value } = request;
  const want = permissionOf(request);
  const has = (wants: readonly Permission[]) =>
    wants.some((each) => covers(each, want));
  // If a set refuses some variables, a list of all of them leaves these out.
  const isPartial = kind === "env" && value === null &&
    [...set.deny, ...set.ignore].some((each) => each.kind === kind);
  if (isPartial) return true;
  if (has(set.deny)) return false;
  // An ignored file that exists can only be refused.
  if (has(set.ignore)) return kind === "env" || !exists(String(want.value));
  // Before a program starts, Deno asks for all programs; if refused, for that one.
  const isQuestion = kind === "run" && value === null && note !== SIGNAL;
  if (isQuestion && !has(set.allow)) return false;
  const source = kind === "run" && note !== undefined
    ? { kind: "env" as const, value: note }
    : request;
  log.add(want, source);
  return true;
}

/**
 * Reads the audit of all processes. Each process empties its file first, but not a pipe.
 * Without a pipe, as on Windows, only the audit of the last process is read.
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

/** How often a command runs at most, as long as it asks for more. */
const RUNS = 4;

/** The result of the last run. */
export interface Proof {
  readonly ended: Ended;
  /** The entries of its permission set that it asked for, and the others. */
  readonly proven: readonly Permission[];
  readonly unproven: readonly Permission[];
}

/**
 * Runs a command under a permission set, then under the set that it turned out to need,
 * until the two are the same.
 *
 * @param first The set of the first run.
 * @param setAfter Returns the set that all runs so far need; receives how the last ended.
 */
export async function prove(
  trial: Trial,
  first: PermissionSet,
  { log, setAfter }: {
    readonly log: Log;
    readonly setAfter: (ended: Ended) => Promise<PermissionSet>;
  },
): Promise<Proof> {
  for (let set = first;;) {
    const ended = await runUnder(set, trial, log);
    const next = await setAfter(ended);
    const [now, then] = [set, next].map(({ allow }) =>
      JSON.stringify(smallest([], allow))
    );
    if (now === then || log.run === RUNS || !isComplete(ended)) {
      const asked = log.accesses.filter(({ run }) => run === log.run);
      const isProven = (want: Permission) =>
        asked.some((each) => covers(want, each));
      return {
        ended,
        proven: set.allow.filter(isProven),
        unproven: set.allow.filter((want) => !isProven(want)),
      };
    }
    set = next;
  }
}

/**
 * The hosts and folders of values that differ from run to run: the last run lacked one,
 * and did not repeat another, which the same line had asked for before.
 */
export function widerThan(uses: readonly Use[], run: number): Permission[] {
  return uses.filter(({ lackingRun }) => lackingRun === run).flatMap((use) =>
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
  // The folder of the whole project would allow far more.
  return isWithin(folder, Deno.cwd()) ? undefined : { kind, value: folder };
}
