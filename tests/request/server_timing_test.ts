import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { Framework } from "@bough/framework";
import { CapturedLog, FolderApplication } from "../support/application.ts";

const FILES = {
  "plain/[id]/route.js":
    "export const GET = () => new Response('plain', { headers: { 'server-timing': 'db;dur=1' } });",
  "away/route.js":
    "export const GET = () => Response.redirect('http://localhost/api/plain/1');",
  "broken/route.js": "export const GET = () => { throw new Error('broken'); };",
  "slow/middleware.js": `export default async (_request, next) => {
    await new Promise((go) => setTimeout(go, 30));
    return await next();
  };`,
  "slow/route.js": `import { z } from "npm:zod@^4.1.13";
    const pause = (ms) => new Promise((go) => setTimeout(go, ms));
    export const schema = {
      post: { body: z.object({}).refine(async () => (await pause(60), true)) },
    };
    export async function POST() {
      await pause(120);
      return new Response("slow");
    }`,
};

/** The durations of the steps by name, in order. */
function stepsOf(response: Response): [string, number][] {
  const header = response.headers.get("server-timing") ?? "";
  return [...header.matchAll(/(\w+);dur=([\d.]+)/g)].map((
    [, name, ms],
  ) => [name!, Number(ms)]);
}

Deno.test("serverTiming tells how long each step of a request took", async () => {
  await using application = await FolderApplication.create(FILES, {
    serverTiming: true,
  });
  await using server = await application.serve();
  const response = await fetch(server.url("/api/slow"), {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
  });
  assertEquals(await response.text(), "slow");
  const header = response.headers.get("server-timing")!;
  // To the microsecond.
  assertMatch(header, /^\w+;dur=\d+\.\d{3}(?:, \w+;dur=\d+\.\d{3}){4}$/);
  const steps = stepsOf(response);
  assertEquals(
    steps.map(([name]) => name),
    ["route", "middleware", "validate", "handler", "total"],
  );
  const { route, middleware, validate, handler, total } = Object.fromEntries(
    steps,
  ) as Record<string, number>;
  assert(middleware! >= 28 && validate! >= 58 && handler! >= 118);
  // So each is without the others.
  assert(route! + middleware! + validate! + handler! <= total! + 0.01);
});

Deno.test("serverTiming adds to what a handler says, and to any answer", async () => {
  using _log = new CapturedLog();
  await using application = await FolderApplication.create(FILES, {
    serverTiming: true,
  });
  const namesAt = async (path: string, method = "GET"): Promise<string> => {
    const response = await application.fetch(path, { method });
    await response.body?.cancel();
    return [response.status, ...stepsOf(response).map(([name]) => name)]
      .join(" ");
  };
  assertEquals(await namesAt("/api/plain/1"), "200 db route handler total");
  assertEquals(
    await namesAt("/api/plain/1", "HEAD"),
    "200 db route handler total",
  );
  assertEquals(await namesAt("/api/plain/1", "PUT"), "405 route total");
  assertEquals(await namesAt("/api/away"), "302 route handler total");
  assertEquals(await namesAt("/api/broken"), "500 route handler total");
  assertEquals(await namesAt("/api/none"), "404 total");
  assertEquals(await namesAt("/api/%FF"), "400 total");
});

Deno.test("serverTiming counts the import of a lazy route to finding it", async () => {
  await using application = await FolderApplication.create({
    "late/route.js":
      `await new Promise((go) => setTimeout(go, 50)); export const GET = () => new Response();`,
  }, { serverTiming: true, lazy: true });
  const [first, second] = [
    stepsOf(await application.fetch("/api/late")),
    stepsOf(await application.fetch("/api/late")),
  ].map((steps) => Object.fromEntries(steps).route!);
  assert(first! > 45 && second! < 45, `${first} ${second}`);
});

Deno.test("serverTiming leaves a WebSocket alone", async () => {
  await using application = await FolderApplication.create({
    "socket/route.js": `export function GET(request) {
      const { socket, response } = Deno.upgradeWebSocket(request);
      socket.onopen = () => socket.send("open");
      return response;
    }`,
  }, { serverTiming: true });
  await using server = await application.serve();
  const socket = new WebSocket(server.url("/api/socket").replace("http", "ws"));
  const message = await new Promise((resolve, reject) => {
    socket.onmessage = ({ data }) => resolve(data);
    socket.onerror = reject;
  });
  assertEquals(message, "open");
  const closed = new Promise((go) => socket.onclose = go);
  socket.close();
  await closed;
});

Deno.test("without serverTiming, nothing is told", async () => {
  await using application = await FolderApplication.create(FILES);
  const response = await application.fetch("/api/away");
  assertEquals(response.headers.get("server-timing"), null);
  assertThrows(
    () =>
      new Framework({ apiDir: "api", serverTiming: "yes" as unknown as true }),
    TypeError,
    'serverTiming must be true or false, got "yes"',
  );
});

Deno.test("the check of a response is not a step of middleware", async () => {
  await using application = await FolderApplication.create({
    "route.js": `import { z } from "npm:zod@^4.1.13";
      const response = { 200: z.object({ a: z.number() }) };
      export const schema = { get: { response }, post: { response } };
      export const GET = () => Response.json({ a: 1 });
      export const POST = () => Response.json(1);`,
  }, { serverTiming: true, validateResponses: true });
  using _log = new CapturedLog();
  for (const [method, status] of [["GET", 200], ["POST", 500]] as const) {
    const response = await application.fetch("/api", { method });
    assertEquals(response.status, status);
    assertEquals(
      stepsOf(response).map(([name]) => name),
      ["route", "handler", "total"],
    );
  }
});
