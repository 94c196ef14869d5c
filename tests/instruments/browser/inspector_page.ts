/// <reference lib="dom" />
/**
 * Tests the page of the inspector on a real application, in a real browser.
 * `deno task test:browser` runs these tests.
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { InspectorView } from "./inspector_view.ts";

const INVALID = { title: "", cents: 1.5, author: { email: "ada" } };
const WRONG_TOKEN = { headers: { authorization: "Bearer no" } };

Deno.test("the page shows ten requests of another client", async () => {
  await using view = await InspectorView.open();
  const { app, page, rows } = view;
  const { messages, requests } = view.opened;
  const form = new FormData();
  form.append("title", "Emma");
  form.append(
    "cover",
    new Blob(["<svg/>"], { type: "image/svg+xml" }),
    "a.svg",
  );
  assertEquals(
    [
      await app.send("/api/books?limit=3"),
      await app.send("/api/books/7/page"),
      await app.post("/api/books", INVALID),
      await app.send("/api/orders", WRONG_TOKEN),
      await app.send("/api/broken"),
      await app.send("/api/ticks"),
      await app.send("/api/covers", { method: "POST", body: form }),
      await app.send("/api/books", { method: "HEAD" }),
      await app.send("/api/old"),
    ],
    [200, 404, 400, 401, 500, 200, 200, 200, 200],
  );
  await app.chat("hello");
  await view.hasRows(10);

  const cases: readonly (readonly [words: string[], shown: string[]])[] = [
    [["GET", "/api/books?limit=3"], [
      "limit: 3",
      '"limit": 3',
      '"title": "Emma"',
      "handler",
      "validate",
      "api/books/route.ts",
    ]],
    [["404"], ["Why no route matched", "/api/books/[id]/pages", "segment 4"]],
    [["400"], ['"cents": 1.5', "expected int", "Invalid email"]],
    [["401"], [
      "middleware api/(staff)/middleware.ts",
      "«authorization»",
      "A token is required",
    ]],
    [["500"], [
      "TypeError",
      "return Response.json(order.status);",
      "GET /api/broken (api/broken/route.ts) failed",
      "Errors and logs are shown as they are",
    ]],
    [["/api/ticks"], ["← server", "event: tick\n2", "Ended by the server"]],
    [["/api/covers"], ["multipart/form-data", '"bytes": 6']],
    [["HEAD"], ["/api/books"]],
    [["deprecated"], ["/api/old", "old"]],
    [["/api/chat", "101"], [
      "client →",
      "hello!",
      'Ended by the client, 4000, "enough"',
    ]],
  ];
  for (const [words, shown] of cases) {
    await view.select(...words);
    await view.shows(...shown);
  }
  const wrong = await page.locator(".wrong").count();
  assertEquals(wrong, 0, "only the invalid request has issues");
  await view.select("400");
  assertEquals(await page.locator(".wrong").allInnerTexts(), [
    '  "title": "",',
    '  "cents": 1.5,',
    '    "email": "ada"',
  ]);
  const order = await page.locator("#rows td.status").allInnerTexts();
  assertEquals(order.slice(-3), ["400", "404", "200"], "newest first");

  const count = async (words: string) => {
    await page.getByLabel("Filter").fill(words);
    return await rows.count();
  };
  assertEquals(await count("post"), 2);
  assertEquals(await count("4xx"), 3);
  assertEquals(await count("/api/books POST"), 1);
  assertEquals(await count("READING 'status'"), 1);
  // Headers have random digits, such as those of a boundary, so a status may match twice.
  assertEquals(await count("EMAIL post"), 1);
  assertEquals(await count("no such text"), 0);
  assertEquals(await count(""), 10);

  const headers = { "content-type": "application/json" };
  const long = { method: "POST", headers, body: "]".repeat(20_000) };
  assertEquals(await app.send("/api/books", long), 400);
  await view.hasRows(11);
  await view.select("400");
  await view.shows("20.0 kB", "not shown: only JSON and forms");

  assertEquals(messages, [], "the page has no errors");
  const foreign = requests.filter((url) => !url.startsWith(`${app.page}`));
  assertEquals(foreign, [], "requests to other origins");
});

Deno.test("the page sends a request again, and asks for its secrets", async () => {
  await using view = await InspectorView.open();
  const { app, page, rows } = view;
  await app.post("/api/books", INVALID);
  await app.send("/api/orders", WRONG_TOKEN);
  await view.hasRows(2);

  await view.select("400");
  await view.sendAgain();
  await rows.nth(2).waitFor();
  await rows.first().filter({ hasText: "400" }).waitFor();
  await page.locator("#rows tr:first-child.selected").waitFor();

  await view.select("401");
  const dialog = page.getByRole("dialog");
  await view.sendAgain();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assertEquals(await rows.count(), 3);
  await view.sendAgain();
  const field = dialog.getByLabel("authorization");
  // The browser reports the end of a dialog later, when the next one may be open.
  await page.evaluate(() => {
    for (const action of ["cancel", "send"]) {
      document.querySelector<HTMLElement>(`[data-action="${action}"]`)!.click();
    }
  });
  assertEquals(await field.getAttribute("type"), "password");
  assertEquals(await field.inputValue(), "");
  await dialog.getByText("authorization: Bearer «authorization»").waitFor();
  await field.press("Enter");
  assert(await dialog.isVisible(), "a value is required");
  await field.fill("k3y-of-ada");
  await field.press("Enter");
  await rows.first().filter({ hasText: "200" }).waitFor();
  await view.shows("GET /api/orders");
  assertEquals(await page.locator("dialog input").count(), 0);
});

Deno.test("a copied test fails until the error is corrected", async () => {
  await using view = await InspectorView.open();
  const { app, page } = view;
  await app.send("/api/books?limit=3");
  await app.send("/api/broken");
  await view.hasRows(2);

  const copied = async (name: string) => {
    await page.getByRole("button", { name }).click();
    await page.getByText("Copied.").waitFor();
    return await page.evaluate<string>("navigator.clipboard.readText()");
  };
  await view.select("200");
  assertEquals(
    await app.test("match_test.ts", await copied("Copy as test")),
    0,
  );
  assertStringIncludes(await copied("Copy as curl"), "curl");
  await view.select("500");
  assert(await page.getByText("Copied.").isHidden(), "the note is over");
  const test = await copied("Copy as test");
  assertEquals(await app.test("broken_test.ts", test), 1);
  await app.restart({
    "api/broken/route.ts": `export const GET = () => new Response("fine");`,
  });
  assertEquals(await app.test("broken_test.ts", test), 0);
});

Deno.test("after a restart, the page keeps earlier requests", async () => {
  await using view = await InspectorView.open();
  const { app, page, rows, shown } = view;
  await app.send("/api/orders", WRONG_TOKEN);
  await app.send("/api/broken");
  await page.getByRole("cell", { name: "500" }).waitFor();
  await view.select("500");

  await app.restart({
    "api/broken/route.ts": `export const GET = () => Response.json("fine");`,
  });
  await view.shows("old code");
  await app.send("/api/books");
  await rows.nth(2).waitFor();
  assertEquals(
    (await rows.allInnerTexts()).map((row) => row.includes("old code")),
    [false, true, true],
  );
  // The new code receives the request of before.
  await view.sendAgain();
  await rows.nth(3).filter({ hasText: "old code" }).waitFor();
  await shown.getByText('"fine"', { exact: true }).waitFor();
  await view.select("401", "old code");
  await view.sendAgain();
  await page.getByRole("dialog").getByLabel("authorization").fill("k3y-of-ada");
  await page.getByRole("dialog").getByRole("button", { name: "Send" }).click();
  await rows.nth(4).waitFor();
  await rows.first().filter({ hasText: "/api/orders" })
    .filter({ hasText: "200" }).waitFor();

  await app.stop();
  await page.getByText("the program does not respond; see its terminal")
    .waitFor();
});

Deno.test("a page behind the editor keeps the requests of before a restart, too", async () => {
  await using view = await InspectorView.open();
  const { app, page } = view;
  await page.evaluate(
    'Object.defineProperty(document, "hidden", { get: () => true })',
  );
  await app.send("/api/broken");
  await page.getByRole("cell", { name: "500" }).waitFor();
  await app.restart({});
  await page.locator("#rows").getByText("old code").waitFor();
});

Deno.test("the page works with the keyboard alone", async () => {
  await using view = await InspectorView.open();
  const { app, page, rows, shown } = view;
  const { keyboard } = page;
  await app.send("/api/books");
  await app.send("/api/orders", WRONG_TOKEN);
  await app.send("/api/old");
  await view.hasRows(3);
  const focused = () =>
    page.evaluate(() => {
      const { textContent, ariaLabel, tagName } = document.activeElement!;
      return ariaLabel ?? (textContent || tagName).trim();
    });
  /** Presses Tab until an element has the focus, which must be visible. */
  const tabTo = async (name: string) => {
    for (let presses = 0; await focused() !== name; presses++) {
      assert(presses < 40, `Tab does not reach "${name}"`);
      await keyboard.press("Tab");
    }
    const isVisible = await page.evaluate(() => {
      const element = document.activeElement!;
      const shown = element.closest("tr") ?? element;
      return getComputedStyle(shown).outlineStyle === "solid" &&
        element.matches(":focus-visible");
    });
    assert(isVisible, `the focus on "${name}" is visible`);
  };
  await tabTo("/api/orders");
  await keyboard.press("Enter");
  await shown.getByText("A token is required").first().waitFor();
  await tabTo("Send again");
  await keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await tabTo("Send again");
  await keyboard.press("Enter");
  await keyboard.type("k3y-of-ada");
  await keyboard.press("Enter");
  await rows.nth(3).waitFor();
  await page.locator("#shown .s2").first().waitFor();
  await keyboard.press("Escape");
  await shown.getByText("Select a request").waitFor();
  assertEquals(await focused(), "/api/orders");

  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await tabTo("Filter");
  await keyboard.type("emma");
  await view.hasRows(1);
  await keyboard.press("Shift+Tab");
  assertEquals((await focused()).startsWith("Routes"), true);
  await keyboard.press("Enter");
  await tabTo("Path");
  await keyboard.type("/api/books/7/page");
  await keyboard.press("Enter");
  await page.locator("#outcome").getByText("/api/books/[id]/pages").waitFor();
  await tabTo("/api/books");
  await keyboard.press("Enter");
  await shown.getByText("bodyLimit").first().waitFor();
});

Deno.test("the page shows routes, and opens their files in the editor", async () => {
  await using view = await InspectorView.open();
  const { app, page, shown } = view;
  await view.showRoutes();
  await page.locator("#tree").getByText("(staff)/").waitFor();
  await page.locator("#tree").getByText("/api/orders").click();
  const file = shown.getByRole("link", { name: "api/(staff)/orders/route.ts" });
  const path = `${app.folder.path}/api/(staff)/orders/route.ts`;
  assertEquals(
    await file.first().getAttribute("href"),
    `vscode://file${path}:1:1`,
  );
  await view.shows("api/(staff)/middleware.ts");
  await view.explain("/api/orders", "200");
  assertStringIncludes(
    await page.locator("#outcome").innerText(),
    "api/(staff)/middleware.ts",
  );
  await page.locator("#tree").getByText("/api/old").click();
  await shown.getByRole("row", { name: "deprecated true" }).waitFor();
  assertEquals(
    await page.locator("#tree .selected").innerText(),
    "/api/old GET",
  );
  // A user may type any hash, even one that cannot be decoded.
  for (const hash of ["#/routes/%ZZ", "#/routes/%E0%A4%A", "#/routes/%2fapi"]) {
    await page.evaluate((hash) => location.hash = hash, hash);
    await shown.getByText("This route no longer exists.").waitFor();
  }

  // A newcomer writes a method in lower case, and pastes a URL or leaves out the slash.
  await page.locator("#explain").getByLabel("Method").fill("post");
  for (const path of ["api/books", `${app.origin}/api/books?limit=3`]) {
    await view.explain(path, "200 /api/books");
    await view.explain("/nowhere", "404");
  }
});

Deno.test("each link to a file leads to a file", async () => {
  await using view = await InspectorView.open();
  const { app, page } = view;
  const check = async (shown: string, words: readonly string[]) => {
    for (const word of words) {
      assertStringIncludes(await page.locator(shown).innerText(), word);
    }
    const links = page.locator(`${shown} a.file`);
    const urls = await links.evaluateAll((all) =>
      all.map((link) => (link as HTMLAnchorElement).href)
    );
    assert(urls.length > 0, shown);
    for (const url of urls) {
      const [, path] = /^vscode:\/\/file(.+?)(?::\d+){2}$/.exec(url) ?? [];
      assert((await Deno.stat(decodeURIComponent(path!))).isFile, url);
    }
  };
  await app.send("/api/orders");
  await page.getByRole("cell", { name: "401" }).waitFor();
  await view.select("401");
  await check("#shown", ["option middleware[0]", "api/(staff)/middleware.ts"]);
  await view.showRoutes();
  await page.locator("#tree").getByText("/api/orders").click();
  await page.locator("#route-\\/api\\/orders").waitFor();
  await check("#shown", ["option middleware[0]", "api/(staff)/middleware.ts"]);
  await view.explain("/api/orders", "200");
  await check("#outcome", ["bearer from api/(staff)/middleware.ts"]);
});
