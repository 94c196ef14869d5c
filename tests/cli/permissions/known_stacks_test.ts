import { assertEquals, assertStringIncludes } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { Log } from "../../../src/cli/permissions/log.ts";
import { TestFolder } from "../../support/application.ts";
import { DenoProcess } from "../../support/process.ts";

const PRELOAD = new URL(
  "../../../src/cli/permissions/preload.ts",
  import.meta.url,
);

interface Entry {
  readonly permission: string;
  readonly value: string;
  readonly stack: readonly string[];
}

/** Runs `main.js` under the audit, with `a.js` and `b.js` as routes. */
async function audited(
  files: Readonly<Record<string, string>>,
): Promise<{ output: string; entries: Entry[]; log: Log; folder: string }> {
  await using folder = await TestFolder.create(files);
  const url = (name: string) => toFileUrl(join(folder.path, name)).href;
  await folder.write(
    "preload.js",
    `import { preload } from "${PRELOAD}";
preload({
  logs: ${JSON.stringify(folder.path)},
  preload: import.meta.url,
  routes: ${JSON.stringify([url("a.js"), url("b.js")])},
});`,
  );
  const path = join(folder.path, "log.jsonl");
  await using process = new DenoProcess(
    folder.path,
    ["-RE", `--preload=${join(folder.path, "preload.js")}`],
    "main.js",
    { env: { DENO_AUDIT_PERMISSIONS: path, DENO_TRACE_PERMISSIONS: "1" } },
  );
  const { output } = await process.outcome();
  const text = await Deno.readTextFile(path);
  const log = new Log(folder.path);
  await log.add(path);
  const entries = text.trim().split("\n").map((line) => JSON.parse(line));
  return { output, entries, log, folder: folder.path };
}

for (
  const [what, use] of [
    ["Deno.env", `Deno.env.get("USED")`],
    ["process.env", `process.env.USED`],
    ["a file", `Deno.readTextFileSync("USED")`],
    ["a file, with a promise", `await Deno.readTextFile("USED")`],
    ["a file that is open", `(await Deno.open("USED")).close()`],
  ] as const
) {
  Deno.test(`each way to an access is traced once: ${what}`, async () => {
    const { output, entries, log, folder } = await audited({
      "USED": "",
      "lib.js": `import process from "node:process";
export async function use() { await 0; ${use}; }`,
      "a.js":
        `import { use } from "./lib.js"; export const GET = async () => { await use(); };`,
      "b.js":
        `import { use } from "./lib.js"; export const GET = async () => { await use(); };`,
      "main.js": `import * as a from "./a.js"; import * as b from "./b.js";
const first = async () => { await a.GET(); };
const second = async () => { await a.GET(); };
for (let i = 0; i < 100; i++) { await first(); await second(); await b.GET(); }`,
    });
    const used = entries.filter(({ value, permission }) =>
      value === "USED" && permission !== "write"
    );
    assertEquals(used.length, 300, output);
    assertEquals(used.filter(({ stack }) => stack.length > 1).length, 2);
    // What calls a route makes no difference; which route it is does.
    const routes = log.accesses.flatMap(({ value, frames }) =>
      String(value).endsWith("USED")
        ? frames.map(({ url }) => url.slice(toFileUrl(folder).href.length + 1))
          .filter((name) => /^[ab]\.js$/.test(name))
        : []
    );
    assertEquals([...new Set(routes)].sort(), ["a.js", "b.js"]);
  });
}

Deno.test("a program notices nothing of what remembers its ways", async () => {
  const { output } = await audited({
    "main.js": `import process from "node:process";
Error.stackTraceLimit = 7;
const prepare = (error, sites) => String(error);
for (let i = 0; i < 3; i++) {
  try {
    Deno.readTextFileSync("none");
  } catch (error) {
    console.log(error.name, /^NotFound: No.*none.*\\n    at [^]*main.js:6/.test(error.stack));
  }
  try {
    await Deno.readTextFile("none");
  } catch (error) {
    console.log(error.name, /^NotFound: No.*none.*\\n    at [^]*main.js:11/.test(error.stack));
  }
}
Error.prepareStackTrace = prepare;
const { get } = Deno.env;
process.env.OWN = "1";
console.log(get("OWN"), Deno.env.get("OWN"), process.env.OWN, "OWN" in process.env);
delete process.env.OWN;
console.log(Deno.env.has("OWN"), process.env.OWN, Object.keys({ ...process.env }).length > 1);
console.log(Error.stackTraceLimit, Error.prepareStackTrace === prepare);
console.log(Deno.env.get.name, Deno.readTextFile.name);
const mine = () => "mine";
Deno.readTextFile = mine;
Deno.Command = mine;
console.log(Deno.readTextFile(), Deno.Command());`,
  });
  assertStringIncludes(
    output,
    `${"NotFound true\nNotFound true\n".repeat(3)}1 1 1 true
false undefined true
7 true
get readTextFile
mine mine
`,
  );
});
