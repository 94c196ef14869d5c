import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import type { TestFolder } from "../../support/application.ts";
import { DenoProcess } from "../../support/process.ts";
import { bough, boughIn, type CommandOutcome } from "../support.ts";
import { createProject, testOf } from "./project.ts";
import { TimeLimit } from "./support.ts";

const FROM = "--from=deno test --no-check -A main_test.ts";
const GET = "export const GET = () => new Response('fine');";

/** An application whose route \`pay\` uses a dependency. */
function shop(dependency: string): Record<string, string> {
  return {
    "lib/bank.js": `export async function pay() {
  await 0;
  Deno.env.get("BANK_KEY");
  ${dependency}
}
`,
    "api/pay/route.js": `import { pay } from "../../lib/bank.js";
export const permissions = { env: ["BANK_KEY"] };
export const GET = async () => { await pay(); return new Response("paid"); };
`,
    "api/plain/route.js": GET,
    "main_test.ts": testOf("/api/pay", "/api/plain"),
  };
}

async function learned(
  folder: TestFolder,
  ...args: readonly string[]
): Promise<CommandOutcome> {
  return await boughIn(folder.path, "permissions", "main.ts", FROM, ...args);
}

// Slow: each case runs an application several times, 15 CPU seconds.
Deno.test("bough permissions prints the accesses of each route, with their places", async () => {
  await using folder = await createProject(shop(
    `await Deno.readTextFile("deno.jsonc"); Deno.env.get("OTHER");`,
  ));
  const { code, stdout, stderr } = await bough(
    folder.path,
    "permissions",
    "main.ts",
    FROM,
  );
  assertEquals(code, 0, stderr);
  assertEquals(
    stdout,
    `api/pay/route.js  /api/pay
  env      BANK_KEY     lib/bank.js:3  declared
  read     deno.jsonc   lib/bank.js:4  not declared
  env      OTHER        lib/bank.js:4  not declared
  imports  lib/bank.js

api/plain/route.js  /api/plain
  nothing

all needed permissions
  read  api
  read  deno.jsonc
  read  lib/bank.js
  env   BANK_KEY
  env   OTHER

proven 5 of 5`,
  );
  assertStringIncludes(stderr, "each route responds");
});

for (
  const [what, planted, flag, entry] of [
    [
      "a new variable",
      `Deno.env.get("AWS_SECRET");`,
      "--allow-env=AWS_SECRET",
      'env: ["AWS_SECRET"]',
    ],
    [
      "a new file",
      `Deno.openSync("deno.jsonc").close();`,
      "--allow-read=deno.jsonc",
      'read: ["deno.jsonc"]',
    ],
    [
      "writing a file",
      `Deno.writeTextFileSync("stolen", "");`,
      "--allow-write=stolen",
      'write: ["stolen"]',
    ],
    [
      "a new host",
      `await fetch("https://evil.invalid/").catch(() => {});`,
      "--allow-net=evil.invalid:443",
      'net: ["evil.invalid:443"]',
    ],
    [
      "a program, by Deno",
      `new Deno.Command("git", { args: ["--version"] }).outputSync();`,
      "--allow-run=git",
      'run: ["git"]',
    ],
    [
      "a program, by another function of Deno",
      `Deno["spawnAndWaitSync"]("git", ["--version"]);`,
      "--allow-run=git",
      'run: ["git"]',
    ],
    [
      "a program, by Node's module",
      `(await import("node:child_process")).execFileSync("git", ["--version"], { env: {} });`,
      "--allow-run=git",
      'run: ["git"]',
    ],
  ] as const
) {
  Deno.test(`--check fails if a dependency uses ${what}, and names it`, async () => {
    await using folder = await createProject(shop(planted));
    const { code, stderr } = await learned(folder, "--check");
    assertEquals(code, 1);
    assertStringIncludes(
      stderr,
      `"api/pay/route.js" (/api/pay) used ${flag} in lib/bank.js:4, but does not declare it; add ${entry} to its permissions`,
    );
    assert(!stderr.includes("api/plain"), stderr);
  });
}

Deno.test("--check names a package that uses more, for all kinds of access", async () => {
  await using folder = await createProject({
    ...shop(""),
    "node_modules/bank/package.json":
      `{ "name": "bank", "version": "1.0.0", "type": "module" }`,
    "node_modules/bank/index.js":
      `import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
export async function pay() {
  await 0;
  process.env.BANK_KEY;
  process.env.AWS_SECRET;
  readFileSync("deno.jsonc");
  await fetch("https://evil.invalid/").catch(() => {});
  execFileSync("git", ["--version"], { env: {} });
}
`,
    "lib/bank.js": `export * from "../node_modules/bank/index.js";`,
  });
  const { code, stderr } = await learned(folder, "--check");
  assertEquals(code, 1);
  assertEquals(
    stderr.match(/^"api.*(?=, but does not declare it)/gm),
    [
      "--allow-read=deno.jsonc in npm:bank:8",
      "--allow-net=evil.invalid:443 in npm:bank:9",
      "--allow-env=AWS_SECRET in npm:bank:7",
      // Node's module reads this variable for any program.
      "--allow-env=NODE_V8_COVERAGE in npm:bank:10",
      "--allow-run=git in npm:bank:10",
    ].map((use) => `"api/pay/route.js" (/api/pay) used ${use}`),
    stderr,
  );
});

Deno.test("--check succeeds if all accesses are declared", async () => {
  await using folder = await createProject(shop(""));
  const { code, stderr } = await learned(folder, "--check");
  assertEquals(code, 0, stderr);
});

Deno.test("bough permissions records named imports of node:child_process, and shells", async () => {
  await using folder = await createProject({
    "api/route.js":
      `import { execSync, spawn } from "node:child_process"; import { once } from "node:events";
export const permissions = { env: true, run: ["git"] };
export const GET = async () => {
  execSync("exit 0");
  await once(spawn("true"), "exit");
  return new Response();
};`,
    "main_test.ts": testOf("/api"),
  });
  const { stdout, stderr } = await learned(folder, "--json");
  const { files } = JSON.parse(stdout);
  assertEquals(
    files[0].used.filter(({ kind }: { kind: string }) => kind === "run"),
    [
      { kind: "run", value: "/bin/sh", by: "api/route.js:4", declared: false },
      { kind: "run", value: "true", by: "api/route.js:5", declared: false },
    ],
    stderr,
  );
});

Deno.test("top-level code belongs to every route that imports the module", async () => {
  await using folder = await createProject({
    "lib/config.js": `export const level = Deno.env.get("LEVEL");`,
    "lib/through.js": `export * from "./config.js";`,
    "api/a/route.js": `import "../../lib/config.js"; ${GET}`,
    "api/b/route.js":
      `import "../../lib/through.js"; export const permissions = { env: ["LEVEL"] }; ${GET}`,
    "api/c/route.js": GET,
    "main_test.ts": testOf("/api/a"),
  });
  const { stderr } = await learned(folder, "--check");
  assertStringIncludes(
    stderr,
    '"api/a/route.js" (/api/a) used --allow-env=LEVEL in lib/config.js:1',
  );
  assert(!/api\/[bc]/.test(stderr), stderr);
});

Deno.test("an access without a known route is shared, and the application or all routes must declare it", async () => {
  const files = (declared: string) => ({
    "lib/queue.js": `const jobs = [];
setInterval(function work() { jobs.pop()?.(); }, 1);
export const run = () => new Promise((done) => jobs.push(function job() {
  Deno.env.get("QUEUED");
  done();
}));`,
    "api/a/route.js": `import { run } from "../../lib/queue.js"; ${declared}
export const GET = async () => { await run(); return new Response(); };`,
    "api/b/route.js": `import "../../lib/queue.js"; ${declared} ${GET}`,
    "main_test.ts": `import { app } from "./main.ts";
Deno.test({ name: "runs", sanitizeOps: false, sanitizeResources: false, async fn() {
  await app.fetch(new Request("http://localhost/api/a"));
} });`,
  });
  await using none = await createProject(files(""));
  const { stdout, stderr } = await learned(none, "--check");
  assertStringIncludes(
    stdout,
    "shared\n  env  QUEUED  lib/queue.js:4  not declared",
  );
  assertStringIncludes(
    stderr,
    "the application used --allow-env=QUEUED in lib/queue.js:4",
  );
  await using all = await createProject(
    files(`export const permissions = { env: ["QUEUED"] };`),
  );
  assertEquals((await learned(all, "--check")).code, 0);
  await using option = await createProject({
    ...files(""),
    "main.ts": `import { Framework } from "@bough/framework";
export const app = new Framework({ apiDir: "api", permissions: { env: ["Q*"] } });`,
  });
  assertEquals((await learned(option, "--check")).code, 0);
});

Deno.test("--write writes a set that suffices for the application, and keeps comments", async () => {
  await using folder = await createProject(shop(""));
  const written = await learned(
    folder,
    "--write=serve",
    "--listen=127.0.0.1:0",
  );
  assertEquals(written.code, 0, written.stderr);
  assertStringIncludes(
    written.stderr,
    'wrote the permission set "serve" to deno.jsonc; run with -P=serve',
  );
  const text = await Deno.readTextFile(`${folder.path}/deno.jsonc`);
  assertStringIncludes(text, "// The framework.");
  assertMatch(
    text,
    /"serve": \{\s+"read": \[\s+"\.\/api",\s+"\.\/lib\/bank\.js"\s+\],\s+"net": \[\s+"127\.0\.0\.1:0"\s+\],\s+"env": \[\s+"BANK_KEY"\s+\]\s+\}/,
  );
  await using process = new DenoProcess(folder.path, ["-P=serve"], "main.ts", {
    config: `${folder.path}/deno.jsonc`,
  });
  await process.printed("Listening");

  const option = ["--write=serve", "--listen=127.0.0.1:0"];
  assertStringIncludes(
    (await learned(folder, ...option)).stderr,
    'the permission set "serve" in deno.jsonc is up to date',
  );
  const check = ["--check", ...option];
  assertEquals((await learned(folder, ...check)).code, 0);
  await folder.write(
    "api/plain/route.js",
    `export const permissions = { sys: ["hostname"] }; ${GET}`,
  );
  // In a separate process, which imports the file again.
  const { code, stderr } = await bough(
    folder.path,
    "permissions",
    "main.ts",
    FROM,
    ...check,
  );
  assertEquals(code, 1);
  assertStringIncludes(
    stderr,
    'the permission set "serve" has no --allow-sys=hostname; add it with --write=serve',
  );
  // It was not written.
  assertEquals(await Deno.readTextFile(`${folder.path}/deno.jsonc`), text);
});

Deno.test("bough permissions records child processes, even those of a shell", async () => {
  await using folder = await createProject({
    ...shop(""),
    "api/child/route.js": `export const permissions = { run: true };
export const GET = async () => {
  for (const script of ["a.ts", "b.ts"]) {
    await new Deno.Command(Deno.execPath(), { args: ["run", "-A", script] }).output();
  }
  await new Deno.Command("sh", { args: ["-c", "deno run -A c.ts"] }).output();
  Deno.env.get("AFTER");
  return new Response();
};`,
    "a.ts": `Deno.env.get("IN_A");`,
    "b.ts": `Deno.env.get("IN_B");`,
    "c.ts": `Deno.env.get("IN_C");`,
    "main_test.ts": `import "./a.ts"; import "./b.ts"; import "./c.ts";\n${
      testOf("/api/child", "/api/pay")
    }`,
    "main.ts": `import { Framework } from "@bough/framework";
if (Deno.args.length > 5) { await import("./a.ts"); await import("./b.ts"); await import("./c.ts"); }
export const app = new Framework({ apiDir: "api" });`,
  });
  const { stdout, stderr } = await learned(folder, "--json");
  const { files, shared } = JSON.parse(stdout);
  const values = (rows: { value: string }[]) => rows.map(({ value }) => value);
  assertEquals(values(shared), ["IN_A", "IN_B", "IN_C"], stderr);
  assert(values(files[0].used).includes("AFTER"), stdout);
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
    const { code, stdout, stderr } = await boughIn(
      folder.path,
      "permissions",
      "main.ts",
      `--from=${command}`,
      `--time=${limit.seconds}`,
      "--check",
    );
    assertEquals(code, 1);
    // There, Bough's code does not run before the program, so the line is unknown.
    assertStringIncludes(
      stderr,
      'the application used --allow-run=git, but does not declare it; add run: ["git"] to its permissions',
    );
    assertStringIncludes(stdout, "env  TOKEN  api/route.js:4  declared");
    // Deno itself listens, without a permission.
    assert(!stderr.includes("--allow-net"), stderr);
  }
});

Deno.test("bough permissions records a task with its dependencies", async () => {
  await using folder = await createProject({
    ...shop(`new Deno.Command("git", { args: ["--version"] }).outputSync();`),
    "prepare.ts": `Deno.env.get("PREPARED");`,
  });
  const { code, stdout, stderr } = await boughIn(
    folder.path,
    "permissions",
    "main.ts",
    "--from=deno task both",
    "--json",
  );
  assertEquals(code, 0, stderr);
  const { files, shared } = JSON.parse(stdout);
  // The tests did not need this variable.
  assertEquals(shared, [
    { kind: "env", value: "PREPARED", by: "prepare.ts:1", declared: false },
  ]);
  assertEquals(files[0].used, [
    { kind: "env", value: "BANK_KEY", by: "lib/bank.js:3", declared: true },
    { kind: "run", value: "git", by: "lib/bank.js:4", declared: false },
  ]);
});

Deno.test("--time ends a run, and a failed run writes nothing", async () => {
  await using folder = await createProject({
    ...shop(""),
    "wait.ts":
      `Deno.env.get("WAITED"); console.log("waits"); setInterval(() => {}, 1_000);`,
    "fail.ts": `Deno.exit(3);`,
  });
  const run = (...args: string[]) =>
    boughIn(folder.path, "permissions", "main.ts", ...args);
  {
    using limit = new TimeLimit("waits");
    const from = "--from=deno run -A wait.ts";
    const time = await run(from, `--time=${limit.seconds}`);
    assertEquals(time.code, 0, time.stderr);
    assertStringIncludes(time.stdout, "WAITED");
  }
  const failed = await run("--from=deno run fail.ts", "--write=x");
  assertEquals(failed.code, 1);
  assertStringIncludes(
    failed.stderr,
    '"deno run fail.ts" ended with exit code 3',
  );
  const text = await Deno.readTextFile(`${folder.path}/deno.jsonc`);
  assert(!text.includes('"x"'), text);
});

Deno.test({
  name: "an interrupted command ends its processes, and leaves no files",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await createProject({
      ...shop(""),
      "parent.ts": `const child = new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", "child.ts"],
}).spawn();
await child.status;`,
      "child.ts": `console.error("started");
setInterval(() => Deno.writeTextFileSync("beats", ".", { append: true }), 20);`,
      "beats": "",
      "tmp/x": "",
    });
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const command = new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          "--no-check",
          `--config=${new URL("../../../deno.json", import.meta.url).pathname}`,
          new URL("../../../src/cli/mod.ts", import.meta.url).href,
          "permissions",
          "main.ts",
          "--from=deno run -A parent.ts",
          "--write=x",
        ],
        cwd: folder.path,
        env: { NO_COLOR: "1", TMPDIR: `${folder.path}/tmp` },
        stdout: "null",
        stderr: "piped",
      }).spawn();
      let output = "";
      for await (
        const text of command.stderr.pipeThrough(new TextDecoderStream())
      ) {
        const isNew = !output.includes("started");
        output += text;
        if (isNew && output.includes("started")) command.kill(signal);
      }
      assertEquals((await command.status).code, 1, output);
      assertStringIncludes(
        output,
        "was interrupted, so the list of its permissions is",
      );
      const beats = () => Deno.statSync(`${folder.path}/beats`).size;
      const before = beats();
      // Time for five beats, if the child still ran.
      await new Promise((go) => setTimeout(go, 100));
      assertEquals(beats(), before);
      const left = [...Deno.readDirSync(`${folder.path}/tmp`)];
      assertEquals(left.map(({ name }) => name), ["x"]);
    }
    const text = await Deno.readTextFile(`${folder.path}/deno.jsonc`);
    assert(!text.includes('"x"'), text);
  },
});
