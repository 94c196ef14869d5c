import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { RouteSchema } from "@bough/framework";
import { z } from "zod";
import {
  FolderApplication,
  TestApplication,
} from "../../support/application.ts";
import { describeRoute } from "../../../src/dev/inspector/route_data.ts";
import { FakePermissions } from "../../support/permissions.ts";
import { InspectedServer } from "./support.ts";

const Order = z.object({ count: z.int().min(1), token: z.string().optional() });
const schema = {
  post: { body: Order, response: { 201: z.object({ id: z.int() }) } },
} satisfies RouteSchema;

const SEEN: [string, string] = ["x-seen", "yes"];

/** An application whose global middleware adds a header. */
const app = () =>
  TestApplication.of({
    "orders/route.ts": {
      schema,
      POST: () => Response.json({ id: 1 }, { status: 201 }),
      GET: () => Response.json([]),
    },
    "orders/[orderId]/route.ts": { GET: () => Response.json({}) },
    "boom/route.ts": {
      GET: () => {
        throw new Error("boom");
      },
    },
    "text/route.ts": {
      POST: async (request) => new Response(await request.text()),
    },
  }, {
    middleware: [async (_, next) => {
      const response = await next();
      response.headers.set(...SEEN);
      return response;
    }],
  }).app;

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  js: "text/javascript",
  svg: "image/svg+xml",
};

Deno.test("the inspector serves only the files of its page", async () => {
  await using server = await InspectedServer.of(app());
  const page = await fetch(server.url("/_bough"));
  assertEquals(page.headers.get("content-type"), "text/html; charset=utf-8");
  assertEquals(page.headers.get("x-seen"), null, "middleware runs");
  const html = await page.text();
  const files = [...html.matchAll(/(?:src|href)="(\/_bough\/[^"]+)"/g)]
    .map(([, path]) => path!);
  assert(files.includes("/_bough/page.js"));
  // Scripts import other scripts.
  for (const file of files) {
    const response = await fetch(server.url(file));
    assertEquals(response.status, 200, file);
    const type = TYPES[file.split(".")[1]!];
    assertEquals(
      response.headers.get("content-type"),
      `${type}; charset=utf-8`,
    );
    for (
      const [, name] of (await response.text()).matchAll(/from "\.(\/[^"]+)"/g)
    ) {
      const path = `/_bough${name}`;
      if (!files.includes(path)) files.push(path);
    }
  }
  assert(files.length > 3);
  for (const name of ["other.js", "guard.ts", "__proto__", "api"]) {
    const response = await fetch(server.url(`/_bough/${name}`));
    assertEquals((await response.json()).status, 404, name);
  }
});

Deno.test("the page polls the requests that changed after a version", async () => {
  await using server = await InspectedServer.of(app());
  const first = await server.get("api/requests?after=0");
  assertEquals(first.requests, []);
  await server.post("/api/orders", { count: 0 });
  await server.post("/api/orders", { count: 1 });
  const next = await server.get(`api/requests?after=${first.version}`);
  assertEquals(next.start, first.start);
  assertEquals(
    next.requests.map(({ id, status }: Record<string, number>) => [id, status]),
    [[2, 201], [1, 400]],
  );
  const last = await server.get(`api/requests?after=${next.version}`);
  const { start } = first;
  assertEquals(last, { start, version: next.version, requests: [] });
  assertEquals((await server.get("api/requests/2")).url, "/api/orders");
  const [{ copies }] = next.requests;
  assertStringIncludes(copies.curl, `curl '${server.url("/api/orders")}'`);
  assertStringIncludes(copies.test, 'import { app } from "./main.ts";');
});

/** The JSON Schema of an object with a whole number. */
function objectOf(name: string) {
  return {
    type: "object",
    properties: { [name]: { type: "integer" } },
    required: [name],
  };
}

Deno.test("the inspector describes each route, with the files for the editor", async () => {
  await using application = await FolderApplication.create({
    "middleware.ts": `
      export const contract = { security: [{ bearer: [] }] };
      export default (_: Request, next: () => Response) => next();
    `,
    "(shop)/orders/route.ts": `
      import { z } from "zod";
      export const schema = {
        post: {
          query: z.object({ page: z.coerce.number().int() }),
          body: z.object({ count: z.int() }),
          response: { 201: z.object({ id: z.int() }), 204: {} },
          deprecated: { sunset: "2030-01-01" },
        },
      };
      export const permissions = { env: ["KEY"] };
      export const POST = () => new Response();
      export const GET = POST;
    `,
  });
  await using server = await InspectedServer.of(application.app, {
    editor: "zed://file{file}:{line}",
  });
  const { editor, routes } = await server.get("api/routes");
  assertEquals(editor, "zed://file{file}:{line}");
  const [{ methods, ...route }] = routes;
  const folder = `${application.folder.path}/api`;
  const file = `${folder}/(shop)/orders/route.ts`;
  const guard = `${folder}/middleware.ts`;
  assertEquals(route, {
    path: "/api/orders",
    file,
    absolute: file,
    folders: ["(shop)", "orders"],
    permissions: [{ file, permissions: { env: ["KEY"] } }],
  });
  const common = {
    middleware: [guard],
    contracts: [{ file: guard, declares: ["security"] }],
    security: { value: [{ bearer: [] }], file: guard },
    bodyLimit: "1048576 bytes",
    bodyTimeout: "30000 ms",
  };
  assertEquals(methods, [{ method: "GET", ...common }, {
    method: "POST",
    ...common,
    deprecated: { sunset: "2030-01-01" },
    query: [{
      file,
      schema: objectOf("page"),
    }],
    body: [{
      file,
      schema: objectOf("count"),
    }],
    response: {
      "201": [{
        file,
        mediaType: "application/json",
        schema: { ...objectOf("id"), additionalProperties: false },
      }],
      "204": [],
    },
  }]);
  // Deno would prompt for an absolute path.
  const [info] = await application.app.routes();
  assertEquals(describeRoute(info!).absolute, file);
  using _permissions = new FakePermissions([]);
  assertEquals(describeRoute(info!).absolute, undefined);
});

Deno.test("a manifest route lacks a file for the editor, and a schema may lack a JSON Schema", async () => {
  const own = {
    "~standard": {
      version: 1 as const,
      vendor: "own",
      validate: (value: unknown) => ({ value }),
    },
  };
  const { app } = TestApplication.of({
    "route.ts": {
      schema: {
        get: { query: own, events: { tick: z.date(), end: own } },
      },
      GET: () => new Response(),
    },
  });
  await using server = await InspectedServer.of(app);
  const { routes: [{ absolute, methods: [method] }] } = await server.get(
    "api/routes",
  );
  assertEquals(absolute, undefined);
  assertEquals(method.query, [{ file: "route.ts", schema: "no JSON Schema" }]);
  assertEquals(method.events, {
    tick: { type: "string", format: "date-time" },
    end: "no JSON Schema",
  });
});

Deno.test("the inspector explains which route a path reaches, and sends nothing", async () => {
  await using server = await InspectedServer.of(app());
  const explain = (query: string) => server.get(`api/explain?${query}`);
  const { status, route, params } = await explain("path=/api/orders/7");
  const wrong = await explain("method=PUT&path=/api/orders");
  const missing = await explain("path=/api/orders/7/items");
  assertEquals(
    [status, route, params, wrong.status, missing.status],
    [200, "/api/orders/[orderId]", { orderId: "7" }, 405, 404],
  );
  assertEquals(missing.otherCandidates[0], {
    route: "/api/orders/[orderId]",
    why: 'ends before segment 4, "items"',
  });
  assertEquals((await explain("path=api")).status, 400);
  assertEquals(await server.requests(), []);
});

Deno.test("the inspector lists the findings of check, except allowed ones", async () => {
  const OPEN = `export const schema = { get: { security: [{ key: [] }] } };
    export const GET = () => new Response();`;
  await using application = await FolderApplication.create({
    "a/route.ts": OPEN,
    "b/route.ts": `// bough-allow unguarded: the proxy checks the key\n${OPEN}`,
  });
  await using server = await InspectedServer.of(application.app);
  const { findings } = await server.get("api/findings");
  assertEquals(
    findings.map(({ level, rule, path }: Record<string, string>) => [
      level,
      rule,
      path!.replace(application.folder.path, ""),
    ]),
    [["warning", "unguarded", "/api/a/route.ts"]],
  );
});

Deno.test("the inspector sends a new request as a client would, and records it", async () => {
  await using server = await InspectedServer.of(app());
  const { status, body } = await server.send({
    method: "POST",
    url: "/api/text?a=1",
    headers: [["content-type", "application/json"], ["x-one", "1"]],
    body: '"Hello"',
  });
  assertEquals(status, 200);
  assertEquals([body.id, body.status, body.url], [1, 200, "/api/text?a=1"]);
  assertEquals(body.request.body.text, '"Hello"');
  assertEquals(body.response.body, { type: "text/plain", size: 7 });
  const { headers } = body.response;
  assertEquals(headers.find(([name]: string[]) => name === "x-seen"), SEEN);
  assertEquals((await server.requests()).length, 1);
  assertEquals((await server.send({ url: "/api/boom" })).body.status, 500);

  await server.send({
    method: "POST",
    url: "/api/text",
    body: "x".repeat(20_000),
  });
  const refused: readonly (readonly [number, string, ...object[]])[] = [
    [
      400,
      "The inspector sends no requests to itself",
      { url: "/_bough/api/routes" },
      { url: "//_bough/x/../mcp" },
    ],
    [
      400,
      "Cannot send the request: ",
      { url: "/api", body: "x" },
      { url: "/api", method: "TRACE" },
      { url: "/api", headers: [["a b", "x"]] },
    ],
    [
      400,
      "The request does not fit its schema",
      { url: "http://evil.com/" },
      { url: "/api", id: 1 },
      {},
    ],
    [
      404,
      "Cannot find request 99: newer ones replaced it, or the program restarted",
      { id: 99 },
    ],
    [409, "Cannot repeat request 3: its body is not shown", { id: 3 }],
  ];
  for (const [expected, detail, ...requests] of refused) {
    for (const request of requests) {
      const { status, body } = await server.send(request);
      assertEquals(status, expected, JSON.stringify(request));
      assertStringIncludes(body.detail, detail);
    }
  }
  assertEquals((await server.requests()).length, 3);
});

Deno.test("the sender of a repeated request passes its secrets", async () => {
  const { app } = TestApplication.of({
    "login/route.ts": {
      schema: { post: { body: z.object({ password: z.string() }) } },
      POST: ({ url, headers, validated: { body } }) =>
        Response.json([
          new URL(url).searchParams.get("token"),
          headers.get("x-api-key"),
          body.password,
        ].map((text) => [...text!].reverse().join(""))),
    },
  });
  await using server = await InspectedServer.of(app);
  const secrets = { token: "t&=é x", "api-key": 'k"\\', password: 'p"\\\n&«' };
  const { token, password } = secrets;
  for (
    const [type, body] of [
      ["application/json", JSON.stringify({ password })],
      ["application/x-www-form-urlencoded", new URLSearchParams({ password })],
    ] as const
  ) {
    const url = server.url(`/api/login?${new URLSearchParams({ token })}`);
    const headers = { "content-type": type, "x-api-key": secrets["api-key"] };
    const init = { method: "POST", headers, body: `${body}` };
    const answer = await (await fetch(url, init)).text();

    const entry = (await server.requests())[0]!;
    const { id, method, request } = entry;
    assertEquals(entry.secrets.toSorted(), ["api-key", "password", "token"]);
    // The page sends a request from before a restart as a new one.
    const own = {
      method,
      url: entry.url,
      headers: request.headers,
      body: request.body!.text,
    };
    for (const sent of [{ id }, own]) {
      const { status, body } = await server.send({ ...sent, secrets });
      assertEquals([status, body.response?.body.text], [200, answer]);
    }
    const missing = await server.send({ id, secrets: { password } });
    assertEquals([missing.status, missing.body.detail], [
      400,
      `Cannot repeat request ${id}: the inspector keeps no secrets; pass the values of "token", "api-key" in "secrets"`,
    ]);
  }
});
