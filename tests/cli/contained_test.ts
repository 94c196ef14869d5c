/** The code of an application does not change how a command ends, or what it prints. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { relative } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { DenoProcess } from "../support/process.ts";
import {
  bough,
  boughIn,
  boughInTurn,
  call,
  COMMAND,
  findingsIn,
} from "./support.ts";

const GET = "export const GET = () => new Response();";

/** The commands that import route files. */
const COMMANDS = [
  "check",
  "routes --json",
  "openapi",
  "types --standalone",
  "build",
  "test --runs=1",
  "permissions -- deno eval 1",
];

/** A route file that runs code when it is imported, and another one. */
function doing(code: string): Record<string, string> {
  return {
    "api/a/route.ts": `export const permissions = {};\n${code}\n${GET}`,
    "api/b/route.ts": GET,
  };
}

/** Ways to end the process, with their names in a message. */
const ENDS: readonly (readonly [code: string, called: string])[] = [
  ["Deno.exit(0);", "Deno.exit(0)"],
  ["const { exit } = Deno; try { exit(); } catch {}", "Deno.exit()"],
  ["process.exit(0);", "process.exit(0)"],
  ["import { exit } from 'node:process'; exit();", "process.exit(0)"],
  ["process.reallyExit(0);", "process.exit(0)"],
  ["close();", "close()"],
  ["setTimeout(() => Deno.exit(0));", "Deno.exit(0)"],
  ["Promise.resolve().then(() => process.exit(0));", "process.exit(0)"],
];

Deno.test("commands exit with 2 if a route file ends the process", async () => {
  for (const [index, [code, called]] of ENDS.entries()) {
    // Each way for one command, and each command for one way.
    for (const command of index === 0 ? COMMANDS : COMMANDS.slice(0, 1)) {
      const outcome = await call(doing(code), command);
      const { code: status, stdout, stderr } = outcome;
      assertEquals([status, stdout], [2, ""], `${command} ${code} ${stderr}`);
      const [name] = command.split(" ");
      assertStringIncludes(
        stderr,
        `bough ${name}: "api/a/route.ts:2" called ${called}, which ends the process`,
      );
    }
  }
});

Deno.test("a command exits with 2 in a separate process, and prints its own error", async () => {
  await using folder = await TestFolder.create({
    ...doing("process.exit(0);"),
    "waits.ts": "export const createApp = () => new Promise(() => {});",
    "app.ts": `import { Framework } from "@bough/framework";
      setTimeout(() => Deno.exit(0), 50);
      export const createApp = async () => {
        await new Promise((go) => setTimeout(go, 10_000));
        return new Framework({ apiDir: "api" });
      };`,
    "odd.js":
      `addEventListener("unhandledrejection", (event) => event.preventDefault());
      export const app = {
        fetch() {}, routes() {}, inspect() { throw new RangeError("odd"); },
      };`,
    "listens/a/route.ts": `import process from "node:process";
      process.on("exit", () => process.exitCode = 0);
      addEventListener("unload", () => Deno.exit(0));
      addEventListener("unload", () => Deno.exitCode = 0);
      export const get = 1;`,
  });
  for (
    const [command, path, message] of [
      ["check", "api", '"api/a/route.ts:2" called process.exit(0)'],
      ["check", "waits.ts", "waits for a promise that never settles"],
      ["routes", "app.ts", '"app.ts:2" called Deno.exit(0)'],
      ["routes", "odd.js", "RangeError: odd"],
    ] as const
  ) {
    const { code, stdout, stderr } = await bough(folder.path, command, path);
    assertEquals([code, stdout], [2, ""], stderr);
    assertStringIncludes(stderr, message);
  }
  // Listeners of the application do not change the exit code.
  assertEquals((await bough(folder.path, "check", "listens")).code, 1);
});

Deno.test("an uncaught error is a finding, with its place", async () => {
  const thrown = "an error was thrown and not caught";
  for (
    const [code, what, ...commands] of [
      ["setTimeout(() => { throw new Error('boom'); });", thrown, ...COMMANDS],
      [
        "Promise.reject(new Error('boom'));",
        "a promise was rejected and not handled",
        "check",
      ],
    ] as const
  ) {
    for (const command of commands) {
      const outcome = await call(doing(code), command);
      assertEquals(outcome.code, 1, command);
      assertStringIncludes(
        outcome.stdout + outcome.stderr,
        `${what}: Error: boom, at "api/a/route.ts:2"`,
      );
    }
    const [finding] = await findingsIn(doing(code));
    assertEquals([finding?.rule, finding?.path], ["application", "api"]);
  }
});

Deno.test("a late error makes a command fail, too", async () => {
  const wait = `try { Deno.statSync("late"); } catch { return; }`;
  const fail = `clearInterval(id); throw new Error("late");`;
  await using folder = await TestFolder.create(
    doing(`const id = setInterval(() => { ${wait} ${fail} }, 10);`),
  );
  // The program runs after the import. Without the error, the command exits with 0.
  const program = `Deno.writeTextFileSync("late", "");
await new Promise((go) => setTimeout(go, 300));`;
  const args = ["permissions", "--", "deno", "eval", program];
  const { code, stderr } = await bough(folder.path, ...args);
  assertEquals(code, 1);
  assertStringIncludes(
    stderr,
    'bough permissions: an error was thrown and not caught: Error: late, at "api/a/route.ts:2"',
  );
});

Deno.test("the output of an application does not reach the standard output of a command", async () => {
  const files = doing(`
    import { Console } from "node:console";
    import process from "node:process";
    const bytes = new TextEncoder().encode("spoilt\\n");
    console.log("spoilt");
    console.dir("spoilt");
    console.table(["spoilt"]);
    console.count("spoilt");
    new Console(process.stdout).log("spoilt");
    process.stdout.write("spoilt\\n");
    Deno.stdout.writeSync(bytes);
    await Deno.stdout.write(bytes);
    await new Response("spoilt\\n").body.pipeTo(Deno.stdout.writable);
    Deno.stdout.close();`);
  await using folders = new AsyncDisposableStack();
  const commands: string[][] = [];
  for (const args of ["routes", "check", "openapi", "test --runs=1"]) {
    // A file is run once in each process.
    const { path } = folders.use(await TestFolder.create(files));
    const json = args === "openapi" ? [] : ["--json"];
    commands.push([path, ...args.split(" "), ...json]);
  }
  const outcomes = await boughInTurn(commands);
  assertEquals(outcomes.map(({ code }) => code), [0, 0, 0, 0]);
  for (const { stdout, stderr } of outcomes) {
    assert(JSON.parse(stdout) !== undefined);
    assertEquals(stdout.includes("spoilt"), false);
    assertEquals(stderr.match(/spoilt/g)?.length, 9, stderr);
  }
});

Deno.test("a command restores the functions of the process", async () => {
  await using folder = await TestFolder.create(doing("Deno.exit(0);"));
  const { exit, serve, addSignalListener } = Deno;
  const { log, table } = console;
  await boughIn(folder.path, "check");
  assertEquals([Deno.exit, Deno.serve, Deno.addSignalListener], [
    exit,
    serve,
    addSignalListener,
  ]);
  assertEquals([console.log, console.table], [log, table]);
  for (const name of ["write", "writeSync", "writable", "close"]) {
    assertEquals(Object.hasOwn(Deno.stdout, name), false, name);
  }
});

Deno.test({
  name: "Ctrl+C ends a command, even if the application handles the signal",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({
      "api/a/route.ts": `import process from "node:process";
        Deno.addSignalListener("SIGINT", () => {});
        process.on("SIGINT", () => process.exit(0));
        ${GET}`,
      "api/b/route.ts": `export const GET = () =>
        new Promise((go) => setTimeout(() => go(new Response()), 2_000));`,
    });
    await using command = new DenoProcess(
      folder.path,
      ["-A"],
      relative(folder.path, COMMAND),
      { args: ["test"] },
    );
    await command.printed("bough test: failure");
    command.kill("SIGINT");
    assertEquals((await command.outcome()).code, 130);
  },
});
