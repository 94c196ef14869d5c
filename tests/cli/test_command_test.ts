import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { PROPERTY_NAMES } from "../../src/testing/properties/properties.ts";
import { TestFolder } from "../support/application.ts";
import { boughInTurn, call } from "./support.ts";

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

Deno.test("bough test prints a table without failures, and exits with 0", async () => {
  const line = "test --seed=2:7 --runs=30";
  const { code, stdout } = await call(GOOD, line, "--as=x-list: a, b");
  assertEquals(code, 0, stdout);
  const [columns, ...rows] = stdout.split("\n")
    .map((line) => line.split(/ {2,}/));
  assertEquals(columns, [
    "ROUTE",
    ...PROPERTY_NAMES.map((name) => name.toUpperCase()),
  ]);
  const last = rows.pop();
  assertEquals(last, ["Seed 2:7, 175 runs: nothing found"]);
  const counts = rows.map((row) =>
    columns!.map((name, column) => `${name} ${row[column]}`)
      .filter((cell) => !cell.endsWith(" -")).join(", ")
  );
  assertEquals(counts, [
    "ROUTE GET /api/notes, FAILURE 5, ACCEPTED 5, DECLARED 5, METHODS 10",
    "ROUTE POST /api/notes, FAILURE 60, ACCEPTED 30, REFUSED 30, DECLARED 30",
  ]);
});

Deno.test("bough test prints failures, and exits with 1", async () => {
  await using folder = await TestFolder.create({
    ...ROUTE(`throw new Error("secret");`),
    "main.ts": `import { Framework } from "@bough/framework";
      export const createApp = () =>
        new Framework({ apiDir: new URL("./api/", import.meta.url) });`,
  });
  const line = "test main.ts --seed=2:7 --runs=20";
  const { code, stdout } = await call(folder, line, "--as=x-list: a, b");
  assertEquals(code, 1);
  assertStringIncludes(stdout, "no request makes the application fail");
  assertStringIncludes(stdout, "headers: { ...as, ");
  assertEquals(stdout.includes("curl"), false, stdout);
  assertStringIncludes(stdout, "Seed 2:7, ");
  const json = await call(folder, `${line} --json`, "--as=x-list: a, b");
  const { seed, failures: [{ property, replays, curl, requests }] } = JSON
    .parse(json.stdout);
  assertEquals(
    [json.code, seed, property, replays, JSON.parse(requests[0].body)],
    [1, "2:7", "failure", true, { text: "" }],
  );
  assertStringIncludes(curl[0], '-H "x-list: $X_LIST"');
});

Deno.test("bough test reports wrong options, and exits with 2", async () => {
  await using folder = await TestFolder.create(GOOD);
  for (
    const [arg, message] of [
      [
        "--seed=x",
        'seed must be a 32-bit integer, or the seed of a report, such as "2:7", got "x"',
      ],
      ["--time=x", '--time must be a whole number, got "x"'],
      ["--time=0", '--time must be above 0, got "0"'],
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
    const { code, stderr } = await call(folder, "test", arg);
    assertEquals(code, 2, arg);
    assertStringIncludes(stderr, message);
    assert(!stderr.includes("secr"), stderr);
  }
});

Deno.test("bough test exits with 1 if the application cannot start", async () => {
  const files = {
    "api/a/route.ts": "export const get = 1;",
    "main.ts":
      `export const createApp = () => { throw new Error("no luck"); };`,
  };
  assertEquals((await call(files, "test")).code, 1);
  const { code, stderr } = await call(files, "test main.ts");
  assertEquals(code, 1);
  assertStringIncludes(stderr, "createApp() failed: Error: no luck");
});

Deno.test("bough test lists untested operations, and fails with --strict", async () => {
  const GET = "export const GET = () => new Response();";
  await using folder = await TestFolder.create({
    "api/(staff)/middleware.ts":
      `export const contract = { security: [{ bearer: [] }], response: { 401: {} } };
      export default ({ headers }, next) =>
        headers.get("authorization") === "Bearer right-token"
          ? next()
          : new Response(null, { status: 401 });`,
    "api/(staff)/a/route.ts": GET,
    "api/(staff)/b/route.ts": GET,
    "api/open/route.ts": GET,
    "main.ts": `import { Framework } from "@bough/framework";
    export const app = new Framework({ apiDir: new URL("api/", import.meta.url) });
    export const testOptions = {
      as: { alice: { authorization: "Bearer old" }, bob: () => ({}) },
    };`,
  });
  const gaps = "2 not tested: GET /api/a, GET /api/b";
  const as = (token: string) => `--as=authorization: Bearer ${token}-token`;
  for (
    const [code, summary, line, ...last] of [
      [0, `nothing found; ${gaps}`, ""],
      [1, `1 failure; ${gaps}`, " --strict"],
      [1, `1 failure; ${gaps}`, "", as("wrong")],
      [0, "nothing found", " --strict", as("right")],
      [0, "nothing found", " main.ts --strict", as("right")],
      [1, `1 failure; ${gaps}`, " --skip=/open"],
    ] as const
  ) {
    const all = `test --seed=2:7 --runs=3${line}`;
    const outcome = await call(folder, all, ...last);
    const end = outcome.stdout.split("\n").at(-1)!
      .replace(/^Seed 2:7, \d+ runs: /, "");
    assertEquals([outcome.code, end], [code, summary], `${line} ${last}`);
  }
  const { stdout } = await call(folder, "test --json", as("wrong"));
  const { problem, untested } = JSON.parse(stdout);
  assertStringIncludes(problem, "every operation that requires credentials");
  assertEquals(untested.length, 2);
});

const MODULE = (exports: string) => ({
  ...GOOD,
  "main.ts": `import { Framework } from "@bough/framework";
    export const app = new Framework({
      apiDir: new URL("./api/", import.meta.url),
    });
    ${exports}`,
});

Deno.test("bough test reads options from the module, and arguments replace them", async () => {
  await using folder = await TestFolder.create(
    MODULE(`export const testOptions = {
    as: { "x-list": "a, b", "x-b": "1" },
    properties: ["failure", "accepted"],
    runs: 3,
    seed: 5,
    skip: ["GET /notes"],
  };`),
  );
  for (
    const [runs, summary, line, ...last] of [
      [3, "Seed 2:5, 9 runs: nothing found", ""],
      [
        4,
        "Seed 2:6, 12 runs: nothing found",
        " --runs=4 --seed=2:6 --time=60",
        "--as=x-b: 2",
      ],
    ] as const
  ) {
    const { code, stdout } = await call(folder, `test main.ts${line}`, ...last);
    assertEquals(code, 0, stdout);
    const [, ...lines] = stdout.replaceAll(/ +/g, " ").split("\n");
    const unused = " -".repeat(PROPERTY_NAMES.length - 2);
    const row = `POST /api/notes ${2 * runs} ${runs}${unused}`;
    assertEquals(lines, [row, summary]);
  }
  const { code, stdout } = await call(folder, "test main.ts --skip=/notes");
  assertEquals(code, 1);
  assertStringIncludes(stdout, "no operation was tested");
});

Deno.test("bough test reports a wrong option of the module", async () => {
  for (
    const [options, message, expected] of [
      ["1", 'export "testOptions" must be an object, got 1', 1],
      ["{ run: 1 }", 'option "run" is unknown; did you mean "runs"?', 2],
      ["{ as: 5, skip: 6 }", "as must be headers", 2],
      [
        "{ properties: ['x'] }",
        'property "x" is unknown; the properties are failure, ',
        2,
      ],
    ] as const
  ) {
    const files = MODULE(`export const testOptions = ${options};`);
    const { code, stderr } = await call(files, "test main.ts");
    assertStringIncludes(stderr, message);
    assertEquals(code, expected, stderr);
  }
});

Deno.test("bough test sends requests through the wrapper of an application", async () => {
  const wrap = `{
    fetch(request: Request) {
      return new URL(request.url).pathname === "/api/notes" && this.status
        ? new Response("wrapped", { status: this.status })
        : app.fetch(request);
    },
    status: 418,
  }`;
  for (
    const [exports, count] of [
      [`export default ${wrap};`, 2],
      [`export const handler = ${wrap};`, 2],
      ["export const handler = () => new Response(null, { status: 418 });", 2],
      [`export const createApp = () => app; export default ${wrap};`, 2],
      ["export default app;", 0],
      ["export default { fetch: app.fetch };", 0],
    ] as const
  ) {
    const line = "test main.ts --json --runs=3 --seed=2:7";
    const files = MODULE(exports);
    const { code, stdout } = await call(files, line, "--as=x-list: a, b");
    const { results, failures } = JSON.parse(stdout);
    const failed = results.filter(
      ({ failed, property }: { failed: boolean; property: string }) =>
        failed && property === "declared",
    );
    assertEquals(failed.length, count, `${exports}: ${stdout}`);
    assertEquals(code, failures.length > 0 ? 1 : 0);
  }
});

Deno.test("bough test ends after --time, and lists untested operations", async () => {
  const { code, stdout } = await call({
    "api/a/route.ts": `export const GET = async () => {
      await new Promise((go) => setTimeout(go, 400));
      return new Response();
    };`,
  }, "test --time=1 --seed=2:7");
  assertEquals(code, 0, stdout);
  assertStringIncludes(stdout, "stopped for lack of time");
  assertStringIncludes(stdout, "nothing found; 1 not tested: GET /api/a");
});

Deno.test("bough test --coverage lists unused parts, with advice", async () => {
  const { code, stdout } = await call({
    "api/a/route.ts": `import { z } from "zod";
      export const schema = { get: { response: { 200: z.object({}), 204: {} } } };
      export const GET = () => Response.json({});`,
  }, "test --coverage");
  assertEquals(code, 0, stdout);
  assertEquals(stdout.split("\n").slice(2, -1), [
    "GET /api/a: 1 of 2 used",
    "  used:  200 application/json",
    "  never: 204; add a test of your own",
  ]);
});

Deno.test("bough test says that a seed is of another version, and runs it", async () => {
  await using folder = await TestFolder.create({
    "api/a/route.ts": "export const GET = () => new Response();",
  });
  const seeds = ["1:7", "7", "2:7"];
  const outcomes = await boughInTurn(
    seeds.map((seed) => [folder.path, "test", `--seed=${seed}`, "--runs=1"]),
  );
  assertEquals(
    outcomes.map(({ stdout, stderr }) => [
      /^The seed .*/m.exec(stderr)?.[0],
      /^Seed 2:7, /m.test(stdout),
    ]),
    seeds.map((seed) => [
      seed === "2:7"
        ? undefined
        : `The seed "${seed}" is not of version 2 of the random choices, so it may show other failures than before`,
      true,
    ]),
  );
});
