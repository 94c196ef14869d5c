import { assertEquals } from "@std/assert";
import { FolderApplication } from "../support/application.ts";
import { rawRequest } from "../support/raw_http.ts";

const ROUTES = {
  "all/route.js": ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    .map((name) =>
      `export const ${name} = () => new Response("${name}", { headers: { "x-handler": "${name}" } });`
    ).join("\n"),
  "get/route.js": `
    export const GET = () => new Response("hello", { status: 203, headers: { "x-a": "1" } });
    export const schema = {};
    export const config = {};
    export const helper = () => new Response("never");
  `,
  "post/route.js": `
    export const POST = async (request) => new Response(await request.text());
  `,
  "stream/route.js": `
    export const GET = () => new Response(new ReadableStream({
      pull(controller) { controller.enqueue(new Uint8Array(1)); },
      cancel() { globalThis.cancelled = true; },
    }));
  `,
};

Deno.test("each of the seven methods reaches its handler (behaviour 5.1)", async () => {
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  for (
    const name of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
  ) {
    const answer = await rawRequest(
      server.port,
      `${name} /api/all HTTP/1.1\nContent-Length: 0`,
    );
    assertEquals(answer.headers.get("x-handler"), name);
    assertEquals(answer.body, name === "HEAD" ? "" : name);
  }
});

Deno.test("HEAD without a handler is GET without its body (behaviour 4.1)", async () => {
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  const raw = await rawRequest(server.port, "HEAD /api/get HTTP/1.1");
  assertEquals(raw.status, 203);
  assertEquals(raw.headers.get("x-a"), "1");
  assertEquals(raw.headers.get("content-length"), "5");
  assertEquals(raw.body, "");

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

Deno.test("HEAD cancels the stream that GET would have sent", async () => {
  await using application = await FolderApplication.create(ROUTES);
  const global = globalThis as { cancelled?: boolean };
  const answer = await application.fetch("/api/stream", { method: "HEAD" });
  assertEquals(answer.body, null);
  assertEquals(global.cancelled, true);
  delete global.cancelled;
  await using server = await application.serve();
  assertEquals(
    (await rawRequest(server.port, "HEAD /api/stream HTTP/1.1")).status,
    200,
  );
  delete global.cancelled;
});

Deno.test("OPTIONS without a handler answers 204 with Allow (behaviour 4.2)", async () => {
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  for (
    const [path, allow] of [
      ["/api/get", "GET, HEAD, OPTIONS"],
      ["/api/post", "POST, OPTIONS"],
      ["*", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"],
    ] as const
  ) {
    for (let round = 0; round < 2; round++) {
      const answer = await rawRequest(server.port, `OPTIONS ${path} HTTP/1.1`);
      assertEquals(answer.status, 204);
      assertEquals(answer.headers.get("allow"), allow);
      assertEquals(answer.body, "");
    }
  }
  const missing = await rawRequest(server.port, "OPTIONS /nowhere HTTP/1.1");
  assertEquals(missing.status, 404);
});

Deno.test("another method answers 405 with Allow (behaviour 4.3)", async () => {
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  for (let round = 0; round < 2; round++) {
    const answer = await rawRequest(server.port, "DELETE /api/get HTTP/1.1");
    assertEquals(answer.status, 405);
    assertEquals(answer.headers.get("allow"), "GET, HEAD, OPTIONS");
    assertEquals(
      answer.headers.get("content-type"),
      "application/problem+json",
    );
    assertEquals(JSON.parse(answer.body), {
      type: "about:blank",
      title: "Method Not Allowed",
      status: 405,
      detail: "This resource supports GET, HEAD, OPTIONS",
    });
  }
});

Deno.test("a method outside the seven answers 501 and runs nothing (behaviour 4.4)", async () => {
  await using application = await FolderApplication.create(ROUTES);
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
      const answer = await rawRequest(
        server.port,
        `${method} ${path} HTTP/1.1`,
      );
      assertEquals(answer.status, 501, `${method} ${path}`);
      assertEquals(JSON.parse(answer.body).title, "Not Implemented");
    }
  }
});

Deno.test("no route answers 404 (behaviour 4.5)", async () => {
  await using application = await FolderApplication.create(ROUTES);
  for (let round = 0; round < 2; round++) {
    const answer = await application.fetch("/api/nowhere", { method: "POST" });
    assertEquals(answer.status, 404);
    assertEquals(await answer.json(), {
      type: "about:blank",
      title: "Not Found",
      status: 404,
      detail: "No route matches this path",
    });
  }
});

Deno.test("HEAD by GET checks what GET checks, and what schema.head adds", async () => {
  await using application = await FolderApplication.create({
    "route.js": `import { z } from "npm:zod@^4.1.13";
      export const schema = {
        get: { query: z.object({ page: z.coerce.number() }) },
        head: { headers: z.object({ "x-probe": z.string() }) },
      };
      export const GET = ({ validated }) => new Response(null, {
        headers: { "x-page": JSON.stringify(validated.query.page), "x-probe": validated.headers?.["x-probe"] ?? "" },
      });`,
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

Deno.test("HEAD in this process survives a stream that throws when it is cancelled", async () => {
  await using application = await FolderApplication.create({
    "route.js": `export const GET = () =>
      new Response(new ReadableStream({ cancel() { throw new Error("late"); } }));`,
  });
  const response = await application.fetch("/api", { method: "HEAD" });
  assertEquals([response.status, response.body], [200, null]);
});
