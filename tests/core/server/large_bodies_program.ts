/** An application whose query says which part of it reads the body, and how. */
import { Framework, type FrameworkRequest } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import type { Context } from "hono";
import { z } from "zod";

async function read(
  request: Request,
  next?: () => Promise<Response>,
): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const body = searchParams.get("way") === "clone" ? request.clone() : request;
  const reader = searchParams.get("reader");
  if (reader !== null) await body[reader as "text"]();
  return next === undefined ? new Response() : await next();
}

const bridge = honoMiddleware(async (c: Context, next: () => Promise<void>) => {
  await c.req.text();
  await next();
});

const app = new Framework({
  middleware: [
    (request, next) =>
      request.url.includes("way=middleware") ? read(request, next) : next(),
    (request, next) =>
      request.url.includes("way=bridge") ? bridge(request, next) : next(),
  ],
  onNotFound: (request) =>
    request.url.includes("way=missing") ? read(request) : undefined,
  manifest: {
    "read/route.ts": { POST: (request: FrameworkRequest) => read(request) },
    "checked/route.ts": {
      schema: { post: { body: z.unknown() } },
      POST: () => new Response(),
    },
    "guarded/middleware.ts": { default: read },
    "guarded/route.ts": { GET: () => new Response() },
    "memory/route.ts": { GET: () => Response.json(Deno.memoryUsage().rss) },
  },
});
await app.serve({ hostname: "127.0.0.1", port: 0 });
