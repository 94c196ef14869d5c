/**
 * Searches the bookshop with the client, in a page in a real browser.
 * `deno task test:browser` runs this test.
 */
import { assert, assertEquals } from "@std/assert";
import { withPage } from "../../../examples/client/serve.ts";
import { bundledPage } from "../../client/support.ts";
import { TestServer } from "../../support/application.ts";
import { openPage } from "./support.ts";

Deno.test("a page searches the bookshop with the client", async () => {
  await using server = await TestServer.start(withPage(await bundledPage()));
  const origin = server.url("");
  await using opened = await openPage();
  const { page, requests, messages } = opened;
  await page.goto(origin);
  await page.locator("input").fill("emma");
  await page.getByRole("button").click();
  await page.locator("li").first().waitFor();
  assertEquals(await page.locator("li").allTextContents(), ["Emma ★★★★★"]);
  assert(requests.includes(`${origin}/api/books?search=emma`));
  assert(requests.includes(`${origin}/api/books/1/reviews`));
  assertEquals(messages.filter((text) => !/favicon|404/.test(text)), []);
});
