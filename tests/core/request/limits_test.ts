/** Every reader of a body enforces the limits, in every place (behaviour 7.3, 7.4). */
import { assert, assertEquals } from "@std/assert";
import { type Plugin, RequestState } from "@bough/framework";
import type { CommonOptions } from "@bough/framework/types";
import { honoMiddleware } from "@bough/framework/hono";
import { bodyLimit } from "hono/body-limit";
import { TestApplication, type TestModule } from "../../support/application.ts";
import { type Reader, READERS } from "./support.ts";

/** Reads the body of the request, or of a clone, by the reader that the query names. */
async function read(
  request: Request,
  next?: () => Promise<Response>,
): Promise<Response> {
  const { searchParams } = new URL(request.url, "http://localhost");
  let source = request;
  if (searchParams.has("clone")) source = request.clone();
  if (searchParams.has("clones")) source = request.clone().clone();
  await source[searchParams.get("reader") as Reader]();
  return next === undefined ? new Response("read") : await next();
}

const ROUTES: Readonly<Record<string, TestModule>> = {
  "handler/route.ts": { POST: read },
  "folder/middleware.ts": { default: read },
  "folder/route.ts": { GET: () => new Response() },
  "plain/route.ts": { POST: () => new Response("read") },
};

const readingPlugin: Plugin = {
  name: "reading",
  routes: () => [{ path: "/plugin", handlers: { POST: read } }],
};

const MIDDLEWARE: CommonOptions = { middleware: [read] };

/** Places that read a body, and requests that reach them. */
const PLACES: readonly (readonly [
  place: string,
  target: string,
  options?: CommonOptions,
  method?: string,
])[] = [
  ["a handler", "/api/handler"],
  ["middleware of a folder, before 405", "/api/folder"],
  ["middleware of a folder, before 501", "/api/folder", {}, "PURGE"],
  ["middleware of a folder, before OPTIONS", "/api/folder", {}, "OPTIONS"],
  ["a plugin", "/plugin", { plugins: [readingPlugin] }],
  ["onNotFound", "/none", { onNotFound: read }],
  ["middleware, before a route", "/api/plain", MIDDLEWARE],
  ["middleware, before 404", "/none", MIDDLEWARE],
  ["middleware, before 501", "/none", MIDDLEWARE, "PURGE"],
  ["middleware, before OPTIONS", "/none", MIDDLEWARE, "OPTIONS"],
  ["middleware, before the 400 for a malformed path", "/%FF", MIDDLEWARE],
  ["middleware, before the 400 for another host", "/api/plain", {
    ...MIDDLEWARE,
    allowedHosts: ["example.com"],
  }],
  ["Hono's middleware", "/none", {
    middleware: [honoMiddleware(async ({ req }, next) => {
      await read((req as { raw: Request }).raw);
      await next();
    })],
  }],
];

const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** A body without a length. */
function chunked(text: string): ReadableStream<Uint8Array> {
  return new Blob([text]).stream();
}

for (const [place, target, options, method = "POST"] of PLACES) {
  Deno.test(`bodyLimit and bodyTimeout hold in ${place}, for every reader and for clones`, async () => {
    const limited = TestApplication.of(ROUTES, { bodyLimit: 100, ...options });
    await using server = await limited.serve();
    const fits = `"${"a".repeat(98)}"`;
    const over = `"${"a".repeat(99)}"`;
    const statusOf = async (sending: Promise<Response>) => {
      const response = await sending;
      await response.body?.cancel();
      return response.status;
    };
    for (const reader of READERS) {
      for (const source of ["", "&clone", "&clones"]) {
        const path = `${target}?reader=${reader}${source}`;
        const init = (body: BodyInit) => ({ method, body, headers: FORM });
        const send = (body: BodyInit) =>
          statusOf(fetch(server.url(path), init(body)));
        assert(await send(fits) !== 413, path);
        assertEquals(
          [
            await send(over),
            await send(chunked(over)),
            await statusOf(limited.fetch(path, init(over))),
          ],
          [413, 413, 413],
          path,
        );
      }
    }
    const slow = TestApplication.of(ROUTES, { bodyTimeout: 20, ...options });
    for (const source of ["", "&clone"]) {
      const path = `${target}?reader=text${source}`;
      const init = { method, body: new ReadableStream(), headers: FORM };
      assertEquals(await statusOf(slow.fetch(path, init)), 408, path);
    }
  });
}

const cloned = new RequestState<string>("cloned");

Deno.test("Hono's bodyLimit() limits readers, clones and streams inside of it", async () => {
  const application = TestApplication.of({
    "route.ts": {
      POST: async (request) =>
        Response.json([cloned.get(request), await request.text()]),
    },
    "body/route.ts": { POST: (request) => new Response(request.body) },
    "text/route.ts": {
      POST: (request) =>
        new Response(request.textStream().pipeThrough(new TextEncoderStream())),
    },
  }, {
    middleware: [
      honoMiddleware(bodyLimit({ maxSize: 50 })),
      async (request, next) => {
        if (!request.url.endsWith("/api")) return await next();
        const clone = request.clone();
        cloned.set(request, await clone.clone().text());
        assertEquals(await clone.text(), await request.text());
        return await next();
      },
    ],
  });
  await using server = await application.serve();
  const send = async (path: string, body: BodyInit) => {
    const init = { method: "POST", body };
    const response = await fetch(server.url(path), init);
    const text = await response.text();
    return [response.status, response.ok ? text : ""];
  };
  for (const size of [0, 50, 51]) {
    const text = "a".repeat(size);
    const expected = size > 50 ? [413, ""] : [200, `["${text}","${text}"]`];
    for (const body of [text, chunked(text)]) {
      assertEquals(await send("/api", body), expected);
    }
  }
  for (const path of ["body", "text"]) {
    assertEquals(await send(`/api/${path}`, chunked("hé")), [200, "hé"], path);
  }
});
