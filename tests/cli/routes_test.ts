import { assertEquals, assertStringIncludes } from "@std/assert";
import { CapturedLog } from "../support/application.ts";
import { call, copyOf, fixture } from "./support.ts";

const GET = `export const GET = () => new Response("x");`;

/** The routes that `bough routes --json` prints. */
async function routesIn(
  place: Parameters<typeof call>[0],
  options = "",
  // deno-lint-ignore no-explicit-any
): Promise<any[]> {
  const { stdout, stderr } = await call(place, `routes --json${options}`);
  const routes = JSON.parse(stdout);
  assertEquals([stdout, stderr], [JSON.stringify(routes, null, 2), ""]);
  return routes;
}

Deno.test("bough routes lists the routes in matching order, in narrow columns", async () => {
  const folder = fixture("users");
  const { code, stdout } = await call(folder, "routes");
  assertEquals(code, 0);
  const users = "api/middleware.ts > api/users/middleware.ts";
  assertEquals(
    stdout,
    `METHODS   URL                      FILE                             MIDDLEWARE                                   SCHEMA
GET POST  /api                     api/route.ts                     api/middleware.ts
GET       /api/a                   api/a/route.ts                   api/middleware.ts
GET       /api/a/b                 api/a/b/route.ts                 api/middleware.ts
GET       /api/a-b                 api/a-b/route.ts                 api/middleware.ts
GET       /api/files/css/main      api/files/css/main/route.ts      api/middleware.ts
GET       /api/files/[...]         api/files/[...]/route.ts         api/middleware.ts
POST      /api/forms               api/forms/route.ts               api/middleware.ts
GET PUT   /api/users/me            api/users/me/route.ts            ${users}
GET PUT   /api/users/[id]          api/users/[id]/route.ts          ${users}  get: params query headers response; put: body
GET       /api/users/[user]/posts  api/users/[user]/posts/route.ts  ${users}
GET       /api/users/[...]         api/users/[...]/route.ts         ${users}`,
  );
  using _ = new CapturedLog();
  const empty = await call({ "api/helper.ts": "" }, "routes");
  assertEquals(empty.stdout, "METHODS  URL  FILE");

  const routes = await routesIn(folder, " --prefix=v1");
  assertEquals(
    routes.map(({ path }) => path),
    [...stdout.matchAll(/ \/api(\S*)/g)].map(([, path]) => `/v1${path}`),
  );
  const file = "api/users/[id]/route.ts";
  assertEquals(routes[8], {
    methods: ["GET", "PUT"],
    path: "/v1/users/[id]",
    file,
    middleware: ["api/middleware.ts", "api/users/middleware.ts"],
    schema: { get: ["params", "query", "headers", "response"], put: ["body"] },
    operations: {
      get: {
        params: [file],
        query: [file],
        headers: [file],
        response: { 200: file },
      },
      put: { body: [file] },
    },
    permissions: [],
  });
});

const FOLDER = fixture("contracts");
const STAFF = "api/(staff)/middleware.ts";
const INNER = "api/(staff)/a/middleware.ts";
const EITHER = `bearer or key + oauth(read write) from ${STAFF}`;

Deno.test("bough routes --json names the file of each declaration", async () => {
  const security = {
    value: [{ bearer: [] }, { key: [], oauth: ["read", "write"] }],
    file: STAFF,
  };
  const tags = { value: ["staff"], file: STAFF };
  const deprecated = { value: true, file: INNER };
  const inA = { headers: [STAFF, INNER], tags, deprecated };
  const response = { 401: STAFF, 403: STAFF };
  const inB = { headers: [STAFF], response, security, tags };
  const own = "api/(staff)/a/route.ts";
  const routes = await routesIn(FOLDER);
  assertEquals(
    routes.map(({ path, operations }) => [path, operations]),
    [
      ["/api/a", {
        get: { ...inA, response: { 401: STAFF, 403: INNER }, security },
        put: {
          ...inA,
          response: { 204: own, 401: STAFF, 403: INNER },
          security: { value: [{ key: [] }], file: own },
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
  const { stdout } = await call(FOLDER, "routes");
  const [head, ...lines] = stdout.split("\n");
  const columns = "MIDDLEWARE SECURITY CONTRACTS SCHEMA".split(" ");
  assertEquals(head!.split(/ +/).slice(3), columns);
  const start = head!.indexOf("SECURITY");
  const end = head!.indexOf("SCHEMA");
  const outer = `${STAFF}: security headers response tags`;
  assertEquals(
    lines.map((line) => line.slice(start, end).trim().split(/  +/)),
    [
      [
        `get: ${EITHER}; put: key from api/(staff)/a/route.ts`,
        `${outer}; ${INNER}: headers response deprecated`,
      ],
      [EITHER, outer],
      ["get: none from api/open/route.ts"],
      [""],
    ],
  );
});

Deno.test("bough routes --match prints the security of the method", async () => {
  for (
    const [request, ...expected] of [
      [
        "HEAD /api/b",
        "HEAD /api/b reaches /api/b (api/(staff)/b/route.ts)",
        "  200: GET handles HEAD",
        `  through ${STAFF}`,
      ],
      [
        "/api/open",
        "GET /api/open reaches /api/open (api/open/route.ts)",
        "  security: none from api/open/route.ts",
      ],
      [
        "DELETE /api/open",
        "DELETE /api/open reaches /api/open (api/open/route.ts)",
        "  405: the route has no handler for DELETE, only for GET, PUT",
      ],
    ]
  ) {
    const { stdout } = await call(FOLDER, "routes --match", request!);
    assertEquals(stdout.split("\n").slice(0, 3), expected);
  }
  const head = await call(FOLDER, "routes --json --match", "HEAD /api/b");
  assertEquals(JSON.parse(head.stdout).security, EITHER);
});

Deno.test("bough routes shows the contracts of middleware with their methods", async () => {
  await using folder = await copyOf("contracts", {
    "limited/middleware.ts": `import { z } from "npm:zod@^4.2.0";
      const limit = Object.assign((_, next) => next(), {
        contracts: [
          { response: { 429: {} } },
          { methods: ["POST", "PUT"], headers: z.object({ key: z.string() }) },
        ],
      });
      export default [limit];`,
    "limited/route.ts": `${GET} export const POST = GET;`,
  });
  const file = "limited/middleware.ts";
  const [{ operations }] = await routesIn(folder, " limited");
  assertEquals(operations, {
    get: { response: { 429: file } },
    post: { headers: [file], response: { 429: file } },
  });
  const { stdout } = await call(folder, "routes limited");
  assertStringIncludes(stdout, `${file}: response; ${file}: POST PUT headers`);
});

Deno.test("bough routes names a route file whose middleware runs, with the methods of an object", async () => {
  const own = `const own = Object.assign((_, next) => next(), {
    contracts: [{ response: { 429: {} } }],
  });`;
  await using folder = await copyOf("contracts", {
    "own/a/route.ts": `${GET} ${own} export const middleware = [own];`,
    "own/b/route.ts": `${GET} ${own} export const POST = GET;
      export const middleware = { POST: [own] };`,
  });
  const [a, b] = ["own/a/route.ts", "own/b/route.ts"];
  const routes = await routesIn(folder, " own");
  assertEquals(
    routes.map(({ middleware, operations }) => [middleware, operations]),
    [
      [[a], { get: { response: { 429: a } } }],
      [[`${b} (POST)`], { get: {}, post: { response: { 429: b } } }],
    ],
  );
  const { stdout } = await call(folder, "routes own");
  assertStringIncludes(stdout, `${b}: POST response`);
  for (
    const [request, through] of [
      ["/api/a", `  through ${a}`],
      ["/api/b", undefined],
      ["POST /api/b", `  through ${b} (POST)`],
    ] as const
  ) {
    const { stdout } = await call(folder, "routes own --match", request);
    const line = stdout.split("\n").find((line) => line.includes("through"));
    assertEquals(line, through, request);
  }
});

Deno.test("commands accept live routes, and bough routes shows events and sockets", async () => {
  await using folder = await copyOf("live");
  for (const line of ["check", "build", "types", "types --standalone"]) {
    const { code, stderr } = await call(folder, line);
    assertEquals([code, stderr], [0, ""], line);
  }
  const { stdout } = await call(folder, "routes");
  assertStringIncludes(stdout, "get: socket(receive send)");
  assertStringIncludes(stdout, "get: params events(status done)");
  const [chat, events] = await routesIn(folder);
  assertEquals([chat.schema, chat.operations], [{ get: ["socket"] }, {
    get: {
      socket: { value: ["receive", "send"], file: "api/chat/route.ts" },
    },
  }]);
  assertEquals([events.schema, events.operations.get.events], [
    { get: ["params", "events"] },
    { value: ["status", "done"], file: "api/orders/[id]/events/route.ts" },
  ]);
});
