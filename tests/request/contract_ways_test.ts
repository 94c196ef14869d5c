/** Contracts of folders, however an application gets its routes and middleware. */
import { assertEquals } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { Framework } from "@bough/framework";
import { createDocument } from "@bough/framework/openapi";
import { boughIn } from "../cli/support.ts";
import { CapturedLog, FolderApplication } from "../support/application.ts";

const ZOD = `import { z } from "npm:zod@^4.1.13";`;
const CONTRACT = `${ZOD}
  export const contract = {
    security: [{ bearer: [] }],
    headers: z.object({ "x-tenant": z.string().transform((name) => name + "!") }),
  };`;
const ECHO =
  "export const GET = (request) => Response.json(request.validated);";
const TENANT = { "x-tenant": "a" };

/** Statuses without the header, without the token, and with both; then the body. */
async function outcomesOf(
  send: (headers: Record<string, string>) => Response | Promise<Response>,
): Promise<unknown[]> {
  const token = { authorization: "Bearer t" };
  const responses = [
    await send(token),
    await send(TENANT),
    await send({ ...TENANT, ...token }),
  ];
  const bodies = await Promise.all(responses.map((each) => each.text()));
  return [...responses.map(({ status }) => status), JSON.parse(bodies[2]!)];
}

const EXPECTED = [400, 401, 200, { headers: { "x-tenant": "a!" } }];

Deno.test("a guard of Hono may have a contract (behaviour 10.7)", async () => {
  await using application = await FolderApplication.create({
    "middleware.js": `${CONTRACT}
      import { honoMiddleware } from "@bough/framework/hono";
      import { bearerAuth } from "hono/bearer-auth";
      export default honoMiddleware(bearerAuth({ token: "t" }));`,
    "route.js": ECHO,
  });
  assertEquals(
    await outcomesOf((headers) => application.fetch("/api", { headers })),
    EXPECTED,
  );
});

Deno.test("a guard of Hono may let open methods through (behaviour 10.7)", async () => {
  await using application = await FolderApplication.create({
    "middleware.js": `
      import { honoMiddleware } from "@bough/framework/hono";
      import { bearerAuth } from "hono/bearer-auth";
      const auth = honoMiddleware(bearerAuth({ token: "t" }));
      export const contract = { security: [{ bearer: [] }] };
      export default (request, next) =>
        request.security?.length === 0 ? next() : auth(request, next);`,
    "route.js": `export const schema = { get: { security: [] } };
      ${ECHO} export const POST = GET;`,
  });
  const statuses = ["GET", "POST"].map(async (method) =>
    (await application.fetch("/api", { method })).status
  );
  assertEquals(await Promise.all(statuses), [200, 401]);
});

const GUARD = `${CONTRACT}
  export default (request, next) =>
    request.headers.has("authorization")
      ? next()
      : new Response(null, { status: 401 });`;

for (const options of [[], ["--lazy"]]) {
  Deno.test(`bough build ${options} takes contracts along (behaviour 10.7)`, async () => {
    await using application = await FolderApplication.create({
      "(staff)/middleware.js": GUARD,
      "(staff)/report/route.js": ECHO,
    });
    const { path } = application.folder;
    const written = await boughIn(path, "build", "-o", "m.ts", ...options);
    assertEquals(written, { code: 0, stdout: "", stderr: "" });
    const { href } = toFileUrl(join(path, "m.ts"));
    const { default: manifest } = await import(href);
    const app = new Framework({ manifest });
    const send = (headers: Record<string, string>) =>
      app.fetch(new Request("http://localhost/api/report", { headers }));
    assertEquals(await outcomesOf(send), EXPECTED);
    const { document } = createDocument(await app.routes(), {
      info: { title: "Built", version: "1.0.0" },
    });
    const { security, parameters } = document.paths["/api/report"]!.get!;
    assertEquals(security, [{ bearer: [] }]);
    assertEquals(parameters?.map(({ name }) => name), ["x-tenant"]);
  });
}

Deno.test("the routes of plugins have no contracts, since they are in no folder (behaviour 10.7)", async () => {
  await using application = await FolderApplication.create({
    "middleware.js": GUARD,
    "route.js": ECHO,
  }, {
    plugins: [{
      name: "more",
      routes: () => [{
        path: "/api/more",
        handlers: { GET: ({ validated }) => Response.json(validated) },
      }],
    }],
  });
  using _ = new CapturedLog();
  const response = await application.fetch("/api/more");
  assertEquals([response.status, await response.json()], [200, {}]);
  const { routes, pluginRoutes } = await application.app.inspect();
  assertEquals(
    [...routes, ...pluginRoutes].map(({ contracts }) => contracts.length),
    [1, 0],
  );
});

Deno.test("a contract is checked once, before a list of middleware (behaviour 10.7)", async () => {
  await using application = await FolderApplication.create({
    "middleware.js": `${ZOD}
      let checks = 0;
      export const contract = {
        headers: z.object({ "x-tenant": z.string().transform(() => ++checks) }),
      };
      const pass = (request, next) => {
        (request.seen ??= []).push(request.validated.headers["x-tenant"]);
        return next();
      };
      export default [pass, pass];`,
    "route.js":
      "export const GET = ({ seen, validated }) => Response.json([seen, validated]);",
  });
  const response = await application.fetch("/api", { headers: TENANT });
  assertEquals(await response.json(), [[1, 1], { headers: { "x-tenant": 1 } }]);
});

Deno.test("a route that links lead to has the contracts of each place, each file once (behaviour 10.7)", async () => {
  await using application = await FolderApplication.create({
    "middleware.js": `export const contract = { tags: ["top"] };`,
    "open/middleware.js": `${ZOD}
      export const contract = { query: z.object({ q: z.string() }) };`,
    "(staff)/middleware.js": GUARD,
    "(staff)/users/route.js": ECHO,
  });
  await application.folder.link({ "api/open/people": "../(staff)/users" });
  const routes = await application.app.routes();
  const { path } = application.folder;
  assertEquals(
    routes.map(({ path: url, contracts }) => [
      url,
      contracts.map(({ file }) => file.replace(`${path}/api/`, "")),
    ]),
    [
      ["/api/users", ["middleware.js", "(staff)/middleware.js"]],
      ["/api/open/people", [
        "middleware.js",
        "open/middleware.js",
        "(staff)/middleware.js",
      ]],
    ],
  );
  const send = (headers: Record<string, string>) =>
    application.fetch("/api/open/people?q=1", { headers });
  const [, , , validated] = EXPECTED;
  assertEquals(await outcomesOf(send), [400, 401, 200, {
    ...validated as object,
    query: { q: "1" },
  }]);
});
