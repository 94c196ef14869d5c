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

const POST = { method: "POST" };

const REJECTED = "a promise of waitUntil() was rejected: Error: no mail";

function fail(): Promise<never> {
  return Promise.reject(new Error("no mail"));
}

Deno.test("the response does not wait for work, and workOf() does (behaviour 6.6)", async () => {
  const gate = Promise.withResolvers<void>();
  const application = TestApplication.of({
    "route.ts": passing(() => gate.promise),
  });
  const request = new Request("http://localhost/api", POST);
  const response = await application.app.fetch(request);
  assertEquals(await response.text(), "taken");
  let hasEnded = false;
  const waiting = workOf(request).then(() => hasEnded = true);
  await turn();
  assertEquals(hasEnded, false);
  gate.resolve();
  await waiting;
  await workOf(new Request("http://localhost/api"));
});

Deno.test("a rejection is logged once, with its route and without onError (behaviour 6.6)", async () => {
  const errors: unknown[] = [];
  const application = TestApplication.of({
    "orders/[id]/route.ts": passing(fail),
  }, { onError: (error) => void errors.push(error) });
  const lines = await logOf(async () => {
    const response = await application.fetch("/api/orders/1", POST);
    assertEquals(response.status, 200);
  });
  assertEquals(lines, [
    `[bough] POST /api/orders/[id] (orders/[id]/route.ts): ${REJECTED}`,
  ]);
  assertEquals(errors, []);
});

Deno.test("middleware may call waitUntil(), without a route and for HEAD (behaviour 6.6)", async () => {
  const middleware: Middleware = (request, next) => {
    request.waitUntil(fail());
    return next();
  };
  const application = TestApplication.of(
    { "route.ts": { GET: () => new Response() } },
    { middleware: [middleware] },
  );
  const lines = await logOf(async () => {
    await application.fetch("/api", { method: "HEAD" });
    assertEquals((await application.fetch("/api/none")).status, 404);
  });
  assertEquals(lines, [
    `[bough] HEAD /api (route.ts): ${REJECTED}`,
    `[bough] GET no route (option middleware): ${REJECTED}`,
  ]);
});

Deno.test("routes of plugins may call waitUntil() (behaviour 6.6)", async () => {
  const plugin: Plugin = {
    name: "mail",
    routes: () => [{
      path: "/mail",
      handlers: {
        GET: (request) => {
          request.waitUntil(fail());
          return new Response();
        },
      },
    }],
  };
  const files = { "route.ts": { GET: () => new Response() } };
  const application = TestApplication.of(files, { plugins: [plugin] });
  const [line = ""] = await logOf(() => application.fetch("/mail"));
  assertStringIncludes(line, `GET /mail (`);
  assertStringIncludes(line, REJECTED);
});

Deno.test("workOf() waits for work that work adds, and for a call after the response (behaviour 6.6)", async () => {
  const gates = [0, 1].map(() => Promise.withResolvers<void>());
  let late: FrameworkRequest;
  const application = TestApplication.of({
    "route.ts": {
      POST: (given) => {
        const request = late = given as unknown as FrameworkRequest;
        request.waitUntil((async () => {
          await gates[0]!.promise;
          request.waitUntil(gates[1]!.promise);
        })());
        return new Response();
      },
    },
  });
  const request = new Request("http://localhost/api", POST);
  await application.app.fetch(request);
  let hasEnded = false;
  const waiting = workOf(request).then(() => hasEnded = true);
  gates[0]!.resolve();
  await turn();
  assertEquals(hasEnded, false);
  gates[1]!.resolve();
  await waiting;
  assertEquals(await logOf(() => Promise.resolve(late.waitUntil(fail()))), [
    `[bough] POST /api (route.ts): ${REJECTED}`,
  ]);
});

for (
  const [what, make] of [
    ["a function", () => fail],
    ["undefined", () => undefined],
    ["an object", () => ({ then: 1 })],
  ] as const
) {
  Deno.test(`${what} is not a promise, so waitUntil() throws (behaviour 6.6)`, async () => {
    const application = TestApplication.of({ "route.ts": passing(make) });
    const [line = ""] = await logOf(async () => {
      assertEquals((await application.fetch("/api", POST)).status, 500);
    });
    assertStringIncludes(
      line,
      `TypeError: waitUntil() received ${what}, which is not a promise; call the function, as in request.waitUntil(send())`,
    );
  });
}

Deno.test("a copy of the request has no waitUntil() (behaviour 6.6)", async () => {
  const application = TestApplication.of({
    "route.ts": {
      POST: (request) =>
        Response.json(
          [request, request.clone(), new Request(request)]
            .map((each) => "waitUntil" in each),
        ),
    },
  });
  const response = await application.fetch("/api", { ...POST, body: "x" });
  assertEquals(await response.json(), [true, false, false]);
});

Deno.test("work of a nested application belongs to the outer server, and names its own route (behaviour 6.6)", async () => {
  const gate = Promise.withResolvers<void>();
  const inner = TestApplication.of({
    "inner/route.ts": passing(() => gate.promise.then(fail)),
  });
  const outer = TestApplication.of({
    "[...]/route.ts": { POST: (request) => inner.app.fetch(request) },
  });
  const lines = await logOf(async () => {
    const server = await outer.serve();
    const response = await fetch(server.url("/api/inner"), POST);
    await response.text();
    let hasEnded = false;
    const ending = server.server.shutdown().then(() => hasEnded = true);
    while (
      await fetch(server.url("/api")).then((r) => r.text()).catch(() => "")
    ) {
      await turn();
    }
    assertEquals(hasEnded, false);
    gate.resolve();
    await ending;
  });
  assertEquals(lines, [
    `[bough] POST /api/inner (inner/route.ts): ${REJECTED}`,
  ]);
});

for (const way of ["shutdown", "finished"] as const) {
  Deno.test(`${way} of a server waits for work, which may add more (behaviour 9.5)`, async () => {
    const gates = [0, 1].map(() => Promise.withResolvers<void>());
    const application = TestApplication.of({
      "route.ts": {
        GET: (request: MiddlewareRequest) => {
          request.waitUntil((async () => {
            await gates[0]!.promise;
            request.waitUntil(gates[1]!.promise);
          })());
          return new Response();
        },
      },
    });
    const { server, url } = await application.serve()
      .then((each) => ({ server: each.server, url: each.url("/api") }));
    await fetch(url).then((response) => response.text());
    let hasEnded = false;
    const shutdown = server.shutdown();
    const ending = (way === "shutdown" ? shutdown : server.finished)
      .then(() => hasEnded = true);
    gates[0]!.resolve();
    for (let count = 0; count < 20; count++) await turn();
    assertEquals(hasEnded, false);
    gates[1]!.resolve();
    await Promise.all([ending, shutdown]);
  });
}

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
