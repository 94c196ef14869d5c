/** The output of commands for deprecated operations (behaviour 5.5). */
import { assert, assertEquals } from "@std/assert";
import { boughIn, fixture } from "./support.ts";

const FOLDER = fixture("deprecated");
const PASSED = "GET /api/v1/books has passed its sunset, 2020-01-31";

Deno.test("bough check prints a sunset that has passed, without a finding (behaviour 5.5)", async () => {
  const { code, stdout } = await boughIn(FOLDER, "check");
  const [first, second] = stdout.split("\n");
  assertEquals([code, first], [0, PASSED]);
  assert(second!.endsWith(": nothing found"), stdout);
  const json = await boughIn(FOLDER, "check", "--json");
  assertEquals([json.code, json.stdout], [0, "[]"]);
});

Deno.test("bough routes lists operations whose sunset has passed", async () => {
  const { stdout } = await boughIn(FOLDER, "routes");
  assertEquals(stdout.split("\n").at(-1), PASSED);
  const routes = await boughIn(FOLDER, "routes", "--json");
  const [{ operations }] = JSON.parse(routes.stdout);
  assertEquals([operations.get.deprecated, operations.delete.deprecated], [
    { value: { sunset: "2020-01-31" }, file: "api/v1/middleware.ts" },
    { value: true, file: "api/v1/books/route.ts" },
  ]);
});
