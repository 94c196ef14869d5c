/** The accesses that a record contains, with their owners and places. */
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import type { TestFolder } from "../../support/application.ts";
import { boughIn } from "../support.ts";
import { createProject, testOf } from "./project.ts";
import { TimeLimit } from "./support.ts";

const GET = "export const GET = () => new Response('fine');";

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

/** A stub that accepts connections, and closes them. */
function listening(): Deno.TcpListener {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  (async () => {
    for await (const connection of listener) connection.close();
  })().catch(() => {});
  return listener;
}

Deno.test("accesses of Node's modules after a test do not belong to the test", async () => {
  using stub = listening();
  const { port } = stub.addr;
  await using folder = await createProject({
    "first.txt": "",
    "second.txt": "",
    "api/plain/route.js": GET,
    "api/db/route.js": `import { DatabaseSync } from "node:sqlite";
export function GET() {
  new DatabaseSync("shop.db").close();
  return new Response();
}`,
    "api/net/route.js": `import net from "node:net";
import http from "node:http";
const ended = (emitter) => new Promise((end) => emitter.on("error", end).on("close", end));
export async function GET() {
  await ended(net.connect(${port}, "127.0.0.1"));
  await ended(http.get("http://127.0.0.1:1/"));
  await ended(net.connect(443, "127.0.0.1"));
  return new Response();
}`,
    "main_test.ts": `import { app } from "./main.ts";
const get = async (path) => {
  const response = await app.fetch(new Request("http://localhost" + path));
  if (!response.ok) throw new Error(await response.text());
};
Deno.test({ name: "all", sanitizeOps: false, sanitizeResources: false, async fn() {
  await get("/api/plain");
  Deno.readTextFileSync("main.ts");
  Deno.openSync("own.txt", { write: true, create: true }).close();
  await get("/api/db");
  await fetch("http://127.0.0.1:1999/").catch(() => {});
  await get("/api/net");
  for (const name of ["A", "B"]) Deno.env.get("TEST_" + name);
  for (const name of ["first", "second"]) Deno.readTextFileSync(name + ".txt");
} });`,
  });
  const record = await recorded(folder);
  const isScan = (line: string) => line.startsWith("read api");
  assertEquals(linesOf(record, "server").filter((line) => !isScan(line)), [
    "import jsr.io:443",
    "read shop.db",
    "write shop.db",
    `net 127.0.0.1:${port}`,
    "net 127.0.0.1:1",
    "net 127.0.0.1:443",
    // Of several values, a line of a test surely asked for the first.
    "read second.txt",
  ]);
  assertEquals(linesOf(record, "tests"), [
    "read main.ts main_test.ts:8",
    "write own.txt main_test.ts:9",
    "net 127.0.0.1:1999 main_test.ts:11",
    "env TEST_A main_test.ts:13",
    "env TEST_B main_test.ts:13",
    "read first.txt main_test.ts:14",
  ]);
});

Deno.test("bough permissions records workers, computed imports and packages, with a package.json", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () =>
      new Response("export {};", {
        headers: { "content-type": "text/javascript" },
      }),
  );
  const { port } = server.addr;
  await using folder = await createProject({
    "package.json": `{ "name": "shop" }`,
    "node_modules/bank/package.json": `{ "name": "bank", "type": "module" }`,
    "node_modules/bank/index.js": `import { readFileSync } from "node:fs";
export const config = readFileSync(new URL("config.json", import.meta.url));`,
    "node_modules/bank/config.json": "{}",
    "worker.js": `Deno.env.get("IN_WORKER");
new Deno.Command("pwd").outputSync();
postMessage(1);`,
    "plugins/own.js": `Deno.env.get("IN_PLUGIN");`,
    "plugins/own.json": "{}",
    "api/route.js": `import "../node_modules/bank/index.js";
const name = "own";
export async function GET() {
  process.getBuiltinModule("node:child_process").spawnSync("true", { env: {} });
  const worker = new Worker(new URL("../worker.js", import.meta.url), { type: "module" });
  await new Promise((done) => worker.onmessage = done);
  worker.terminate();
  await import("../plugins/" + name + ".js");
  await import("../plugins/" + name + ".json", { with: { type: "json" } });
  await import("http://127.0.0.1:${port}/" + name + ".js");
  return new Response();
}`,
    "main_test.ts": testOf("/api"),
  });
  const record = await recorded(folder);
  // Deno also writes the remote module into the linked folder of dependencies.
  const vendored = join(folder.path, "vendor", `http_127.0.0.1_${port}`);
  await Deno.remove(vendored, { recursive: true });
  assertEquals(linesOf(record, "server").slice(3), [
    "read node_modules/bank/index.js",
    "read node_modules/bank/config.json npm:bank npm:bank",
    "env NODE_V8_COVERAGE api/route.js:4",
    "run true api/route.js:4",
    "read worker.js api/route.js:5",
    "env IN_WORKER worker.js:1",
    // Bough's code does not run in a worker before its program.
    "run pwd",
    "read plugins/own.js",
    "env IN_PLUGIN plugins/own.js:1",
    "read plugins/own.json",
    `import 127.0.0.1:${port}`,
  ]);
});

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
  return new Response();
};`,
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
    linesOf(record, "server").filter((line) => /^(?:env|run)/.test(line)),
    [
      "env PREPARED prepare.ts:1",
      // The server starts these modules, which a test imports.
      "env IN_A a.ts:1",
      "env IN_B b.ts:1",
      "env IN_C c.ts:1",
      `run ${Deno.execPath()} api/child/route.js:5`,
      "run sh api/child/route.js:7",
      "env true api/child/route.js:8",
      "env NODE_V8_COVERAGE api/child/route.js:8",
      "run /bin/sh api/child/route.js:8",
      "run true api/child/route.js:9",
      "env BANK_KEY lib/bank.js:3",
      "run git lib/bank.js:4",
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
