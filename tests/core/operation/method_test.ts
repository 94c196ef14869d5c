import { HttpError } from "@bough/framework";
import { events } from "@bough/framework/live";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { METHODS } from "../../../src/core/methods.ts";
import { TestApplication, type TestModule } from "../../support/application.ts";
import { Http2Client } from "../../support/http2.ts";
import { rawRequest } from "../../support/raw_http.ts";

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
          cancel: () => void cancelled++,
        }),
      ),
  },
};
const application = TestApplication.of(ROUTES);

Deno.test("each of the seven methods reaches its handler (behaviour 5.1)", async () => {
  await using server = await application.serve();
  for (const name of METHODS) {
    const response = await rawRequest(
      server.port,
      `${name} /api/all HTTP/1.1\nContent-Length: 0`,
    );
    assertEquals(response.headers.get("x-handler"), name);
    assertEquals(response.body, name === "HEAD" ? "" : name);
  }
});

Deno.test("HEAD without a handler runs GET, and drops the body (behaviour 4.1)", async () => {
  await using server = await application.serve();
  const raw = await rawRequest(server.port, "HEAD /api/get HTTP/1.1");
  assertEquals(raw.status, 203);
  assertEquals(raw.headers.get("x-a"), "1");
  assertEquals(raw.headers.get("content-length"), "5");
  assertEquals(raw.body, "");

  await using own = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => application.app.fetch(request),
  );
  const passed = await rawRequest(own.addr.port, "HEAD /api/get HTTP/1.1");
  assertEquals(passed.headers.get("content-length"), "5");

  const inProcess = await application.fetch("/api/get", { method: "HEAD" });
  assertEquals(inProcess.status, 203);
  assertEquals(inProcess.headers.get("x-a"), "1");
  assertEquals(inProcess.body, null);

  const missing = await application.fetch("/api/nowhere", { method: "HEAD" });
  assertEquals(missing.status, 404);
  assertEquals(missing.body, null);
  const refused = await application.fetch("/api/post", { method: "HEAD" });
  assertEquals(refused.status, 405);
  assertEquals(refused.body, null);
});

Deno.test("HEAD has a length only if it is that of GET (behaviour 4.1)", async () => {
  const GET = () => Response.json("text");
  await using server = await TestApplication.of({
    "get/route.ts": { GET },
    "error/route.ts": {
      GET: () => {
        throw new HttpError(404);
      },
    },
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
    const response = await rawRequest(server.port, head);
    assertEquals(response.status, status);
    assertEquals(response.headers.get("content-length"), length, path);
    const headers = { ":method": "HEAD", ":path": `/api/${path}` };
    const http2 = await client.request(headers);
    assertEquals(
      [http2.status, http2.body, http2.error],
      [status, "", 0],
      path,
    );
    assertEquals(http2.headers["content-length"] ?? null, length, path);
  }
});

Deno.test("HEAD cancels the stream that GET would have sent", async () => {
  const response = await application.fetch("/api/stream", { method: "HEAD" });
  assertEquals(response.body, null);
  assertEquals(cancelled, 1);
  await using server = await application.serve();
  const raw = await rawRequest(server.port, "HEAD /api/stream HTTP/1.1");
  assertEquals(raw.status, 200);
  assertEquals(cancelled, 2);
});

Deno.test("if OPTIONS has no handler, Bough responds with 204 and Allow (behaviour 4.2)", async () => {
  await using server = await application.serve();
  for (
    const [path, allow] of [
      ["/api/get", "GET, HEAD, OPTIONS"],
      ["/api/post", "POST, OPTIONS"],
      ["*", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"],
    ] as const
  ) {
    for (let round = 0; round < 2; round++) {
      const response = await rawRequest(
        server.port,
        `OPTIONS ${path} HTTP/1.1`,
      );
      assertEquals(response.status, 204);
      assertEquals(response.headers.get("allow"), allow);
      assertEquals(response.body, "");
    }
  }
  const missing = await rawRequest(server.port, "OPTIONS /nowhere HTTP/1.1");
  assertEquals(missing.status, 404);
});

Deno.test("Bough responds to another method with 405 and Allow (behaviour 4.3)", async () => {
  await using server = await application.serve();
  for (let round = 0; round < 2; round++) {
    const response = await rawRequest(server.port, "DELETE /api/get HTTP/1.1");
    assertEquals(response.status, 405);
    assertEquals(response.headers.get("allow"), "GET, HEAD, OPTIONS");
    assertEquals(
      response.headers.get("content-type"),
      "application/problem+json",
    );
    assertEquals(JSON.parse(response.body), {
      type: "about:blank",
      title: "Method Not Allowed",
      status: 405,
      detail: "This resource supports GET, HEAD, OPTIONS",
    });
  }
});

Deno.test("Bough responds to other methods than the seven with 501 (behaviour 4.4)", async () => {
  await using server = await application.serve();
  for (
    const method of [
      "get",
      "schema",
      "config",
      "default",
      "helper",
      "constructor",
      "__proto__",
      "TRACE",
      "PROPFIND",
    ]
  ) {
    for (const path of ["/api/get", "/nowhere"]) {
      const response = await rawRequest(
        server.port,
        `${method} ${path} HTTP/1.1`,
      );
      assertEquals(response.status, 501, `${method} ${path}`);
      assertEquals(JSON.parse(response.body).title, "Not Implemented");
    }
  }
});

Deno.test("if no route matches, Bough responds with 404 (behaviour 4.5)", async () => {
  for (let round = 0; round < 2; round++) {
    const response = await application.fetch("/api/nowhere", {
      method: "POST",
    });
    assertEquals(response.status, 404);
    assertEquals(await response.json(), {
      type: "about:blank",
      title: "Not Found",
      status: 404,
      detail: "No route matches this path",
    });
  }
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

Deno.test("HEAD in process ignores an error when the stream is cancelled", async () => {
  const application = TestApplication.of({
    "route.ts": {
      GET: () =>
        new Response(
          new ReadableStream({
            cancel() {
              throw new Error("late");
            },
          }),
        ),
    },
  });
  const response = await application.fetch("/api", { method: "HEAD" });
  assertEquals([response.status, response.body], [200, null]);
});
