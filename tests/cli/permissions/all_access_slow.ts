/**
 * One application with all kinds of access: it runs under its recorded permission set,
 * and needs each entry.
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { TestFolder } from "../../support/application.ts";
import { DenoProcess } from "../../support/process.ts";
import type { CommandOutcome } from "../support.ts";
import { createProject, IMPORTS } from "./project.ts";

const BOUGH = new URL("../../../src/cli/mod.ts", import.meta.url).href;
const LIBC = [
  "/lib/x86_64-linux-gnu/libc.so.6",
  "/lib/aarch64-linux-gnu/libc.so.6",
]
  .find((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  });

/** Servers for the application to connect to: of HTTP with modules, and of Redis. */
class Stubs implements AsyncDisposable {
  readonly #http = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () =>
      new Response("export const remote = 1;", {
        headers: { "content-type": "text/javascript" },
      }),
  );
  readonly #redis = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #serving = this.#serve();

  get http(): number {
    return this.#http.addr.port;
  }

  get redis(): number {
    return (this.#redis.addr as Deno.NetAddr).port;
  }

  async #serve(): Promise<void> {
    for await (const connection of this.#redis) {
      (async () => {
        const texts = connection.readable.pipeThrough(new TextDecoderStream());
        for await (const text of texts) {
          const commands = text.match(/^\*/gm) ?? [];
          const replies = "+OK\r\n".repeat(commands.length);
          await connection.write(new TextEncoder().encode(replies));
        }
      })().catch(() => {});
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#redis.close();
    await this.#serving.catch(() => {});
    await this.#http.shutdown();
    // Deno writes the remote module into the linked folder of dependencies.
    const folder = `../../../vendor/http_127.0.0.1_${this.http}`;
    await Deno.remove(new URL(folder, import.meta.url), { recursive: true });
  }
}

const OK = "return new Response();";

/** The route files, by the path that they respond to. */
function routes({ http, redis }: Stubs): Record<string, string> {
  return {
    files: `import fs from "node:fs";
import { appendFile, mkdtemp, opendir } from "node:fs/promises";
import { once } from "node:events";
export async function GET() {
  await Deno.readTextFile("data/deno.txt");
  await Deno.writeTextFile("data/written.txt", "");
  fs.readFileSync("data/node.txt");
  await appendFile("out/appended.txt", "");
  await once(fs.createReadStream("stream/streamed.txt").resume(), "close");
  for await (const _ of await opendir("listed"));
  fs.rmdirSync(await mkdtemp("made/x-"));
  ${OK}
}`,
    sockets: `import dgram from "node:dgram";
import dns from "node:dns/promises";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import { once } from "node:events";
const ended = (emitter) => new Promise((end) =>
  emitter.on("error", end).on("close", end).on("end", end));
export async function GET() {
  const server = http.createServer().listen(0, "127.0.0.2");
  await once(server, "listening");
  server.close();
  const response = await once(http.get("http://127.0.0.1:${http}/node"), "response");
  await ended(response[0].resume());
  const socket = net.connect(${redis}, "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
  await ended(https.get("https://127.0.0.3:1/"));
  await ended(tls.connect(1, "127.0.0.4"));
  await ended(http2.connect("http://127.0.0.5:1"));
  const udp = dgram.createSocket("udp4").bind(0, "127.0.0.6");
  await once(udp, "listening");
  udp.close();
  await dns.lookup("localhost");
  await Deno.connect({ hostname: "127.0.0.7", port: 1 }).catch(() => {});
  await fetch("http://127.0.0.8:1999/").catch(() => {});
  await ended(new net.Socket().connect("/none.sock"));
  ${OK}
}`,
    databases: `import { DatabaseSync } from "node:sqlite";
import sqlite from "node-sqlite3-wasm";
export function GET() {
  new DatabaseSync("db/native.db").close();
  const database = new sqlite.Database("db-npm/npm.db");
  database.exec("create table t (a)");
  database.close();
  Deno.removeSync("db-npm/npm.db");
  ${OK}
}`,
    redis: `import redis from "redis";
import { promisify } from "node:util";
export async function GET() {
  const client = redis.createClient(${redis}, "127.0.0.1", { no_ready_check: true });
  await promisify(client.ping).call(client);
  client.end(true);
  ${OK}
}`,
    workers: `import { Worker as Thread } from "node:worker_threads";
import { once } from "node:events";
export async function GET() {
  const worker = new Worker(new URL("../../worker.js", import.meta.url), { type: "module" });
  await new Promise((end) => worker.onmessage = end);
  worker.terminate();
  const thread = new Thread(new URL("../../thread.js", import.meta.url), { env: {} });
  await once(thread, "message");
  await thread.terminate();
  ${OK}
}`,
    imports: `const name = "computed";
export async function GET() {
  await import("../../plugins/" + name + ".js");
  await import("../../plugins/" + name + ".json", { with: { type: "json" } });
  await import("http://127.0.0.1:${http}/" + name + ".js");
  ${OK}
}`,
    programs: `import { execFile } from "node:child_process";
import { promisify } from "node:util";
export async function GET() {
  new Deno.Command("true").outputSync();
  await promisify(execFile)("ls", ["data"], { env: {} });
  process.getBuiltinModule("node:child_process").spawnSync("pwd", { env: {} });
  ${OK}
}`,
    system: `import os from "node:os";
export function GET() {
  os.hostname();
  os.cpus();
  Deno.osRelease();
  process.env.FROM_NODE;
  Deno.env.get("FROM_DENO");
  ${LIBC === undefined ? "" : `Deno.dlopen("${LIBC}", {}).close();`}
  ${OK}
}`,
    packages: `import "../../node_modules/bank/index.js";
export function GET() { ${OK} }`,
  };
}

/** The project, with or without a \`package.json\`. */
async function projectOf(
  stubs: Stubs,
  hasPackageJson: boolean,
): Promise<TestFolder> {
  const files = routes(stubs);
  const paths = Object.keys(files).map((name) => `/api/${name}`);
  const packages = { "redis": "^3.1.2", "node-sqlite3-wasm": "^0.8.51" };
  const folder = await createProject({
    ...Object.fromEntries(
      Object.entries(files).map((
        [name, text],
      ) => [`api/${name}/route.js`, text]),
    ),
    "deno.jsonc": JSON.stringify({
      imports: hasPackageJson ? IMPORTS : {
        ...IMPORTS,
        ...Object.fromEntries(
          Object.entries(packages).map((
            [name, version],
          ) => [name, `npm:${name}@${version}`]),
        ),
      },
      vendor: true,
      nodeModulesDir: "auto",
    }),
    ...(hasPackageJson && {
      "package.json": JSON.stringify({ dependencies: packages }),
    }),
    "main.ts": `import { Framework } from "@bough/framework";
export const app = new Framework({ apiDir: "api" });
export async function requestAll() {
  for (const path of ${JSON.stringify(paths)}) {
    const response = await app.fetch(new Request("http://localhost" + path));
    if (!response.ok) throw new Error(path + " " + await response.text());
  }
}
if (import.meta.main) {
  const server = await app.serve({ hostname: "127.0.0.1", port: 0 });
  await requestAll();
  await server.shutdown();
}`,
    "main_test.ts": `import { requestAll } from "./main.ts";
Deno.test({ name: "all", sanitizeOps: false, sanitizeResources: false, fn: requestAll });`,
    "worker.js": `Deno.env.get("IN_WORKER");
Deno.readTextFileSync("data/worker.txt");
postMessage("done");`,
    "thread.js": `import { parentPort } from "node:worker_threads";
process.env.IN_THREAD;
parentPort.postMessage("done");`,
    "plugins/computed.js": `Deno.env.get("IN_PLUGIN");`,
    "plugins/computed.json": "{}",
    "node_modules/bank/package.json": `{ "name": "bank", "type": "module" }`,
    "node_modules/bank/index.js": `import { readFileSync } from "node:fs";
JSON.parse(readFileSync(new URL("./settings.json", import.meta.url), "utf8"));`,
    "node_modules/bank/settings.json": "{}",
    ...Object.fromEntries(
      ["data/deno", "data/node", "data/worker", "stream/streamed", "listed/x"]
        .map((name) => [`${name}.txt`, ""]),
    ),
    ...Object.fromEntries(
      ["out/x", "made/x", "db/x", "db-npm/x"].map((name) => [name, ""]),
    ),
  });
  return folder;
}

/** Runs `bough` with the configuration of the project. */
async function boughOf(
  folder: TestFolder,
  ...args: readonly string[]
): Promise<CommandOutcome> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--config=deno.jsonc", BOUGH, ...args],
    cwd: folder.path,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return {
    code,
    stdout: decoder.decode(stdout),
    stderr: decoder.decode(stderr),
  };
}

type Entries = readonly (readonly [kind: string, value: string])[];

/** The permissions that the project itself needs in this version of Deno. */
function expectedOf({ http }: Stubs): Entries {
  const lists: Record<string, readonly string[]> = {
    read: [
      "./api",
      "./data",
      "./db",
      "./db-npm",
      "./listed",
      "./node_modules/bank/settings.json",
      "./plugins/computed.js",
      "./plugins/computed.json",
      "./stream/streamed.txt",
      "./thread.js",
      "./worker.js",
      "/none.sock",
    ],
    write: [
      "./data",
      "./db",
      "./db-npm",
      "./made",
      "./out",
    ],
    net: [
      "127.0.0.1",
      "127.0.0.2",
      "127.0.0.3:1",
      "127.0.0.4:1",
      "127.0.0.5:1",
      "127.0.0.6",
      "127.0.0.7:1",
      "127.0.0.8:1999",
      "localhost",
      "unix:/none.sock",
    ],
    env: ["FROM_DENO", "FROM_NODE", "IN_PLUGIN", "IN_WORKER"],
    run: ["ls", "pwd", "true"],
    sys: ["cpus", "hostname", "osRelease"],
    ffi: LIBC === undefined ? [] : [LIBC],
    import: [`127.0.0.1:${http}`],
  };
  return Object.entries(lists).flatMap(([kind, values]) =>
    values.map((value) => [kind, value] as const)
  );
}

/** The entry to leave out alone. The others are left out together. */
function singleOf({ http }: Stubs): Record<"test" | "run", string> {
  return {
    test: "read ./plugins/computed.json",
    run: `import 127.0.0.1:${http}`,
  };
}

for (
  const [command, hasPackageJson] of [["test", false], ["run", true]] as const
) {
  const what = `deno ${command} ${
    hasPackageJson ? "with" : "without"
  } a package.json`;
  // Slow: it runs an application with each kind of access until all are recorded,
  // and again without some entries, 6 CPU seconds.
  Deno.test({
    name: `${what} passes under the recorded set, but not under a smaller set`,
    // Other systems have one address for this machine, and another library.
    ignore: Deno.build.os !== "linux",
    async fn() {
      await using stubs = new Stubs();
      await using folder = await projectOf(stubs, hasPackageJson);
      const config = join(folder.path, "deno.jsonc");
      const name = command === "test" ? "main_test.ts" : "main.ts";
      const learn = async (...args: string[]) =>
        await boughOf(
          folder,
          "permissions",
          "main.ts",
          `--from=deno ${command} --no-check ${name}`,
          "--write=all",
          ...args,
        );
      const { code, stdout, stderr } = await learn();
      assertEquals(code, 0, stderr);
      const { permissions, ...others } = JSON.parse(
        await Deno.readTextFile(config),
      );
      const set: Record<string, string[]> = permissions.all;
      const entries = Object.entries(set).flatMap(([kind, values]) =>
        values.map((value) => [kind, value] as const)
      );
      for (const [kind, value] of expectedOf(stubs)) {
        assert(
          set[kind]?.includes(value),
          `no ${kind} "${value}": ${stdout}`,
        );
      }
      assertStringIncludes(stdout, "proven for the recorded accesses");

      await using process = new DenoProcess(folder.path, ["-P=all"], name, {
        command,
        config,
      });
      const outcome = await process.outcome();
      assertEquals(outcome.code, 0, outcome.output);

      const flagOf = (entry: string) =>
        `--allow-${entry.replace(" ", "=").replace("./", "")}`;
      const flags = entries.map(([kind, value]) => flagOf(`${kind} ${value}`));
      /** The findings of `--check` if the set lacks some entries, as flags. */
      const foundWithout = async (isLeftOut: (entry: string) => boolean) => {
        const left = Object.entries(set).map(([kind, values]) => [
          kind,
          values.filter((value) => !isLeftOut(`${kind} ${value}`)),
        ]);
        const all = Object.fromEntries(left);
        await Deno.writeTextFile(
          config,
          JSON.stringify({ ...others, permissions: { all } }),
        );
        const { code, stderr } = await learn("--check");
        assertEquals(code, 1, stderr);
        const found = stderr.match(/(?<=lacks )--allow-\S*(?=: )/g) ?? [];
        // Files that exist now are named alone, instead of their folder.
        return new Set(
          found.map((flag) =>
            flags.find((each) =>
              flag === each || flag.startsWith(`${each}/`)
            ) ?? flag
          ),
        );
      };
      const all = entries.map(([kind, value]) => `${kind} ${value}`);
      // Without any of these, Deno grants hosts that modules often come from.
      const isImport = (entry: string) => entry.startsWith("import ");
      assertEquals(
        await foundWithout((entry) => !isImport(entry)),
        new Set(all.filter((entry) => !isImport(entry)).map(flagOf)),
      );
      const left = singleOf(stubs)[command];
      const found = await foundWithout((entry) => entry === left);
      assertEquals(found, new Set([flagOf(left)]));
    },
  });
}
