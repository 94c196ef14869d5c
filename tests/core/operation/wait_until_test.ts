/** Work that continues after the response (behaviour 6.6). */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type {
  FrameworkRequest,
  Middleware,
  MiddlewareRequest,
  Plugin,
} from "@bough/framework";
import { workOf } from "../../../src/core/request/record.ts";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";

/** Lets promises that have settled call their listeners. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** The first lines of the log during a call. */
async function logOf(run: () => Promise<unknown>): Promise<string[]> {
  using log = new CapturedLog();
  await run();
  await turn();
  return log.lines.map((line) => line.split("\n")[0]!);
}

/** A route file whose `POST` passes a promise to `waitUntil()`. */
function passing(make: () => unknown): TestModule {
  return {
    POST: (request) => {
      request.waitUntil(make() as Promise<unknown>);
      return new Response("taken");
    },
  };
}

/** A handler whose work waits for the first promise, and then adds the second. */
const inTurn =
  ([first, second]: readonly PromiseWithResolvers<void>[]) =>
  (request: Pick<FrameworkRequest, "waitUntil">) => {
    request.waitUntil(
      first!.promise.then(() => request.waitUntil(second!.promise)),
    );
    return new Response();
  };

const POST = { method: "POST" };

const REJECTED = "a promise of waitUntil() was rejected: Error: no mail";

function fail(): Promise<never> {
  return Promise.reject(new Error("no mail"));
}

Deno.test("a rejection is logged once, with its place and without onError (behaviour 6.6)", async () => {
  const errors: unknown[] = [];
  const GET = (request: MiddlewareRequest) => {
    request.waitUntil(fail());
    return new Response();
  };
  const plugin: Plugin = {
    name: "mail",
    routes: () => [{ path: "/mail", handlers: { GET } }],
  };
  const middleware: Middleware = (request, next) => {
    if (request.headers.has("x-fail")) request.waitUntil(fail());
    return next();
  };
  const application = TestApplication.of({
    "route.ts": { GET: () => new Response() },
    "orders/[id]/route.ts": passing(fail),
  }, {
    middleware: [middleware],
    plugins: [plugin],
    onError: (error) => void errors.push(error),
  });
  const headers = { "x-fail": "" };
  for (
    const [path, init, status, place] of [
      [
        "/api/orders/1",
        POST,
        200,
        "POST /api/orders/[id] (orders/[id]/route.ts)",
      ],
      ["/api", { method: "HEAD", headers }, 200, "HEAD /api (route.ts)"],
      ["/api/none", { headers }, 404, "GET no route (option middleware)"],
      ["/mail", {}, 200, "GET /mail (plugin mail)"],
    ] as const
  ) {
    const lines = await logOf(async () => {
      assertEquals((await application.fetch(path, init)).status, status, path);
    });
    assertEquals(lines, [`[bough] ${place}: ${REJECTED}`]);
  }
  assertEquals(errors, []);
});

Deno.test("the response does not wait for work; workOf() does, and waits for work that work adds (behaviour 6.6)", async () => {
  const gates = [0, 1].map(() => Promise.withResolvers<void>());
  let late: FrameworkRequest;
  const application = TestApplication.of({
    "route.ts": {
      POST(given) {
        late = given as unknown as FrameworkRequest;
        return inTurn(gates)(late);
      },
    },
  });
  const request = new Request("http://localhost/api", POST);
  await application.app.fetch(request);
  let hasEnded = false;
  const waiting = workOf(request).then(() => hasEnded = true);
  await turn();
  assertEquals(hasEnded, false);
  gates[0]!.resolve();
  await turn();
  assertEquals(hasEnded, false);
  gates[1]!.resolve();
  await waiting;
  await workOf(new Request("http://localhost/api"));
  assertEquals(await logOf(() => Promise.resolve(late.waitUntil(fail()))), [
    `[bough] POST /api (route.ts): ${REJECTED}`,
  ]);
});

Deno.test("waitUntil() throws for a value that is not a promise (behaviour 6.6)", async () => {
  for (
    const [what, value] of [
      ["a function", fail],
      ["undefined", undefined],
      ["an object", { then: 1 }],
    ] as const
  ) {
    const application = TestApplication.of({
      "route.ts": passing(() => value),
    });
    const [line = ""] = await logOf(async () => {
      assertEquals((await application.fetch("/api", POST)).status, 500);
    });
    assertStringIncludes(
      line,
      `TypeError: waitUntil() received ${what}, which is not a promise; call the function, as in request.waitUntil(send())`,
    );
  }
});

Deno.test("shutdown and finished of a server wait for work, which may add more, even of a nested application (behaviour 6.6, 9.5)", async () => {
  for (const isNested of [false, true]) {
    const gates = [0, 1].map(() => Promise.withResolvers<void>());
    const inner = TestApplication.of({
      "inner/route.ts": {
        POST(request) {
          request.waitUntil(fail());
          return inTurn(gates)(request);
        },
      },
    });
    const outer = TestApplication.of({
      "[...]/route.ts": { POST: (request) => inner.app.fetch(request) },
    });
    const lines = await logOf(async () => {
      const { server, port } = await (isNested ? outer : inner).serve();
      const url = `http://127.0.0.1:${port}/api/inner`;
      await fetch(url, POST).then((response) => response.text());
      const ended: string[] = [];
      const endings = [
        server.shutdown().then(() => ended.push("shutdown")),
        server.finished.then(() => ended.push("finished")),
      ];
      gates[0]!.resolve();
      for (let count = 0; count < 20; count++) await turn();
      assertEquals(ended, [], `is nested: ${isNested}`);
      gates[1]!.resolve();
      await Promise.all(endings);
    });
    const place = "POST /api/inner (inner/route.ts)";
    assertEquals(lines, [`[bough] ${place}: ${REJECTED}`]);
  }
});

Deno.test("a server whose signal aborts does not wait for work (behaviour 9.5)", async () => {
  const application = TestApplication.of({
    "route.ts": passing(() => new Promise(() => {})),
  });
  const aborter = new AbortController();
  const { server, url } = await application.serve({ signal: aborter.signal })
    .then((each) => ({ server: each.server, url: each.url("/api") }));
  await fetch(url, POST).then((response) => response.text());
  aborter.abort();
  await server.finished;
});
