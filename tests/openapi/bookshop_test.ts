import { assertEquals, assertStringIncludes } from "@std/assert";
import type { OpenApiDocument } from "@bough/framework/openapi";
import { app } from "../../examples/bookshop/main.ts";
import { CapturedLog } from "../support/application.ts";
import { lint } from "./lint.ts";
import { assertValid } from "./support.ts";

async function bookshopDocument(): Promise<OpenApiDocument> {
  using log = new CapturedLog();
  const response = await app.fetch(new Request("http://h/openapi.json"));
  assertEquals(log.lines, []);
  assertEquals(response.headers.get("content-type"), "application/json");
  return await response.json();
}

Deno.test("the document of the bookshop is valid OpenAPI 3.1", async () => {
  await assertValid(await bookshopDocument());
});

Deno.test("the document of the bookshop passes a strict linter", async () => {
  const document = await bookshopDocument();
  assertEquals(await lint(document), []);

  const { license: _, ...info } = document.info;
  const found = await lint({ ...document, info });
  assertEquals(found.length, 1, "the linter finds faults");
  assertStringIncludes(found[0]!, "info-license");
});
