import { errorResponse, HttpError } from "@bough/framework";
import { assert, assertEquals } from "@std/assert";
import { CapturedLog, TestApplication } from "../../support/application.ts";
import { INTERNAL, throwing } from "./support.ts";

const FAILING = {
  "error/route.ts": throwing(() => new Error("secret")),
  "http/route.ts": throwing(() => new HttpError(403)),
};

Deno.test("onError gets the error and the request, and may respond (behaviour 8.3)", async () => {
  using log = new CapturedLog();
  const seen: unknown[] = [];
  const application = TestApplication.of(FAILING, {
    onError: async (error, request) => {
      await Promise.resolve();
      seen.push((error as Error).name, new URL(request.url).pathname);
      return new Response("mine", { status: 503 });
    },
  });
  for (const path of ["/api/error", "/api/http"]) {
    const response = await application.fetch(path);
    assertEquals([response.status, await response.text()], [503, "mine"]);
  }
  assertEquals(seen, ["Error", "/api/error", "HttpError", "/api/http"]);
  assertEquals(log.lines, []);
});

Deno.test("if onError returns nothing, Bough responds and logs the error (behaviour 8.3)", async () => {
  using log = new CapturedLog();
  const application = TestApplication.of(FAILING, { onError: () => {} });
  assertEquals(await (await application.fetch("/api/error")).json(), INTERNAL);
  assertEquals((await application.fetch("/api/http")).status, 403);
  assertEquals(log.lines.length, 1);
});

Deno.test("within onError, errorResponse() returns the response of Bough (behaviour 8.3)", async () => {
  using log = new CapturedLog();
  let calls = 0;
  const application = TestApplication.of(FAILING, {
    onError: (error, request) => {
      calls++;
      const shown = error instanceof HttpError ? error : new HttpError(500);
      return errorResponse(shown, request);
    },
  });
  assertEquals(await (await application.fetch("/api/error")).json(), INTERNAL);
  assertEquals((await application.fetch("/api/http")).status, 403);
  assertEquals(calls, 2);
  assertEquals(log.lines, []);
});

Deno.test("if onError fails, Bough responds with 500 and logs both errors (behaviour 8.3)", async () => {
  for (
    const onError of [
      () => {
        throw new Error("onError broke");
      },
      () => Promise.reject(new Error("onError broke")),
      () => "text" as unknown as Response,
    ]
  ) {
    using log = new CapturedLog();
    const application = TestApplication.of(FAILING, { onError });
    const response = await application.fetch("/api/error");
    assertEquals(response.status, 500);
    assertEquals(await response.json(), INTERNAL);
    assertEquals(log.lines.length, 2);
    assert(log.lines[0]!.includes("secret"), log.lines[0]);
  }
});

Deno.test("onNotFound may respond to paths without a route (behaviour 8.3)", async () => {
  using log = new CapturedLog();
  const application = TestApplication.of(FAILING, {
    onNotFound: (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/throws") throw new HttpError(410, "Gone for good");
      if (pathname === "/breaks") throw new Error("secret");
      if (pathname === "/mine") return new Response("mine", { status: 404 });
    },
  });
  assertEquals(await (await application.fetch("/mine")).text(), "mine");
  assertEquals((await application.fetch("/other")).status, 404);
  assertEquals((await application.fetch("/throws")).status, 410);
  assertEquals(log.lines, []);
  assertEquals((await application.fetch("/breaks")).status, 500);
  assertEquals(log.lines.length, 1);
  assertEquals(
    (await application.fetch("/api/http", { method: "POST" })).status,
    405,
  );
});

Deno.test("next() of option middleware rejects with an error of onNotFound (behaviour 10.3)", async () => {
  const application = TestApplication.of(FAILING, {
    onNotFound: () => {
      throw new HttpError(410);
    },
    middleware: [
      (_, next) => next().catch((error) => new Response(error.status)),
    ],
  });
  assertEquals(await (await application.fetch("/none")).text(), "410");
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

Deno.test("the log names onNotFound for a path without a route, as it names a route file (behaviour 8.2)", async () => {
  using log = new CapturedLog();
  const application = TestApplication.of(FAILING, {
    onNotFound: () => new Response(),
    middleware: [async (request, next) => {
      await next();
      return await errorResponse(new Error("later"), request);
    }],
  });
  assertEquals((await application.fetch("/api/none")).status, 500);
  assert(log.lines.at(-1)!.includes("GET no route (onNotFound) failed"));
});
