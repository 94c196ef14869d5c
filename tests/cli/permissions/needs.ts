/** Changes of a small application: 40 that need a permission, and 40 that need none. */
import type { PermissionKind } from "../../../src/core/types/permissions.ts";

/** A change of the application. The tests request each of its routes. */
export interface Change {
  readonly id: string;
  readonly files: Readonly<Record<string, string>>;
}

/** A change that needs exactly one more permission. */
export interface Need extends Change {
  readonly kind: PermissionKind;
  readonly value: string;
  /** The line of the user's code that needs it; `null` if Deno does not report it. */
  readonly by: string | null;
  /** The package that needs it. */
  readonly dependency?: string;
}

function route(code: string): string {
  return `export async function GET() {
  ${code}
  return new Response();
}
`;
}

/** A module, and a route that calls its function `run()`. */
function called(id: string, path: string, text: string) {
  return {
    [path]: text,
    [`api/${id}/route.js`]: `import { run } from "../../${path}";
${route("await run();")}`,
  };
}

function packageOf(id: string, main: string, text: string) {
  const description = { name: id, version: "1.0.0", main };
  return {
    files: {
      [`node_modules/${id}/package.json`]: JSON.stringify(description),
      ...called(id, `node_modules/${id}/${main}`, text),
    },
    by: `api/${id}/route.js:3`,
    dependency: `npm:${id}`,
  };
}

/** The places for code: the files with the code, and its line. */
const PLACES = {
  route: (id: string, code: string) => ({
    files: { [`api/${id}/route.js`]: route(code) },
    by: `api/${id}/route.js:2`,
  }),
  middleware: (id: string, code: string) => ({
    files: {
      [`api/${id}/middleware.js`]: `export default async (_request, next) => {
  ${code}
  return next();
};
`,
      [`api/${id}/route.js`]: route(""),
    },
    by: `api/${id}/middleware.js:2`,
  }),
  topLevel: (id: string, code: string) => ({
    files: called(id, `lib/${id}.js`, `${code}\nexport function run() {}\n`),
    by: `lib/${id}.js:1`,
  }),
  afterAwait: (id: string, code: string) => ({
    files: called(
      id,
      `lib/${id}.js`,
      `export async function run() {
  await 0;
  ${code}
}
`,
    ),
    by: `lib/${id}.js:3`,
  }),
  timer: (id: string, code: string) => ({
    files: called(
      id,
      `lib/${id}.js`,
      `export const run = () => new Promise((done) => {
  setTimeout(async () => {
    ${code}
    done();
  });
});
`,
    ),
    by: `lib/${id}.js:3`,
  }),
  worker: (id: string, code: string) => ({
    files: {
      [`lib/${id}_worker.js`]: `${code}\npostMessage("done");\n`,
      ...called(
        id,
        `lib/${id}.js`,
        `export function run() {
  const url = new URL("./${id}_worker.js", import.meta.url);
  const worker = new Worker(url, { type: "module" });
  return new Promise((done) => {
    worker.onmessage = () => done(worker.terminate());
  });
}
`,
      ),
    },
    by: `lib/${id}_worker.js:1`,
  }),
  module: (id: string, code: string) =>
    packageOf(
      id,
      "index.mjs",
      `export async function run() {
  await 0;
  ${code}
}
`,
    ),
  commonJs: (id: string, code: string) =>
    packageOf(
      id,
      "index.cjs",
      `exports.run = async function () {
  ${code}
};
`,
    ),
};

type Place = keyof typeof PLACES;
type Row = readonly [place: Place, code: string, value: string];

/** Changes whose place is unknown: Deno has no stack, or that of an earlier access. */
const UNKNOWN: readonly string[] = [
  "net-7-module",
  "net-8-commonjs",
  "read-8-commonjs",
  "read-9-route",
  "write-8-afterawait",
];

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  env: [
    ["route", `Deno.env.get("IN_ROUTE");`, "IN_ROUTE"],
    ["middleware", `Deno.env.has("IN_GUARD");`, "IN_GUARD"],
    ["topLevel", `export const key = Deno.env.get("KEY");`, "KEY"],
    ["afterAwait", `process.env.AFTER;`, "AFTER"],
    ["timer", `Deno.env.set("TIMED", "1");`, "TIMED"],
    ["worker", `Deno.env.get("IN_WORKER");`, "IN_WORKER"],
    ["module", `Deno.env.get("IN_MODULE");`, "IN_MODULE"],
    ["commonJs", `process.env.IN_COMMON_JS;`, "IN_COMMON_JS"],
  ],
  net: [
    [
      "route",
      `await Deno.connect({ hostname: "127.0.1.1", port: 9 }).catch(() => {});`,
      "127.0.1.1:9",
    ],
    [
      "middleware",
      `await fetch("http://127.0.1.2:1999/").catch(() => {});`,
      "127.0.1.2:1999",
    ],
    [
      "topLevel",
      `await fetch("https://bank.invalid/").catch(() => {});`,
      "bank.invalid:443",
    ],
    [
      "afterAwait",
      `await Deno.connectTls({ hostname: "127.0.1.4", port: 9 }).catch(() => {});`,
      "127.0.1.4:9",
    ],
    [
      "timer",
      `Deno.listen({ hostname: "127.0.1.5", port: 9099 }).close();`,
      "127.0.1.5:9099",
    ],
    [
      "worker",
      `await fetch("http://127.0.1.6:1999/").catch(() => {});`,
      "127.0.1.6:1999",
    ],
    [
      "module",
      `await new Promise((end) => process.getBuiltinModule("node:net").connect(9, "127.0.1.7").once("error", end));`,
      "127.0.1.7:9",
    ],
    [
      "commonJs",
      `await new Promise((end) => require("node:http").get("http://127.0.1.8:1999/").once("error", end));`,
      "127.0.1.8:1999",
    ],
  ],
  read: [
    ["route", `await Deno.readTextFile("in/a/x.txt");`, "in/a/x.txt"],
    ["middleware", `await Deno.stat("in/b/x.txt");`, "in/b/x.txt"],
    ["topLevel", `[...Deno.readDirSync("in/c")];`, "in/c"],
    [
      "afterAwait",
      `await (await import("node:fs/promises")).readFile("in/d/x.txt");`,
      "in/d/x.txt",
    ],
    ["timer", `(await Deno.open("in/e/x.txt")).close();`, "in/e/x.txt"],
    ["worker", `Deno.readTextFileSync("in/f/x.txt");`, "in/f/x.txt"],
    [
      "module",
      `(await import("node:fs")).readFileSync("in/g/x.txt");`,
      "in/g/x.txt",
    ],
    [
      "commonJs",
      `require("node:fs").createReadStream("in/h/x.txt").resume();`,
      "in/h/x.txt",
    ],
    [
      "route",
      `new (await import("node:sqlite")).DatabaseSync("in/i/x.db", { readOnly: true }).close();`,
      "in/i/x.db",
    ],
  ],
  write: [
    ["route", `await Deno.writeTextFile("out/a/x.txt", "");`, "out/a/x.txt"],
    [
      "topLevel",
      `Deno.mkdirSync("out/b/made", { recursive: true });`,
      "out/b/made",
    ],
    [
      "afterAwait",
      `await (await import("node:fs/promises")).appendFile("out/c/x.txt", "");`,
      "out/c/x.txt",
    ],
    [
      "timer",
      `await Deno.writeTextFile("out/d/x.txt", "");`,
      "out/d/x.txt",
    ],
    ["worker", `Deno.truncateSync("out/e/x.txt");`, "out/e/x.txt"],
    [
      "module",
      `(await import("node:fs")).writeFileSync("out/f/x.txt", "");`,
      "out/f/x.txt",
    ],
    [
      "commonJs",
      `require("node:fs").mkdirSync("out/g/made");`,
      "out/g",
    ],
    [
      "afterAwait",
      `new (await import("node:sqlite")).DatabaseSync("out/h/x.db").close();`,
      "out/h",
    ],
  ],
  run: [
    [
      "route",
      `await new Deno.Command("git", { args: ["--version"] }).output();`,
      "git",
    ],
    ["timer", `Deno["spawnAndWaitSync"]("true", []);`, "true"],
    [
      "module",
      `(await import("node:child_process")).execFileSync("ls", { env: {} });`,
      "ls",
    ],
    [
      "commonJs",
      `await new Promise((end) => require("node:child_process").spawn("pwd", { env: {} }).once("exit", end));`,
      "pwd",
    ],
  ],
  sys: [
    ["route", `Deno.loadavg();`, "loadavg"],
    ["topLevel", `Deno.osRelease();`, "osRelease"],
    ["module", `(await import("node:os")).cpus();`, "cpus"],
  ],
};

/** The changes that need exactly one more permission than the sets of {@linkcode setsOf}. */
export const NEEDS: readonly Need[] = Object.entries(ROWS).flatMap(
  ([kind, rows]) =>
    rows.map(([place, code, value], index) => {
      const id = `${kind}-${index + 1}-${place.toLowerCase()}`;
      const { files, ...where } = PLACES[place](id, code);
      const known = UNKNOWN.includes(id) ? { by: null } : where;
      return { id, files, kind: kind as PermissionKind, value, ...known };
    }),
);

/** The permission sets of the application, and of its tests. */
export function setsOf(temporaryFolder: string) {
  const serve = {
    read: ["./api", "./lib", "./node_modules", "./in/shared", "./out"],
    write: ["./out/shared"],
    net: ["127.0.2.1:1999", "127.0.2.2"],
    env: ["APP_*", "KEY_SHARED", "NODE_V8_COVERAGE"],
    run: ["cat"],
    sys: ["hostname"],
  };
  const test = {
    ...serve,
    read: [...serve.read, "./tests", temporaryFolder],
    write: [...serve.write, temporaryFolder],
    net: [...serve.net, "127.0.0.1"],
    env: [...serve.env, "TEST_LEVEL"],
  };
  return { serve, test };
}

/** Changes of the application that need no further permission. */
const HARMLESS_ROWS: readonly (readonly [place: Place, code: string])[] = [
  ["route", `await Deno.readTextFile("in/shared/x.txt");`],
  ["middleware", `await Deno.stat("in/shared/y.txt");`],
  ["topLevel", `Deno.env.get("KEY_SHARED");`],
  ["afterAwait", `process.env.KEY_SHARED;`],
  ["timer", `Deno.env.has("KEY_SHARED");`],
  ["worker", `Deno.env.get("KEY_SHARED");`],
  ["module", `Deno.env.get("KEY_SHARED");`],
  ["commonJs", `process.env.KEY_SHARED;`],
  ["route", `Deno.env.get("APP_NEW");`],
  ["route", `await fetch("http://127.0.2.1:1999/new").catch(() => {});`],
  [
    "afterAwait",
    `await Deno.connect({ hostname: "127.0.2.2", port: 9 }).catch(() => {});`,
  ],
  [
    "module",
    `await new Promise((end) => process.getBuiltinModule("node:net").connect(9, "127.0.2.2").once("error", end));`,
  ],
  [
    "commonJs",
    `await new Promise((end) => require("node:http").get("http://127.0.2.2:1999/").once("error", end));`,
  ],
  ["worker", `await fetch("http://127.0.2.2:1998/").catch(() => {});`],
  ["timer", `Deno.listen({ hostname: "127.0.2.2", port: 0 }).close();`],
  ["module", `(await import("node:fs")).readFileSync("in/shared/x.txt");`],
  [
    "afterAwait",
    `await (await import("node:fs/promises")).readdir("in/shared");`,
  ],
  [
    "route",
    `new (await import("node:sqlite")).DatabaseSync(":memory:").exec("CREATE TABLE t (a)");`,
  ],
  [
    "route",
    `new (await import("node:sqlite")).DatabaseSync("out/shared/x.db").close();`,
  ],
  ["topLevel", `Deno.writeTextFileSync("out/shared/x.txt", "");`],
  ["timer", `await Deno.create("out/shared/y.txt");`],
  [
    "commonJs",
    `require("node:fs").mkdirSync("out/shared/made", { recursive: true });`,
  ],
  [
    "route",
    `await Deno.rename(await Deno.makeTempFile({ dir: "out/shared" }), "out/shared/z.txt");`,
  ],
  [
    "route",
    `await Deno.remove(await Deno.makeTempDir({ dir: "out/shared" }));`,
  ],
  [
    "route",
    `await new Deno.Command("cat", { args: ["in/shared/y.txt"] }).output();`,
  ],
  [
    "commonJs",
    `require("node:child_process").execFileSync("cat", ["in/shared/x.txt"], { env: {} });`,
  ],
  ["module", `(await import("node:os")).hostname();`],
  ["topLevel", `await import("./shared.js");`],
  [
    "route",
    `for (let i = 0; i < 100; i++) Deno.readTextFileSync("in/shared/x.txt");`,
  ],
  [
    "route",
    `await Promise.all(["x", "y"].map((name) => Deno.lstat("in/shared/" + name + ".txt").then(({ size }) => size)));`,
  ],
  ["route", `await Deno.readTextFile("./api/../in/./shared/x.txt");`],
  [
    "route",
    `await Deno.readTextFile(new URL("../../in/shared/x.txt", import.meta.url));`,
  ],
  [
    "route",
    `const unused = () => Deno.env.get("UNUSED"); typeof unused;`,
  ],
  [
    "route",
    `await Deno.permissions.query({ name: "env", variable: "ONLY_ASKED" });`,
  ],
  ["route", `await (await fetch("data:text/plain,x")).text();`],
  [
    "route",
    `await crypto.subtle.digest("SHA-256", crypto.getRandomValues(new Uint8Array(9)));`,
  ],
];

/** Code that only the tests load, and that needs no further permission. */
const HARMLESS_TESTS: readonly string[] = [
  `Deno.env.get("TEST_LEVEL");`,
  `await Deno.remove(await Deno.makeTempDir({ prefix: "more" }), { recursive: true });`,
  `await Deno.readTextFile(new URL("./data.txt", import.meta.url));`,
  `await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => new Response());
  await (await fetch("http://127.0.0.1:" + server.addr.port)).text();`,
];

/** The changes that need no further permission than the sets of {@linkcode setsOf}. */
export const HARMLESS: readonly Change[] = [
  ...HARMLESS_ROWS.map(([place, code], index) => {
    const id = `harmless-${index + 1}-${place.toLowerCase()}`;
    return { id, files: PLACES[place](id, code).files };
  }),
  ...HARMLESS_TESTS.map((code, index) => {
    const id = `harmless-test-${index + 1}`;
    return {
      id,
      files: {
        [`tests/${id}_test.js`]: `Deno.test("${id}", async () => {
  ${code}
});
`,
        [`api/${id}/route.js`]: route(""),
      },
    };
  }),
];

const USED =
  "export const GET = async () => { await use(); return new Response(); };";

/**
 * An application whose tests load the modules of its server, or make an access just
 * before the server makes the same access.
 */
export const SHARED_WITH_TESTS: Readonly<Record<string, string>> = {
  "in/x.db": "",
  "in/x.txt": "",
  "lib/worker.js": `Deno.env.get("IN_WORKER");
globalThis.postMessage?.("done");`,
  "lib/script.js": `Deno.env.get("IN_SCRIPT");`,
  "lib/computed.js": `Deno.env.get("IN_COMPUTED");
export const run = () => { setTimeout(() => Deno.env.get("IN_TIMER")); };`,
  "api/worker/route.js": `async function use() {
  const url = new URL("../../lib/worker.js", import.meta.url);
  const worker = new Worker(url, { type: "module" });
  await new Promise((done) => worker.onmessage = done);
  worker.terminate();
}
${USED}`,
  "api/script/route.js": `async function use() {
  const args = ["run", "-A", "lib/script.js"];
  await new Deno.Command(Deno.execPath(), { args }).output();
}
${USED}`,
  "api/computed/route.js": `const name = "computed";
async function use() {
  (await import("../../lib/" + name + ".js")).run();
  await new Promise((done) => setTimeout(done, 9));
}
${USED}`,
  "api/sqlite/route.js": `import { DatabaseSync } from "node:sqlite";
const use = () => new DatabaseSync("in/x.db", { readOnly: true }).close();
${USED}`,
  "api/net/route.js": `import { once } from "node:events";
import net from "node:net";
const use = () => once(net.connect(9, "127.0.3.1"), "error");
${USED}`,
  "api/read/route.js": `const use = () => Deno.readTextFile("in/x.txt");
${USED}`,
  "main_test.ts": `import { app } from "./main.ts";
import "./lib/worker.js";
import "./lib/script.js";
import "./lib/computed.js";

async function get(name: string) {
  const request = new Request("http://localhost/api/" + name);
  const response = await app.fetch(request);
  if (!response.ok) throw new Error(await response.text());
}

Deno.test("uses modules of the server", async () => {
  for (const name of ["worker", "script", "computed"]) await get(name);
});

Deno.test("makes the accesses of the server before the server", async () => {
  Deno.readFileSync("in/x.db");
  await get("sqlite");
  await Deno.connect({ hostname: "127.0.3.1", port: 9 }).catch(() => {});
  await get("net");
  Deno.readTextFileSync("in/x.txt");
  await get("read");
});

Deno.test("makes accesses of its own", async () => {
  for (let count = 0; count < 2; count++) Deno.env.get("ONLY_IN_TESTS");
  for (let count = 0; count < 2; count++) new Deno.Command("true").outputSync();
  const { execFileSync } = await import("node:child_process");
  execFileSync("pwd", { env: {} });
  for (let count = 0; count < 2; count++) {
    const listener = Deno.listen({ hostname: "127.0.3.2", port: 9098 });
    const connection = await Deno.connect({ hostname: "127.0.3.2", port: 9098 });
    connection.close();
    listener.close();
    await fetch("http://127.0.3.3:1999/").catch(() => {});
  }
});
`,
};

/** The values of accesses that the server of {@linkcode SHARED_WITH_TESTS} makes. */
export const OF_SERVER: readonly string[] = [
  "IN_WORKER",
  "IN_SCRIPT",
  "IN_COMPUTED",
  "IN_TIMER",
  "in/x.db",
  "in/x.txt",
  "127.0.3.1:9",
];

/** The values of accesses that only its tests make. */
export const OF_TESTS: readonly string[] = [
  "ONLY_IN_TESTS",
  "true",
  "pwd",
  "127.0.3.2:9098",
  "127.0.3.3:1999",
];
