import { assert, assertEquals } from "@std/assert";
import { CapturedLog, TestFolder } from "../support/application.ts";
import { boughIn, fixture } from "./support.ts";

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
    "METHODS  URL  FILE",
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
  const { stdout: table } = await boughIn(folder.path, "routes");
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
  const { stdout: table } = await boughIn(folder.path, "routes");
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
