/** An application whose routes respond in every way that Bough supports. */
import {
  Framework,
  type FrameworkRequest,
  HttpError,
  type Middleware,
  type MiddlewareRequest,
} from "@bough/framework";
import { socket } from "@bough/framework/live";
import { file } from "@bough/framework/uploads";
import { z } from "zod";
import type { TestModule } from "../../support/application.ts";

const book = z.object({ title: z.string(), cents: z.int().optional() });

/** A stream with one chunk for each part, in separate turns of the event loop. */
export function slowly(parts: readonly string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from((async function* () {
    for (const part of parts) {
      await new Promise((go) => setTimeout(go));
      yield new TextEncoder().encode(part);
    }
  })());
}

function failing(): ReadableStream<Uint8Array> {
  let count = 0;
  return new ReadableStream({
    pull(controller) {
      if (count++ < 2) controller.enqueue(new TextEncoder().encode("part"));
      else controller.error(new Error("The stream failed"));
    },
  });
}

async function sizeOf(stream: ReadableStream<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of stream) size += chunk.length;
  return size;
}

const used = new Response("used");
await used.text();

const stamp: Middleware = async (_request, next) => {
  const response = await next();
  const copy = new Response(response.body, response);
  copy.headers.set("x-stamp", "1");
  return copy;
};

/** The responses to `GET`, by the last part of the path. */
const GETS: Readonly<
  Record<string, (request: FrameworkRequest & Request) => unknown>
> = {
  "json": () => Response.json({ id: 7, name: "Ada" }),
  "json-headers": () =>
    Response.json({ id: 7 }, { status: 201, headers: { location: "/x" } }),
  "text": () => new Response("Grüße"),
  "empty": () => new Response(""),
  "bytes": () => new Response(new Uint8Array(70_000).fill(1)),
  "long": () => new Response("ä".repeat(100_000)),
  "null": () => new Response(null, { headers: { "x-a": "1" } }),
  "no-content": () => new Response(null, { status: 204 }),
  "not-modified": () =>
    new Response(null, { status: 304, headers: { etag: '"1"' } }),
  "cookies": () =>
    new Response("ok", {
      headers: [["set-cookie", "a=1"], ["set-cookie", "b=2"], ["X-B", "2"]],
    }),
  "redirect": () => Response.redirect("http://localhost/api/get/json", 303),
  "blob": () => new Response(new Blob(["a blob"], { type: "text/csv" })),
  "params": () => new Response(new URLSearchParams({ a: "1" })),
  "stream": () => new Response(slowly(["one", "two", "three"])),
  "stream-length": () =>
    new Response(slowly(["one"]), { headers: { "content-length": "3" } }),
  "stream-headers": () =>
    new Response(slowly(["one", "two"]), {
      status: 203,
      statusText: "Fine",
      headers: [
        ["x-b", "2"],
        ["X-A", "1"],
        ["set-cookie", "a=1"],
        ["x-b", "3"],
        ["set-cookie", "b=2"],
      ],
    }),
  "big-stream": () =>
    new Response(slowly(Array(20).fill("x".repeat(64 * 1024)))),
  "failing": () => new Response(failing()),
  "strings": () => new Response(ReadableStream.from(["text"]) as never),
  "detached": () => {
    const chunk = new Uint8Array(3);
    const body = ReadableStream.from([new Uint8Array(2).fill(65), chunk]);
    chunk.buffer.transfer();
    return new Response(body);
  },
  "undefined": () => new Response(ReadableStream.from([undefined]) as never),
  "events": () =>
    new Response(slowly(["data: 1\n\n", "event: b\ndata: 2\n", "\n"]), {
      headers: { "content-type": "text/event-stream" },
    }),
  "touched": () => {
    const response = Response.json({ touched: true });
    assertBody(response.body);
    return response;
  },
  "touched-headers": () => {
    const response = new Response("touched", { headers: { "x-a": "1" } });
    assertBody(response.body);
    response.headers.set("x-b", "2");
    return response;
  },
  "copied": () => {
    const response = Response.json({ copied: true });
    return new Response(response.body, response);
  },
  "cloned": () => Response.json({ cloned: true }).clone(),
  "file": async () =>
    new Response((await Deno.open(new URL(import.meta.url))).readable),
  "fetched": ({ headers }) => fetch(headers.get("x-upstream")!),
  "fetched-body": async ({ headers }) =>
    new Response((await fetch(headers.get("x-upstream")!)).body),
  "fetched-copy": async ({ headers }) => {
    const response = await fetch(headers.get("x-upstream")!);
    return new Response(response.body, response);
  },
  "fetched-gzip": ({ headers }) => fetch(`${headers.get("x-upstream")}/gzip`),
  "fetched-gzip-cloned": async ({ headers }) => {
    const response = await fetch(`${headers.get("x-upstream")}/gzip`);
    return response.clone();
  },
  "gzip-through": async ({ headers }) => {
    const response = await fetch(`${headers.get("x-upstream")}/gzip`);
    const through = new TransformStream<Uint8Array, Uint8Array>();
    return new Response(response.body!.pipeThrough(through), response);
  },
  "error": () => {
    throw new Error("Something is wrong");
  },
  "http-error": () => {
    throw new HttpError(429, "Too fast", { headers: { "retry-after": "1" } });
  },
  "thrown-response": () => {
    throw new Response("thrown", { status: 418 });
  },
  "thrown-text": () => {
    throw "a text";
  },
  "error-response": () => Response.error(),
  "used": () => used,
  "nothing": () => undefined,
  "body": ({ body, bodyUsed }) => Response.json([body, bodyUsed]),
};

function assertBody(body: unknown): void {
  if (body === null) throw new Error("The response has no body");
}

/** The responses to `POST`, by the last part of the path. */
const POSTS: typeof GETS = {
  "unread": () => new Response("unread", { status: 401 }),
  "text": async (request) => new Response(await request.text()),
  "json": async (request) => Response.json(await request.json()),
  "bytes": async (request) => new Response(await request.bytes()),
  "looked": async (request) => {
    const looked = [request.body?.locked, request.bodyUsed];
    return Response.json([...looked, await request.text(), request.bodyUsed]);
  },
  "stream": async ({ body }) => new Response(`${await sizeOf(body!)}`),
  "clone": async (request) => {
    const copy = request.clone();
    return Response.json([
      await copy.text(),
      await request.text(),
      copy.signal.aborted,
    ]);
  },
  "echo": ({ body }) => new Response(body),
  "proxy": ({ headers, method, body }) =>
    fetch(headers.get("x-upstream")!, { method, body }),
  "passed": (request) =>
    fetch(new Request(request.headers.get("x-upstream")!, request)),
};

function routes(): Readonly<Record<string, TestModule>> {
  const by = (
    handlers: typeof GETS,
  ): (request: MiddlewareRequest) => unknown =>
  (request) => handlers[request.params.name!]!(request as never);
  return {
    "get/[name]/route.ts": { GET: by(GETS) },
    "post/[name]/route.ts": {
      POST: by(POSTS),
      PUT: by(POSTS),
      DELETE: by(POSTS),
    },
    "stamped/[name]/middleware.ts": { default: stamp },
    "stamped/[name]/route.ts": { GET: by(GETS), POST: by(POSTS) },
    "books/route.ts": {
      schema: {
        get: { query: z.object({ page: z.coerce.number().int() }) },
        post: { body: book },
      },
      GET: ({ validated }) => Response.json(validated.query),
      POST: ({ validated }) => Response.json(validated.body, { status: 201 }),
    },
    "upload/route.ts": {
      schema: { put: { body: file({ maxSize: 100_000, pause: 200 }) } },
      async PUT({ validated }) {
        return new Response(`${await sizeOf(validated.body.stream)}`);
      },
    },
    "socket/route.ts": {
      GET: (request) =>
        socket(request, {
          message: (value, socket) => socket.send(value),
        }),
    },
    "plain-socket/route.ts": {
      GET(request) {
        const { socket, response } = Deno.upgradeWebSocket(request);
        socket.onmessage = ({ data }) => socket.send(data);
        return response;
      },
    },
  };
}

/** Creates the application. */
export function variedApplication(): Framework {
  const limits = { bodyLimit: 100_000, bodyTimeout: 500 };
  return new Framework({ manifest: routes(), ...limits });
}
