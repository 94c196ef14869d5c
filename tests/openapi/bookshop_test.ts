import { assert, assertEquals } from "@std/assert";
import { Validator } from "npm:@seriousme/openapi-schema-validator@^2.11.0";
import type { OpenApiDocument } from "@bough/framework/openapi";
import { app } from "../../examples/bookshop/main.ts";
import { CapturedLog } from "../support/application.ts";

const GOLDEN = new URL("./bookshop.openapi.json", import.meta.url);

async function bookshopDocument(): Promise<OpenApiDocument> {
  using log = new CapturedLog();
  const response = await app.fetch(new Request("http://h/openapi.json"));
  assertEquals(log.lines, []);
  assertEquals(response.headers.get("content-type"), "application/json");
  return await response.json();
}

/**
 * After a change that is meant, write the new document with
 * `deno run -A tests/openapi/write_golden.ts`, and read the difference.
 */
Deno.test("the bookshop's document is the one that was last read and found good", async () => {
  const golden = JSON.parse(await Deno.readTextFile(GOLDEN));
  assertEquals(await bookshopDocument(), golden);
});

Deno.test("the bookshop's document is valid OpenAPI 3.1", async () => {
  const document = { ...await bookshopDocument() };
  const { valid, errors } = await new Validator().validate(document);
  assert(valid, JSON.stringify(errors, null, 2));
});
