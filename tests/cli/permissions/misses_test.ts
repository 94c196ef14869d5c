/** Accesses that the audit of Deno shows with a wrong stack, or not at all. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { TestFolder } from "../../support/application.ts";
import { boughIn } from "../support.ts";
import { createProject, testOf } from "./project.ts";

const FROM = "--from=deno test --no-check main_test.ts";
const GET = "export const GET = () => new Response();";

/** A stub that accepts connections, and closes them. */
function listening(): Deno.TcpListener {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  (async () => {
    for await (const connection of listener) connection.close();
  })().catch(() => {});
  return listener;
}

/** The JSON that `bough permissions` prints for a project. */
async function learned(
  folder: TestFolder,
): Promise<ReturnType<typeof JSON.parse>> {
  const { code, stdout, stderr } = await boughIn(
    folder.path,
    "permissions",
    "main.ts",
    FROM,
    "--json",
  );
  assertEquals(code, 0, stderr);
  return JSON.parse(stdout);
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
  const { needed, tests } = await learned(folder);
  assertEquals(needed, [
    { kind: "read", value: "api" },
    // Of several values, a line of a test surely asked for the first.
    { kind: "read", value: "second.txt" },
    { kind: "read", value: "shop.db" },
    { kind: "write", value: "shop.db" },
    // Raw connections to the ports of HTTP are to these alone.
    ...[port, 1, 443].map((each) => `127.0.0.1:${each}`).sort()
      .map((value) => ({ kind: "net", value })),
  ]);
  assertEquals(tests, [
    { kind: "read", value: "first.txt", by: "main_test.ts:14" },
    { kind: "read", value: "main.ts", by: "main_test.ts:8" },
    { kind: "write", value: "own.txt", by: "main_test.ts:9" },
    { kind: "net", value: "127.0.0.1:1999", by: "main_test.ts:11" },
    { kind: "env", value: "TEST_A", by: "main_test.ts:13" },
    { kind: "env", value: "TEST_B", by: "main_test.ts:13" },
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
  const { files, shared, needed } = await learned(folder);
  // Deno also writes the remote module into the linked folder of dependencies.
  const vendored = join(folder.path, "vendor", `http_127.0.0.1_${port}`);
  await Deno.remove(vendored, { recursive: true });
  const isRun = ({ kind }: { kind: string }) => kind === "run";
  assertEquals(files[0].used.filter(isRun), [
    { kind: "run", value: "true", by: "api/route.js:4", declared: false },
  ]);
  // Nothing of ours runs in a worker before its program.
  assertEquals(shared.filter(isRun), [
    { kind: "run", value: "pwd", by: "unknown", declared: false },
  ]);
  assertEquals(needed, [
    { kind: "read", value: "api" },
    { kind: "read", value: "node_modules/bank/config.json" },
    { kind: "read", value: "node_modules/bank/index.js" },
    { kind: "read", value: "plugins/own.js" },
    { kind: "read", value: "plugins/own.json" },
    { kind: "read", value: "worker.js" },
    { kind: "env", value: "IN_PLUGIN" },
    { kind: "env", value: "IN_WORKER" },
    { kind: "env", value: "NODE_V8_COVERAGE" },
    { kind: "run", value: "pwd" },
    { kind: "run", value: "true" },
    { kind: "import", value: `127.0.0.1:${port}` },
    // With a list, Deno has no hosts that it always grants.
    { kind: "import", value: "jsr.io:443" },
  ]);
});

Deno.test("bough permissions widens a value that differs between runs to its host or folder", async () => {
  await using folder = await createProject({
    "tmp/x": "",
    "api/route.js": `export async function GET() {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => new Response());
  await (await fetch("http://127.0.0.1:" + server.addr.port)).text();
  await server.shutdown();
  Deno.writeTextFileSync("tmp/" + crypto.randomUUID(), "");
  return new Response();
}`,
    "main_test.ts": testOf("/api"),
  });
  const learn = (...args: string[]) =>
    boughIn(
      folder.path,
      "permissions",
      "main.ts",
      FROM,
      "--write=serve",
      ...args,
    );
  const { code, stdout, stderr } = await learn();
  assertEquals(code, 0, stderr);
  assertStringIncludes(
    stdout,
    `all needed permissions
  read   api
  write  tmp
  net    127.0.0.1

widened, since values differ from run to run
  write  tmp
  net    127.0.0.1

proven 3 of 3`,
  );
  const text = await Deno.readTextFile(join(folder.path, "deno.jsonc"));
  assertStringIncludes(text, '"./tmp"');
  assert(!/127\.0\.0\.1:\d/.test(text), text);
  assertEquals((await learn("--check")).code, 0);
});
