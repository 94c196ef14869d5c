/** Limits on bodies hold for whoever reads one, wherever (behaviour 7.3, 7.4). */
import { assert, assertEquals } from "@std/assert";
import type { Plugin } from "@bough/framework";
import type { CommonOptions } from "@bough/framework/types";
import { honoMiddleware } from "@bough/framework/hono";
import { bodyLimit } from "hono/body-limit";
import { FolderApplication } from "../support/application.ts";

const READERS = ["json", "text", "bytes", "arrayBuffer", "blob", "formData"];

/** Reads the body by the reader that the query names, of the request or a clone. */
const READ = `
  async (request, next) => {
    const { searchParams } = new URL(request.url, "http://localhost");
    const source = searchParams.has("clone") ? request.clone()
      : searchParams.has("clones") ? request.clone().clone() : request;
    await source[searchParams.get("reader")]();
    return next === undefined ? new Response("read") : await next();
  }
`;
const read = (0, eval)(READ) as (
  request: Request,
  next?: () => Promise<Response>,
) => Promise<Response>;

const ROUTES = {
  "handler/route.js": `export const POST = ${READ};`,
  "folder/middleware.js": `export default ${READ};`,
  "folder/route.js": "export const GET = () => new Response();",
  "plain/route.js": "export const POST = () => new Response('read');",
};

const readingPlugin: Plugin = {
  name: "reading",
  routes: () => [{ path: "/plugin", handlers: { POST: read } }],
};

/** Where a body is read, and how a request gets there. */
const PLACES: Readonly<
  Record<string, { target: string; method?: string; options?: CommonOptions }>
> = {
  "a handler": { target: "/api/handler" },
  "a folder's middleware, behind it 405": { target: "/api/folder" },
  "a folder's middleware, behind it 501": {
    target: "/api/folder",
    method: "PURGE",
  },
  "a folder's middleware, behind it OPTIONS": {
    target: "/api/folder",
    method: "OPTIONS",
  },
  "a plugin": { target: "/plugin", options: { plugins: [readingPlugin] } },
  "onNotFound": { target: "/none", options: { onNotFound: read } },
  "middleware, behind it a route": {
    target: "/api/plain",
    options: { middleware: [read] },
  },
  "middleware, behind it 404": {
    target: "/none",
    options: { middleware: [read] },
  },
  "middleware, behind it 501": {
    target: "/none",
    method: "PURGE",
    options: { middleware: [read] },
  },
  "middleware, behind it OPTIONS": {
    target: "/none",
    method: "OPTIONS",
    options: { middleware: [read] },
  },
  "middleware, behind it a malformed path": {
    target: "/%FF",
    options: { middleware: [read] },
  },
  "middleware, behind it another host": {
    target: "/api/plain",
    options: { middleware: [read], allowedHosts: ["example.com"] },
  },
  "Hono's middleware": {
    target: "/none",
    options: {
      middleware: [honoMiddleware(async ({ req }, next) => {
        await read((req as { raw: Request }).raw);
        await next();
      })],
    },
  },
};

const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** A body without a length. */
function chunked(text: string): ReadableStream<Uint8Array> {
  return new Blob([text]).stream();
}

for (
  const [place, { target, method = "POST", options }] of Object.entries(PLACES)
) {
  Deno.test(`bodyLimit holds in ${place}, for every reader and for clones`, async () => {
    await using application = await FolderApplication.create(ROUTES, {
      bodyLimit: 100,
      ...options,
    });
    await using server = await application.serve();
    const over = `"${"a".repeat(99)}"`;
    for (const reader of READERS) {
      for (const source of ["", "&clone", "&clones"]) {
        const path = `${target}?reader=${reader}${source}`;
        const fits = await fetch(server.url(path), {
          method,
          body: `"${"a".repeat(98)}"`,
          headers: FORM,
        });
        await fits.body?.cancel();
        assert(fits.status !== 413, path);
        for (const body of [over, chunked(over)]) {
          const served = await fetch(server.url(path), {
            method,
            body,
            headers: FORM,
          });
          assertEquals(served.status, 413, path);
          await served.body?.cancel();
        }
        const inProcess = await application.fetch(path, {
          method,
          body: over,
          headers: FORM,
        });
        assertEquals(inProcess.status, 413, path);
        await inProcess.body?.cancel();
      }
    }
  });

  Deno.test(`bodyTimeout holds in ${place}, for clones, too`, async () => {
    await using application = await FolderApplication.create(ROUTES, {
      bodyTimeout: 20,
      ...options,
    });
    for (const source of ["", "&clone"]) {
      const response = await application.fetch(
        `${target}?reader=text${source}`,
        { method, body: new ReadableStream(), headers: FORM },
      );
      assertEquals(response.status, 408);
      await response.body?.cancel();
    }
  });
}

Deno.test("Hono's bodyLimit() limits what a middleware inside of it clones", async () => {
  await using application = await FolderApplication.create({
    "route.js": `export async function POST(request) {
      return Response.json([request.cloned, await request.text()]);
    }`,
  }, {
    middleware: [
      honoMiddleware(bodyLimit({ maxSize: 50 })),
      async (request, next) => {
        const clone = request.clone();
        Object.assign(request, { cloned: await clone.clone().text() });
        assertEquals(await clone.text(), await request.text());
        return await next();
      },
    ],
  });
  await using server = await application.serve();
  for (const size of [0, 50, 51]) {
    const text = "a".repeat(size);
    for (const body of [text, chunked(text)]) {
      const response = await fetch(server.url("/api"), {
        method: "POST",
        body,
      });
      if (size > 50) {
        assertEquals(response.status, 413);
        await response.body?.cancel();
      } else {
        assertEquals(await response.json(), [text, text]);
      }
    }
  }
});
