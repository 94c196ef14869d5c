import { HttpError } from "@bough/framework";
import { events } from "@bough/framework/live";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { METHODS } from "../../../src/core/methods.ts";
import { TestApplication, type TestModule } from "../../support/application.ts";
import { Http2Client } from "../../support/http2.ts";
import { rawRequest } from "../../support/raw_http.ts";
import { throwing } from "./support.ts";

let cancelled = 0;

const ROUTES: Readonly<Record<string, TestModule>> = {
  "all/route.ts": Object.fromEntries(METHODS.map((name) => [
    name,
    () => new Response(name, { headers: { "x-handler": name } }),
  ])),
  "get/route.ts": {
    GET: () => new Response("hello", { status: 203, headers: { "x-a": "1" } }),
    schema: {},
    config: {},
    helper: () => new Response("never"),
  },
  "post/route.ts": {
    POST: async (request) => new Response(await request.text()),
  },
  "stream/route.ts": {
    GET: () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1)),
          cancel() {
            cancelled++;
            // Bough ignores this.
            throw new Error("late");
          },
        }),
      ),
  },
};
const application = TestApplication.of(ROUTES);

const PROBLEM = { "content-type": "application/problem+json" };

function problemOf(status: number, title: string, detail: string): string {
  return JSON.stringify({ type: "about:blank", title, status, detail });
}

const NO_ROUTE = problemOf(404, "Not Found", "No route matches this path");
const ALLOW = "GET, HEAD, OPTIONS";

/** The status, some headers and the body of the response to a method and target. */
type Row = readonly [string, number, Record<string, string>, body: string];

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  "each of the seven methods reaches its handler (behaviour 5.1)": METHODS.map(
    (name) => [
      `${name} /api/all`,
      200,
      { "x-handler": name },
      name === "HEAD" ? "" : name,
    ],
  ),
  "HEAD without a handler runs GET, and drops the body (behaviour 4.1)": [
    ["HEAD /api/get", 203, { "x-a": "1", "content-length": "5" }, ""],
    ["HEAD /api/nowhere", 404, PROBLEM, ""],
    ["HEAD /api/post", 405, PROBLEM, ""],
  ],
  "if OPTIONS has no handler, Bough responds with 204 and Allow (behaviour 4.2)":
    [
      ["OPTIONS /api/get", 204, { allow: ALLOW }, ""],
      ["OPTIONS /api/post", 204, { allow: "POST, OPTIONS" }, ""],
      ["OPTIONS *", 204, { allow: METHODS.join(", ") }, ""],
      ["OPTIONS /nowhere", 404, PROBLEM, NO_ROUTE],
    ],
  "Bough responds to another method with 405 and Allow (behaviour 4.3)": [[
    "DELETE /api/get",
    405,
    { ...PROBLEM, allow: ALLOW },
    problemOf(405, "Method Not Allowed", `This resource supports ${ALLOW}`),
  ]],
  "if no route matches, Bough responds with 404 (behaviour 4.5)": [
    ["POST /api/nowhere", 404, PROBLEM, NO_ROUTE],
  ],
};

for (const [name, rows] of Object.entries(ROWS)) {
  Deno.test(name, async () => {
    await using server = await application.serve();
    for (const [line, status, headers, body] of rows) {
      for (const time of ["first", "second"]) {
        const head = `${line} HTTP/1.1\nContent-Length: 0`;
        const response = await rawRequest(server.port, head);
        const seen = Object.keys(headers).map((each) => [
          each,
          response.headers.get(each),
        ]);
        assertEquals(
          [response.status, Object.fromEntries(seen), response.body],
          [status, headers, body],
          `${line}, ${time} time`,
        );
      }
    }
  });
}

Deno.test("Bough responds to other methods than the seven with 501 (behaviour 4.4)", async () => {
  await using server = await application.serve();
  const exports = ["get", "schema", "config", "default", "helper"];
  for (
    const method of exports.concat("constructor __proto__ TRACE X".split(" "))
  ) {
    for (const path of ["/api/get", "/nowhere"]) {
      const line = `${method} ${path} HTTP/1.1`;
      const { status, body } = await rawRequest(server.port, line);
      assertEquals(
        [status, JSON.parse(body).title],
        [501, "Not Implemented"],
        line,
      );
    }
  }
});

Deno.test("the response to HEAD that app.fetch() returns has no body (behaviour 4.1)", async () => {
  for (
    const [path, status] of [["get", 203], ["nowhere", 404], ["post", 405]]
  ) {
    const init = { method: "HEAD" };
    const response = await application.fetch(`/api/${path}`, init);
    assertEquals([response.status, response.body], [status, null], `${path}`);
  }
  await using own = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => application.app.fetch(request),
  );
  const passed = await rawRequest(own.addr.port, "HEAD /api/get HTTP/1.1");
  assertEquals(passed.headers.get("content-length"), "5");
});

Deno.test("HEAD has a length only if it is that of GET (behaviour 4.1)", async () => {
  const GET = () => Response.json("text");
  await using server = await TestApplication.of({
    "get/route.ts": { GET },
    "error/route.ts": throwing(() => new HttpError(404)),
    "own/route.ts": { GET, HEAD: () => new Response() },
    "known/route.ts": {
      GET,
      HEAD: () => new Response(null, { headers: { "content-length": "6" } }),
    },
    "none/route.ts": { GET: () => new Response(null, { status: 204 }) },
    "events/route.ts": {
      GET: (request) => events(request, async function* () {}),
    },
  }).serve();
  await using client = new Http2Client(server.port);
  for (
    const [path, status, length] of [
      ["get", 200, "6"],
      ["error", 404, "55"],
      ["own", 200, null],
      ["known", 200, "6"],
      ["none", 204, null],
      ["events", 200, null],
    ] as const
  ) {
    const head = `HEAD /api/${path} HTTP/1.1`;
    const http1 = await rawRequest(server.port, head);
    assertEquals(
      [http1.status, http1.headers.get("content-length")],
      [status, length],
      path,
    );
    const headers = { ":method": "HEAD", ":path": `/api/${path}` };
    const http2 = await client.request(headers);
    const seen = http2.headers["content-length"] ?? null;
    assertEquals(
      [http2.status, seen, http2.body, http2.error],
      [status, length, "", 0],
      path,
    );
  }
});

Deno.test("HEAD cancels the stream that GET would have sent (behaviour 4.1)", async () => {
  const response = await application.fetch("/api/stream", { method: "HEAD" });
  assertEquals(response.body, null);
  assertEquals(cancelled, 1);
  await using server = await application.serve();
  const raw = await rawRequest(server.port, "HEAD /api/stream HTTP/1.1");
  assertEquals(raw.status, 200);
  assertEquals(cancelled, 2);
});

Deno.test("if HEAD runs GET, the schemas of GET and schema.head apply", async () => {
  const application = TestApplication.of({
    "route.ts": {
      schema: {
        get: { query: z.object({ page: z.coerce.number() }) },
        head: { headers: z.object({ "x-probe": z.string() }) },
      },
      GET: ({ validated }) =>
        new Response(null, {
          headers: { "x-page": JSON.stringify(validated.query.page) },
        }),
    },
  });
  const head = async (query: string, headers: HeadersInit) => {
    const response = await application.fetch(`/api${query}`, {
      method: "HEAD",
      headers,
    });
    return [response.status, response.headers.get("x-page")];
  };
  const probe = { "x-probe": "1" };
  assertEquals(await head("?page=2", probe), [200, "2"]);
  assertEquals(await head("?page=two", probe), [400, null]);
  assertEquals(await head("?page=2", {}), [400, null]);
});
