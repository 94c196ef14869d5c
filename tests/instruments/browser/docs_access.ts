/// <reference lib="dom" />
/**
 * Tests the documentation page of the bookshop with the keyboard alone, with the rules
 * of WCAG 2.2 AA, and as a source of calls to copy. `deno task test:browser` runs these
 * tests.
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import axe from "npm:axe-core@^4.14.1";
import type { Page } from "npm:playwright-core@^1.57.0";
import { app } from "../../../examples/bookshop/main.ts";
import { openapi } from "@bough/framework/openapi";
import { TestApplication, TestServer } from "../../support/application.ts";
import { LOOKS, type OpenedPage, openPage } from "./support.ts";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** The page of the bookshop or another application, which may load only its own files. */
async function withPage(
  look: string,
  use: (opened: OpenedPage, origin: string) => Promise<void>,
  shown = app,
): Promise<void> {
  await using server = await TestServer.start(shown);
  const origin = server.url("");
  await using opened = await openPage(LOOKS[look]);
  const { page, requests } = opened;
  await page.goto(`${origin}/docs`);
  await page.locator(".opblock").first().waitFor();
  await use(opened, origin);
  assertEquals(
    requests.filter((url) => !url.startsWith(`${origin}/`)),
    [],
    "requests to other origins",
  );
}

/** The findings of axe, each kind once, with its first element. */
async function findings(page: Page): Promise<string[]> {
  // A button that is still growing is too small for axe.
  await page.evaluate(async () => {
    const animations = document.getAnimations()
      .filter(({ effect }) => effect!.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(animations.map(({ finished }) => finished));
  });
  const { violations } = await page.evaluate(
    `${axe.source}; axe.run({ runOnly: ${JSON.stringify(RULES)} })`,
  ) as axe.AxeResults;
  const kinds = new Map<string, string>();
  for (const { id, nodes } of violations) {
    for (const { html, any } of nodes) {
      const kind = `${id}: ${any[0]?.message}`;
      if (!kinds.has(kind)) kinds.set(kind, `${kind} ${html.slice(0, 80)}`);
    }
  }
  return [...kinds.values()];
}

for (const look of ["wide_light", "wide_dark", "narrow_light"]) {
  Deno.test(`the page has no finding of WCAG 2.2 AA: ${look}`, async () => {
    await withPage(look, async ({ page }) => {
      assertEquals(await findings(page), [], "list");
      for (
        const id of ["getBooks", "postBooks", "putStockByBookId", "getCovers"]
      ) {
        const operation = page.locator(`[id^=operations-][id$=-${id}]`);
        await operation.locator(".opblock-summary-control").click();
        await operation.getByRole("button", { name: "Execute" }).click();
        await operation.locator(".live-responses-table .response").first()
          .waitFor();
        await operation.locator(".problem summary").last().click();
        await operation.locator("details.for-agents summary").click();
      }
      await page.locator(".models button").first().click();
      await page.locator(".models article button").first().click();
      assertEquals(await findings(page), [], "operations");
      await page.getByRole("button", { name: "Authorize" }).first().click();
      await page.locator(".modal-ux input").waitFor();
      assertEquals(await findings(page), [], "authorization");
    });
  });
}

Deno.test("a deprecated operation has no finding of WCAG 2.2 AA", async () => {
  const { app } = TestApplication.of({
    "old/[id]/route.ts": {
      schema: {
        get: { deprecated: { sunset: "2030-12-31", use: "/api/new" } },
      },
      GET: () => Response.json({}),
    },
  }, { plugins: [openapi({ info: { title: "Old", version: "1.0.0" } })] });
  for (const look of ["wide_light", "wide_dark"]) {
    await withPage(look, async ({ page }) => {
      await page.locator(".opblock-summary-control").click();
      await page.getByRole("button", { name: "Execute" }).click();
      await page.locator(".live-responses-table .response").first().waitFor();
      assertEquals(await findings(page), [], look);
    }, app);
  }
});

Deno.test("the page finds, fills and sends a request with the keyboard", async () => {
  await withPage("wide_light", async ({ page, requests }, origin) => {
    const passed: string[] = [];
    /** Presses Tab until an element has the focus. */
    const tabTo = async (selector: string) => {
      const target = page.locator(`${selector}:focus`);
      await page.locator(selector).waitFor();
      do {
        assert(passed.length < 15, `no way to ${selector} by ${passed}`);
        await page.keyboard.press("Tab");
        passed.push(
          await page.evaluate(() =>
            document.activeElement!.outerHTML.slice(0, 60)
          ),
        );
      } while (await target.count() === 0);
    };
    await tabTo(".operation-filter-input");
    await page.keyboard.type("get books search");
    await page.locator(".opblock").nth(1).waitFor({ state: "detached" });
    await tabTo(".opblock-summary-control");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Execute" }).waitFor();
    await tabTo("tr[data-param-name=search] input");
    await page.keyboard.type("moby");
    await tabTo(".execute");
    await page.keyboard.press("Enter");
    await page.locator(".live-responses-table .response").first().waitFor();
    assert(requests.includes(`${origin}/api/books?search=moby`));
  });
});

Deno.test("the page offers a call as JavaScript that sends the same request", async () => {
  await withPage("wide_light", async ({ page }, origin) => {
    const operation = page.locator("#operations-books-postBooks");
    await operation.locator(".opblock-summary-control").click();
    const body = '{"title": "It\'s", "author": "X", "cents": 5}';
    await operation.locator("textarea").fill(body);
    await operation.getByRole("button", { name: "Execute" }).click();
    const code = (await operation.locator(".script code").textContent())!;
    assertStringIncludes(code, `await fetch("${origin}/api/books", {`);
    // The shop has the book since the page sent the same request.
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-config", code],
    }).output();
    const output = new TextDecoder().decode(stdout);
    assertStringIncludes(output, "409");
    assertStringIncludes(output, "It's");
  });
});

Deno.test("the page offers an operation as Markdown with everything it refers to", async () => {
  await withPage("wide_light", async ({ page }, origin) => {
    const operation = page.locator("#operations-books-postBooks");
    await operation.locator(".opblock-summary-control").click();
    await operation.locator("details.for-agents summary").click();
    const text = (await operation.locator(".for-agents code").textContent())!;
    const [heading, , summary] = text.split("\n");
    assertEquals(heading, `# POST ${origin}/api/books`);
    assertEquals(summary, "Add a book");
    const json = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
    const { requestBody, responses } = JSON.parse(json);
    const { schema, example } = requestBody.content["application/json"];
    assertEquals(Object.keys(example), ["title", "author", "cents"]);
    assertEquals(schema.required, ["title", "author", "cents"]);
    assertEquals(Object.keys(responses).slice(0, 2), ["201", "400"]);
    assert(!json.includes("$ref"), "no reference remains");
  });
});
