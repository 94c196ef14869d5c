/**
 * Measures the time from the start of the process to the first response, for every form
 * of an application (`programs.ts`). Each route file has about 20 lines and a zod schema.
 * Each form is compared with the same application by hand, in interleaved rounds. The
 * first round, which fills the caches of Deno, does not count.
 *
 *     deno task bench:start [--files=1,1000] [--rounds=5] [--forms=folder,manifest]
 *
 * `--before=/tmp/before` also measures the forms with another checkout (see
 * `tests/instruments/bench/http/main.ts`), and prints its time divided by the time of this
 * checkout: below 1, this checkout is slower.
 */
import { fromFileUrl, join, resolve } from "@std/path";
import { median, medianText, option, table } from "../report.ts";
import { type Program, PROGRAMS, writePrograms } from "./programs.ts";

const CONFIG = fromFileUrl(new URL("../../../../deno.json", import.meta.url));
const before = option("before");
const configBefore = before && join(resolve(before), "deno.json");
const rounds = Number(option("rounds") ?? 5);
const forms = option("forms")?.split(",");
const measured = PROGRAMS.filter(({ name, reference }) =>
  forms === undefined || forms.includes(name) || forms.includes(reference) ||
  PROGRAMS.some((each) => forms.includes(each.name) && each.reference === name)
);

/** The milliseconds from the start of a process to its first response. */
async function run(
  folder: string,
  { main }: Program,
  config: string,
): Promise<number> {
  const start = performance.timeOrigin + performance.now();
  const { stdout, success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--config", config, main],
    cwd: folder,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return Number(new TextDecoder().decode(stdout)) - start;
}

/** Whether a program resolves Bough at startup. A bundle contains Bough. */
function canRunBefore({ name }: Program): boolean {
  return !name.includes("bundle") && !name.includes("by hand");
}

async function measure(folder: string): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>();
  const runs = measured.flatMap((program) => [
    { key: program.name, program, config: CONFIG },
    ...(configBefore !== undefined && canRunBefore(program)
      ? [{ key: `${program.name} before`, program, config: configBefore }]
      : []),
  ]);
  for (let round = 0; round <= rounds; round++) {
    const order = round % 2 === 0 ? runs : runs.toReversed();
    for (const { key, program, config } of order) {
      const time = await run(folder, program, config);
      if (round === 0) times.set(key, []);
      else times.get(key)!.push(time);
    }
  }
  return times;
}

/** The median of the ratios within a round, with its interval. */
function ratio(
  times: ReadonlyMap<string, readonly number[]>,
  name: string,
  reference: string,
): string {
  const references = times.get(reference);
  if (references === undefined) return "";
  const ratios = times.get(name)!.map((time, round) =>
    time / references[round]!
  );
  return medianText(ratios, 2);
}

for (const files of (option("files") ?? "1,1000").split(",").map(Number)) {
  const folder = await Deno.makeTempDir();
  try {
    await writePrograms(folder, { files, config: CONFIG });
    const times = await measure(folder);
    const rows = measured.map(({ name, reference }) => [
      name,
      `${Math.round(median(times.get(name)!))} ms`,
      reference === name
        ? ""
        : `${ratio(times, name, reference)} of ${reference}`,
      ...(before === undefined ? [] : [
        times.has(`${name} before`) ? ratio(times, `${name} before`, name) : "",
      ]),
    ]);
    const head = ["form", "time", "share of"];
    if (before !== undefined) head.push("before, as a share of this");
    console.log(`\n${files} route files\n`);
    console.log(table(head, rows));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
