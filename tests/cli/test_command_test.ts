import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { bough, boughIn } from "./support.ts";

const ROUTE = (body: string) => ({
  "api/notes/route.ts": `import { z } from "zod";
    export const schema = {
      post: {
        headers: z.object({ "x-list": z.literal("a, b") }),
        body: z.object({ text: z.string().max(9) }),
      },
      get: { response: z.object({ list: z.array(z.string()) }) },
    };
    export const GET = () => Response.json({ list: [] });
    export const POST = ({ validated: { body } }) => { ${body} };`,
});

const GOOD = ROUTE("return Response.json(body, { status: 201 });");

Deno.test("bough test says that all is well, and exits with 0", async () => {
  await using folder = await TestFolder.create(GOOD);
  const { code, stdout } = await boughIn(
    folder.path,
    "test",
    "--seed=7",
    "--runs=30",
    "--as=x-list: a, b",
  );
  assertEquals(code, 0, stdout);
  assertEquals(stdout.split("\n"), [
    "ROUTE            FAILURE  ACCEPTED  REFUSED  DECLARED  METHODS  SECURITY  STATE",
    "GET /api/notes   5        5         -        5         10       -         -",
    "POST /api/notes  60       30        30       30        -        -         -",
    "Seed 7, 175 runs: nothing found",
  ]);
});

Deno.test("bough test prints what fails, and exits with 1", async () => {
  await using folder = await TestFolder.create({
    ...ROUTE(`throw new Error("secret");`),
    "main.ts": `import { Framework } from "@bough/framework";
      export const createApp = () =>
        new Framework({ apiDir: new URL("./api/", import.meta.url) });`,
  });
  const args = ["--seed=7", "--runs=20", "--as=x-list: a, b"];
  const { code, stdout } = await bough(
    folder.path,
    "test",
    "main.ts",
    ...args,
  );
  assertEquals(code, 1);
  assertStringIncludes(stdout, "no request makes the application fail");
  assertStringIncludes(stdout, '-H "x-list: $X_LIST"');
  assertStringIncludes(stdout, "Seed 7, ");
  const json = await bough(folder.path, "test", "main.ts", "--json", ...args);
  const { seed, failures } = JSON.parse(json.stdout);
  assertEquals(json.code, 1);
  assertEquals(seed, 7);
  assertEquals(failures[0].property, "failure");
  assertEquals(failures[0].replays, true);
  assertEquals(JSON.parse(failures[0].requests[0].body), { text: "" });
});

Deno.test("bough test tells how it was called wrongly, and exits with 2", async () => {
  await using folder = await TestFolder.create(GOOD);
  for (
    const [arg, message] of [
      ["--seed=x", '--seed must be a whole number, got "x"'],
      ["--runs=0", "runs must be a whole number above 0, got 0"],
      ["--as=secret", '--as must be a header, such as "authorization: '],
      [
        "--as=x: secr\nt",
        'as must be headers, such as { name: value }; the name or the value of "x" is invalid',
      ],
      ["--skip=GET /nothing", '"GET /nothing" is not one of its operations'],
      ["--url=here", "url must be the origin of a server"],
    ] as const
  ) {
    const { code, stderr } = await boughIn(folder.path, "test", arg);
    assertEquals(code, 2, arg);
    assertStringIncludes(stderr, message);
    assert(!stderr.includes("secr"), stderr);
  }
});

Deno.test("bough test takes an application that cannot start for a finding", async () => {
  await using folder = await TestFolder.create({
    "api/a/route.ts": "export const get = 1;",
    "main.ts":
      `export const createApp = () => { throw new Error("no luck"); };`,
  });
  const broken = await boughIn(folder.path, "test");
  assertEquals(broken.code, 1);
  const failing = await bough(folder.path, "test", "main.ts");
  assertEquals(failing.code, 1);
  assert(failing.stderr.includes("createApp() failed: Error: no luck"));
});

Deno.test("bough test names what it did not test, and fails with --strict", async () => {
  await using folder = await TestFolder.create({
    "api/(staff)/middleware.ts":
      `export const contract = { security: [{ bearer: [] }], response: { 401: {} } };
      export default ({ headers }, next) =>
        headers.get("authorization") === "Bearer right-token"
          ? next()
          : new Response(null, { status: 401 });`,
    "api/(staff)/a/route.ts": "export const GET = () => new Response();",
    "api/(staff)/b/route.ts": "export const GET = () => new Response();",
    "api/open/route.ts": "export const GET = () => new Response();",
  });
  const run = async (...args: string[]) => {
    const all = ["test", "--seed=7", "--runs=3", ...args];
    const { code, stdout } = await boughIn(folder.path, ...all);
    return [
      code,
      stdout.split("\n").at(-1)!.replace(/^Seed 7, \d+ runs: /, ""),
    ];
  };
  const gaps = "2 not tested: GET /api/a, GET /api/b";
  assertEquals(await run(), [0, `nothing found; ${gaps}`]);
  assertEquals(await run("--strict"), [1, `1 failure; ${gaps}`]);
  const wrong = "--as=authorization: Bearer wrong-token";
  assertEquals(await run(wrong), [1, `1 failure; ${gaps}`]);
  const right = ["--strict", "--as=authorization: Bearer right-token"];
  assertEquals(await run(...right), [0, "nothing found"]);
  assertEquals(await run("--skip=/open"), [1, `1 failure; ${gaps}`]);
  const { stdout } = await boughIn(folder.path, "test", wrong, "--json");
  const { problem, untested } = JSON.parse(stdout);
  assertStringIncludes(problem, "every operation that requires credentials");
  assertEquals(untested.length, 2);
});
