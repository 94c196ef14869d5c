/** Bodies are read in the same way before and after the import of a route (behaviour 6.3). */
import { Framework, RequestState } from "@bough/framework";
import { assertEquals } from "@std/assert";
import { TestApplication, type TestModule } from "../../support/application.ts";
import { delay } from "../../support/until.ts";

const BODY = '{"a":1}';
const POST = {
  method: "POST",
  body: BODY,
  headers: { "content-type": "application/json" },
};

/** The names of the readers that work, and of the errors of the others. */
async function read(request: Request): Promise<string> {
  const results: string[] = [];
  for (const name of ["json", "text", "json", "bytes"] as const) {
    const reader: () => Promise<unknown> = () => request[name]();
    results.push(await reader().then(() => name, (error) => error.name));
  }
  return results.join();
}

const early = new RequestState<string>("early");

Deno.test("the first request of a lazy route reads its body as the others do", async () => {
  const files: Record<string, TestModule> = {
    "middleware.ts": {
      async default(request, next) {
        if (!request.url.endsWith("?early")) return await next();
        early.set(request, await read(request));
        const response = await next();
        response.headers.set("late", await read(request));
        return response;
      },
    },
    "route.ts": {
      async POST(request) {
        const both = await Promise.allSettled([request.json(), request.text()]);
        const statuses = both.map(({ status }) => status);
        const results = [early.find(request), statuses, await read(request)];
        return Response.json(results);
      },
    },
  };
  for (const query of ["", "?early"]) {
    const outcomes: unknown[] = [];
    for (const lazy of [false, true]) {
      const application = TestApplication.of(files, { lazy });
      await using server = await application.serve();
      for (let count = 0; count < 2; count++) {
        const response = await fetch(server.url(`/api${query}`), POST);
        outcomes.push([await response.json(), response.headers.get("late")]);
      }
    }
    const [expected, ...others] = outcomes;
    assertEquals(others, [expected, expected, expected], query);
  }
});

Deno.test("a reader that middleware replaced stays replaced at the first request of a lazy route", async () => {
  const route: TestModule = {
    POST: async (request) =>
      Response.json([await request.json(), await request.clone().text()]),
  };
  const application = TestApplication.of({
    "early/middleware.ts": {
      default(request, next) {
        const read = request.json.bind(request);
        request.json = async () => ({ wrapped: await read() });
        return next();
      },
    },
    "early/route.ts": route,
    "late/middleware.ts": {
      async default(request, next) {
        const { clone } = request;
        await request.text();
        request.json = async () => ({
          wrapped: await clone.call(request).json(),
        });
        return await next();
      },
    },
    "late/route.ts": route,
  }, { lazy: true });
  await using server = await application.serve();
  for (const folder of ["early", "late"]) {
    for (let count = 0; count < 2; count++) {
      const response = await fetch(server.url(`/api/${folder}`), POST);
      const expected = [{ wrapped: { a: 1 } }, BODY];
      assertEquals(await response.json(), expected, `${folder} ${count}`);
    }
  }
});

Deno.test("another application reads a body that middleware reads before the import", async () => {
  // The imports take a time, so that both readers wait for one.
  const later = (exports: TestModule) => async () => {
    await delay(5);
    return exports;
  };
  const inner = new Framework({
    manifest: {
      "route.ts": later({
        POST: async (request) => new Response(await request.text()),
      }),
    },
  });
  const outer = new Framework({
    manifest: { "route.ts": later({ POST: () => new Response() }) },
    middleware: [async (request) => {
      const reading = request.text();
      const response = await inner.fetch(request);
      return Response.json([await reading, await response.text()]);
    }],
  });
  const response = await outer.fetch(
    new Request("http://localhost/api", { method: "POST", body: BODY }),
  );
  assertEquals(await response.json(), [BODY, BODY]);
});
