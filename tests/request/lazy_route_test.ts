import { assert, assertEquals, assertRejects } from "@std/assert";
import { Framework, RouteError } from "@bough/framework";
import { CapturedLog, FolderApplication } from "../support/application.ts";
import { FakeClock } from "../support/fake_clock.ts";

/** Counts how often a module ran, under a name of its own. */
function counting(name: string, rest: string): string {
  return `(globalThis.runs ??= {}).${name} = (globalThis.runs.${name} ?? 0) + 1; ${rest}`;
}

function runs(name: string): number {
  const { runs = {} } = globalThis as { runs?: Record<string, number> };
  return runs[name] ?? 0;
}

const GET = "export const GET = ({ params }) => Response.json(params);";

Deno.test("lazy imports a route at its first request, once (behaviour 9.4)", async () => {
  await using application = await FolderApplication.create({
    "lazyOnce/[id]/route.js": counting("lazyOnce", GET),
  }, { lazy: true });
  await using server = await application.serve();
  assertEquals(runs("lazyOnce"), 0);
  assertEquals((await fetch(server.url("/api/other"))).status, 404);
  assertEquals(runs("lazyOnce"), 0);
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, id) => {
      const answer = await fetch(server.url(`/api/lazyOnce/${id}`));
      return (await answer.json()).id;
    }),
  );
  assertEquals(answers, Array.from({ length: 20 }, (_, id) => String(id)));
  assertEquals(runs("lazyOnce"), 1);
});

Deno.test("lazy answers 500 to a failed import, logs it, and tries again (behaviour 9.4)", async () => {
  using log = new CapturedLog();
  using clock = new FakeClock();
  await using application = await FolderApplication.create({
    "route.js": `import "./missing.js"; ${GET}`,
    "top/route.js": counting(
      "lazyTop",
      `if (globalThis.runs.lazyTop < 3) throw new Error("secret"); ${GET}`,
    ),
    "slip/route.js": "export const get = () => new Response();",
  }, { lazy: true });
  for (const path of ["/api", "/api/top", "/api/slip"]) {
    const answer = await application.fetch(path);
    assertEquals(answer.status, 500);
    assert(!(await answer.text()).includes("secret"));
  }
  assertEquals(log.lines.length, 3);
  assert(log.lines[0]!.includes("missing.js"), log.lines[0]);
  assert(log.lines[2]!.includes('name it "GET"'), log.lines[2]);

  const retried = async (path: string): Promise<number> => {
    clock.tick(1_001);
    return (await application.fetch(path)).status;
  };
  assertEquals(await retried("/api/top"), 500);
  assertEquals(await retried("/api/top"), 200);
  assertEquals((await application.fetch("/api/top")).status, 200);
  assertEquals(runs("lazyTop"), 3);

  await application.folder.write("api/route.js", GET);
  assertEquals(await retried("/api"), 200);
});

Deno.test("lazy tries a failed import at most once a second, and tells of it once (behaviour 9.4)", async () => {
  using log = new CapturedLog();
  const errors: unknown[] = [];
  await using application = await FolderApplication.create({
    "[...]/route.js": counting("lazyBroken", `throw new Error("broken");`),
  }, { lazy: true, onError: (error) => void errors.push(error) });
  await application.app.start();
  using clock = new FakeClock();
  for (let count = 0; count < 100; count++) {
    const response = await application.fetch("/api/x");
    assertEquals(response.status, 500);
    await response.body?.cancel();
    clock.tick(9);
  }
  assertEquals(runs("lazyBroken"), 1);
  assertEquals(log.lines.length, 1, "the same error is logged once");
  assertEquals(new Set(errors).size, 1);
});

Deno.test("lazy runs the guards of a route before it is imported", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create({
    "(staff)/middleware.js": `
      export default (request, next) => request.headers.has("authorization")
        ? next() : new Response("no", { status: 401 });`,
    "(staff)/tasks/route.js": counting("lazyGuarded", `throw new Error("no");`),
    "(staff)/[...]/route.js": counting("lazyGuardedRest", GET),
  }, { lazy: true });
  for (const path of ["/api/tasks", "/api/a", "/api/tasks"]) {
    for (const method of ["GET", "POST", "OPTIONS", "PURGE"]) {
      const response = await application.fetch(path, { method });
      assertEquals([response.status, await response.text()], [401, "no"]);
    }
  }
  assertEquals([runs("lazyGuarded"), runs("lazyGuardedRest")], [0, 0]);
  const headers = { authorization: "Bearer x" };
  assertEquals((await application.fetch("/api/a", { headers })).status, 200);
  assertEquals(
    (await application.fetch("/api/tasks", { headers })).status,
    500,
  );
  assertEquals(log.lines.length, 1);
});

Deno.test("lazy reads a body by the limit of its route, also in a guard and at the first request", async () => {
  await using application = await FolderApplication.create({
    "middleware.js": `export default async (request, next) => {
      await request.text();
      return await next();
    };`,
    "large/route.js": `export const config = { bodyLimit: 200 };
      export const POST = async (request) => new Response(await request.text());`,
    "small/route.js": `export const config = { bodyLimit: 10 };
      export const POST = () => new Response();`,
    "broken/route.js": `throw new Error("broken");`,
  }, { lazy: true, bodyLimit: 100 });
  using _log = new CapturedLog();
  const statusOf = async (path: string, size: number): Promise<number> => {
    const body = "a".repeat(size);
    const response = await application.fetch(path, { method: "POST", body });
    await response.body?.cancel();
    return response.status;
  };
  for (let round = 0; round < 2; round++) {
    assertEquals(await statusOf("/api/large", 200), 200);
    assertEquals(await statusOf("/api/small", 11), 413);
    assertEquals(await statusOf("/api/broken", 101), 413);
    assertEquals(await statusOf("/api/broken", 100), 500);
  }
});

Deno.test("lazy keeps the captures of requests that wait for one import together", async () => {
  await using application = await FolderApplication.create({
    "users/[id]/route.js":
      `await new Promise((go) => setTimeout(go, 20)); ${GET}`,
  }, { lazy: true });
  const ids = await Promise.all(
    ["a", "b", "c"].map(async (id) =>
      (await (await application.fetch(`/api/users/${id}`)).json()).id
    ),
  );
  assertEquals(ids, ["a", "b", "c"]);
});

Deno.test("lazy still finds at the start what folder names tell", async () => {
  await using application = await FolderApplication.create({
    "[a]/route.js": GET,
    "[b]/route.js": GET,
  }, { lazy: true });
  await assertRejects(() => application.app.start(), RouteError, "same URLs");
});

Deno.test("lazy refuses a bad path before and after the import", async () => {
  await using application = await FolderApplication.create({
    "[...]/route.js": GET,
  }, { lazy: true });
  for (let round = 0; round < 2; round++) {
    assertEquals((await application.fetch("/api/a%2Fb")).status, 400);
  }
  assertEquals((await application.fetch("/api/ab")).status, 200);
});

Deno.test("a manifest is lazy where it has functions, file by file (behaviour 9.4)", async () => {
  const imported: string[] = [];
  const later = (name: string, exports: object) => () => {
    imported.push(name);
    return Promise.resolve(exports);
  };
  const handlers = { GET: () => new Response("found") };
  const app = new Framework({
    manifest: {
      "now/route.ts": handlers,
      "later/route.ts": later("later", handlers),
      "middleware.ts": later("middleware", {
        default: (_: unknown, next: () => Promise<Response>) => next(),
      }),
      "broken/route.ts": () => Promise.reject(new Error("secret")),
      "empty/route.ts": later("empty", {}),
    },
  });
  const get = async (path: string) => {
    const response = await app.fetch(
      new Request(`http://localhost/api/${path}`),
    );
    return [response.status, response.ok ? await response.text() : ""];
  };
  assertEquals(await get("now"), [200, "found"]);
  assertEquals(imported, ["middleware"]);
  for (let count = 0; count < 2; count++) {
    assertEquals(await get("later"), [200, "found"]);
  }
  assertEquals(imported, ["middleware", "later"]);
  using log = new CapturedLog();
  assertEquals(await get("broken"), [500, ""]);
  assertEquals(await get("empty"), [500, ""]);
  assertEquals(log.lines.length, 2);
});

Deno.test("a manifest is read at the start, its lazy routes too", async () => {
  const handlers = { GET: () => new Response("as it was") };
  for (const entry of [handlers, () => Promise.resolve(handlers)]) {
    const manifest: Record<string, object> = {
      "changed/route.ts": entry,
      "removed/route.ts": entry,
    };
    const app = new Framework({ manifest, lazy: true });
    await app.start();
    manifest["changed/route.ts"] = { GET: () => new Response("changed") };
    delete manifest["removed/route.ts"];
    for (const path of ["changed", "removed"]) {
      const request = new Request(`http://localhost/api/${path}`);
      assertEquals(await (await app.fetch(request)).text(), "as it was");
    }
  }
});

Deno.test("app.routes() tells the limits of bodies, of lazy routes too (behaviour 9.7)", async () => {
  const GET = "export const GET = () => new Response();";
  for (const lazy of [false, true]) {
    await using application = await FolderApplication.create({
      "a/route.ts": `${GET} export const config = { bodyLimit: 5 };`,
      "b/route.ts": GET,
    }, { lazy, bodyTimeout: 1_000 });
    const routes = await application.app.routes();
    assertEquals(
      routes.map(({ bodyLimit, bodyTimeout }) => [bodyLimit, bodyTimeout]),
      [[5, 1_000], [1_048_576, 1_000]],
    );
  }
});

Deno.test("the first request of a lazy route is checked by each contract once", async () => {
  await using application = await FolderApplication.create({
    "middleware.js": `
      globalThis.contractChecks = 0;
      const query = { "~standard": { version: 1, vendor: "mine",
        validate: (value) => (globalThis.contractChecks++, { value }) } };
      export const contract = { query };`,
    "route.js": "export const GET = () => new Response();",
  }, { lazy: true });
  for (const expected of [1, 2]) {
    await (await application.fetch("/api")).body?.cancel();
    const { contractChecks } = globalThis as { contractChecks?: number };
    assertEquals(contractChecks, expected);
  }
});
