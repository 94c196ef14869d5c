/**
 * Tests pages of the examples with the client in a real browser; the page of RealWorld
 * has another origin. `deno task test:browser` runs these tests.
 */
import { assert, assertEquals } from "@std/assert";
import { withPage } from "../../../examples/client/serve.ts";
import { createApp } from "../../../examples/realworld/main.ts";
import html from "../../../examples/realworld/page/page.html" with {
  type: "text",
};
import { Database } from "../../../examples/realworld/store/database.ts";
import { bundledPage } from "../../client/support.ts";
import { TestServer } from "../../support/application.ts";
import { openPage } from "./support.ts";

/** Serves the page and its script from another origin. */
function servePage(script: string) {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    ({ url }) => {
      const [text, type] = url.endsWith("/page.js")
        ? [script, "text/javascript"]
        : [html, "text/html; charset=utf-8"];
      return new Response(text, { headers: { "content-type": type } });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("a page logs in to RealWorld, writes an article and reads it", async () => {
  using db = new Database(":memory:", { passwordRounds: 1 });
  await using server = await TestServer.start(createApp(db));
  const script = await bundledPage("realworld/page/page.ts");
  await using pages = servePage(script);
  const user = { username: "ada", email: "ada@mail.com", password: "secret" };
  const registered = await fetch(server.url("/api/users"), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ user }),
  });
  assertEquals(registered.status, 201);
  await registered.body?.cancel();

  await using opened = await openPage();
  const { page, messages } = opened;
  await page.goto(`${pages.url}?api=${server.url("/api")}`);
  const status = (text: string) =>
    page.getByRole("status").filter({ hasText: text }).waitFor();
  const logIn = async (password: string) => {
    await page.getByLabel("Email").fill("ada@mail.com");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Log in" }).click();
  };
  const publish = page.getByRole("button", { name: "Publish" });
  await page.getByLabel("Title").fill("No token");
  await publish.click();
  await status("The token is missing");
  await page.getByLabel("Title").fill("");
  await logIn("wrong");
  await status("Email or password is wrong");
  await logIn("secret");
  await status("Welcome, ada");
  await publish.click();
  await status("#/article/title: Too small");
  await page.getByLabel("Title").fill("How to train your dragon");
  await page.getByLabel("Body").fill("<b>Very</b> carefully.");
  await publish.click();
  await status("Published by ada");
  await page.getByRole("article").filter({ hasText: "Very" }).waitFor();
  assertEquals(
    await page.getByRole("article").textContent(),
    "<b>Very</b> carefully.",
  );
  assertEquals(messages.filter((text) => !/favicon|40[14]|422/.test(text)), []);
});

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
