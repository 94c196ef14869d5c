import { dirname } from "@std/path/dirname";
import { isAbsolute } from "@std/path/is-absolute";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { resolve } from "@std/path/resolve";
import type { Permission } from "../../core/start/permissions.ts";
import { exists } from "../files.ts";
import { type AccessPlace, Audit, linesOf, RECORDER } from "./audit.ts";
import { type AccessRequest, listen } from "./broker.ts";
import {
  covers,
  hasPath,
  isPath,
  isWithin,
  keyOf,
  temporaryFolder,
  withoutTemporary,
} from "./coverage.ts";
import type { PermissionSet } from "./permission_set.ts";
import { type Ended, runBounded } from "./shell_command.ts";

/**
 * The subject of a question: the use of a permission, an access that the set denies or
 * ignores on purpose, or only the recording itself.
 */
type Subject = "use" | "denied" | "recording";

/** An access that a command requested, with the number of Deno's questions about it. */
export interface Access extends Permission {
  readonly subject: Subject;
  readonly count: number;
  /** Whether a path of the project did not exist, so its name may differ in each run. */
  readonly isNew: boolean;
  readonly places: readonly AccessPlace[];
}

export interface Recording {
  readonly ended: Ended;
  readonly accesses: readonly Access[];
  /** The number of questions that Deno asked. */
  readonly questions: number;
  /** The URLs of all modules in stacks. */
  readonly modules: readonly string[];
}

/** The prefix of variables that a process reads only to leave a note in the audit. */
const NOTE = "BOUGH_NOTE_";
/** The note before a signal to another process. */
const SIGNAL = `${NOTE}SIGNAL`;
/** The note after a signal, or after the start of a program. */
const DONE = `${NOTE}DONE`;
const NOTES: Permission = { kind: "env", value: `${NOTE}*` };

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

/** The maximum number of distinct accesses. */
const LIMIT = 50_000;

interface Entry {
  readonly permission: Permission;
  readonly subject: Subject;
  readonly isNew: boolean;
  count: number;
  /** The accesses on the lines of the audit that show the places. */
  readonly sources: Map<string, Pick<AccessRequest, "kind" | "value">>;
}

/**
 * Runs a command under Deno's permission broker, and records the accesses that its Deno
 * processes request. The broker refuses only accesses that the set denies or ignores.
 *
 * @param command The text of a shell command.
 * @param limits The set, the time limit in seconds, and the maximum number of distinct
 * accesses.
 */
export async function record(
  command: string,
  { set, time, limit = LIMIT }: {
    readonly set: PermissionSet;
    readonly time: number;
    readonly limit?: number;
  },
): Promise<Recording> {
  const full = Promise.withResolvers<"size">();
  const entries = new Map<string, Entry>();
  const audit = new Audit();
  let questions = 0;
  const created = new Set<string | true>();
  const isNew = ({ kind, value }: Permission) => {
    if (!isPath(kind) || value === true || !isWithin(Deno.cwd(), value)) {
      return false;
    }
    if (!exists(value)) created.add(value);
    return created.has(value);
  };
  const folder = await Deno.makeTempDir({ prefix: "bough-permissions-" });
  try {
    const socket = Deno.build.os === "windows"
      ? `\\\\.\\pipe\\bough-${crypto.randomUUID()}`
      : join(folder, "broker");
    await using _broker = await listen(socket, () => {
      let note: string | undefined;
      return (request) => {
        questions++;
        const { kind, value } = request;
        const isNote = kind === "env" && value?.startsWith(NOTE) === true;
        if (isNote) note = value === DONE ? undefined : value!;
        const permission = isNote ? NOTES : permissionOf(request);
        const { subject, isAllowed } = isNote
          ? { subject: "recording" as const, isAllowed: true }
          : decided(permission, { set, note });
        const key = `${subject} ${keyOf(permission)}`;
        if (entries.size >= limit && !entries.has(key)) full.resolve("size");
        const entry = entries.getOrInsertComputed(
          key,
          () => ({
            permission,
            subject,
            isNew: isNew(permission),
            count: 0,
            sources: new Map(),
          }),
        );
        entry.count++;
        const source = kind === "run" && note !== undefined
          ? { kind: "env" as const, value: note }
          : { kind, value };
        entry.sources.set(`${source.kind} ${source.value}`, source);
        return isAllowed;
      };
    });
    const recorder = join(folder, RECORDER);
    await Deno.writeTextFile(recorder, PROGRAM);
    const path = join(folder, "audit");
    let ended: Ended;
    {
      await using _audit = await readAudit(path, audit);
      const [flags, options = ""] = ["DENO_V8_FLAGS", "NODE_OPTIONS"]
        .map((name) => Deno.env.get(name));
      ended = await runBounded(command, {
        DENO_PERMISSION_BROKER_PATH: socket,
        DENO_AUDIT_PERMISSIONS: path,
        DENO_TRACE_PERMISSIONS: "1",
        DENO_NO_PROMPT: "1",
        DENO_V8_FLAGS: `${flags ? `${flags},` : ""}--stack-trace-limit=63`,
        NODE_OPTIONS: `${options} --require ${JSON.stringify(recorder)}`,
      }, { time, full: full.promise });
    }
    const accesses = merged(entries.values(), audit);
    return { ended, accesses, questions, modules: audit.modules };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function decided(permission: Permission, { set, note }: {
  readonly set: PermissionSet;
  readonly note: string | undefined;
}): { readonly subject: Subject; readonly isAllowed: boolean } {
  const { kind, value } = permission;
  const isIn = (list: readonly Permission[]) =>
    list.some((each) => covers(each, permission));
  // If a set refuses some variables, Deno omits these variables from the list of all
  // variables.
  const isPartial = kind === "env" && value === true &&
    [...set.deny, ...set.ignore].some((each) => each.kind === kind);
  if (isPartial) return { subject: "denied", isAllowed: true };
  if (isIn(set.deny)) return { subject: "denied", isAllowed: false };
  // Only a refused access makes an existing file appear absent.
  if (isIn(set.ignore)) {
    const isAllowed = kind === "env" || !exists(String(value));
    return { subject: "denied", isAllowed };
  }
  // Before a program starts, Deno asks to run all programs. If the broker refuses,
  // Deno asks to run only that program.
  const isQuestion = kind === "run" && value === true && note !== SIGNAL;
  return isQuestion && !isIn(set.allow)
    ? { subject: "recording", isAllowed: false }
    : { subject: "use", isAllowed: true };
}

/** The accesses with their places; uses of temporary files are one access. */
function merged(entries: Iterable<Entry>, audit: Audit): Access[] {
  const all = new Map<string, Access>();
  for (const { permission, subject, isNew, count, sources } of entries) {
    const { kind, value } = subject === "use"
      ? withoutTemporary(permission)
      : permission;
    const key = `${subject} ${keyOf({ kind, value })}`;
    const before = all.get(key);
    const places = [...sources.values()].flatMap((source) =>
      audit.placesOf(source.kind, source.value)
    );
    all.set(key, {
      kind,
      value,
      subject,
      isNew,
      count: count + (before?.count ?? 0),
      places: [...before?.places ?? [], ...places],
    });
  }
  return [...all.values()];
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

/** The permission that a process requests, with absolute paths. */
export function permissionOf({ kind, value, pid }: AccessRequest): Permission {
  if (value === null) return { kind, value: true };
  if (value === "<TMP>") return { kind, value: temporaryFolder() };
  if (kind === "run" && value === Deno.execPath()) {
    return { kind, value: nameOfDeno() ?? value };
  }
  const isRelative = !isAbsolute(value) && hasPath({ kind, value });
  return { kind, value: isRelative ? resolve(folderOf(pid), value) : value };
}

/** The name by which the system finds this Deno, whose path differs between machines. */
function nameOfDeno(): string | undefined {
  const isWindows = Deno.build.os === "windows";
  const path = Deno.execPath();
  const name = relative(dirname(path), path);
  const found = (Deno.env.get("PATH") ?? "").split(isWindows ? ";" : ":")
    .map((folder) => join(folder, name)).find(exists);
  return found === path ? name : undefined;
}

/** The working directory of a process on Linux; elsewhere, of this process. */
function folderOf(pid: number): string {
  try {
    return Deno.readLinkSync(`/proc/${pid}/cwd`);
  } catch {
    return Deno.cwd();
  }
}
