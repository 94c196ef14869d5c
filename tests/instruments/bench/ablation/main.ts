/**
 * Measures what each step of Bough costs: servers that take its steps up to one of them
 * (`server.ts`), and Bough itself. The findings are in `README.md`.
 *
 *     deno run -A tests/instruments/bench/ablation/main.ts [--cases=static,param]
 *       [--rounds=7] [--seconds=1] [--steps=path,route]
 */
import { median, medianText, option, table } from "../report.ts";
import { CASES } from "../http/cases.ts";
import { compare } from "../http/compare.ts";
import { measure } from "../http/measure.ts";

const STEPS = "path,route,method,members,record,body,finish,bough";

const names = ["by hand", ...(option("steps") ?? STEPS).split(",")];
const rounds = Number(option("rounds") ?? 7);
const seconds = Number(option("seconds") ?? 1);
const wanted = option("cases")?.split(",");
const cases = CASES.filter(({ name }) => wanted?.includes(name) ?? true);

const measurements = await measure(cases, {
  ...{ names, rounds, seconds, processes: 1 },
  scriptOf: (name) => name === "bough" ? undefined : "../ablation/server.ts",
});

/** The requests per second of CPU time, as a share of another server's. */
function share(server: string, reference: string, name: string): string {
  const ratios = compare(measurements, {
    server,
    reference,
    figure: ({ requests, cpuSeconds }) => requests / cpuSeconds,
  })[name]!;
  return medianText(ratios, 3);
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
