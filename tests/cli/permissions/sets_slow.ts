/** The sets that the command writes, compares and refuses. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { TestFolder } from "../../support/application.ts";
import { DenoProcess } from "../../support/process.ts";
import { bough, boughIn, type CommandOutcome } from "../support.ts";
import {
  isWithin,
  temporaryFolder,
} from "../../../src/cli/permissions/coverage.ts";
import { createProject, IMPORTS, testOf } from "./project.ts";
import { TimeLimit } from "./support.ts";

/** A project whose route runs some code, with a permission set. */
function projectOf(
  code: string,
  set: Readonly<Record<string, unknown>> = {},
): Promise<TestFolder> {
  return createProject({
    "deno.jsonc": JSON.stringify({
      imports: IMPORTS,
      vendor: true,
      nodeModulesDir: "none",
      permissions: { serve: set },
    }),
    "api/route.js":
      `export async function GET() { ${code}; return new Response(); }`,
    "main_test.ts": testOf("/api"),
  });
}

function record(
  { path }: Pick<TestFolder, "path">,
  ...args: readonly string[]
): Promise<CommandOutcome> {
  return boughIn(
    path,
    "permissions",
    "main.ts",
    "--from=deno test --no-check main_test.ts",
    "--write=serve",
    ...args,
  );
}

async function setOf({ path }: TestFolder): Promise<unknown> {
  const text = await Deno.readTextFile(join(path, "deno.jsonc"));
  return JSON.parse(text).permissions.serve;
}

/** Asserts that the tests of a project pass under the set "serve". */
async function assertPasses(folder: TestFolder): Promise<void> {
  await using process = new DenoProcess(
    folder.path,
    ["-P=serve"],
    "main_test.ts",
    { command: "test", config: join(folder.path, "deno.jsonc") },
  );
  const { code: passed, output } = await process.outcome();
  assertEquals(passed, 0, output);
}

Deno.test("--write writes sets that suffice, and --check compares them", async () => {
  await using folder = await createProject({
    "lib/bank.js": `export const pay = () => Deno.env.get("BANK_KEY");`,
    "api/pay/route.js": `import { pay } from "../../lib/bank.js";
export const permissions = { env: ["BANK_KEY"] };
export const GET = () => new Response(pay());`,
    "main_test.ts": `import "./lib/bank.js"; Deno.env.get("OF_TEST");\n${
      testOf("/api/pay")
    }`,
  });
  const config = join(folder.path, "deno.jsonc");
  const run = (...args: string[]) =>
    record(folder, "--write=test,dev", "--listen=127.0.0.1:0", ...args);
  const written = await run();
  assertEquals(written.code, 0, written.stderr);
  assertStringIncludes(
    written.stderr,
    'wrote the permission set "serve" to deno.jsonc; run with -P=serve',
  );
  const text = await Deno.readTextFile(config);
  assertStringIncludes(text, "// The framework.");
  const sets = JSON.parse(text.replaceAll(/^ *\/\/.*$/gm, "")).permissions;
  const read = ["./api", "./lib/bank.js"];
  const net = ["127.0.0.1:0"];
  assertEquals(sets, {
    serve: { read, net, env: ["BANK_KEY"] },
    test: { read, net, env: ["BANK_KEY", "OF_TEST"] },
    dev: { read: ["."], net, env: ["BANK_KEY"] },
  });
  for (const set of ["serve", "dev"]) {
    await using process = new DenoProcess(
      folder.path,
      [`-P=${set}`],
      "main.ts",
      {
        config,
      },
    );
    await process.printed("Listening");
  }
  assertStringIncludes(
    (await run()).stderr,
    'the permission set "dev" in deno.jsonc is up to date',
  );
  assertEquals((await run("--check")).code, 0);

  await folder.write(
    "api/plain/route.js",
    `export const permissions = { sys: ["hostname"] }; export const GET = () => new Response();`,
  );
  // In a separate process, which imports the files again.
  const checked = await bough(
    folder.path,
    "permissions",
    "main.ts",
    "--from=deno test --no-check main_test.ts",
    "--write=serve,test,dev",
    "--check",
  );
  assertEquals(checked.code, 1);
  assertStringIncludes(
    checked.stderr,
    `the permission set "serve" lacks --allow-sys=hostname: api/plain/route.js needs it
the same command without --check adds these permissions`,
  );
  assertEquals(await Deno.readTextFile(config), text);
});

Deno.test("--time ends a run, and an incomplete run writes nothing", async () => {
  await using folder = await createProject({
    "api/route.js": "export const GET = () => new Response();",
    "wait.ts":
      `Deno.env.get("WAITED"); console.log("waits"); setInterval(() => {}, 1_000);`,
    "fail.ts": `Deno.env.get("A"); Deno.exit(3);`,
    "temporary.ts": "Deno.removeSync(Deno.makeTempDirSync());",
  });
  const run = (from: string | undefined, ...args: string[]) => {
    const recorded = from === undefined ? [] : [`--from=${from}`];
    return boughIn(folder.path, "permissions", "main.ts", ...recorded, ...args);
  };
  {
    using limit = new TimeLimit("waits");
    const time = await run("deno run wait.ts", `--time=${limit.seconds}`);
    assertEquals(time.code, 0, time.stderr);
    assertStringIncludes(time.stdout, "WAITED");
  }
  for (
    const [from, reason] of [
      ["deno run fail.ts", '"deno run fail.ts" ended with exit code 3'],
      ["echo deno", '"echo deno" ran no program with Deno'],
      // The default, in a project without tests.
      [undefined, "ran no program with Deno, so no access is known; write a"],
    ] as const
  ) {
    const { code, stdout, stderr } = await run(from, "--write=x");
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, reason);
    assert(!stderr.includes("error:"), stderr);
    assertStringIncludes(stderr, "nothing was written to deno.jsonc");
  }
  const { stderr } = await run("deno run temporary.ts");
  // Projects of tests are temporary. On macOS, their real path has another beginning.
  if (isWithin(temporaryFolder(), await Deno.realPath(folder.path))) {
    assertStringIncludes(
      stderr,
      `is in the folder for temporary files, so a set would list temporary files, which the next run does not have; move the project out of "${temporaryFolder()}"`,
    );
  }
  const check = await run("deno eval 1", "--write=x", "--check");
  assertEquals(check.code, 1);
  assertStringIncludes(
    check.stderr,
    '"deno eval 1" used none of the permissions; name a command that uses these permissions',
  );
  const text = await Deno.readTextFile(`${folder.path}/deno.jsonc`);
  assert(!text.includes('"x"'), text);
});

Deno.test("--write keeps unused entries of a set, and --prune removes them", async () => {
  const denied = { deny: ["SECRET"], ignore: ["OTHER"] };
  await using folder = await projectOf(
    `Deno.env.get("USED");
Deno.env.get("OTHER");
try { Deno.env.get("SECRET"); } catch { /* It is denied. */ }
try { Deno.readTextFileSync("none.txt"); } catch (error) {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}`,
    {
      read: { allow: ["./old.txt", "api"], ignore: ["./none.txt"] },
      env: { allow: ["OLD"], ...denied },
      run: false,
    },
  );
  const { code, stdout, stderr } = await record(folder);
  assertEquals(code, 0, stderr);
  assertStringIncludes(
    stdout,
    `new in "serve"
  env  USED  api/route.js:1  /api

no longer used in "serve"; --prune removes these
  read  old.txt
  env   OLD`,
  );
  assertEquals(await setOf(folder), {
    read: { allow: ["./old.txt", "api"], ignore: ["./none.txt"] },
    env: { allow: ["OLD", "USED"], ...denied },
    run: false,
  });
  // Denied accesses are not findings.
  const check = await record(folder, "--check");
  assertEquals(check.code, 0, check.stderr);
  assertStringIncludes(check.stdout, "proven for the recorded accesses");

  const pruned = await record(folder, "--prune");
  assertStringIncludes(pruned.stdout, 'removed from "serve"\n  read  old.txt');
  assertEquals(await setOf(folder), {
    read: { allow: ["api"], ignore: ["./none.txt"] },
    env: { allow: ["USED"], ...denied },
    run: false,
  });
  await assertPasses(folder);
});

Deno.test({
  name:
    "bough permissions reports accesses that no portable set grants, and paths of two folders",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using folder = await createProject({
      "shop/api/route.js":
        `export const permissions = { read: ["data"], env: ["KEY"] };
export function GET() {
  Deno.env.get("KEY");
  try { Deno.readTextFileSync("/proc/self/status"); } catch { /* It is refused. */ }
  Deno.readTextFileSync(".cache/deno/npm/x.json");
  return new Response();
}`,
      "shop/.cache/deno/npm/x.json": "{}",
      "shop/main.ts": `import { Framework } from "@bough/framework";
export const app = new Framework({ apiDir: "api" });`,
      "shop/main_test.ts": testOf("/api"),
    });
    const shop = join(folder.path, "shop");
    const cached =
      'no portable set can contain --allow-read=.cache/deno/npm/x.json, since Deno\'s cache has another place on each machine; set "nodeModulesDir": "auto" in deno.json';
    const written = await record({ path: shop });
    assertEquals(written.code, 1);
    assertEquals(
      written.stderr.split("\n").filter((line) =>
        /^(?:declared|no p)/.test(line)
      ),
      [
        `declared paths are relative to the working directory "${shop}", but Deno resolves the paths of a set from "${folder.path}"; start the server from there, or declare "file:" URLs`,
        cached,
      ],
    );
    const text = await Deno.readTextFile(join(folder.path, "deno.jsonc"));
    assert(!/proc|cache/.test(text), text);

    const checked = await record(
      { path: shop },
      "--check",
      "--json",
    );
    assertEquals(checked.code, 1);
    assert(checked.stderr.endsWith(cached), checked.stderr);
    const { new: lacking, accesses, proven } = JSON.parse(checked.stdout);
    assertEquals([lacking, proven], [[], false]);
    const impossible = accesses
      .filter(({ owner }: { owner: string }) => owner === "impossible")
      .map(({ value, by }: Record<string, string>) => [value, by]);
    assertEquals(impossible, [["/proc/self/status", "api/route.js:4"]]);
  },
});

Deno.test("general permissions are needed only if specific ones do not suffice", async () => {
  // Of all variables, Deno leaves out what a set denies.
  const env = { allow: ["A"], deny: ["B"] };
  const program =
    `new Deno.Command("true", { env: { LD_X: "1" } }).outputSync();`;
  for (
    const [code, set, recorded] of [
      [`Deno.env.toObject();`, { env }, { read: ["./api"], env }],
      [
        `const child = new Deno.Command("sleep", { args: ["9"] }).spawn();
Deno.kill(child.pid);
await child.status;`,
        {},
        { read: ["./api"], run: true },
      ],
      [program, { run: true }, { read: ["./api"], run: true }],
    ] as const
  ) {
    await using folder = await projectOf(code, set);
    const { code: exitCode, stderr } = await record(folder);
    assertEquals(exitCode, 0, stderr);
    const written: unknown = await setOf(folder);
    assertEquals(written, recorded);
    await assertPasses(folder);
  }
});

Deno.test("bough permissions rejects a set that grants everything, or that Deno rejects", async () => {
  for (
    const [set, reason] of [
      [
        { all: true, env: ["A"] },
        'the permission set "serve" has "all": true, which grants everything',
      ],
      [
        { sys: ["nonsense"] },
        'Deno cannot use the permission set: unknown system info kind "nonsense"',
      ],
    ] as const
  ) {
    await using folder = await projectOf("", set);
    for (const args of [[], ["--check"]]) {
      const { code, stderr } = await record(folder, ...args);
      assertEquals(code, 2);
      assertStringIncludes(stderr, reason);
    }
    assertEquals(await setOf(folder), set);
  }
});

Deno.test({
  name: "an interrupted command ends its processes, and leaves no files",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await createProject({
      "api/route.js": "export const GET = () => new Response();",
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
