import { assertEquals } from "@std/assert";
import { CapturedLog, TestFolder } from "../support/application.ts";
import { boughIn } from "./support.ts";

const GET = `export const GET = () => new Response("x");`;
const TREE = {
  "api/middleware.ts": "export default (_, next) => next();",
  "api/users/middleware.ts": "export default (_, next) => next();",
  "api/users/me/route.ts": GET,
  "api/users/[id]/route.ts": `
    import { z } from "npm:zod@^4.1.13";
    const one = z.object({});
    export const schema = {
      get: { response: one, query: one, headers: one, params: one },
      put: { body: one },
    };
    ${GET} export const PUT = GET;`,
  "api/users/[user]/posts/route.ts": GET,
  "api/users/[...]/route.ts": GET,
  "api/route.ts": `${GET} export const POST = GET;`,
  "api/a/route.ts": GET,
  "api/a/b/route.ts": GET,
  // By its whole path, it would stand before the one above.
  "api/a-b/route.ts": GET,
};

Deno.test("bough routes --json lists the routes segment by segment, with all that is known", async () => {
  await using folder = await TestFolder.create(TREE);
  const args = ["routes", "--json"];
  const { code, stdout, stderr } = await boughIn(folder.path, ...args);
  assertEquals([code, stderr], [0, ""]);
  const listed = JSON.parse(stdout);
  assertEquals(stdout, JSON.stringify(listed, null, 2));
  assertEquals(listed.map(({ path }: { path: string }) => path), [
    "/api",
    "/api/a",
    "/api/a/b",
    "/api/a-b",
    "/api/users/me",
    "/api/users/[id]",
    "/api/users/[user]/posts",
    "/api/users/[...]",
  ]);
  assertEquals(listed[5], {
    methods: ["GET", "PUT"],
    path: "/api/users/[id]",
    file: "api/users/[id]/route.ts",
    middleware: ["api/middleware.ts", "api/users/middleware.ts"],
    schema: { get: ["params", "query", "headers", "response"], put: ["body"] },
    permissions: [],
  });
});

Deno.test("bough routes prints a table, each column as wide as it has to be", async () => {
  const through = TREE["api/middleware.ts"];
  await using folder = await TestFolder.create({
    "api/a/middleware.ts": through,
    "api/a/[id]/middleware.ts": through,
    "api/a/[id]/route.ts": TREE["api/users/[id]/route.ts"],
    "api/b/route.ts": GET,
  });
  const { code, stdout } = await boughIn(folder.path, "routes");
  assertEquals(code, 0);
  assertEquals(stdout.split("\n"), [
    "METHODS  URL          FILE                 MIDDLEWARE                                      SCHEMA",
    "GET PUT  /api/a/[id]  api/a/[id]/route.ts  api/a/middleware.ts > api/a/[id]/middleware.ts  get: params query headers response; put: body",
    "GET      /api/b       api/b/route.ts",
  ]);
  await using empty = await TestFolder.create({ "api/helper.ts": "" });
  using _ = new CapturedLog();
  assertEquals(
    (await boughIn(empty.path, "routes")).stdout,
    "METHODS  URL  FILE  MIDDLEWARE  SCHEMA",
  );
});
