import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../../support/application.ts";
import { boughIn } from "../support.ts";
import { createProject, IMPORTS, recordTests, testOf } from "./project.ts";

const GET = "export const GET = () => new Response();";

Deno.test("bough routes shows the declared permissions of a route", async () => {
  await using folder = await TestFolder.create({
    "api/middleware.js":
      `export const permissions = { env: ["LOG"] }; export default (_, next) => next();`,
    "api/pdf/route.js":
      `export const permissions = { net: ["a.example"], env: ["KEY"], read: [new URL("../fonts", import.meta.url)] }; ${GET}`,
    "api/plain/route.js": GET,
  });
  const { stdout } = await boughIn(folder.path, "routes");
  const lines = stdout.split("\n").map((line) => line.split(/ {2,}/).at(-1));
  assertEquals(lines, [
    "PERMISSIONS",
    `--allow-read=${folder.path}/api/fonts --allow-net=a.example --allow-env=KEY,LOG`,
    "--allow-env=LOG",
  ]);
  const json = await boughIn(folder.path, "routes", "--json");
  assertEquals(JSON.parse(json.stdout)[0].permissions, [
    { file: "api/middleware.js", permissions: { env: ["LOG"] } },
    {
      file: "api/pdf/route.js",
      permissions: { net: ["a.example"], env: ["KEY"], read: ["api/fonts"] },
    },
  ]);
});

Deno.test("bough build imports only files that may declare permissions", async () => {
  await using folder = await TestFolder.create({
    "api/plain/route.js": `throw new Error("it was imported");`,
    "api/all/route.js": `export * from "../../shared.js";`,
    "shared.js":
      `export const permissions = { read: [new URL("data", import.meta.url)] }; ${GET}`,
  });
  const { code, stdout, stderr } = await boughIn(
    folder.path,
    "build",
    "--lazy",
  );
  assertEquals([code, stderr], [0, ""]);
  assertStringIncludes(
    stdout,
    '  permissions: {\n    "all/route.js": {"read":["data"]},\n  },\n};',
  );
});

Deno.test("bough build rejects invalid declarations", async () => {
  await using folder = await TestFolder.create({
    "api/a/route.js": `export const permissions = { net: "a.example" }; ${GET}`,
    "api/b/route.js":
      `const permissions = 1; throw new Error("broken"); ${GET}`,
  });
  const { code, stdout, stderr } = await boughIn(folder.path, "build");
  assertEquals([code, stdout], [1, ""]);
  assertEquals(stderr.split("\n"), [
    'Cannot serve "api/a/route.js": permissions.net must be a list, or true for all, got "a.example"; write ["a.example"]',
    'Cannot serve "api/b/route.js": the import failed: broken',
  ]);
});

Deno.test("bough permissions names the code of the server that needs an entry, and lists unused entries once", async () => {
  const set = { read: ["./api"], env: ["OLD"] };
  await using folder = await createProject({
    "deno.jsonc": JSON.stringify({
      imports: IMPORTS,
      permissions: { serve: set, test: set },
      vendor: true,
      nodeModulesDir: "none",
    }),
    "api/pay/route.js":
      `export const permissions = { net: ["a.example"] }; export const GET = () => new Response(Deno.env.get("KEY"));`,
    "fake.ts": `Deno.env.set("KEY", "1");`,
    "main_test.ts": `import "./fake.ts";\n${testOf("/api/pay")}`,
  });
  const permissions = (...args: readonly string[]) =>
    recordTests(
      folder,
      "--write=serve,test",
      ...args,
    );
  const checked = await permissions("--check");
  assertEquals(checked.code, 1);
  assertEquals(checked.stderr.split("\n").slice(-3), [
    'the permission set "serve" lacks --allow-net=a.example: api/pay/route.js needs it',
    'the permission set "serve" lacks --allow-env=KEY: api/pay/route.js:1 needs it (/api/pay)',
    "the same command without --check adds these permissions",
  ]);
  const lists = (stdout: string) => stdout.split("\n\n").slice(0, -1);
  assertEquals(lists(checked.stdout), [
    'no longer used in "serve"; --prune removes these\n  env  OLD',
  ]);
  const pruned = await permissions("--prune");
  assertEquals(lists(pruned.stdout), [
    `new in "serve"
  net  a.example  api/pay/route.js
  env  KEY        api/pay/route.js:1  /api/pay`,
    'removed from "serve"\n  env  OLD',
  ]);
});

Deno.test("bough permissions knows declared paths in each form, and grants what they cover", async () => {
  await using folder = await createProject({
    "data/a b/x.txt": "",
    "api/route.js": `export const permissions = {
  read: ["data/none/../a b", new URL("../data/c,d", import.meta.url)],
  run: ["./bin/tool"],
};
export const GET = () => new Response(Deno.readTextFileSync("data/a b/x.txt"));`,
    "main_test.ts": testOf("/api"),
  });
  const permissions = (...args: readonly string[]) =>
    recordTests(
      folder,
      "--write=serve",
      ...args,
    );
  const written = await permissions();
  assertEquals(written.code, 0, written.stderr);
  const proof = written.stdout.split("\n\n").at(-1);
  assertMatch(proof!, /^proven for the recorded accesses: /);
  const text = await Deno.readTextFile(join(folder.path, "deno.jsonc"));
  const { permissions: sets } = JSON.parse(text.replaceAll(/^ *\/\/.*$/gm, ""));
  assertEquals(sets, {
    serve: {
      read: ["./api", "./data/a b", "./data/c,d"],
      run: ["./bin/tool"],
    },
  });
  const checked = await permissions("--check");
  assertEquals(checked.code, 0, checked.stderr);
});

Deno.test("bough permissions counts what a task of the project runs as the server", async () => {
  await using folder = await createProject({
    "deno.json": JSON.stringify({
      imports: IMPORTS,
      tasks: { start: { command: "deno run -P=serve server.ts" } },
      vendor: true,
      nodeModulesDir: "none",
    }),
    "lib/db.ts": `export const open = () => Deno.env.get("DB_URL");`,
    "server.ts": `import { app } from "./main.ts";
import { open } from "./lib/db.ts";
open();
await app.serve({ port: 0 });`,
    "api/route.js": "export const GET = () => new Response();",
    "main_test.ts": `import { open } from "./lib/db.ts";\nopen();\n${
      testOf("/api")
    }`,
  });
  const { stdout } = await recordTests(
    folder,
  );
  assertStringIncludes(stdout, "  env   DB_URL  lib/db.ts:1\n");
});
