import { errorResponse, type Middleware } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import type { CommonOptions } from "@bough/framework/types";
import { idempotent, memoryStore } from "@bough/framework/protect";
import { assert, assertEquals } from "@std/assert";
import { createMiddleware } from "hono/factory";
import {
  brotliCompressSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { within } from "../../support/until.ts";
import { throwing } from "./support.ts";

/** Another server, whose responses a handler passes on. */
const ORIGIN = TestApplication.of({
  "text/route.ts": { GET: () => new Response("from afar") },
  "away/route.ts": {
    GET: () => Response.redirect("http://example.com/", 307),
  },
  "empty/route.ts": { GET: () => new Response(null, { status: 204 }) },
});

/** Middleware that adds a header to the response. */
const marking = (value: string): Middleware => async (request, next) => {
  const response = await next().catch((error) => errorResponse(error, request));
  response.headers.append("x-mark", value);
  return response;
};

const mark = marking("own");
const honoMark = honoMiddleware(createMiddleware(async (context, next) => {
  await next();
  context.res.headers.append("x-mark", "hono");
}));
const honoSet = honoMiddleware(createMiddleware(async (context, next) => {
  context.header("x-early", "1");
  await next();
}));

Deno.test("middleware can set headers of every response of next(), even of an immutable one (behaviour 8.7)", async () => {
  await using origin = await ORIGIN.serve();
  type Given = { readonly params: Readonly<Record<string, string>> };
  const create = async ({ params: { kind } }: Given) => {
    if (kind === "redirect") return Response.redirect("http://example.com/");
    return await fetch(origin.url(`/api/${kind}`), { redirect: "manual" });
  };
  const fail = async (request: Given) => {
    throw await create(request);
  };
  const GET = () => new Response();
  const files: Readonly<Record<string, TestModule>> = {
    "[kind]/returned/route.ts": { GET: create },
    "[kind]/thrown/route.ts": { GET: fail },
    "[kind]/middleware-returns/route.ts": { GET },
    "[kind]/middleware-returns/middleware.ts": { default: create },
    "[kind]/middleware-throws/route.ts": { GET },
    "[kind]/middleware-throws/middleware.ts": { default: fail },
  };
  const sendings = ["returned", "thrown"]
    .concat("middleware-returns", "middleware-throws");
  for (
    const [marks, ...middleware] of [
      ["own", mark],
      ["hono", honoMark],
      ["own, hono, own", honoSet, mark, honoMark, mark],
    ] as const
  ) {
    const application = TestApplication.of(files, { middleware });
    await using server = await application.serve();
    for (const kind of ["redirect", "text", "away", "empty"]) {
      for (const sending of sendings) {
        const url = server.url(`/api/${kind}/${sending}`);
        const response = await fetch(url, { redirect: "manual" });
        const text = await response.text();
        assert(response.status < 400, `${url}: ${text}`);
        assertEquals(response.headers.get("x-mark"), marks, url);
      }
    }
  }
});

Deno.test({
  name: "a proxied response is freed if middleware fails afterwards",
  sanitizeResources: true,
  async fn() {
    using _log = new CapturedLog();
    await using origin = await ORIGIN.serve();
    const application = TestApplication.of({
      "route.ts": { GET: () => fetch(origin.url("/api/text")) },
    }, {
      middleware: [
        async (_request, next) => {
          await next();
          throw new Error("after");
        },
        async (_request, next) => {
          await next();
          return undefined as unknown as Response;
        },
      ],
    });
    const response = await application.fetch("/api");
    assertEquals(response.status, 500);
    await response.body?.cancel();
  },
});

/** Middleware that calls a function with the response of `next()`. */
const after =
  (then: (response: Response) => Response): Middleware =>
  async (_request, next) => then(await next());

/** Middleware that replaces the stream of a response. */
const REPLACEMENTS: Readonly<Record<string, Middleware>> = {
  "returns a text": after(() => new Response("other")),
  "returns no body": after(() => new Response(null, { status: 304 })),
  "returns another stream": after(() =>
    new Response(ReadableStream.from([new Uint8Array(9)]))
  ),
  "throws": after(() => {
    throw new Error("after");
  }),
  "throws another response": after(() => {
    throw new Response("other");
  }),
  "responds before next() does": (_request, next) => {
    next();
    return new Response("other");
  },
  "fails before next() does": (_request, next) => {
    next();
    throw new Error("too late");
  },
  "of Hono replaces it": honoMiddleware(
    createMiddleware(async (context, next) => {
      await next();
      context.res = undefined;
      context.res = new Response("other");
    }),
  ),
};

/** An application with a folder for each middleware. */
function folderEach(
  middleware: Readonly<Record<string, Middleware>>,
  GET: () => Response | Promise<Response>,
): TestApplication {
  return TestApplication.of(Object.fromEntries(
    Object.values(middleware).flatMap((each, index) => [
      [`${index}/middleware.ts`, { default: each }] as const,
      [`${index}/route.ts`, { GET }] as const,
    ]),
  ));
}

for (const type of ["text/plain", "text/event-stream"]) {
  Deno.test(`if middleware replaces a response, the stream of the handler is cancelled (behaviour 10.3, ${type})`, async () => {
    using _log = new CapturedLog();
    let cancelled = Promise.withResolvers<void>();
    const application = folderEach(REPLACEMENTS, async () => {
      await new Promise((resolve) => setTimeout(resolve));
      const body = new ReadableStream({
        cancel: () => cancelled.resolve(),
      }, { highWaterMark: 0 });
      return new Response(body, { headers: { "content-type": type } });
    });
    await using server = await application.serve();
    for (const [index, name] of Object.keys(REPLACEMENTS).entries()) {
      cancelled = Promise.withResolvers<void>();
      const response = await fetch(server.url(`/api/${index}`));
      await response.body?.cancel();
      await within(cancelled.promise).catch(() => {
        throw new Error(`middleware ${name}, and the stream goes on`);
      });
    }
  });
}

/** Middleware that returns another response with the same stream. */
const READINGS: Readonly<Record<string, Middleware>> = {
  "returns a copy": after((response) => new Response(response.body, response)),
  "throws a copy": after((response) => {
    throw new Response(response.body, response);
  }),
  "returns a clone": after((response) => response.clone()),
  "keeps a response, and returns a clone": async (_request, next) => {
    const response = KEPT.at(-1) ?? await next();
    KEPT.push(response);
    return response.clone();
  },
  "pipes it": after(({ body }) =>
    new Response(body!.pipeThrough(new TransformStream()))
  ),
  "reads it from a generator, while the client reads": after(({ body }) =>
    new Response(
      ReadableStream.from((async function* () {
        await new Promise((resolve) => setTimeout(resolve, 5));
        yield* body!;
      })()),
    )
  ),
  "reads it after next(), in the background": (_request, next) => {
    const text = next().then((response) => response.text());
    return new Response(
      ReadableStream.from((async function* () {
        yield new TextEncoder().encode(await text);
      })()),
    );
  },
};

const KEPT: Response[] = [];

Deno.test("if middleware reads or copies a response, the stream of the handler is sent (behaviour 10.3)", async () => {
  const application = folderEach(
    READINGS,
    () => new Response(new Blob(["from ", "afar"]).stream()),
  );
  await using server = await application.serve();
  for (const [index, name] of Object.keys(READINGS).entries()) {
    for (const _visit of [1, 2]) {
      const served = await fetch(server.url(`/api/${index}`));
      assertEquals(await served.text(), "from afar", name);
      const called = await application.fetch(`/api/${index}`);
      assertEquals(await called.text(), "from afar", name);
    }
  }
});

Deno.test("headers of one request are absent from another if a handler sends one response twice (behaviour 8.7)", async () => {
  const done = new Response(null, { headers: { "x-done": "yes" } });
  let visit = 0;
  const setCookie: Middleware = async (request, next) => {
    const response = await next().catch((error) =>
      errorResponse(error, request)
    );
    response.headers.append("set-cookie", `visit=${++visit}`);
    return response;
  };
  const application = TestApplication.of({
    "route.ts": { GET: () => done },
    "thrown/route.ts": throwing(() => done),
  }, { middleware: [setCookie] });
  for (const path of ["/api", "/api", "/api/thrown", "/api/thrown"]) {
    const { headers } = await application.fetch(path);
    assertEquals(headers.getSetCookie(), [`visit=${visit}`], path);
    assertEquals(headers.get("x-done"), "yes");
  }
  assertEquals(done.headers.getSetCookie(), []);
});

const TEXT = "It was the best of times, it was the worst of times. ".repeat(3);

/** The compressed text by encoding; `fetch()` decodes the first two alone. */
const ENCODED: Readonly<Record<string, Uint8Array>> = {
  gzip: gzipSync(TEXT),
  br: brotliCompressSync(TEXT),
  deflate: deflateSync(TEXT),
  zstd: zstdCompressSync(TEXT),
};

/** Another server, which compresses. */
const COMPRESSING = TestApplication.of(Object.fromEntries(
  Object.entries(ENCODED).map(([encoding, bytes]) => {
    const headers = {
      "content-encoding": encoding,
      "content-type": "text/plain",
    };
    const send = () => new Response(bytes.slice(), { headers });
    return [`${encoding}/route.ts`, { GET: send, POST: send }];
  }),
));

interface Copying extends CommonOptions {
  /** The schema of `GET` and `POST`. */
  readonly schema?: object;
  /** Handles the response of `fetch()`. */
  readonly handle?: (response: Response) => Response | Promise<Response>;
}

const identity: Middleware = (_request, next) => next();
const middleware = [marking("1")];

/** The ways in which a response of `fetch()` is copied. */
const COPIES: Readonly<Record<string, Copying>> = {
  "nothing": {},
  "middleware that sets a header": { middleware },
  "several middleware": { middleware: [mark, honoMark, honoSet, identity] },
  "middleware that clones": {
    middleware: [after((response) => response.clone())],
  },
  "middleware that copies by hand": {
    middleware: [after((response) => new Response(response.body, response))],
  },
  "idempotent()": { middleware: [idempotent({ store: memoryStore() })] },
  "serverTiming": { serverTiming: true },
  "a deprecated method": { schema: { deprecated: { since: "2026-01-01" } } },
  "validateResponses and middleware": {
    validateResponses: true,
    schema: { response: { 200: z.string() } },
    middleware,
  },
  "a handler that throws it": {
    handle: (response) => {
      throw response;
    },
    middleware,
  },
  "onError": {
    handle: (response) => {
      throw Object.assign(new Error("passed on"), { response });
    },
    onError: (error) => (error as { response: Response }).response,
    middleware,
  },
  "another application": {
    handle: (response) =>
      TestApplication.of({ "route.ts": { GET: () => response } }, {
        middleware: [identity],
      }).fetch("/api"),
    middleware: [identity],
  },
};

const LATIN = new TextDecoder("latin1");

/** The status, some headers and the body that a client gets which decodes nothing. */
async function received(
  url: string,
  { method, client }: { method: string; client: Deno.HttpClient },
): Promise<unknown[]> {
  const headers = {
    "accept-encoding": "identity",
    ...(method === "POST" ? { "idempotency-key": crypto.randomUUID() } : {}),
  };
  const response = await fetch(url, { method, client, headers });
  return [
    response.status,
    ...["encoding", "length", "type"]
      .map((name) => response.headers.get(`content-${name}`)),
    LATIN.decode(await response.bytes()),
  ];
}

for (const [name, copying] of Object.entries(COPIES)) {
  Deno.test(`after ${name}, a response of fetch() has the headers of its body (behaviour 8.7)`, async () => {
    await using origin = await COMPRESSING.serve();
    const { schema, handle = (response) => response, ...options } = copying;
    const GET = async ({ url, method }: Request) => {
      const { pathname, search } = new URL(url);
      const init = search === "?same" ? { method } : {};
      return await handle(await fetch(origin.url(pathname), init));
    };
    const application = TestApplication.of({
      "[encoding]/route.ts": {
        GET,
        POST: GET,
        ...(schema && { schema: { get: schema, post: schema } }),
      },
    }, options);
    await using server = await application.serve();
    for (const http1 of [true, false]) {
      using client = Deno.createHttpClient({ http1, http2: !http1 });
      for (const [encoding, bytes] of Object.entries(ENCODED)) {
        const isDecoded = encoding === "gzip" || encoding === "br";
        const head = isDecoded
          ? [200, null, null, "text/plain"]
          : [200, encoding, `${bytes.length}`, "text/plain"];
        const body = isDecoded ? TEXT : LATIN.decode(bytes);
        const url = server.url(`/api/${encoding}`);
        for (
          const [method, search] of [
            ["GET", ""],
            ["POST", ""],
            ["HEAD", ""],
            ["HEAD", "?same"],
          ] as const
        ) {
          assertEquals(
            await received(url + search, { method, client }),
            [...head, method === "HEAD" ? "" : body],
            `${method} ${encoding}${search} HTTP/${http1 ? 1 : 2}`,
          );
        }
      }
    }
  });
}
