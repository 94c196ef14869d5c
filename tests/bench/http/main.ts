/**
 * Measures whole servers under load with wrk (Debian: `apt-get install wrk`).
 * Every answer is verified before it is timed; rounds are interleaved, so that a
 * drift of the machine meets all servers alike; medians are compared.
 *
 *     deno run -A tests/bench/http/main.ts [--servers=raw,bough] [--cases=static]
 *       [--rounds=5] [--seconds=2] [--json]
 */
import { fromFileUrl } from "@std/path";
import { type Case, CASES, EXTRA_CASES } from "./cases.ts";
import { writeRoutes } from "./bough_routes.ts";
import { geometricMean, median, option, table } from "../report.ts";

const SERVERS = ["raw", "bough", "hono", "elysia", "h3"];
const CONNECTIONS = 32;
/** The server has one core, the load generator another. */
const SERVER_CORE = "0";
const LOAD_CORE = "1";
const FIRST_PORT = 18_400;

interface Server {
  readonly name: string;
  readonly port: number;
  readonly process: Deno.ChildProcess;
}

async function start(
  name: string,
  port: number,
  apiDir: string,
): Promise<Server> {
  const script = fromFileUrl(new URL(`./servers/${name}.ts`, import.meta.url));
  const process = new Deno.Command("taskset", {
    args: ["-c", SERVER_CORE, Deno.execPath(), "run", "-A", "--no-check"]
      .concat(script, String(port), apiDir),
    stdin: "null",
  }).spawn();
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      await (await fetch(`http://127.0.0.1:${port}/api/health`)).body?.cancel();
      return { name, port, process };
    } catch {
      await new Promise((go) => setTimeout(go, 100));
    }
  }
  throw new Error(`${name} does not answer`);
}

async function verify({ name, port }: Server, wanted: Case): Promise<void> {
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
      `${name} answers "${wanted.name}" with ${response.status}: ${text}`,
    );
  }
}

/** Requests per second. */
async function load(
  { port }: Server,
  wanted: Case,
  seconds: number,
  script: string | undefined,
): Promise<number> {
  const { stdout } = await new Deno.Command("taskset", {
    args: ["-c", LOAD_CORE, "wrk", "-t1", `-c${CONNECTIONS}`, `-d${seconds}s`]
      .concat(script === undefined ? [] : ["-s", script])
      .concat(`http://127.0.0.1:${port}${wanted.target}`),
  }).output();
  const text = new TextDecoder().decode(stdout);
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(text)?.[1];
  if (rate === undefined) throw new Error(`wrk printed no rate:\n${text}`);
  return Number(rate);
}

/** A script for wrk that sends the body of a case. */
async function writeScript(
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

async function main(): Promise<void> {
  const names = option("servers")?.split(",") ?? SERVERS;
  const wanted = option("cases")?.split(",");
  const cases = wanted === undefined
    ? CASES
    : [...CASES, ...EXTRA_CASES].filter(({ name }) => wanted.includes(name));
  const rounds = Number(option("rounds") ?? 5);
  const seconds = Number(option("seconds") ?? 2);

  const folder = await Deno.makeTempDir();
  const servers: Server[] = [];
  const rates = new Map<string, number[]>();
  try {
    await writeRoutes(`${folder}/api`);
    for (const [index, name] of names.entries()) {
      servers.push(await start(name, FIRST_PORT + index, `${folder}/api`));
    }
    for (const each of cases) {
      const script = await writeScript(folder, each);
      for (const server of servers) {
        await verify(server, each);
        await load(server, each, 1, script);
      }
      for (let round = 0; round < rounds; round++) {
        for (const server of servers) {
          const rate = await load(server, each, seconds, script);
          const key = `${server.name} ${each.name}`;
          rates.set(key, [...rates.get(key) ?? [], rate]);
        }
      }
    }
  } finally {
    for (const { process } of servers) {
      process.kill("SIGKILL");
      await process.status;
    }
    await Deno.remove(folder, { recursive: true });
  }

  const rate = (server: string, name: string): number =>
    median(rates.get(`${server} ${name}`)!);
  if (Deno.args.includes("--json")) {
    console.log(JSON.stringify(Object.fromEntries(rates)));
    return;
  }
  const rows = names.map((server) => {
    const shares = cases.map(({ name }) =>
      rate(server, name) / rate("raw", name)
    );
    return [
      server,
      ...[geometricMean(shares), ...shares].map((x) => x.toFixed(2)),
    ];
  });
  console.log(`Requests per second as a share of raw, ${rounds} rounds:\n`);
  console.log(table(["server", "all", ...cases.map(({ name }) => name)], rows));
}

await main();
