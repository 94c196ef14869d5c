/** The accesses of processes that the command starts indirectly. */
import { assert, assertEquals } from "@std/assert";
import type { TestFolder } from "../../support/application.ts";
import { boughIn } from "../support.ts";
import { createProject, testOf } from "./project.ts";
import { TimeLimit } from "./support.ts";

/** The JSON that `bough permissions` prints for a project. */
async function recorded(
  folder: TestFolder,
  from = "deno test --no-check main_test.ts",
  ...args: readonly string[]
): Promise<ReturnType<typeof JSON.parse>> {
  const { code, stdout, stderr } = await boughIn(
    folder.path,
    "permissions",
    "main.ts",
    `--from=${from}`,
    "--json",
    ...args,
  );
  assertEquals(code, 0, stderr);
  return JSON.parse(stdout);
}

/** Accesses of one owner as lines: `env KEY lib/bank.js:3`. */
function linesOf(
  { accesses }: { accesses: Record<string, unknown>[] },
  owner: string,
): string[] {
  return accesses.filter((each) => each.owner === owner)
    .map(({ kind, value, by, dependency }) =>
      [kind, value, by, dependency].filter((each) => each).join(" ")
    );
}

Deno.test("bough permissions records tasks with dependencies, child processes and shells", async () => {
  await using folder = await createProject({
    "lib/bank.js": `export async function pay() {
  await 0;
  Deno.env.get("BANK_KEY");
  new Deno.Command("git", { args: ["--version"] }).outputSync();
}`,
    "api/child/route.js": `import { pay } from "../../lib/bank.js";
import { execSync, spawn } from "node:child_process"; import { once } from "node:events";
export const GET = async () => {
  for (const script of ["a.ts", "b.ts"]) {
    await new Deno.Command(Deno.execPath(), { args: ["run", "-A", script] }).output();
  }
  await new Deno.Command("sh", { args: ["-c", "deno run -A c.ts"] }).output();
  execSync("exit 0");
  await once(spawn("true"), "exit");
  await pay();
  const worker = new Worker(new URL("../../worker.js", import.meta.url), { type: "module" });
  await new Promise((done) => worker.onmessage = done);
  worker.terminate();
  return new Response();
};`,
    "worker.js": `new Deno.Command("pwd").outputSync(); postMessage("done");`,
    "a.ts": `Deno.env.get("IN_A");`,
    "b.ts": `Deno.env.get("IN_B");`,
    "c.ts": `Deno.env.get("IN_C");`,
    "prepare.ts": `Deno.env.get("PREPARED");`,
    "main_test.ts": `import "./a.ts"; import "./b.ts"; import "./c.ts";\n${
      testOf("/api/child")
    }`,
  });
  const record = await recorded(folder, "deno task both");
  assertEquals(
    linesOf(record, "server").filter((line) => /^(?:env|run)/.test(line))
      .map((line) => line.replace(Deno.execPath(), "deno")),
    [
      "env PREPARED prepare.ts:1",
      // The server starts these modules, which a test imports.
      "env IN_A a.ts:1",
      "env IN_B b.ts:1",
      "env IN_C c.ts:1",
      "run deno api/child/route.js:5",
      "run sh api/child/route.js:7",
      "env true api/child/route.js:8",
      "env NODE_V8_COVERAGE api/child/route.js:8",
      "run /bin/sh api/child/route.js:8",
      "run true api/child/route.js:9",
      "env BANK_KEY lib/bank.js:3",
      "run git lib/bank.js:4",
      // Bough's code does not run in a worker, so the line is unknown.
      "run pwd",
    ],
  );
});

/** A server by `deno serve` whose route runs a program, and that asks itself. */
const SERVED = {
  "api/route.js": `export const permissions = { env: ["TOKEN"] };
export const GET = () => {
  new Deno.Command("git", { args: ["--version"] }).outputSync();
  return new Response(Deno.env.get("TOKEN"));
};`,
  "main.ts": `import { Framework } from "@bough/framework";
export const app = new Framework({ apiDir: "api" });
const response = await app.fetch(new Request("http://localhost/api"));
console.log(response.status);
export default { fetch: (request: Request) => app.fetch(request) };`,
};

Deno.test("bough permissions records programs under deno serve, even of a child process or a shell", async () => {
  await using folder = await createProject({
    ...SERVED,
    "start.ts": `const server = new Deno.Command(Deno.execPath(), {
  args: ["serve", "--no-check", "-A", "--port=0", "main.ts"],
}).spawn();
await server.status;`,
  });
  for (
    const command of [
      "deno serve --no-check --port=0 main.ts",
      "deno run -A start.ts",
      "true && deno serve --no-check --port=0 main.ts",
    ]
  ) {
    using limit = new TimeLimit("Listening");
    const record = await recorded(
      folder,
      command,
      `--time=${limit.seconds}`,
    );
    const lines = linesOf(record, "server");
    // Bough's code does not run before the program, so the line is unknown.
    assert(lines.includes("run git"), lines.join());
    assert(lines.includes("env TOKEN api/route.js:4"), lines.join());
  }
});
