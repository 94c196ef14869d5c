/**
 * Measures the cost of `bough permissions --from="deno test"`, which runs the tests
 * once: its time divided by the time of the tests alone. It measures the tests of the
 * bookshop, and requests that only use a permission. Those requests wait for nothing, so
 * tests of applications have lower ratios.
 *
 *     deno run -A tests/instruments/bench/permissions/main.ts [--requests=2000] [--rounds=5]
 */
import { fromFileUrl } from "@std/path";
import { createProject, testOf } from "../../../cli/permissions/project.ts";
import { median, medianText, option, table } from "../report.ts";

const ROOT = fromFileUrl(new URL("../../../../", import.meta.url));
const BOUGH = fromFileUrl(
  new URL("../../../../src/cli/mod.ts", import.meta.url),
);
const CONFIG = fromFileUrl(new URL("../../../../deno.json", import.meta.url));
const requests = Number(option("requests") ?? 2000);
const rounds = Number(option("rounds") ?? 5);

/** The code of a request, by name. */
const USES = {
  "nothing": "",
  "1 variable, 1 file":
    `Deno.env.get("V"); await Deno.readTextFile("main.ts");`,
  "10 variables": `for (let i = 0; i < 10; i++) Deno.env.get("V" + i);`,
  "10 variables of process.env":
    `for (let i = 0; i < 10; i++) process.env["V" + i];`,
  "10 files":
    `for (let i = 0; i < 10; i++) await Deno.readTextFile("main.ts");`,
};

/** The milliseconds of a command. */
async function time(cwd: string, args: readonly string[]): Promise<number> {
  const start = performance.now();
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return performance.now() - start;
}

/** A row with the times of tests, and of recording their permissions. */
async function measure(
  name: string,
  { cwd, module, from }: {
    readonly cwd: string;
    readonly module: string;
    readonly from: string;
  },
): Promise<string[]> {
  const learn = [
    "run",
    "-A",
    "--no-check",
    `--config=${CONFIG}`,
    BOUGH,
    "permissions",
    module,
    `--from=deno ${from}`,
  ];
  const tests: number[] = [];
  const learning: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const times = [await time(cwd, from.split(" ")), await time(cwd, learn)];
    // The first round fills the caches of Deno.
    if (round === 0) continue;
    tests.push(times[0]!);
    learning.push(times[1]!);
  }
  const ratios = learning.map((each, round) => each / tests[round]!);
  return [
    name,
    `${Math.round(median(tests))} ms`,
    `${Math.round(median(learning))} ms`,
    medianText(ratios, 2),
  ];
}

const rows = [
  await measure("the tests of the bookshop", {
    cwd: ROOT,
    module: "examples/bookshop/main.ts",
    from: "test --permission-set=test --no-check examples/bookshop/",
  }),
];
for (const [name, use] of Object.entries(USES)) {
  await using folder = await createProject({
    "api/route.js": `import process from "node:process";
export const GET = async () => { ${use} return new Response("fine"); };`,
    "main_test.ts": `${testOf("/api")}
Deno.test("many requests", async () => {
  for (let count = 0; count < ${requests}; count++) {
    await app.fetch(new Request("http://localhost/api"));
  }
});`,
  });
  const from = "test --no-check -A main_test.ts";
  const project = { cwd: folder.path, module: "main.ts", from };
  rows.push(await measure(`${requests} requests: ${name}`, project));
}
console.log(table(["tests", "alone", "learning", "share"], rows));
