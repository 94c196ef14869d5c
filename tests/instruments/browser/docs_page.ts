/**
 * Tests the documentation page of the bookshop in a real browser.
 * `deno task test:browser` runs this test.
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openapi } from "@bough/framework/openapi";
import { z } from "zod";
import { app as bookshop } from "../../../examples/bookshop/main.ts";
import {
  behindPrefix,
  TestApplication,
  TestServer,
} from "../../support/application.ts";
import { openPage } from "./support.ts";

Deno.test("the page lists every operation, sends a request, and loads nothing from other origins", async () => {
  await using server = await TestServer.start(bookshop);
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

const { app: withoutServers } = TestApplication.of({
  "books/route.ts": {
    schema: {
      get: { summary: "List the books", response: z.array(z.string()) },
    },
    GET: () => Response.json(["Herman Melville"]),
  },
}, { plugins: [openapi({ info: { title: "Books", version: "1" } })] });

for (
  const [servers, app] of Object.entries({
    "a relative server": bookshop,
    "no servers": withoutServers,
  })
) {
  Deno.test(`the page behind a proxy that strips a prefix calls the application, with ${servers}`, async () => {
    await using server = await TestServer.start(app);
    await using proxy = behindPrefix(server, "/shop");
    await using opened = await openPage();
    const { page, requests, messages } = opened;
    await page.goto(proxy.url("/shop/docs/"));
    const books = page.locator("#operations-books-getBooks");
    await books.locator(".opblock-summary").click();
    await books.getByRole("button", { name: "Execute" }).click();
    const answer = books.locator(".live-responses-table .response").first();
    await answer.waitFor();
    assertStringIncludes((await answer.textContent())!, "Herman Melville");
    const link = page.locator(".info a.link").first();
    assertEquals((await link.textContent())?.trim(), "/shop/openapi.json");
    const outside = requests.filter((url) =>
      !url.startsWith(proxy.url("/shop/"))
    );
    assertEquals(outside, [], "requests outside of the prefix");
    assertEquals(messages, [], "the page has no errors");
  });
}
