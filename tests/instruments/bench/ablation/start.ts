/**
 * Measures what each step of a start costs. The programs grow from an empty one to an
 * application of one route: each does the steps of the program before it, and one more.
 * The time is from the start of the process to the first response. The CPU time is that
 * of the main thread, which other processes disturb less; only Linux reports it. The
 * programs run in interleaved rounds; the first round fills the caches of Deno, and does
 * not count. `start.md` explains the findings.
 *
 *     deno run -A tests/instruments/bench/ablation/start.ts [--rounds=21]
 */
import { fromFileUrl, join } from "@std/path";
import { median, medianText, option, table } from "../report.ts";
import { routeFile } from "../start/programs.ts";

const ROOT = new URL("../../../../", import.meta.url);
const rounds = Number(option("rounds") ?? 21);

/** A step of a start; its code follows the code of all steps before it. */
interface Step {
  readonly name: string;
  readonly imports?: string;
  readonly code?: string;
  /** How the program serves, from this step on. */
  readonly serve?: string;
}

/** The URL of a module of the repository, quoted. */
function source(path: string): string {
  return JSON.stringify(new URL(path, ROOT).href);
}

const LISTEN = "{ hostname: '127.0.0.1', port: 0, onListen: responded }";

const STEPS: readonly Step[] = [
  { name: "an empty program", serve: "end()" },
  {
    name: "`Deno.serve` and `fetch`",
    serve: `Deno.serve(${LISTEN}, (request) => GET(request))`,
    code: `let GET = () => new Response("hi");`,
  },
  {
    name: "zod and the route",
    imports: `import * as route from "./api/item/[id]/route.js";`,
    code: `GET = (request) => {
  const { pathname } = new URL(request.url);
  request.params = { id: pathname.slice(pathname.lastIndexOf("/") + 1) };
  return route[request.method](request);
};`,
  },
  { name: "`process`", code: "globalThis.process?.platform;" },
  { name: "`@std/fs/walk`", imports: `import "@std/fs/walk";` },
  {
    name: "`@std/path`, four functions",
    imports: ["from-file-url", "is-absolute", "resolve", "to-file-url"]
      .map((name) => `import "@std/path/posix/${name}";`).join("\n"),
  },
  {
    name: "Bough's modules",
    imports: `import { Framework } from "@bough/framework";`,
  },
  {
    name: "`new Framework()`",
    code: `const app = new Framework({ apiDir: "api" });`,
  },
  {
    name: "options, discover, compile",
    imports: `import { resolveOptions } from ${
      source("src/core/start/options.ts")
    };
import { discoverAndCompile } from ${source("src/core/start/compile.ts")};
import { Faults } from ${source("src/core/common/faults.ts")};`,
    code:
      `await discoverAndCompile(resolveOptions({ apiDir: "api" }), new Faults());`,
  },
  { name: "load and build", code: "await app.start();" },
  { name: "Bough's `serve()`", serve: `await app.serve(${LISTEN})` },
];

/** The step that completes a server by hand; the last step serves the same with Bough. */
const BY_HAND = STEPS.findIndex(({ name }) => name === "zod and the route");

/** The program that does all steps up to one of them. */
function program(last: number): string {
  const steps = STEPS.slice(0, last + 1);
  return `${steps.map(({ imports = "" }) => imports).join("\n")}
async function responded({ port }) {
  const response = await fetch(\`http://127.0.0.1:\${port}/api/item/7\`);
  if (response.status !== 200) throw new Error(await response.text());
  await response.body.cancel();
  end();
}
function end() {
  console.log(performance.timeOrigin + performance.now());
  // The main thread's time on the CPU, in nanoseconds.
  console.log(Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ")[0]);
  Deno.exit();
}
${steps.map(({ code = "" }) => code).join("\n")}
${steps.findLast(({ serve }) => serve !== undefined)!.serve};
`;
}

/** The milliseconds from the start of a process to its first response. */
interface Times {
  readonly all: number;
  readonly cpu: number;
}

async function run(folder: string, main: string): Promise<Times> {
  const start = performance.timeOrigin + performance.now();
  const config = fromFileUrl(new URL("deno.json", ROOT));
  const { stdout, success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--config", config, main],
    cwd: folder,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const [end, cpu] = new TextDecoder().decode(stdout).split("\n").map(Number);
  return { all: end! - start, cpu: cpu! / 1e6 };
}

/** The CPU time that a program takes more than the one before it, with its interval. */
function stepTime(times: readonly Times[], before: readonly Times[]): string {
  const steps = times.map(({ cpu }, round) => cpu - before[round]!.cpu);
  return medianText(steps, 1);
}

const folder = await Deno.makeTempDir();
try {
  const route = join(folder, "api", "item", "[id]");
  await Deno.mkdir(route, { recursive: true });
  await Deno.writeTextFile(join(route, "route.js"), routeFile(0));
  const times: Times[][] = STEPS.map(() => []);
  for (const index of STEPS.keys()) {
    await Deno.writeTextFile(join(folder, `${index}.js`), program(index));
  }
  for (let round = 0; round <= rounds; round++) {
    for (const index of STEPS.keys()) {
      const time = await run(folder, `${index}.js`);
      if (round > 0) times[index]!.push(time);
    }
  }
  const rows = STEPS.map(({ name }, index) => [
    name,
    median(times[index]!.map(({ all }) => all)).toFixed(1),
    median(times[index]!.map(({ cpu }) => cpu)).toFixed(1),
    ...(["all", "cpu"] as const).map((kind) =>
      median(
        times[index]!.map((time, round) =>
          time[kind] / times[BY_HAND]![round]![kind]
        ),
      ).toFixed(2)
    ),
    index === 0 ? "" : stepTime(times[index]!, times[index - 1]!),
  ]);
  const head = [
    "step",
    "ms",
    "CPU ms",
    "share",
    "share of CPU",
    "step, CPU ms",
  ];
  console.log(table(head, rows));
} finally {
  await Deno.remove(folder, { recursive: true });
}
