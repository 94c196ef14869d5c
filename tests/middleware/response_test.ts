import { assertEquals } from "@std/assert";
import { CapturedLog, TestApplication } from "../support/application.ts";

const MARK = `export default async (request, next) => {
  const response = await next();
  response.headers.append("x-mark", "1");
  return response;
};`;

Deno.test("middleware sets headers on whatever next() gave (behaviour 8.7)", async () => {
  await using origin = await TestApplication.create({
    "route.js": `export const GET = () => new Response("from afar");`,
  });
  await using originServer = await origin.serve();
  await using application = await TestApplication.create({
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

Deno.test({
  name: "a proxied response is freed where middleware fails after it",
  sanitizeResources: true,
  async fn() {
    using _log = new CapturedLog();
    await using origin = await TestApplication.create({
      "route.js": `export const GET = () => new Response("from afar");`,
    });
    await using originServer = await origin.serve();
    await using application = await TestApplication.create({
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
