import { type ErrorHandler, errorResponse, HttpError } from "@bough/framework";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CapturedLog, TestApplication } from "../../support/application.ts";
import { INTERNAL, throwing } from "./support.ts";

const FAILING = {
  "error/route.ts": throwing(() => new Error("secret")),
  "http/route.ts": throwing(() => new HttpError(403)),
};

/** Handlers, the responses to an error and to an HttpError with 403, and the lines in the log. */
const HANDLERS: Readonly<
  Record<
    string,
    readonly [ErrorHandler, error: string, http: string, logged: number]
  >
> = {
  "responds": [
    async (error, request) => {
      await Promise.resolve();
      const { name } = error as Error;
      return new Response(`${name} ${new URL(request.url).pathname}`);
    },
    "200 Error /api/error",
    "200 HttpError /api/http",
    0,
  ],
  "returns nothing": [
    () => {},
    `500 ${JSON.stringify(INTERNAL)}`,
    '403 {"type":"about:blank","title":"Forbidden","status":403}',
    1,
  ],
  "calls errorResponse()": [
    (error, request) =>
      errorResponse(
        error instanceof HttpError ? error : new HttpError(410),
        request,
      ),
    '410 {"type":"about:blank","title":"Gone","status":410}',
    '403 {"type":"about:blank","title":"Forbidden","status":403}',
    0,
  ],
  ...Object.fromEntries(
    [
      throwing(() => new Error("onError broke")).GET!,
      () => Promise.reject(new Error("onError broke")),
      () => "text" as unknown as Response,
    ].map((handler, index) => [`fails in way ${index}`, [
      handler as ErrorHandler,
      `500 ${JSON.stringify(INTERNAL)}`,
      `500 ${JSON.stringify(INTERNAL)}`,
      4,
    ]]),
  ),
};

for (const [what, [handler, error, http, logged]] of Object.entries(HANDLERS)) {
  Deno.test(`onError gets the error and the request, and ${what} (behaviour 8.3)`, async () => {
    using log = new CapturedLog();
    let calls = 0;
    const application = TestApplication.of(FAILING, {
      onError: (error, request) => {
        calls++;
        return handler(error, request);
      },
    });
    for (const [path, expected] of [["error", error], ["http", http]]) {
      const response = await application.fetch(`/api/${path}`);
      assertEquals(`${response.status} ${await response.text()}`, expected);
    }
    assertEquals([calls, log.lines.length], [2, logged]);
    if (logged > 0) assertStringIncludes(log.lines[0]!, "secret");
  });
}

Deno.test("onNotFound may respond to paths without a route (behaviour 8.3)", async () => {
  using log = new CapturedLog();
  const application = TestApplication.of(FAILING, {
    onNotFound: (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/throws") throw new HttpError(410, "Gone for good");
      if (pathname === "/breaks") throw new Error("secret");
      if (pathname === "/mine") return new Response("mine", { status: 444 });
    },
  });
  for (
    const [path, status, logged, method = "GET"] of [
      ["/mine", 444, 0],
      ["/other", 404, 0],
      ["/throws", 410, 0],
      ["/api/http", 405, 0, "POST"],
      ["/breaks", 500, 1],
    ] as const
  ) {
    const response = await application.fetch(path, { method });
    assertEquals([response.status, log.lines.length], [status, logged], path);
  }
});

Deno.test("option middleware gets an error of onNotFound, and the log names onNotFound (behaviour 8.2, 10.3)", async () => {
  using log = new CapturedLog();
  const application = TestApplication.of(FAILING, {
    onNotFound: () => {
      throw new HttpError(410);
    },
    middleware: [async (request, next) => {
      const { status } = await next().catch((error) => error);
      return await errorResponse(new Error(`after ${status}`), request);
    }],
  });
  assertEquals((await application.fetch("/api/none")).status, 500);
  const message = "GET no route (onNotFound) failed: Error: after 410";
  assertStringIncludes(log.lines.at(-1)!, message);
});

Deno.test("after another application handled a request, its errors belong to the first (behaviour 8.2)", async () => {
  using log = new CapturedLog();
  const seen: string[] = [];
  const inner = TestApplication.of(
    { "route.ts": { GET: () => new Response() } },
    { onError: () => void seen.push("inner") },
  );
  const passOn = async (request: Request) => {
    await inner.app.fetch(request);
    throw new Error("afterwards");
  };
  const outer = TestApplication.of({
    "middleware.ts": {
      default: (request, next) =>
        next().catch((error) => errorResponse(error, request)),
    },
    "route.ts": { GET: passOn, HEAD: passOn },
  }, { onError: () => void seen.push("outer") });
  for (const method of ["GET", "HEAD"]) {
    assertEquals((await outer.fetch("/api", { method })).status, 500);
    assertEquals(seen.splice(0), ["outer"]);
    assert(log.lines.splice(0).every((line) => line.includes("afterwards")));
  }
});
