import { assert, assertEquals } from "@std/assert";
import { stripVTControlCharacters } from "node:util";
import { CapturedLog, TestFolder } from "../support/application.ts";
import { boughIn, boughOnColumns, copyOf, fixture } from "./support.ts";

const GET = `export const GET = () => new Response("x");`;
Deno.test("bough routes prints a table with the narrowest possible columns", async () => {
  const users = fixture("users/api");
  const through = await Deno.readTextFile(`${users}/middleware.ts`);
  await using folder = await TestFolder.create({
    "api/a/middleware.ts": through,
    "api/a/[id]/middleware.ts": through,
    "api/a/[id]/route.ts": await Deno.readTextFile(
      `${users}/users/[id]/route.ts`,
    ),
    "api/b/route.ts": GET,
  });
  const { code, stdout } = await boughIn(folder.path, "routes");
  assertEquals(code, 0);
  assertEquals(stdout.split("\n"), [
    "METHODS  URL          FILE                 MIDDLEWARE                                      SCHEMA",
    "GET PUT  /api/a/[id]  api/a/[id]/route.ts  api/a/middleware.ts > api/a/[id]/middleware.ts  get: params query headers response; put: body",
    "GET      /api/b       api/b/route.ts",
  ]);
  await using empty = await TestFolder.create({ "api/helper.ts": "" });
  using _ = new CapturedLog();
  assertEquals(
    (await boughIn(empty.path, "routes")).stdout,
    "METHODS  URL  FILE  MIDDLEWARE  SCHEMA",
  );
});

const FOLDER = fixture("contracts");
const STAFF = "api/(staff)/middleware.ts";
const INNER = "api/(staff)/a/middleware.ts";

Deno.test("bough routes --json names the file of each declaration", async () => {
  const { code, stdout } = await boughIn(FOLDER, "routes", "--json");
  assertEquals(code, 0);
  const security = {
    value: [{ bearer: [] }, { key: [], oauth: ["read", "write"] }],
    file: STAFF,
  };
  const inA = {
    headers: [STAFF, INNER],
    tags: { value: ["staff"], file: STAFF },
    deprecated: { value: true, file: INNER },
  };
  const inB = {
    headers: [STAFF],
    response: { 401: STAFF, 403: STAFF },
    security,
    tags: { value: ["staff"], file: STAFF },
  };
  assertEquals(
    JSON.parse(stdout).map(
      ({ path, operations }: Record<string, unknown>) => [path, operations],
    ),
    [
      ["/api/a", {
        get: { ...inA, response: { 401: STAFF, 403: INNER }, security },
        put: {
          ...inA,
          response: {
            204: "api/(staff)/a/route.ts",
            401: STAFF,
            403: INNER,
          },
          security: { value: [{ key: [] }], file: "api/(staff)/a/route.ts" },
        },
      }],
      ["/api/b", { get: inB, put: inB }],
      ["/api/open", {
        get: { security: { value: [], file: "api/open/route.ts" } },
        put: {},
      }],
      ["/api/plain", { get: {} }],
    ],
  );
});

Deno.test("bough routes prints the security of each route, and its contracts", async () => {
  const { code, stdout } = await boughIn(FOLDER, "routes");
  assertEquals(code, 0);
  const columns = /^(.*?)  +(.*?)  +(.*?)  +(.*?)  +(.*?)  +(.*?)  +(.*)$/;
  const lines = stdout.split("\n");
  assertEquals(columns.exec(lines[0]!)?.slice(4), [
    "MIDDLEWARE",
    "SECURITY",
    "CONTRACTS",
    "SCHEMA",
  ]);
  const start = lines[0]!.indexOf("SECURITY");
  const end = lines[0]!.indexOf("SCHEMA");
  const either = `bearer or key + oauth(read write) from ${STAFF}`;
  const outer = `${STAFF}: security headers response tags`;
  assertEquals(
    lines.slice(1).map((line) => line.slice(start, end).trim().split(/  +/)),
    [
      [
        `get: ${either}; put: key from api/(staff)/a/route.ts`,
        `${outer}; ${INNER}: headers response deprecated`,
      ],
      [either, outer],
      ["get: none from api/open/route.ts"],
      [""],
    ],
  );
});

Deno.test("bough routes --match prints the security of the method", async () => {
  const match = async (request: string) =>
    (await boughIn(FOLDER, "routes", "--match", request)).stdout
      .split("\n").slice(0, 3);
  assertEquals(await match("HEAD /api/b"), [
    "HEAD /api/b reaches /api/b (api/(staff)/b/route.ts)",
    "  200: GET handles HEAD",
    `  through ${STAFF}`,
  ]);
  const { stdout } = await boughIn(
    FOLDER,
    "routes",
    "--match",
    "HEAD /api/b",
    "--json",
  );
  assertEquals(
    JSON.parse(stdout).security,
    `bearer or key + oauth(read write) from ${STAFF}`,
  );
  assertEquals(await match("/api/open"), [
    "GET /api/open reaches /api/open (api/open/route.ts)",
    "  security: none from api/open/route.ts",
  ]);
  assertEquals(await match("DELETE /api/open"), [
    "DELETE /api/open reaches /api/open (api/open/route.ts)",
    "  405: the route has no handler for DELETE, only for GET, PUT",
  ]);
});

/** The lines of the table on a terminal, without colours. */
async function onTerminal(
  columns: number,
  folder: string,
  ...args: string[]
): Promise<string[]> {
  const outcome = await boughOnColumns(columns, folder, "routes", ...args);
  assertEquals([outcome.code, outcome.stderr], [0, ""]);
  return stripVTControlCharacters(outcome.stdout).split("\n");
}

Deno.test("bough routes fits a terminal, and prints everything to a pipe or with --long", async () => {
  await using folder = await copyOf("contracts", {
    [`api/open/${"deep/".repeat(12)}route.ts`]: GET,
  });
  const all = (await boughIn(folder.path, "routes")).stdout.split("\n");
  const piped = await boughIn(folder.path, "routes", "--long");
  assertEquals(piped.stdout.split("\n"), all);
  for (const columns of [40, 60, 100, 120, 160, 200]) {
    const lines = await onTerminal(columns, folder.path);
    const note = lines.pop()!;
    assert(/^Shortened to fit.*; --long shows everything$/.test(note), note);
    assertEquals(lines.length, all.length);
    for (const line of lines) {
      assert(line.length <= columns, `${columns}: ${line}`);
    }
    assert(lines[0]!.startsWith("METHODS  URL"));
    assertEquals(await onTerminal(columns, folder.path, "--long"), all);
    const json = await boughOnColumns(columns, folder.path, "routes", "--json");
    assertEquals(JSON.parse(json.stdout).length, all.length - 1);
  }
  const url = `/api/open${"/deep".repeat(12)}`;
  const wide = await onTerminal(120, folder.path);
  assert(wide.some((line) => line.includes(`${url}  api/`)), "URLs stay whole");
  assertEquals(
    wide.at(-1),
    "Shortened to fit, without MIDDLEWARE, SECURITY, CONTRACTS, SCHEMA; --long shows everything",
  );
  const narrow = await onTerminal(40, folder.path);
  assert(
    narrow.some((line) => line.includes("/api/open/deep/…/deep/deep/deep")),
  );
  // If all fits, there is no note, and empty columns are left out.
  const columns = Math.max(...all.map(({ length }) => length));
  assertEquals(await onTerminal(columns, folder.path), all);
  await using plain = await TestFolder.create({
    "api/route.ts": GET,
    "api/[id]/route.ts": GET,
  });
  assertEquals(await onTerminal(80, plain.path), [
    "METHODS  URL        FILE",
    "GET      /api       api/route.ts",
    "GET      /api/[id]  api/[id]/route.ts",
  ]);
  // Some terminals have no size.
  assertEquals((await onTerminal(0, folder.path)).length, all.length);
});

Deno.test("bough routes shows the contracts of middleware with their methods", async () => {
  await using folder = await TestFolder.create({
    "api/middleware.ts": `import { z } from "npm:zod@^4.2.0";
      const limit = Object.assign((_, next) => next(), {
        contracts: [
          { response: { 429: {} } },
          { methods: ["POST", "PUT"], headers: z.object({ key: z.string() }) },
        ],
      });
      export default [limit];`,
    "api/route.ts": `${GET} export const POST = GET;`,
  });
  const file = "api/middleware.ts";
  const { stdout } = await boughIn(folder.path, "routes", "--json");
  assertEquals(JSON.parse(stdout)[0].operations, {
    get: { response: { 429: file } },
    post: { headers: [file], response: { 429: file } },
  });
  const { stdout: table } = await boughIn(folder.path, "routes", "--long");
  assert(
    table.includes(`${file}: response; ${file}: POST PUT headers`),
    table,
  );
});

Deno.test("bough routes names a route file whose middleware runs, with the methods of an object", async () => {
  const own = `const own = Object.assign((_, next) => next(), {
    contracts: [{ response: { 429: {} } }],
  });`;
  await using folder = await TestFolder.create({
    "api/a/route.ts": `${GET} ${own} export const middleware = [own];`,
    "api/b/route.ts": `${GET} ${own} export const POST = GET;
      export const middleware = { POST: [own] };`,
  });
  const { stdout } = await boughIn(folder.path, "routes", "--json");
  const routes: { middleware: unknown; operations: unknown }[] = JSON.parse(
    stdout,
  );
  assertEquals(
    routes.map(({ middleware, operations }) => [middleware, operations]),
    [
      [["api/a/route.ts"], { get: { response: { 429: "api/a/route.ts" } } }],
      [["api/b/route.ts (POST)"], {
        get: {},
        post: { response: { 429: "api/b/route.ts" } },
      }],
    ],
  );
  const { stdout: table } = await boughIn(folder.path, "routes", "--long");
  assert(table.includes("api/b/route.ts: POST response"), table);
  const through = async (request: string) => {
    const { stdout } = await boughIn(folder.path, "routes", "--match", request);
    return stdout.split("\n").find((line) => line.includes("through"));
  };
  assertEquals(await through("/api/a"), "  through api/a/route.ts");
  assertEquals(await through("/api/b"), undefined);
  assertEquals(
    await through("POST /api/b"),
    "  through api/b/route.ts (POST)",
  );
});
