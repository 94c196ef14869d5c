/** The methods of a route: HEAD, OPTIONS, and those that it has no handler for. */
import { Framework } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import { checkContracts } from "@bough/framework/testing";
import { assertEquals } from "@std/assert";
import { cors } from "hono/cors";
import { TestFolder } from "../../support/application.ts";
import { check } from "../support.ts";

const HANDLER = "= () => new Response();";
const ROUTES = {
  "all/route.js":
    `export const DELETE ${HANDLER} export const GET ${HANDLER} export const POST ${HANDLER}`,
  "sent/route.js": `export const POST ${HANDLER} export const PUT ${HANDLER}`,
};

Deno.test("HEAD is tested with GET, and the other methods once for a route", async () => {
  const { failures, results } = await check(ROUTES, {
    properties: ["methods"],
    runs: 9,
  });
  assertEquals(failures, []);
  assertEquals(
    results.map(({ operation, runs }) => `${runs} of ${operation}`),
    ["10 of GET /api/all", "5 of POST /api/sent"],
  );
});

/** What a middleware responds with, and what is found of that. */
const FAULTS = [
  [
    `request.method === "HEAD" ? new Response(null, { status: 202 }) : await next()`,
    "a 200, as with GET",
    "a 202",
  ],
  [
    `request.method === "GET" ? new Response(null, { headers: { "x-a": "1" } }) : await next()`,
    'the header "x-a: 1", as with GET',
    'no header "x-a"',
  ],
  [
    `new Response(null, { headers: { "x-a": request.method } })`,
    'the header "x-a: GET", as with GET',
    '"x-a: HEAD"',
  ],
  [
    `request.method === "PUT" ? new Response() : await next()`,
    "a 405, since the route has no handler for PUT",
    "a 200",
  ],
  [
    `request.method === "OPTIONS" ? new Response() : await next()`,
    '"allow: GET, HEAD, OPTIONS", in any order',
    'no header "allow"',
  ],
  [
    `request.method === "OPTIONS" ? new Response(null, { headers: { allow: "GET, HEAD" } }) : await next()`,
    '"allow: GET, HEAD, OPTIONS", in any order',
    '"allow: GET, HEAD"',
  ],
  [
    `request.method === "OPTIONS" ? new Response(null, { headers: { "access-control-allow-origin": "*" } }) : await next()`,
    '"allow: GET, HEAD, OPTIONS", in any order',
    'no header "allow"',
  ],
  [
    `request.method === "OPTIONS" ? new Response(null, { headers: { "access-control-allow-methods": "GET", allow: "GET" } }) : await next()`,
    '"allow: GET, HEAD, OPTIONS", in any order',
    '"allow: GET"',
  ],
  [
    `request.method === "OPTIONS" ? new Response(null, { status: 500, headers: { "access-control-allow-methods": "GET" } }) : await next()`,
    '"allow: GET, HEAD, OPTIONS", in any order',
    'no header "allow"',
  ],
  [
    `request.method === "PUT" ? new Response(null, { status: 405, headers: { "access-control-allow-methods": "GET" } }) : await next()`,
    '"allow: GET, HEAD, OPTIONS", in any order',
    'no header "allow"',
  ],
  // The order is free, and an early refusal is not a fault.
  [
    `request.method === "OPTIONS" ? new Response(null, { headers: { allow: "OPTIONS,HEAD,,GET" } }) : await next()`,
  ],
  [
    `request.method === "PUT" ? new Response(null, { status: 403 }) : await next()`,
  ],
  [
    `request.method === "GET" ? new Response(null, { headers: { "x-a": crypto.randomUUID(), date: "now" } }) : await next()`,
  ],
] as const;

for (const [response, expected, seen] of FAULTS) {
  Deno.test(`of methods, a test sees ${seen ?? "nothing"} where ${response}`, async () => {
    const { failures } = await check({
      "middleware.js": `export default async (request, next) => ${response};`,
      "a/route.js": `export const GET ${HANDLER}`,
    }, { properties: ["methods"], runs: 1 });
    assertEquals(
      failures.map((failure) => [failure.expected, failure.seen]),
      expected === undefined ? [] : [[expected, seen]],
    );
  });
}

Deno.test("the response of cors() to OPTIONS needs no list of the methods", async () => {
  await using folder = await TestFolder.create(ROUTES);
  const origin = ["https://a.example", "https://b.example"];
  for (const options of [{}, { origin }, { origin, credentials: true }]) {
    const { failures } = await checkContracts(
      () =>
        new Framework({
          apiDir: folder.path,
          middleware: [honoMiddleware(cors(options))],
        }),
      { properties: ["methods"], seed: 1, runs: 5 },
    );
    assertEquals(failures.map(({ seen }) => seen), []);
  }
});
