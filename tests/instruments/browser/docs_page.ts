/**
 * Tests the documentation page of the bookshop in a real browser.
 * `deno task test:browser` runs this test.
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { app } from "../../../examples/bookshop/main.ts";
import { TestServer } from "../../support/application.ts";
import { openPage } from "./support.ts";

Deno.test("the page lists every operation, sends a request, and loads nothing from other origins", async () => {
  await using server = await TestServer.start(app);
  const origin = server.url("");
  const document = await (await fetch(`${origin}/openapi.json`)).json();
  await using opened = await openPage();
  const { page, requests, messages } = opened;
  await page.goto(`${origin}/docs`);
  await page.locator(".opblock").first().waitFor();

  const listed = await page.locator(".opblock").evaluateAll((blocks) =>
    blocks.map((block) =>
      ["method", "path"].map((part) =>
        block.querySelector(`.opblock-summary-${part}`)?.textContent
          ?.replaceAll("\u200b", "").trim()
      ).join(" ")
    )
  );
  const expected = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item as object).map((method) =>
      `${method.toUpperCase()} ${path}`
    )
  );
  assertEquals(listed.toSorted(), expected.toSorted());

  const search = page.locator("#operations-books-getBooks");
  await search.locator(".opblock-summary").click();
  await search.locator("tr[data-param-name=search] input").fill("moby");
  await search.getByRole("button", { name: "Execute" }).click();
  const answer = search.locator(".live-responses-table .response").first();
  await answer.waitFor();
  assertEquals(
    (await answer.locator(".response-col_status").textContent())?.trim(),
    "200",
  );
  assertStringIncludes((await answer.textContent())!, "Herman Melville");
  await page.screenshot({
    path: "coverage/docs_page.png",
    fullPage: true,
  });

  assert(
    requests.some((url) => url.startsWith(`${origin}/api/books?search=moby`)),
  );
  assertEquals(
    requests.filter((url) => !url.startsWith(`${origin}/`)),
    [],
    "requests to other origins",
  );
  assertEquals(messages, [], "the page has no errors");
});
