/** A module may wait at its top level for an event that never happens. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import {
  COMMAND,
  type CommandOutcome,
  type PrintedFinding,
  runProgram,
} from "./support.ts";

/**
 * Shortens the time limits of the command to 50 turns of the event loop, of 10 ms each. A
 * busy machine may stop the process for half a second, in which no import can end. The
 * limit of 57 seconds begins with a search for the module, which takes two others.
 */
const SHORT = `
  const { setTimeout } = globalThis;
  const TURNS = { 3_000: 50, 1_000: 50, 57_000: 150, 10_000: 50 };
  const after = (turns, run) =>
    setTimeout(turns === 0 ? run : () => after(turns - 1, run), 10);
  globalThis.setTimeout = (run, time, ...args) =>
    time in TURNS ? after(TURNS[time], run) : setTimeout(run, time, ...args);`;
/** The timer keeps the process alive. */
const ENDLESS = "setInterval(() => {}, 1_000); await new Promise(() => {});";
const ROUTE = "export const GET = () => new Response();";
const MAIN = `import { Framework } from "@bough/framework";
  export const app = new Framework({ apiDir: "api" });`;
const HINT =
  "has not ended after 60 seconds; it may wait for an event that never happens";

/** The modules that the lines after 3 seconds name. */
function namedIn(stderr: string): string[] {
  const line =
    /^\[bough\] the import of "(.*)" has not ended after 3 seconds$/gm;
  return [...stderr.matchAll(line)].map(([, path]) =>
    path!.replace("api/", "")
  );
}

const FILES = {
  "short.ts": SHORT,
  "api/a/route.ts": ROUTE,
  "api/b/route.ts": `import "../../lib.ts"; ${ROUTE}`,
  "api/c/route.ts": `${ROUTE} export const POST = 1;`,
  "lib.ts": ENDLESS,
  "main.ts": MAIN,
  "lazy.ts": `import { Framework } from "@bough/framework";
    const manifest = {
      "b/route.ts": () => import("./api/b/route.ts"),
      "c/route.ts": () => import("./api/c/route.ts"),
    };
    export const app = new Framework({ manifest });`,
  "load.ts": MAIN.replace(
    '"api"',
    '"api", load: (_, path) => import(import.meta.resolve("./api/" + path))',
  ),
  "endless.ts": `${ENDLESS} ${MAIN}`,
  "creates.ts": `export const createApp = async () => { ${ENDLESS} };`,
};

async function run(...args: readonly string[]): Promise<CommandOutcome> {
  const more = ["d", "e", "f"].map((name) => [`api/${name}/route.ts`, ROUTE]);
  const files = { ...FILES, ...Object.fromEntries(more) };
  await using folder = await TestFolder.create(files);
  const preload = ["-A", "--preload=short.ts"];
  return await runProgram(folder.path, ...preload, COMMAND, ...args);
}

Deno.test("bough check names the file whose import never ends (behaviour 9.7)", async () => {
  for (const argument of ["main.ts", "lazy.ts", "load.ts"]) {
    const { code, stdout, stderr } = await run("check", argument, "--json");
    assertEquals([code, namedIn(stderr)], [1, ["b/route.ts"]], argument);
    const findings: PrintedFinding[] = JSON.parse(stdout);
    assertEquals(
      findings.map(({ rule, path, message }) => [
        rule,
        path.replace("api/", ""),
        message.includes(HINT),
      ]),
      [
        ["import", "b/route.ts", true],
        ["exports", "c/route.ts", false],
      ],
      argument,
    );
  }
});

Deno.test("bough routes ends, although the module never does", async () => {
  for (const argument of ["endless.ts", "creates.ts"]) {
    const { code, stderr } = await run("routes", argument);
    assertEquals([code, namedIn(stderr)], [1, [argument]]);
    assertStringIncludes(stderr, `Cannot use "${argument}": `);
    assertStringIncludes(stderr, HINT);
  }
});
