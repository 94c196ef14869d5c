/** The methods of a route: HEAD, OPTIONS, and methods without a handler. */
import { honoMiddleware } from "@bough/framework/hono";
import { assertEquals } from "@std/assert";
import { cors } from "hono/cors";
import { TestApplication } from "../../support/application.ts";
import { check, checkFast } from "../support.ts";

const empty = () => new Response();
const ROUTES = {
  "all/route.ts": { DELETE: empty, GET: empty, POST: empty },
  "sent/route.ts": { POST: empty, PUT: empty },
};

Deno.test("HEAD is tested with GET, and the other methods once per route", async () => {
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

const ALLOW = '"allow: GET, HEAD, OPTIONS", in any order';
const CORS = "access-control-allow-methods";

const NONE = 'no header "allow"';

/** Responses to OPTIONS, with what is seen of `Allow`. */
const ALLOWED: Readonly<Record<string, readonly [ResponseInit, string?]>> = {
  "no Allow": [{}, NONE],
  "some methods": [{ headers: { allow: "GET" } }, '"allow: GET"'],
  "an allowed origin": [
    { headers: { "access-control-allow-origin": "*" } },
    NONE,
  ],
  "some methods next to CORS": [
    { headers: { [CORS]: "GET", allow: "GET" } },
    '"allow: GET"',
  ],
  "a failure with CORS": [{ status: 500, headers: { [CORS]: "GET" } }, NONE],
  "another order": [{ headers: { allow: "OPTIONS,HEAD,,GET" } }],
};

/** The response of a middleware to a method, and the finding. */
const FAULTS: readonly (readonly [
  name: string,
  method: string,
  response: (method: string) => ResponseInit,
  expected?: string | undefined,
  seen?: string | undefined,
])[] = [
  ...Object.entries(ALLOWED).map(([name, [response, seen]]) =>
    [name, "OPTIONS", () => response, seen && ALLOW, seen] as const
  ),
  [
    "a 405 with CORS",
    "PUT",
    () => ({ status: 405, headers: { [CORS]: "GET" } }),
    ALLOW,
    NONE,
  ],
  [
    "another status",
    "HEAD",
    () => ({ status: 202 }),
    "a 200, as with GET",
    "a 202",
  ],
  [
    "a header of GET alone",
    "GET",
    () => ({ headers: { "x-a": "1" } }),
    'the header "x-a: 1", as with GET',
    'no header "x-a"',
  ],
  [
    "another value of a header",
    "",
    (method) => ({ headers: { "x-a": method } }),
    'the header "x-a: GET", as with GET',
    '"x-a: HEAD"',
  ],
  [
    "a success",
    "PUT",
    () => ({}),
    "a 405, since the route has no handler for PUT",
    "a 200",
  ],
  // An early rejection is not a fault.
  ["a 403", "PUT", () => ({ status: 403 })],
  [
    "headers that differ each time",
    "GET",
    () => ({ headers: { "x-a": crypto.randomUUID(), date: "now" } }),
  ],
];

for (const [name, method, response, expected, seen] of FAULTS) {
  Deno.test(`methods: ${name} to ${method || "all methods"} is ${expected ? "found" : "legal"}`, async () => {
    const { failures } = await check({
      "middleware.ts": {
        default: (request, next) =>
          method === "" || request.method === method
            ? new Response(null, response(request.method))
            : next(),
      },
      "a/route.ts": { GET: empty },
    }, { properties: ["methods"], runs: 1 });
    assertEquals(
      failures.map((failure) => [failure.expected, failure.seen]),
      expected === undefined ? [] : [[expected, seen]],
    );
  });
}

Deno.test("the response of cors() to OPTIONS does not have to list the methods", async () => {
  const origin = ["https://a.example", "https://b.example"];
  for (const options of [{}, { origin }, { origin, credentials: true }]) {
    const middleware = [honoMiddleware(cors(options))];
    const { failures } = await checkFast(
      () => TestApplication.of(ROUTES, { middleware }).app,
      { properties: ["methods"], seed: 1, runs: 5 },
    );
    assertEquals(failures.map(({ seen }) => seen), []);
  }
});
