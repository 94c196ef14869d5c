import { assert, assertEquals } from "@std/assert";
import { createMiddleware } from "hono/factory";
import { errorResponse, type Middleware } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import { CapturedLog, FolderApplication } from "../support/application.ts";

const MARK = `export default async (request, next) => {
  const response = await next();
  response.headers.append("x-mark", "1");
  return response;
};`;

Deno.test("middleware sets headers on whatever next() gave (behaviour 8.7)", async () => {
  await using origin = await FolderApplication.create({
    "route.js": `export const GET = () => new Response("from afar");`,
  });
  await using originServer = await origin.serve();
  await using application = await FolderApplication.create({
    "middleware.js": MARK,
    "redirect/route.js":
      `export const GET = () => Response.redirect("http://example.com/", 303);`,
    "proxy/route.js": `export const GET = () => fetch("${
      originServer.url("/api")
    }");`,
    "own/middleware.js": MARK,
    "own/route.js": `export const GET = () => new Response("own");`,
    "socket/route.js": `export function GET(request) {
      const { socket, response } = Deno.upgradeWebSocket(request);
      socket.onopen = () => socket.send("open");
      return response;
    }`,
  });
  await using server = await application.serve();
  const answers = [];
  for (const path of ["redirect", "proxy", "own", "none"]) {
    const response = await fetch(server.url(`/api/${path}`), {
      redirect: "manual",
    });
    answers.push([
      response.status,
      response.headers.get("x-mark"),
      path === "none" || await response.text(),
    ]);
    if (path === "none") await response.body?.cancel();
  }
  assertEquals(answers, [
    [303, "1", ""],
    [200, "1", "from afar"],
    [200, "1, 1", "own"],
    [404, null, true],
  ]);

  const socket = new WebSocket(server.url("/api/socket").replace("http", "ws"));
  const message = await new Promise((resolve) => {
    socket.onmessage = ({ data }) => resolve(data);
    socket.onclose = () => resolve("closed");
  });
  assertEquals(message, "open");
  const closed = new Promise((go) => socket.onclose = go);
  socket.close();
  await closed;
});

/** Responses whose headers are immutable. */
const IMMUTABLE = {
  "a redirect": 'Response.redirect("http://example.com/", 303)',
  "a result of fetch()": 'await fetch("ORIGIN/api")',
  "a redirect of an origin":
    'await fetch("ORIGIN/api/away", { redirect: "manual" })',
  "an empty result of fetch()": 'await fetch("ORIGIN/api/empty")',
};

/** How a handler, or what is around it, sends a response. */
const SENDINGS: Readonly<
  Record<string, (response: string) => Record<string, string>>
> = {
  "returned": (response) => ({
    "route.js": `export const GET = async () => ${response};`,
  }),
  "thrown": (response) => ({
    "route.js": `export async function GET() { throw ${response}; }`,
  }),
  "thrown by middleware": (response) => ({
    "route.js": "export const GET = () => new Response();",
    "middleware.js": `export default async () => { throw ${response}; };`,
  }),
  "returned by middleware": (response) => ({
    "route.js": "export const GET = () => new Response();",
    "middleware.js": `export default async () => ${response};`,
  }),
};

const mark: Middleware = async (request, next) => {
  const response = await next().catch((error) => errorResponse(error, request));
  response.headers.append("x-mark", "own");
  return response;
};
const honoMark = honoMiddleware(createMiddleware(async (context, next) => {
  await next();
  context.res.headers.append("x-mark", "hono");
}));
const honoSet = honoMiddleware(createMiddleware(async (context, next) => {
  context.header("x-early", "1");
  await next();
}));

for (const [sending, files] of Object.entries(SENDINGS)) {
  Deno.test(`headers are set on what cannot be changed: ${sending} (behaviour 8.7)`, async () => {
    await using origin = await FolderApplication.create({
      "route.js": `export const GET = () => new Response("from afar");`,
      "away/route.js":
        `export const GET = () => Response.redirect("http://example.com/", 307);`,
      "empty/route.js":
        `export const GET = () => new Response(null, { status: 204 });`,
    });
    await using originServer = await origin.serve();
    for (const [what, code] of Object.entries(IMMUTABLE)) {
      for (
        const middleware of [
          [mark],
          [honoMark],
          [mark, honoMark],
          [honoMark, mark],
          [honoSet, mark, honoMark, mark],
        ]
      ) {
        await using application = await FolderApplication.create(
          files(code.replace("ORIGIN", originServer.url(""))),
          { middleware },
        );
        await using server = await application.serve();
        const response = await fetch(server.url("/api"), {
          redirect: "manual",
        });
        const text = await response.text();
        assert(response.status < 400, `${what}: ${text}`);
        const expected = middleware.filter((each) => each !== honoSet)
          .map((each) => each === mark ? "own" : "hono").reverse();
        assertEquals(response.headers.get("x-mark"), expected.join(", "), what);
      }
    }
  });
}

Deno.test({
  name: "a proxied response is freed where middleware fails after it",
  sanitizeResources: true,
  async fn() {
    using _log = new CapturedLog();
    await using origin = await FolderApplication.create({
      "route.js": `export const GET = () => new Response("from afar");`,
    });
    await using originServer = await origin.serve();
    await using application = await FolderApplication.create({
      "route.js": `export const GET = () => fetch("${
        originServer.url("/api")
      }");`,
    }, {
      middleware: [
        async (_request, next) => {
          await next();
          throw new Error("after");
        },
        async (_request, next) => {
          await next();
          return undefined as unknown as Response;
        },
      ],
    });
    const response = await application.fetch("/api");
    assertEquals(response.status, 500);
    await response.body?.cancel();
  },
});
