/** A body is read alike whether the route is imported already or not (behaviour 6.3). */
import { assertEquals } from "@std/assert";
import { TestApplication } from "../support/application.ts";

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
      await using application = await TestApplication.create(files, { lazy });
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
