import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Validator } from "npm:@seriousme/openapi-schema-validator@^2.11.0";
import type { OpenApiDocument } from "@bough/framework/openapi";
import { app } from "../../examples/bookshop/main.ts";
import { CapturedLog } from "../support/application.ts";
import { lint } from "./support.ts";

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

Deno.test("the bookshop's document passes a strict linter (issue: the document tells all)", async () => {
  const document = await bookshopDocument();
  assertEquals(await lint(document), []);

  const { license: _, ...info } = document.info;
  const found = await lint({ ...document, info });
  assertEquals(found.length, 1, "a linter that finds nothing is no proof");
  assertStringIncludes(found[0]!, "info-license");
});

Deno.test("no document repeats an example: what operations have in common is said once", async () => {
  const text = JSON.stringify(await bookshopDocument());
  const titles = text.matchAll(
    /"title":"(Content Too Large|Unsupported Media Type|Request Timeout)"/g,
  );
  const count = Map.groupBy(titles, ([, title]) => title);
  assertEquals(
    [...count].map(([title, found]) => [title, found.length]).sort(),
    // Reviews have a limit of their own.
    [["Content Too Large", 2], ["Request Timeout", 1], [
      "Unsupported Media Type",
      1,
    ]],
  );
});
