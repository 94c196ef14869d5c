/**
 * Looks at the documentation page on wide and narrow screens, in light and dark,
 * and tries an operation with a wildcard, one with a body, and two with a file. The
 * screenshots are `coverage/docs_*.png`. `deno task test:browser` runs it.
 */
import { Buffer } from "node:buffer";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openapi } from "@bough/framework/openapi";
import type { Locator, Page } from "npm:playwright-core@^1.57.0";
import { CapturedLog, FolderApplication } from "../../support/application.ts";
import { until } from "../../support/until.ts";
import { type Look, LOOKS, type OpenedPage, openPage } from "./support.ts";

/** The cover of a book: blue, with a white title. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAADwAAABaCAMAAADTj8UHAAAACVBMVEUAAABVmbv////J+9psAAAANElEQVR42u3UsQkAQAjAQHX/oX+FBxEEL/21iWwUMAzD8E1cf8EwDE9h34ZhGIZhGIbX4gfonxf+qmrFzgAAAABJRU5ErkJggg==";

const ZOD = `import { z } from "npm:zod@^4.1.13";
import { Problem } from "@bough/framework/openapi";`;

const FILES = {
  "books/route.ts": `${ZOD}
    const Book = z.object({
      id: z.int().positive(), title: z.string().min(1).meta({ examples: ["Moby-Dick"] }), author: z.string(),
      cents: z.int().min(0), published: z.iso.date(), email: z.email(),
    }).meta({ id: "Book" });
    export const schema = {
      get: {
        summary: "Search the books by title",
        query: z.object({ search: z.string().optional().describe("A part of the title") }),
        response: z.array(Book),
      },
      post: {
        summary: "Add a book",
        description: "The response has the new book, with its id.",
        body: Book.omit({ id: true }),
        response: { 201: Book, 409: Problem },
      },
    };
    export const GET = () => Response.json([]);
    export const POST = (request) =>
      Response.json({ id: 7, ...request.validated.body }, { status: 201 });`,
  "covers/[...]/route.ts": `${ZOD}
    export const schema = { get: { summary: "Get the picture of a cover", response: { 404: Problem } } };
    const PNG = Uint8Array.fromBase64("${PNG}");
    export const GET = (request) => request.wildcardParams[1] === "moby-dick.png"
      ? new Response(PNG, { headers: { "content-type": "image/png" } })
      : Response.json(request.wildcardParams);`,
  // Beside the wildcard: here a slash is a part of the one segment.
  "covers/[id]/route.ts": `
    export const schema = { get: { summary: "Look at a cover" } };
    export const GET = (request) => Response.json(request.params);`,
  "pictures/route.ts": `${ZOD}
    export const schema = { post: {
      summary: "Upload a picture",
      body: z.object({ title: z.string().describe("What it shows"), picture: z.file() }),
      response: { 201: z.object({ title: z.string(), name: z.string(), size: z.int() }) },
    } };
    export const POST = (request) => {
      const { title, picture } = request.validated.body;
      return Response.json({ title, name: picture.name, size: picture.size }, { status: 201 });
    };`,
  "reports/[year]/route.ts": `${ZOD}
    export const schema = { get: {
      summary: "Download a report",
      params: z.object({ year: z.string().regex(/^\\\\d{4}$/) }),
    } };
    export const GET = () => new Response(new Uint8Array(9), { headers: {
      "content-type": "application/octet-stream",
      "content-disposition": 'attachment; filename="report.bin"',
    } });`,
};

/** The page of the test application in a browser. */
async function withPage(
  look: Look,
  use: (opened: OpenedPage, origin: string) => Promise<void>,
): Promise<void> {
  using _ = new CapturedLog();
  const plugins = [
    openapi({ info: { title: "Bough Books", version: "1.0.0" } }),
  ];
  await using application = await FolderApplication.create(FILES, { plugins });
  await using server = await application.serve();
  await using opened = await openPage(look);
  const { page, requests, messages } = opened;
  page.setDefaultTimeout(5_000);
  await page.goto(server.url("/docs"));
  await page.locator(".opblock").first().waitFor();
  await use(opened, server.url(""));
  assertEquals(
    requests.filter((url) => !url.startsWith(server.url("/"))),
    [],
    "no request leaves the origin",
  );
  assertEquals(messages, [], "nothing is refused or fails");
}

/** Finds an operation as a reader does, by words of it, and opens it. */
async function open(page: Page, id: string, words: string): Promise<Locator> {
  await page.getByPlaceholder("Filter").fill(words);
  // Only what is found is left.
  await page.locator(".opblock").nth(1).waitFor({ state: "detached" });
  const operation = page.locator(`[id^=operations-][id$=-${id}]`);
  await operation.locator(".opblock-summary").click();
  await operation.getByRole("button", { name: "Execute" }).waitFor();
  return operation;
}

/** Tries an operation, and returns its response. */
async function execute(operation: Locator): Promise<Locator> {
  await operation.getByRole("button", { name: "Execute" }).click();
  const response = operation.locator(".live-responses-table .response").first();
  await response.waitFor();
  return response;
}

async function statusOf(response: Locator): Promise<string | undefined> {
  return (await response.locator(".response-col_status").textContent())?.trim();
}

/** What reaches out of the screen, of its operation or of its cell, by class. */
async function overflowing(page: Page): Promise<string[]> {
  return await page.locator("#docs *").evaluateAll((elements) =>
    elements.filter((element) => {
      // Code may be scrolled.
      if (element.closest("pre") !== null) return false;
      const { left, right, height } = element.getBoundingClientRect();
      const { clientWidth } = element.ownerDocument.documentElement;
      const frame = element.matches("input, select, textarea")
        ? element.parentElement
        : element.closest(".opblock");
      const edge = frame?.getBoundingClientRect().right ?? clientWidth;
      return height > 0 &&
        (left < 0 || right > Math.min(clientWidth, edge) + 1);
    }).map((element) => `${element.tagName}.${element.className}`)
  );
}

/** How light the background is, from 0 to 255. */
async function backgroundOf(page: Page): Promise<number> {
  return await page.locator("body").evaluate((body) => {
    const view = body.ownerDocument.defaultView!;
    const color = view.getComputedStyle(body).backgroundColor;
    const [red, green, blue, alpha = 1] = color.match(/[\d.]+/g)!.map(Number);
    if (alpha === 0) return NaN;
    return (red! + green! + blue!) / 3;
  });
}

for (const [name, look] of Object.entries(LOOKS)) {
  Deno.test(`the page is read and tried: ${name}`, async () => {
    await withPage(look, async ({ page, requests }, origin) => {
      const check = async (part: string) => {
        await page.screenshot({
          path: `coverage/docs_${name}_${part}.png`,
          fullPage: true,
        });
        assertEquals(await overflowing(page), [], part);
        const { width } = look;
        const scrolled = await page.locator("html").evaluate((html) =>
          html.scrollWidth
        );
        assert(scrolled <= width, `${part} is ${scrolled} pixels wide`);
      };
      const light = await backgroundOf(page);
      assert(
        look.colorScheme === "dark" ? light < 64 : light > 192,
        `${light}`,
      );
      await check("list");
      await page.locator(".models button").first().click();
      await page.locator(".models article button").first().click();
      await check("schemas");
      await page.reload();

      const wildcard = await open(page, "getCoversByWildcard", "picture cover");
      await wildcard.locator("tr[data-param-name=wildcard] input")
        .fill("classics/moby-dick.png");
      const picture = await execute(wildcard);
      assertEquals(await statusOf(picture), "200");
      await picture.locator("img").waitFor();
      assert(
        requests.includes(`${origin}/api/covers/classics/moby-dick.png`),
        requests.join("\n"),
      );
      assertStringIncludes(
        (await wildcard.locator(".curl").textContent())!,
        "/covers/classics/moby-dick.png",
      );
      await check("wildcard");

      await page.reload();
      const body = await open(page, "postBooks", "post book");
      const text = await body.locator("textarea").inputValue();
      assertEquals(JSON.parse(text), {
        title: "Moby-Dick",
        author: "Author",
        cents: 1,
        published: "2026-03-14",
        email: "ada@example.com",
      });
      assertEquals(await body.locator(".problem details[open]").count(), 0);
      const problem = body.locator(".problem", { hasText: "Conflict" });
      await problem.locator("summary").click();
      assertStringIncludes(
        (await problem.locator(".example").textContent())!,
        '"status": 409',
      );
      const book = await execute(body);
      assertEquals(await statusOf(book), "201");
      await check("body");

      await page.reload();
      const file = await open(page, "postPictures", "upload");
      await file.locator("input[type=file]").setInputFiles({
        name: "dot.png",
        mimeType: "image/png",
        buffer: Buffer.alloc(9),
      });
      const uploaded = await execute(file);
      assertEquals(await statusOf(uploaded), "201");
      assertStringIncludes((await uploaded.textContent())!, '"dot.png"');
      await check("file");
    });
  });
}

Deno.test("a slash in a value that is no wildcard is escaped", async () => {
  await withPage(LOOKS.wide_light!, async ({ page, requests }, origin) => {
    const operation = await open(page, "getCoversById", "look at a cover");
    await operation.locator("tr[data-param-name=id] input").fill("a/b");
    assertEquals(await statusOf(await execute(operation)), "200");
    assert(requests.includes(`${origin}/api/covers/a%2Fb`));
  });
});

Deno.test("a wildcard keeps what else must be escaped", async () => {
  await withPage(LOOKS.wide_light!, async ({ page, requests }, origin) => {
    const wildcard = await open(page, "getCoversByWildcard", "cover pict");
    const input = wildcard.locator("tr[data-param-name=wildcard] input");
    await input.fill("a b/50%/what?/c#d");
    const response = await execute(wildcard);
    assertEquals(await statusOf(response), "200");
    assert(requests.includes(`${origin}/api/covers/a%20b/50%25/what%3F/c%23d`));
    assertStringIncludes((await response.textContent())!, '"what?"');
  });
});

Deno.test("a file is offered to be saved", async () => {
  await withPage(LOOKS.wide_light!, async ({ page }) => {
    const operation = await open(page, "getReportsByYear", "download");
    const response = await execute(operation);
    assertEquals(await statusOf(response), "200");
    const download = page.waitForEvent("download");
    await response.getByText("Download file").click();
    assertEquals((await download).suggestedFilename(), "report.bin");
  });
});

Deno.test("the page follows a change of the colour scheme", async () => {
  await withPage(LOOKS.wide_light!, async ({ page }) => {
    assert(await backgroundOf(page) > 192);
    await page.emulateMedia({ colorScheme: "dark" });
    // The page hears of the change in a task of its own.
    await until(async () => await backgroundOf(page) < 64);
  });
});
