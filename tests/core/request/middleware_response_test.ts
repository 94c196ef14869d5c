import { errorResponse, type Middleware } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import { assert, assertEquals } from "@std/assert";
import { createMiddleware } from "hono/factory";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
  type TestServer,
} from "../../support/application.ts";
import { firstMessage } from "./support.ts";

/** Another server, whose responses a handler passes on. */
const ORIGIN = TestApplication.of({
  "route.ts": { GET: () => new Response("from afar") },
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

Deno.test("middleware can set headers of every response of next() (behaviour 8.7)", async () => {
  await using origin = await ORIGIN.serve();
  const application = TestApplication.of({
    "middleware.ts": { default: marking("1") },
    "redirect/route.ts": {
      GET: () => Response.redirect("http://example.com/", 303),
    },
    "proxy/route.ts": { GET: () => fetch(origin.url("/api")) },
    "own/middleware.ts": { default: marking("1") },
    "own/route.ts": { GET: () => new Response("own") },
    "socket/route.ts": {
      GET(request) {
        const { socket, response } = Deno.upgradeWebSocket(request);
        socket.onopen = () => socket.send("open");
        return response;
      },
    },
  });
  await using server = await application.serve();
  for (
    const [path, status, marks, body] of [
      ["redirect", 303, "1", ""],
      ["proxy", 200, "1", "from afar"],
      ["own", 200, "1, 1", "own"],
      ["none", 404, null, undefined],
    ] as const
  ) {
    const url = server.url(`/api/${path}`);
    const response = await fetch(url, { redirect: "manual" });
    const text = await response.text();
    assertEquals(
      [response.status, response.headers.get("x-mark"), text],
      [status, marks, body ?? text],
    );
  }

  assertEquals(await firstMessage(server.url("/api/socket")), "open");
});

/** Creates responses whose headers are immutable. */
const IMMUTABLE: Readonly<
  Record<string, (origin: TestServer) => Response | Promise<Response>>
> = {
  "redirect": () => Response.redirect("http://example.com/", 303),
  "fetched": (origin) => fetch(origin.url("/api")),
  "fetched-redirect": (origin) =>
    fetch(origin.url("/api/away"), { redirect: "manual" }),
  "fetched-empty": (origin) => fetch(origin.url("/api/empty")),
};

type Create = () => Response | Promise<Response>;
const GET = () => new Response();

/** The ways in which a handler or middleware sends a response. */
const SENDINGS: Readonly<
  Record<string, (create: Create) => Record<string, TestModule>>
> = {
  "returned": (create) => ({ "route.ts": { GET: async () => await create() } }),
  "thrown": (create) => ({
    "route.ts": {
      async GET() {
        throw await create();
      },
    },
  }),
  "thrown by middleware": (create) => ({
    "route.ts": { GET },
    "middleware.ts": {
      async default() {
        throw await create();
      },
    },
  }),
  "returned by middleware": (create) => ({
    "route.ts": { GET },
    "middleware.ts": { default: async () => await create() },
  }),
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

for (const [sending, filesOf] of Object.entries(SENDINGS)) {
  Deno.test(`middleware can set headers of a response that is immutable and ${sending} (behaviour 8.7)`, async () => {
    await using origin = await ORIGIN.serve();
    const files = Object.fromEntries(
      Object.entries(IMMUTABLE).flatMap(([folder, create]) =>
        Object.entries(filesOf(() => create(origin))).map(([name, file]) =>
          [`${folder}/${name}`, file] as const
        )
      ),
    );
    for (
      const middleware of [
        [mark],
        [honoMark],
        [mark, honoMark],
        [honoMark, mark],
        [honoSet, mark, honoMark, mark],
      ]
    ) {
      const application = TestApplication.of(files, { middleware });
      await using server = await application.serve();
      const expected = middleware.filter((each) => each !== honoSet)
        .map((each) => each === mark ? "own" : "hono").reverse();
      for (const folder of Object.keys(IMMUTABLE)) {
        const url = server.url(`/api/${folder}`);
        const response = await fetch(url, { redirect: "manual" });
        const text = await response.text();
        assert(response.status < 400, `${folder}: ${text}`);
        const marks = response.headers.get("x-mark");
        assertEquals(marks, expected.join(", "), folder);
      }
    }
  });
}

Deno.test({
  name: "a proxied response is freed if middleware fails afterwards",
  sanitizeResources: true,
  async fn() {
    using _log = new CapturedLog();
    await using origin = await ORIGIN.serve();
    const application = TestApplication.of({
      "route.ts": { GET: () => fetch(origin.url("/api")) },
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

for (const how of ["returns", "throws"] as const) {
  Deno.test(`headers of one request are absent from another if a handler ${how} one response (behaviour 8.7)`, async () => {
    const done = new Response(null, { headers: { "x-done": "yes" } });
    let visit = 0;
    const setCookie: Middleware = async (request, next) => {
      const response = await next().catch((error) =>
        errorResponse(error, request)
      );
      response.headers.append("set-cookie", `visit=${++visit}`);
      return response;
    };
    const POST = () => {
      if (how === "throws") throw done;
      return done;
    };
    const application = TestApplication.of(
      { "orders/route.ts": { POST } },
      { middleware: [setCookie] },
    );
    for (const number of [1, 2]) {
      const { headers } = await application.fetch("/api/orders", {
        method: "POST",
      });
      assertEquals(headers.getSetCookie(), [`visit=${number}`]);
      assertEquals(headers.get("x-done"), "yes");
    }
    assertEquals(done.headers.getSetCookie(), []);
  });
}
