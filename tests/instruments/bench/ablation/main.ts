/**
 * Measures what each step of Bough costs: servers that take its steps up to one of them
 * (`server.ts`), and Bough itself. The findings are in `README.md`.
 *
 *     deno run -A tests/instruments/bench/ablation/main.ts [--cases=static,param]
 *       [--rounds=7] [--seconds=1] [--steps=path,route]
 */
import { median, medianInterval, option, table } from "../report.ts";
import { writeRoutes } from "../http/bough_routes.ts";
import { CASES } from "../http/cases.ts";
import { compare, type Measurement, orderOfRound } from "../http/compare.ts";
import { load, verify, writeScript } from "../http/load.ts";
import { start } from "../http/servers.ts";

const STEPS = "path,route,method,members,record,body,finish,bough";

const names = ["by hand", ...(option("steps") ?? STEPS).split(",")];
const rounds = Number(option("rounds") ?? 7);
const seconds = Number(option("seconds") ?? 1);
const wanted = option("cases")?.split(",");
const cases = CASES.filter(({ name }) => wanted?.includes(name) ?? true);

await using stack = new AsyncDisposableStack();
const folder = await Deno.makeTempDir();
stack.defer(() => Deno.remove(folder, { recursive: true }));
const apiDir = `${folder}/api`;
await writeRoutes(apiDir, cases);
const servers = [];
for (const name of names) {
  const script = name === "bough" ? undefined : "../ablation/server.ts";
  servers.push(await start(name, { apiDir, script, stack }));
}

const measurements: Measurement[] = [];
for (const each of cases) {
  const script = await writeScript(folder, each);
  for (const server of servers) {
    await verify(server, each);
    await load(server, each, { seconds: 1, script });
  }
  for (let round = 0; round < rounds; round++) {
    for (const server of orderOfRound(servers, round)) {
      measurements.push({
        server: server.name,
        case: each.name,
        round,
        process: 0,
        ...await load(server, each, { seconds, script }),
      });
    }
  }
}

/** The requests per second of CPU time, as a share of another server's. */
function share(server: string, reference: string, name: string): string {
  const ratios = compare(measurements, {
    server,
    reference,
    figure: ({ requests, cpuSeconds }) => requests / cpuSeconds,
  })[name]!;
  const [low, high] = medianInterval(ratios).map((each) => each.toFixed(3));
  return `${median(ratios).toFixed(3)} (${low}–${high})`;
}

/** The CPU time of a request, in microseconds. */
function microseconds(server: string, name: string): string {
  const times = measurements
    .filter((each) => each.server === server && each.case === name)
    .map(({ requests, cpuSeconds }) => cpuSeconds / requests * 1e6);
  return median(times).toFixed(2);
}

for (const { name } of cases) {
  const rows = names.map((server, index) => [
    server,
    microseconds(server, name),
    index === 0 ? "" : share(server, names[index - 1]!, name),
    index === 0 ? "" : share(server, names[0]!, name),
  ]);
  console.log(`\n${name}\n`);
  console.log(table(["step", "µs", "of the one before", "of by hand"], rows));
}
