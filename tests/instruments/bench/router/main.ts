/**
 * Measures matchers, from a path to the route and its params. First, it checks every
 * match against the rule static > dynamic > wildcard, with backtracking. It does not time
 * a router with a wrong match in that set. Each router runs in its own processes, in
 * interleaved rounds.
 *
 *     deno task bench:router [--set=hono] [--router=bough] [--rounds=3]
 *
 * `--before=/tmp/before` adds Bough's matcher of another checkout as router "before"
 * (see `tests/instruments/bench/http/main.ts`), and a column that compares their speeds,
 * as the median of the ratios within a round.
 */
import { fromFileUrl, join, resolve } from "@std/path";
import { median, medianText, option, table } from "../report.ts";
import { ADAPTERS } from "./adapters.ts";
import type { Measurement } from "./measure.ts";
import { ROUTE_SETS } from "./route_sets.ts";

const ROOT = fromFileUrl(new URL("../../../../", import.meta.url));

async function measure(set: string, router: string): Promise<Measurement> {
  const isBefore = router === "before";
  const root = isBefore ? resolve(before!) : ROOT;
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check"]
      .concat("--config", join(root, "deno.json"))
      .concat(join(root, "tests/instruments/bench/router/measure.ts"))
      .concat(set, isBefore ? "bough" : router),
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

const before = option("before");
const rounds = Number(option("rounds") ?? 3);
const sets = ROUTE_SETS.filter(({ name }) => name === (option("set") ?? name));
const routers = Object.keys(ADAPTERS).filter((name) =>
  option("router")?.split(",").includes(name) ?? true
).concat(before === undefined ? [] : "before");
const results: Record<string, Record<string, Measurement[]>> = {};
for (const { name } of sets) {
  const bySet: Record<string, Measurement[]> = results[name] = {};
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? routers : routers.toReversed();
    for (const router of order) {
      const measured = bySet[router] ??= [];
      if (measured[0]?.wrong ?? measured[0]?.refused) continue;
      measured.push(await measure(name, router));
    }
  }
}

for (const { name } of sets) {
  const bySet = results[name]!;
  const rows = Object.entries(bySet).map(([router, measured]) => {
    const [first] = measured;
    if (first?.refused) return [router, `refuses: ${first.refused}`];
    if (first?.wrong) return [router, `wrong: ${first.wrong[0]}`];
    const times = measured.map(({ fresh }) => fresh!);
    const ratios = bySet.before?.map(({ fresh }, round) =>
      fresh! / times[round]!
    );
    return [
      router,
      median(times).toFixed(0),
      ...(ratios === undefined ? [] : [medianText(ratios, 3)]),
    ];
  });
  console.log(`\n${name}: ns a match\n`);
  const head = ["router", "time"];
  if (before !== undefined) head.push("speed against before");
  console.log(table(head, rows));
}
