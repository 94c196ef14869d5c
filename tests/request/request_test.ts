import { assert, assertEquals } from "@std/assert";
import { RequestState } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import type { Context } from "hono";
import { FolderApplication } from "../support/application.ts";

/** A route file whose `GET` answers with the value of an expression in JSON. */
function answering(expression: string): string {
  return `export async function GET(request) {
  return Response.json(await (${expression}));
}`;
}

Deno.test("a handler gets one argument, the very request (behaviour 5.3, 6.1)", async () => {
  await using application = await FolderApplication.create({
    "route.js": `export function GET(request) {
      globalThis.seen = request;
      return Response.json([
        arguments.length, request instanceof Request, request.url,
        request.method, request.headers.get("x-a"),
      ]);
    }`,
  });
  const request = new Request("http://h/api?q=1", { headers: { "x-a": "b" } });
  const answer = await application.app.fetch(request);
  assertEquals(await answer.json(), [
    1,
    true,
    "http://h/api?q=1",
    "GET",
    "b",
  ]);
  const global = globalThis as { seen?: unknown };
  assert(global.seen === request);
  delete global.seen;
});

Deno.test("params and validated are always objects, wildcardParams only where there is one (behaviour 6.2)", async () => {
  const file = answering(`[
    typeof request.params, typeof request.validated,
    Object.keys(request.params).length, Object.keys(request.validated).length,
    "wildcardParams" in request, "toString" in request.params,
  ]`);
  await using application = await FolderApplication.create({
    "a/route.js": file,
    "b/[...]/route.js": file,
  });
  const plain = await application.fetch("/api/a");
  assertEquals(await plain.json(), ["object", "object", 0, 0, false, false]);
  const wildcard = await application.fetch("/api/b/x");
  assertEquals(await wildcard.json(), ["object", "object", 0, 0, true, false]);
});

Deno.test("a handler may add to params without touching other requests", async () => {
  await using application = await FolderApplication.create({
    "[id]/route.js": answering(
      "(request.params.seen ??= request.params.id, request.params)",
    ),
    "static/route.js": answering(
      "(request.params.seen ??= 'here', request.params)",
    ),
  });
  assertEquals(await (await application.fetch("/api/1")).json(), {
    id: "1",
    seen: "1",
  });
  assertEquals(await (await application.fetch("/api/static")).json(), {
    seen: "here",
  });
  assertEquals(await (await application.fetch("/api/2")).json(), {
    id: "2",
    seen: "2",
  });
});

Deno.test("handlers may be synchronous, asynchronous, or return a foreign promise (behaviour 5.3)", async () => {
  await using application = await FolderApplication.create({
    "a/route.js": "export const GET = () => new Response('sync');",
    "b/route.js": "export const GET = async () => new Response('async');",
    "c/route.js":
      "export const GET = () => ({ then: (done) => done(new Response('thenable')) });",
  });
  for (
    const [path, text] of [["a", "sync"], ["b", "async"], ["c", "thenable"]]
  ) {
    const answer = await application.fetch(`/api/${path}`);
    assertEquals(await answer.text(), text);
  }
});

Deno.test("an application inside of another one sees no wildcard of the outer route (behaviour 6.2)", async () => {
  const seen = `Response.json("wildcardParams" in request)`;
  await using inner = await FolderApplication.create({
    "docs/intro/route.js": `export const GET = (request) => ${seen};`,
  }, { onNotFound: (request) => Response.json("wildcardParams" in request) });
  const { app } = inner;
  Object.assign(globalThis, { innerApplication: app });
  await using outer = await FolderApplication.create({
    "[...]/route.js":
      "export const GET = (request) => globalThis.innerApplication.fetch(request);",
  });
  for (const path of ["/api/docs/intro", "/api/none"]) {
    assertEquals(await (await outer.fetch(path)).json(), false);
  }
});

Deno.test("a request gets the documented members, and the rest that Bough keeps has no name", async () => {
  const state = new RequestState<number>("state");
  await using application = await FolderApplication.create({
    "[id]/route.js": `
      const open = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
      export const schema = { post: { query: open, body: open } };
      export async function POST(request) {
        await request.json();
        return Response.json(Object.getOwnPropertyNames(request).sort());
      }`,
  }, {
    serverTiming: true,
    middleware: [
      (request, next) => {
        state.set(request, 1);
        return next();
      },
      honoMiddleware(async (context, next) => {
        (context as Context).set("value", 1);
        await next();
      }),
    ],
  });
  const response = await application.fetch("/api/1", {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
  });
  assertEquals(await response.json(), [
    ...["arrayBuffer", "blob", "bytes", "clone", "formData", "info", "json"],
    ...["params", "pattern", "security", "text", "validated"],
  ]);
});

Deno.test("a handler gets nothing of Bough as its this", async () => {
  const seen: unknown[] = [];
  Object.assign(globalThis, { noteThis: (value: unknown) => seen.push(value) });
  const code = `import { z } from "npm:zod@^4.1.13";
    export const schema = { put: { body: z.object({}) } };
    export function GET() { noteThis(this); throw new Error("x"); }
    export const POST = GET;
    export function PUT() { noteThis(this); return new Response(); }`;
  for (
    const middleware of [[], [
      (_: unknown, next: () => Promise<Response>) => next(),
    ]]
  ) {
    await using application = await FolderApplication.create({
      "route.js": code,
    }, {
      middleware,
      onError(this: unknown) {
        seen.push(this);
        return new Response();
      },
    });
    await application.fetch("/api");
    await application.fetch("/api", {
      method: "PUT",
      body: "{}",
      headers: { "content-type": "application/json" },
    });
  }
  assertEquals(seen, Array(6).fill(undefined));
});
