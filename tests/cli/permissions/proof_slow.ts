import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { TestFolder } from "../../support/application.ts";
import { DenoProcess } from "../../support/process.ts";
import { boughIn, type CommandOutcome } from "../support.ts";
import { createProject, IMPORTS, testOf } from "./project.ts";

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

function learn(
  { path }: TestFolder,
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

// Slow: each case runs an application several times, 10 CPU seconds.
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
  const { code, stdout, stderr } = await learn(folder);
  assertEquals(code, 0, stderr);
  assertStringIncludes(
    stdout,
    `all needed permissions
  read  api
  env   USED

no longer used; --prune removes these
  -  read  old.txt
  -  env   OLD

proven 2 of 4; the last run did not use these:
  read  old.txt
  env   OLD`,
  );
  assertEquals(await setOf(folder), {
    read: { allow: ["./old.txt", "api"], ignore: ["./none.txt"] },
    env: { allow: ["OLD", "USED"], ...denied },
    run: false,
  });
  // Denied accesses are not findings.
  const check = await learn(folder, "--check");
  assertEquals(check.code, 0, check.stderr);
  assertStringIncludes(
    check.stderr,
    'the permission set "serve" in deno.jsonc has every permission that the routes declare or the command used',
  );

  const pruned = await learn(folder, "--prune");
  assertStringIncludes(pruned.stdout, "no longer used\n  -  read");
  assertStringIncludes(pruned.stdout, "proven 2 of 2");
  assertEquals(await setOf(folder), {
    read: { allow: ["api"], ignore: ["./none.txt"] },
    env: { allow: ["USED"], ...denied },
    run: false,
  });
  await assertPasses(folder);
});

Deno.test("general permissions are needed only if specific ones do not suffice", async () => {
  // Of all variables, Deno leaves out what a set denies.
  const env = { allow: ["A"], deny: ["B"] };
  const program =
    `new Deno.Command("true", { env: { LD_X: "1" } }).outputSync();`;
  for (
    const [code, set, learned] of [
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
    const { code: exitCode, stderr } = await learn(folder);
    assertEquals(exitCode, 0, stderr);
    const written: unknown = await setOf(folder);
    assertEquals(written, learned);
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
      const { code, stderr } = await learn(folder, ...args);
      assertEquals(code, 2);
      assertStringIncludes(stderr, reason);
    }
    assertEquals(await setOf(folder), set);
  }
});

Deno.test("bough permissions runs a command until a run needs no new permission", async () => {
  await using folder = await projectOf(
    `Deno.writeTextFileSync("runs", ".", { append: true })`,
    { net: ["b.example", "a.example:1", "a.example"] },
  );
  const runs = async () => (await Deno.stat(join(folder.path, "runs"))).size;
  await learn(folder);
  assertEquals(await runs(), 2);
  // The first run has the set that it needs.
  await learn(folder);
  assertEquals(await runs(), 3);
  await learn(folder, "--check");
  assertEquals(await runs(), 4);
});

Deno.test("bough permissions prints unused entries with their origin", async () => {
  await using folder = await projectOf("", { env: ["OLD"] });
  await folder.write("lib/own.ts", "export default 1;");
  await folder.write(
    "api/route.js",
    `import "../lib/own.ts";
export const permissions = { env: ["KEY"] };
export function GET() { return new Response(); }`,
  );
  await folder.write(
    "main_test.ts",
    `import "./lib/own.ts";\n${testOf("/api")}`,
  );
  const { code, stdout, stderr } = await learn(folder, "--listen=env");
  assertEquals(code, 0, stderr);
  assertStringIncludes(
    stdout,
    `proven 1 of 8; the last run did not use these:
  read  lib/own.ts  imported
  net   0.0.0.0     from --listen
  net   127.0.0.1   from --listen
  env   HOST        from --listen
  env   KEY         declared
  env   OLD
  env   PORT        from --listen`,
  );
});

Deno.test("bough permissions prints entries that only an earlier run used", async () => {
  await using folder = await projectOf(
    `try { Deno.statSync("ran"); } catch { Deno.writeTextFileSync("ran", ""); Deno.env.get("ONCE"); }`,
  );
  const { code, stdout } = await learn(folder);
  assertEquals(code, 0);
  assertStringIncludes(
    stdout,
    `proven 2 of 4; the last run did not use these:
  write  ran
  env    ONCE`,
  );
});

Deno.test("--write writes nothing if each run needs another permission", async () => {
  await using folder = await projectOf(
    `const count = 1 + Number(Deno.readTextFileSync("count"));
Deno.writeTextFileSync("count", String(count));
Deno.env.get("RUN_" + count)`,
  );
  await folder.write("count", "0");
  const { code, stdout, stderr } = await learn(folder);
  assertEquals(code, 1);
  assertStringIncludes(
    stderr,
    `run 4 of "deno test --no-check main_test.ts" still needed another permission: --allow-env=RUN_4
nothing was written to deno.jsonc`,
  );
  // Run 4 used other entries, but lacked one, so the set is unproven.
  assert(!stdout.includes("proven"), stdout);
  assertEquals(await setOf(folder), {});
});

Deno.test("a command without accesses leaves the set unproven", async () => {
  const set = { read: ["./api"], env: ["OLD"] };
  await using folder = await projectOf("", set);
  const run = (from: string, ...args: string[]) =>
    boughIn(
      folder.path,
      "permissions",
      "main.ts",
      `--from=${from}`,
      "--write=serve",
      ...args,
    );
  const check = await run("deno eval 1", "--check");
  assertEquals(check.code, 1);
  assertStringIncludes(
    check.stderr,
    '"deno eval 1" used none of the permissions; name a command that uses these permissions',
  );
  const prune = await run("deno eval 1", "--prune");
  assertEquals(prune.code, 0, prune.stderr);
  assertStringIncludes(
    prune.stdout,
    "the set is unproven: the command used none",
  );
  assert(!prune.stdout.includes("no longer used"), prune.stdout);
  assertEquals(await setOf(folder), set);
  // A command that fails proves nothing, too.
  const failed = await run("deno eval 'Deno.env.get(`A`); Deno.exit(3)'");
  assertEquals(failed.code, 1);
  assert(!/proven|no longer used/.test(failed.stdout), failed.stdout);
  const other = await run("echo deno");
  assertEquals(other.code, 1);
  assertStringIncludes(
    other.stderr,
    '"echo deno" did not start Deno, so its accesses are unknown',
  );
});
