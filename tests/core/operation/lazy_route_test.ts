import { Framework, type Middleware } from "@bough/framework";
import { preconditions } from "@bough/framework/protect";
import type { CommonOptions } from "@bough/framework/types";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  CapturedLog,
  FolderApplication,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { delay } from "../../support/until.ts";
import { ECHO, level, outcome, text } from "./support.ts";

/** Source text that counts the runs of its module by name. */
function counting(name: string, rest: string): string {
  return `(globalThis.runs ??= {}).${name} = (globalThis.runs.${name} ?? 0) + 1; ${rest}`;
}

function runs(name: string): number {
  const { runs = {} } = globalThis as { runs?: Record<string, number> };
  return runs[name] ?? 0;
}

const GET_FILE = "export const GET = ({ params }) => Response.json(params);";
const GET: TestModule["GET"] = ({ params }) => Response.json(params);
const ok = () => new Response();

/** An application that loads its route files late; an error rejects the load. */
function lazily(
  files: Readonly<Record<string, TestModule | Error>>,
  options: CommonOptions = {},
): { application: TestApplication; loads: string[] } {
  const loads: string[] = [];
  const manifest = Object.fromEntries(
    Object.entries(files).map(([path, exports]) => {
      if (!path.endsWith("route.ts")) return [path, exports];
      const load = async () => {
        loads.push(path);
        // Other requests arrive during the load.
        await delay(1);
        if (exports instanceof Error) throw exports;
        return exports;
      };
      return [path, load];
    }),
  );
  const app = new Framework({ manifest, ...options });
  return { application: new TestApplication(app), loads };
}

Deno.test("lazy imports a route at its first request, once (behaviour 9.4)", async () => {
  await using application = await FolderApplication.create({
    "lazyOnce/[id]/route.js": counting("lazyOnce", GET_FILE),
  }, { lazy: true });
  await using server = await application.serve();
  assertEquals(runs("lazyOnce"), 0);
  assertEquals((await fetch(server.url("/api/other"))).status, 404);
  assertEquals(runs("lazyOnce"), 0);
  const expected = Array.from({ length: 20 }, (_, id) => String(id));
  const ids = await Promise.all(expected.map(async (id) => {
    const response = await fetch(server.url(`/api/lazyOnce/${id}`));
    return (await response.json()).id;
  }));
  assertEquals(ids, expected);
  assertEquals(runs("lazyOnce"), 1);
});

Deno.test("lazy responds with 500 to a failed import, logs it, and tries again (behaviour 9.4)", async () => {
  using log = new CapturedLog();
  using clock = new FakeClock();
  await using application = await FolderApplication.create({
    "route.js": `import "./missing.js"; ${GET_FILE}`,
    "top/route.js": counting(
      "lazyTop",
      `if (globalThis.runs.lazyTop < 3) throw new Error("secret"); ${GET_FILE}`,
    ),
    "slip/route.js": "export const get = () => new Response();",
  }, { lazy: true });
  for (
    const [path, message] of [
      ["/api", "missing.js"],
      ["/api/top", "secret"],
      ["/api/slip", 'name it "GET"'],
    ] as const
  ) {
    const response = await application.fetch(path);
    assertEquals(response.status, 500);
    assert(!(await response.text()).includes("secret"));
    assertStringIncludes(log.lines.at(-1)!, message);
  }
  assertEquals(log.lines.length, 3);

  const retried = async (path: string): Promise<number> => {
    clock.tick(1_001);
    return (await application.fetch(path)).status;
  };
  assertEquals(await retried("/api/top"), 500);
  assertEquals(await retried("/api/top"), 200);
  assertEquals((await application.fetch("/api/top")).status, 200);
  assertEquals(runs("lazyTop"), 3);

  await application.folder.write("api/route.js", GET_FILE);
  assertEquals(await retried("/api"), 200);
});

Deno.test("lazy tries a failed import at most once a second, and logs it once (behaviour 9.4)", async () => {
  using log = new CapturedLog();
  const errors: unknown[] = [];
  const { application, loads } = lazily({
    "[...]/route.ts": new Error("broken"),
  }, { onError: (error) => void errors.push(error) });
  await application.app.start();
  using clock = new FakeClock();
  for (let count = 0; count < 100; count++) {
    const response = await application.fetch("/api/x");
    assertEquals(response.status, 500);
    await response.body?.cancel();
    clock.tick(9);
  }
  assertEquals(loads.length, 1);
  assertEquals(log.lines.length, 1, "the same error is logged once");
  assertEquals(new Set(errors).size, 1);
});

Deno.test("guards hide that the import of a lazy route fails (behaviour 10.6)", async () => {
  using log = new CapturedLog();
  const guard: Middleware = (request, next) =>
    request.headers.has("authorization")
      ? next()
      : new Response("no", { status: 401 });
  const { application, loads } = lazily({
    "(staff)/middleware.ts": { default: guard },
    "(staff)/tasks/route.ts": new Error("no"),
    "(staff)/[...]/route.ts": { GET },
  });
  for (const path of ["/api/tasks", "/api/a", "/api/tasks"]) {
    for (const method of ["GET", "POST", "OPTIONS", "PURGE"]) {
      const response = await application.fetch(path, { method });
      assertEquals([response.status, await response.text()], [401, "no"]);
    }
  }
  // Rejected requests import each file once, and log nothing.
  assertEquals(loads, ["(staff)/tasks/route.ts", "(staff)/[...]/route.ts"]);
  assertEquals(log.lines, []);
  const headers = { authorization: "Bearer x" };
  assertEquals((await application.fetch("/api/a", { headers })).status, 200);
  const failed = await application.fetch("/api/tasks", { headers });
  assertEquals(failed.status, 500);
  assertEquals(log.lines.length, 1);
});

Deno.test("the limit of a lazy route holds in guards, and at the first request", async () => {
  const { application } = lazily({
    "middleware.ts": {
      default: (request, next) => request.text().then(() => next()),
    },
    "large/route.ts": {
      config: { bodyLimit: 200 },
      POST: async (request) => new Response(await request.text()),
    },
    "small/route.ts": { config: { bodyLimit: 10 }, POST: ok },
    "broken/route.ts": new Error("broken"),
  }, { bodyLimit: 100 });
  using _log = new CapturedLog();
  for (let round = 0; round < 2; round++) {
    for (
      const [path, size, status] of [
        ["/api/large", 200, 200],
        ["/api/small", 11, 413],
        ["/api/broken", 101, 413],
        ["/api/broken", 100, 500],
      ] as const
    ) {
      const body = "a".repeat(size);
      const response = await application.fetch(path, { method: "POST", body });
      await response.body?.cancel();
      assertEquals(response.status, status, `${path} ${size}`);
    }
  }
});

Deno.test("lazy rejects a malformed path before and after the import", async () => {
  const { application } = lazily({ "[...]/route.ts": { GET } });
  for (const [path, status] of [["b", 200], ["%2Fb", 400]] as const) {
    assertEquals((await application.fetch("/api/a%2Fb")).status, 400);
    assertEquals((await application.fetch(`/api/a${path}`)).status, status);
  }
});

Deno.test("a manifest is read at startup, and is lazy where it has functions, file by file (behaviour 9.4)", async () => {
  const imported: string[] = [];
  const later = (name: string, exports: TestModule) => () => {
    imported.push(name);
    return Promise.resolve(exports);
  };
  const handlers = { GET: () => new Response("found") };
  const manifest: Record<string, object> = {
    "now/route.ts": handlers,
    "later/route.ts": later("later", handlers),
    "middleware.ts": later("middleware", { default: (_, next) => next() }),
  };
  const app = new Framework({ manifest });
  await app.start();
  manifest["now/route.ts"] = { GET: () => new Response("changed") };
  delete manifest["later/route.ts"];
  for (
    const [name, imports] of [
      ["now", ["middleware"]],
      ["later", ["middleware", "later"]],
      ["later", ["middleware", "later"]],
    ] as const
  ) {
    const request = new Request(`http://localhost/api/${name}`);
    assertEquals(await (await app.fetch(request)).text(), "found");
    assertEquals<unknown>(imported, imports);
  }
});

Deno.test("app.routes() lists the limits of bodies, even of lazy routes (behaviour 9.7)", async () => {
  for (const lazy of [false, true]) {
    const { app } = TestApplication.of({
      "a/route.ts": { GET, config: { bodyLimit: 5 } },
      "b/route.ts": { GET },
    }, { lazy, bodyTimeout: 1_000 });
    const limits = (await app.routes())
      .map(({ bodyLimit, bodyTimeout }) => [bodyLimit, bodyTimeout]);
    assertEquals(limits, [[5, 1_000], [1_048_576, 1_000]]);
  }
});

/** A guard by the header `token`, which notes what it sees, below a contract. */
const GUARDED: Readonly<Record<string, TestModule>> = {
  "middleware.ts": level("outer", { query: text("q") }),
  "a/middleware.ts": {
    contract: { headers: text("h") },
    async default(request, next) {
      const { validated, security } = request;
      const seen = [validated, ...security ?? []].map((each) =>
        JSON.stringify(each)
      ).join(" ");
      const response = request.headers.has("token")
        ? await next()
        : new Response(null, { status: 401 });
      response.headers.append("x-seen", `guard ${seen}`);
      return response;
    },
  },
};
/** Requests that match both contracts, one of them, or none. */
const REQUESTS: readonly (readonly [query: string, headers: HeadersInit])[] = [
  ["?q=1", { h: "x" }],
  ["?q=1", {}],
  ["", { h: "x" }],
  ["", {}],
];

Deno.test("the first request of a lazy route gets the response of an eager route (behaviour 10.6)", async () => {
  const schema = { get: { security: [{ bearer: ["admin"] }] } };
  const files = {
    ...GUARDED,
    "a/route.ts": { ...ECHO, schema },
    // Knows the methods of the route.
    "a/b/middleware.ts": { default: preconditions({ required: true }) },
    "a/b/route.ts": ECHO,
  };
  const eager = TestApplication.of(files);
  for (const method of ["OPTIONS", "PUT", "BREW", "GET", "HEAD"]) {
    for (const [query, headers] of REQUESTS) {
      for (const token of [{}, { token: "t" }]) {
        const init = { method, headers: { ...headers, ...token } };
        for (const target of [`/api/a${query}`, `/api/a/b${query}`]) {
          const lazy = TestApplication.of(files, { lazy: true });
          assertEquals(
            await outcome(lazy, target, init),
            await outcome(eager, target, init),
            `${method} ${target} ${JSON.stringify(init.headers)}`,
          );
        }
      }
    }
  }
});

Deno.test("if the import of a lazy route fails, contracts check nothing, as for a 405 (behaviour 10.6)", async () => {
  const { application } = lazily({
    ...GUARDED,
    "a/route.ts": new Error("broken"),
  });
  using log = new CapturedLog();
  for (const method of ["OPTIONS", "PUT", "BREW", "GET", "HEAD"]) {
    for (const [query, headers] of REQUESTS) {
      const init = { method, headers };
      assertEquals(
        await outcome(application, `/api/a${query}`, init),
        "401  | guard {}, outer {}",
        method,
      );
    }
  }
  assertEquals(log.lines, []);
  const headers = { token: "t" };
  const failed = await application.fetch("/api/a", { method: "PUT", headers });
  assertEquals(failed.status, 500);
  assertStringIncludes(log.lines[0]!, "broken");
});

Deno.test("a request that is sent again with other headers is checked again", async () => {
  const { app } = TestApplication.of({ ...GUARDED, "a/route.ts": ECHO }, {
    lazy: true,
  });
  const request = new Request("http://localhost/api/a?q=1");
  assertEquals((await app.fetch(request)).status, 400);
  request.headers.set("h", "x");
  assertEquals((await app.fetch(request)).status, 401);
  request.headers.set("token", "t");
  const response = await app.fetch(request);
  assertEquals(await response.json(), {
    query: { q: "1" },
    headers: { h: "x" },
  });
});
