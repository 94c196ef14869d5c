/** A body is read alike whether the route is imported already or not (behaviour 6.3). */
import { assertEquals } from "@std/assert";
import { FolderApplication } from "../support/application.ts";

const JSON_TYPE = { "content-type": "application/json" };
const BODY = '{"a":1}';

Deno.test("the first request of a lazy route reads its body like all others", async () => {
  const read = `async (request) => {
    const names = ["json", "text", "json", "bytes"];
    const one = [];
    for (const name of names) {
      one.push(await request[name]().then(() => name, (error) => error.name));
    }
    return one.join();
  }`;
  const filesWith = (config: string): Record<string, string> => ({
    "middleware.js": `const read = ${read};
      export default async (request, next) => {
        if (!request.url.endsWith("?early")) return await next();
        request.seen = await read(request);
        const response = await next();
        response.headers.set("late", await read(request));
        return response;
      };`,
    "route.js": `const read = ${read};
      export async function POST(request) {
        const both = await Promise.allSettled([request.json(), request.text()]);
        const statuses = both.map(({ status }) => status);
        return Response.json([request.seen, statuses, await read(request)]);
      }
      ${config}`,
  });
  const configs = ["", "export const config = { rawBody: true };"];
  const cases = configs.flatMap((config) => [
    { config, query: "" },
    { config, query: "?early" },
  ]);
  for (const { config, query } of cases) {
    const files = filesWith(config);
    const outcomes: unknown[] = [];
    for (const lazy of [false, true]) {
      await using application = await FolderApplication.create(files, { lazy });
      await using server = await application.serve();
      for (let count = 0; count < 2; count++) {
        const request = { method: "POST", body: BODY, headers: JSON_TYPE };
        const response = await fetch(server.url(`/api${query}`), request);
        outcomes.push([await response.json(), response.headers.get("late")]);
      }
    }
    const [expected, ...others] = outcomes;
    assertEquals(others, [expected, expected, expected], config + query);
  }
});

Deno.test("a reader of middleware stays in place at the first request of a lazy route", async () => {
  await using application = await FolderApplication.create({
    "early/middleware.js": `export default (request, next) => {
      const read = request.json.bind(request);
      request.json = async () => ({ wrapped: await read() });
      return next();
    };`,
    "late/middleware.js": `export default async (request, next) => {
      const { text, clone } = request;
      await request.text();
      request.text = async () => "wrapped " + await text.call(request);
      request.json = async () => ({ wrapped: await clone.call(request).json() });
      return await next();
    };`,
    ...Object.fromEntries(["early", "late"].map((folder) => [
      `${folder}/route.js`,
      `export const POST = async (request) =>
        Response.json([await request.json(), await request.clone().text()]);
       export const config = { rawBody: true };`,
    ])),
  }, { lazy: true });
  await using server = await application.serve();
  for (const folder of ["early", "late"]) {
    for (let count = 0; count < 2; count++) {
      const request = { method: "POST", body: BODY, headers: JSON_TYPE };
      const response = await fetch(server.url(`/api/${folder}`), request);
      const expected = [{ wrapped: { a: 1 } }, BODY];
      assertEquals(await response.json(), expected, `${folder} ${count}`);
    }
  }
});

Deno.test("a body is read where middleware passes its request on before the import", async () => {
  await using inner = await FolderApplication.create({
    "route.js":
      "export const POST = async (request) => new Response(await request.text());",
  }, { lazy: true });
  await using outer = await FolderApplication.create(
    { "route.js": "export const POST = () => new Response();" },
    {
      lazy: true,
      middleware: [async (request) => {
        const reading = request.text();
        const response = await inner.app.fetch(request);
        return Response.json([await reading, await response.text()]);
      }],
    },
  );
  const request = new Request("http://localhost/api", {
    method: "POST",
    body: BODY,
  });
  const response = await outer.app.fetch(request);
  assertEquals(await response.json(), [BODY, BODY]);
});
