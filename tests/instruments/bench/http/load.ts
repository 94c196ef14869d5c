/** Measures a server with one kind of request. */
import type { Case } from "./cases.ts";
import type { Server } from "./servers.ts";

const CONNECTIONS = 32;
const LOAD_CORE = "1";

export interface Load {
  readonly requests: number;
  readonly seconds: number;
  /** The CPU time of all threads of the server. */
  readonly cpuSeconds: number;
  /** The latency in milliseconds that 99 of 100 responses keep. */
  readonly p99: number;
  /** The resident memory of the server after the load, in MiB. */
  readonly memory: number;
}

export interface LoadOptions {
  readonly seconds: number;
  /** A script for wrk from {@linkcode writeScript}. */
  readonly script: string | undefined;
}

/** Throws if the response differs from the case. */
export async function verify(
  { name, port }: Server,
  wanted: Case,
): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${wanted.target}`, {
    method: wanted.method,
    ...(wanted.body && {
      body: wanted.body,
      headers: { "content-type": "application/json" },
    }),
  });
  const text = await response.text();
  if (
    response.status !== wanted.status ||
    (wanted.answer !== undefined && text !== wanted.answer)
  ) {
    throw new Error(
      `Cannot measure "${name}": it responds to "${wanted.name}" with ${response.status} "${text}"`,
    );
  }
}

/** Writes a script for wrk that sends the body of a case. */
export async function writeScript(
  folder: string,
  { name, method, body }: Case,
): Promise<string | undefined> {
  if (body === undefined) return undefined;
  const path = `${folder}/${name.replaceAll(" ", "_")}.lua`;
  await Deno.writeTextFile(
    path,
    `wrk.method = "${method}"
wrk.body = [[${body}]]
wrk.headers["Content-Type"] = "application/json"
`,
  );
  return path;
}

/** Loads a server with requests of one case, and counts them. */
export async function load(
  { name, port, pid }: Server,
  wanted: Case,
  { seconds, script }: LoadOptions,
): Promise<Load> {
  const before = threadTimes(pid);
  const { stdout } = await new Deno.Command("taskset", {
    args: ["-c", LOAD_CORE, "wrk", "-t1", "--latency", `-c${CONNECTIONS}`]
      .concat(`-d${seconds}s`)
      .concat(script === undefined ? [] : ["-s", script])
      .concat(`http://127.0.0.1:${port}${wanted.target}`),
  }).output();
  const after = threadTimes(pid);
  const text = new TextDecoder().decode(stdout);
  const requests = Number(/(\d+) requests in/.exec(text)?.[1]);
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]);
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s)\b/.exec(text) ?? [];
  const failed = Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0);
  if (
    !(rate > 0) || text.includes("Socket errors") ||
    failed !== (wanted.status < 400 ? 0 : requests)
  ) {
    throw new Error(
      `Cannot measure "${name}" with "${wanted.name}": wrk says\n${text}`,
    );
  }
  return {
    requests,
    seconds: requests / rate,
    cpuSeconds: secondsBetween(before, after),
    p99: Number(p99) * MILLISECONDS[unit!]!,
    memory: memoryOf(pid),
  };
}

const MILLISECONDS: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
};

function memoryOf(pid: number): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}

/**
 * The CPU time of each thread of a process, in nanoseconds, by thread. `utime` and
 * `stime` in `/proc/<pid>/stat` have steps of 10 ms, 7 % of the time of 20,000 small
 * requests.
 */
function threadTimes(pid: number): Map<string, number> {
  const times = new Map<string, number>();
  for (const { name } of Deno.readDirSync(`/proc/${pid}/task`)) {
    try {
      const text = Deno.readTextFileSync(`/proc/${pid}/task/${name}/schedstat`);
      times.set(name, Number.parseInt(text));
    } catch {
      // The thread has just ended.
    }
  }
  return times;
}

/** Ignores ended threads, which were idle threads of startup. */
function secondsBetween(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): number {
  let sum = 0;
  for (const [thread, time] of after) sum += time - (before.get(thread) ?? 0);
  return sum / 1e9;
}
