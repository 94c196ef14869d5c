import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { call } from "../support.ts";
import { createProject, IMPORTS, setOf } from "./project.ts";

const ROUTE = {
  "api/route.js":
    `export const permissions = { env: ["DECLARED"], read: ["data"] };
export const GET = () => new Response();`,
};

Deno.test("bough permissions rejects wrong arguments", async () => {
  await using folder = await createProject(ROUTE);
  for (
    const [line, reason] of [
      ["", "name the module of a server, or a command after --"],
      [" --check", "--check needs the name of a set: --write=serve"],
      [" main.ts --url=localhost:80", "--url has no URL such as http"],
      [" no.ts", 'file "no.ts" does not exist'],
      [" -- no-such-program", "no-such-program"],
      [" -- true", "the command ran no program with Deno"],
    ] as const
  ) {
    const { code, stderr } = await call(folder, `permissions${line}`);
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, reason);
  }
});

Deno.test("bough permissions records a command, and adds what the application declares", async () => {
  await using folder = await createProject({
    ...ROUTE,
    "use.ts": `Deno.env.get("USED");
try { Deno.readTextFileSync("secret.txt"); } catch {}`,
    "deno.jsonc": JSON.stringify({
      imports: IMPORTS,
      vendor: true,
      nodeModulesDir: "none",
      permissions: {
        use: {
          read: { allow: ["old.txt"], deny: ["secret.txt"] },
          env: ["U*"],
        },
      },
    }),
  });
  const permissions = (options: string) =>
    call(folder, `permissions${options} -- deno run -A use.ts`);
  const checked = await permissions(" --write=use --check");
  assertEquals([checked.code, checked.stderr.split("\n")], [1, [
    "recording …",
    'the set "use" lacks permissions; the same command without --check adds them:',
    "--allow-read=./data",
    "--allow-env=DECLARED",
  ]]);
  assertEquals(await permissions(""), {
    code: 0,
    stdout: `Deno grants 4 recorded permissions with:
--allow-read=./data,./secret.txt
--allow-env=DECLARED,USED`,
    stderr: "recording …",
  });
  assertEquals(await permissions(" --write=use"), {
    code: 0,
    stdout: "Deno grants 3 recorded permissions with -P=use",
    stderr: "recording …",
  });
  assertEquals(await setOf(folder, "use"), {
    read: { allow: ["./data", "./old.txt"], deny: ["secret.txt"] },
    env: ["DECLARED", "U*"],
  });
  assertEquals((await permissions(" --write=use --check")).code, 0);
});

Deno.test("bough permissions writes nothing if the command or the server fails", async () => {
  await using folder = await createProject({
    ...ROUTE,
    "fail.ts": `Deno.env.get("A"); console.error("reason"); Deno.exit(3);`,
    "server.ts": `export { app } from "./main.ts";
if (import.meta.main) throw new Error("no database");`,
    "pure.ts": "export {};",
  });
  await using other = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen() {},
    handler: () => new Response(),
  });
  const url = `http://127.0.0.1:${other.addr.port}`;
  const write = (line: string) => call(folder, `permissions --write=x ${line}`);
  const config = join(folder.path, "deno.jsonc");
  const before = await Deno.readTextFile(config);
  for (
    const [line, ...reasons] of [
      [
        "-- deno run -A fail.ts",
        'Cannot use "deno run -A fail.ts": it ended with exit code 3, so nothing was written',
        "reason",
      ],
      ["server.ts", "it does not respond at http://localhost", "no database"],
      [`main.ts --url=${url}`, `another server responds at ${url}; stop it`],
    ]
  ) {
    const { code, stdout, stderr } = await write(line!);
    assertEquals([code, stdout], [1, ""]);
    for (const reason of reasons) assertStringIncludes(stderr, reason);
  }
  assertEquals(await Deno.readTextFile(config), before);
  // A command that asks for nothing.
  const pure = await write("-- deno run pure.ts");
  assertEquals(pure.code, 0, pure.stderr);
  await folder.write("deno.jsonc", "{ // ends here");
  const broken = await write("-- deno run pure.ts");
  assertEquals(broken.code, 2);
  assertStringIncludes(broken.stderr, "is not valid JSON");
});
