/**
 * Measures the time from the start of the process to the first response, for every form
 * of an application (`programs.ts`). Each route file has about 20 lines and a zod schema.
 * Each form is compared with the same application by hand, in interleaved rounds. The
 * first round, which fills the caches of Deno, does not count.
 *
 *     deno task bench:start [--files=1,1000] [--rounds=5] [--forms=folder,manifest]
 */
import { fromFileUrl } from "@std/path";
import { median, medianText, option, table } from "../report.ts";
import { type Program, PROGRAMS, writePrograms } from "./programs.ts";

const CONFIG = fromFileUrl(new URL("../../../../deno.json", import.meta.url));
const rounds = Number(option("rounds") ?? 5);
const forms = option("forms")?.split(",");
const measured = PROGRAMS.filter(({ name, reference }) =>
  forms === undefined || forms.includes(name) || forms.includes(reference) ||
  PROGRAMS.some((each) => forms.includes(each.name) && each.reference === name)
);

/** The milliseconds from the start of a process to its first response. */
async function run(folder: string, { main }: Program): Promise<number> {
  const start = performance.timeOrigin + performance.now();
  const { stdout, success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--config", CONFIG, main],
    cwd: folder,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return Number(new TextDecoder().decode(stdout)) - start;
}

async function measure(folder: string): Promise<Map<string, number[]>> {
  const times = new Map(measured.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round++) {
    const order = round % 2 === 0 ? measured : measured.toReversed();
    for (const program of order) {
      const time = await run(folder, program);
      if (round > 0) times.get(program.name)!.push(time);
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
    ]);
    console.log(`\n${files} route files\n`);
    console.log(table(["form", "time", "share of"], rows));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
