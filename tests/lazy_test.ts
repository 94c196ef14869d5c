import { assert, assertEquals, assertRejects } from "@std/assert";
import { RouteError } from "@bough/framework";
import { CapturedLog, TestApplication } from "./support/application.ts";

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
  await using application = await TestApplication.create({
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
  await using application = await TestApplication.create({
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

  assertEquals((await application.fetch("/api/top")).status, 500);
  assertEquals((await application.fetch("/api/top")).status, 200);
  assertEquals((await application.fetch("/api/top")).status, 200);
  assertEquals(runs("lazyTop"), 3);

  await application.folder.write("api/route.js", GET);
  assertEquals((await application.fetch("/api")).status, 200);
});

Deno.test("lazy still finds at the start what folder names tell", async () => {
  await using application = await TestApplication.create({
    "[a]/route.js": GET,
    "[b]/route.js": GET,
  }, { lazy: true });
  await assertRejects(() => application.app.start(), RouteError, "same URLs");
});

Deno.test("lazy refuses a bad path before and after the import", async () => {
  await using application = await TestApplication.create({
    "[...]/route.js": GET,
  }, { lazy: true });
  for (let round = 0; round < 2; round++) {
    assertEquals((await application.fetch("/api/a%2Fb")).status, 400);
  }
  assertEquals((await application.fetch("/api/ab")).status, 200);
});
