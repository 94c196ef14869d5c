/** What the commands say about deprecated operations (behaviour 5.5). */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { boughIn } from "./support.ts";

const FILES = {
  "api/v1/middleware.ts":
    `export const contract = { deprecated: { sunset: "2020-01-31" } };`,
  "api/v1/books/route.ts": `
    export const schema = {
      post: { deprecated: false },
      put: { deprecated: { sunset: "9999-12-31", use: "/api/v2", why: "Ends */ \\n here" } },
      delete: { deprecated: true },
    };
    export const [GET, POST, PUT, DELETE] = Array(4).fill(() => new Response());`,
  "api/v2/route.ts": "export const GET = () => new Response();",
};

const PASSED = "GET /api/v1/books has passed its sunset, 2020-01-31";

Deno.test("bough check prints a sunset that has passed, and finds nothing wrong (behaviour 5.5)", async () => {
  await using folder = await TestFolder.create(FILES);
  const { code, stdout } = await boughIn(folder.path, "check");
  const [first, second] = stdout.split("\n");
  assertEquals([code, first], [0, PASSED]);
  assert(second!.endsWith(": nothing found"), stdout);
  const json = await boughIn(folder.path, "check", "--json");
  assertEquals([json.code, json.stdout], [0, "[]"]);
});

Deno.test("bough routes lists deprecated operations", async () => {
  await using folder = await TestFolder.create(FILES);
  const { stdout } = await boughIn(folder.path, "routes");
  assertEquals(stdout.split("\n").at(-1), PASSED);
  const routes = await boughIn(folder.path, "routes", "--json");
  const [{ operations }] = JSON.parse(routes.stdout);
  assertEquals([operations.get.deprecated, operations.delete.deprecated], [
    { value: { sunset: "2020-01-31" }, file: "api/v1/middleware.ts" },
    { value: true, file: "api/v1/books/route.ts" },
  ]);
});

Deno.test("bough types --standalone marks deprecated methods for editors", async () => {
  await using folder = await TestFolder.create(FILES);
  const { stdout } = await boughIn(folder.path, "types", "--standalone");
  assertStringIncludes(
    stdout,
    `{
    /** @deprecated May be removed from 2020-01-31. */
    GET: unknown;
    POST: unknown;
    /** @deprecated May be removed from 9999-12-31. Use [/api/v2](</api/v2>). Ends *\\/ here */
    PUT: unknown;
    /** @deprecated */
    DELETE: unknown;
`,
  );
});
