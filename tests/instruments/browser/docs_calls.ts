/**
 * Tests calls on the documentation page in a real browser: with a wildcard, with a body and
 * with files. `deno task test:browser` runs these tests.
 */
import { Buffer } from "node:buffer";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openapi, Problem } from "@bough/framework/openapi";
import type { Locator, Page } from "npm:playwright-core@^1.57.0";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { until } from "../../support/until.ts";
import { type Look, LOOKS, type OpenedPage, openPage } from "./support.ts";

/** The cover of a book: blue, with a white title. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAADwAAABaCAMAAADTj8UHAAAACVBMVEUAAABVmbv////J+9psAAAANElEQVR42u3UsQkAQAjAQHX/oX+FBxEEL/21iWwUMAzD8E1cf8EwDE9h34ZhGIZhGIbX4gfonxf+qmrFzgAAAABJRU5ErkJggg==";

const Book = z.object({
  id: z.int().positive(),
  title: z.string().min(1).meta({ examples: ["Moby-Dick"] }),
  author: z.string(),
  cents: z.int().min(0),
  published: z.iso.date(),
  email: z.email(),
}).meta({ id: "Book" });

const FILES: Record<string, TestModule> = {
  "books/route.ts": {
    schema: {
      get: {
        summary: "Search the books by title",
        query: z.object({
          search: z.string().optional().describe("A part of the title"),
        }),
        response: z.array(Book),
      },
      post: {
        summary: "Add a book",
        description: "The response has the new book, with its id.",
        body: Book.omit({ id: true }),
        response: { 201: Book, 409: Problem },
      },
    },
    GET: () => Response.json([]),
    POST: ({ validated }) =>
      Response.json({ id: 7, ...validated.body }, { status: 201 }),
  },
  "covers/[...]/route.ts": {
    schema: {
      get: {
        summary: "Get the picture of a cover",
        response: { 404: Problem },
      },
    },
    GET: ({ wildcardParams }) =>
      wildcardParams?.[1] === "moby-dick.png"
        ? new Response(Uint8Array.fromBase64(PNG), {
          headers: { "content-type": "image/png" },
        })
        : Response.json(wildcardParams),
  },
  // In this sibling of the wildcard, a slash is a part of one segment.
  "covers/[id]/route.ts": {
    schema: { get: { summary: "Look at a cover" } },
    GET: ({ params }) => Response.json(params),
  },
  "pictures/route.ts": {
    schema: {
      post: {
        summary: "Upload a picture",
        body: z.object({
          title: z.string().describe("What it shows"),
          picture: z.file(),
          tags: z.array(z.string()),
          more: z.array(z.file()),
        }),
        response: {
          201: z.object({
            title: z.string(),
            name: z.string(),
            tags: z.array(z.string()),
            more: z.array(z.string()),
          }),
        },
      },
    },
    POST: ({ validated: { body: { title, picture: { name }, tags, more } } }) =>
      Response.json(
        { title, name, tags, more: more.map(({ name }: File) => name) },
        { status: 201 },
      ),
  },
  "reports/[year]/route.ts": {
    schema: {
      get: {
        summary: "Download a report",
        params: z.object({ year: z.string().regex(/^\d{4}$/) }),
      },
    },
    GET: () =>
      new Response(new Uint8Array(9), {
        headers: {
          "content-type": "application/octet-stream",
          "content-disposition": 'attachment; filename="report.bin"',
        },
      }),
  },
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
  await using server = await TestApplication.of(FILES, { plugins }).serve();
  await using opened = await openPage(look);
  const { page, requests, messages } = opened;
  await page.goto(server.url("/docs"));
  await page.locator(".opblock").first().waitFor();
  await use(opened, server.url(""));
  assertEquals(
    requests.filter((url) => !url.startsWith(server.url("/"))),
    [],
    "requests to other origins",
  );
  assertEquals(messages, [], "the page has no errors");
}

async function open(page: Page, id: string): Promise<Locator> {
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

/** The brightness of the background, from 0 to 255. */
async function backgroundOf(page: Page): Promise<number> {
  return await page.locator("body").evaluate((body) => {
    const view = body.ownerDocument.defaultView!;
    const color = view.getComputedStyle(body).backgroundColor;
    const [red, green, blue, alpha = 1] = color.match(/[\d.]+/g)!.map(Number);
    if (alpha === 0) return NaN;
    return (red! + green! + blue!) / 3;
  });
}

const buffer = Buffer.alloc(9);

Deno.test("the page sends a wildcard, a body and files", async () => {
  await withPage(LOOKS.wide_light!, async ({ page, requests }, origin) => {
    const wildcard = await open(page, "getCoversByWildcard");
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

    const body = await open(page, "postBooks");
    const { title } = JSON.parse(await body.locator("textarea").inputValue());
    assertEquals(title, "Moby-Dick");
    assertEquals(await body.locator(".problem details[open]").count(), 0);
    const problem = body.locator(".problem", { hasText: "Conflict" });
    await problem.locator("summary").click();
    assertStringIncludes(
      (await problem.locator(".example").textContent())!,
      '"status": 409',
    );
    assertEquals(await statusOf(await execute(body)), "201");

    const file = await open(page, "postPictures");
    // Each list begins with one value.
    for (const name of ["tags", "more"]) {
      await file.locator(`[data-property-name=${name}]`)
        .getByRole("button", { name: "Add" }).click();
    }
    const names = ["dot.png", "one.png", "two.png"];
    for (const [index, name] of names.entries()) {
      await file.locator("input[type=file]").nth(index)
        .setInputFiles({ name, mimeType: "image/png", buffer });
    }
    const uploaded = await execute(file);
    assertEquals(await statusOf(uploaded), "201");
    const answer = (await uploaded.locator("code").first().textContent())!;
    const { name, tags, more } = JSON.parse(answer);
    assertEquals([name, ...more, tags.length], [...names, 2]);
  });
});

Deno.test("the page escapes a slash in a parameter", async () => {
  await withPage(LOOKS.wide_light!, async ({ page, requests }, origin) => {
    const operation = await open(page, "getCoversById");
    await operation.locator("tr[data-param-name=id] input").fill("a/b");
    assertEquals(await statusOf(await execute(operation)), "200");
    assert(requests.includes(`${origin}/api/covers/a%2Fb`));
  });
});

Deno.test("the page escapes the segments of a wildcard", async () => {
  await withPage(LOOKS.wide_light!, async ({ page, requests }, origin) => {
    const wildcard = await open(page, "getCoversByWildcard");
    const input = wildcard.locator("tr[data-param-name=wildcard] input");
    await input.fill("a b/50%/what?/c#d");
    const response = await execute(wildcard);
    assertEquals(await statusOf(response), "200");
    assert(requests.includes(`${origin}/api/covers/a%20b/50%25/what%3F/c%23d`));
    assertStringIncludes((await response.textContent())!, '"what?"');
  });
});

Deno.test("the page offers a file as a download", async () => {
  await withPage(LOOKS.wide_light!, async ({ page }) => {
    const operation = await open(page, "getReportsByYear");
    await operation.locator("tr[data-param-name=year] input").fill("2026");
    const response = await execute(operation);
    assertEquals(await statusOf(response), "200");
    const download = page.waitForEvent("download");
    await response.getByText("Download file").click();
    assertEquals((await download).suggestedFilename(), "report.bin");
  });
});

Deno.test("the page follows a change of the color scheme", async () => {
  await withPage(LOOKS.wide_light!, async ({ page }) => {
    assert(await backgroundOf(page) > 192);
    await page.emulateMedia({ colorScheme: "dark" });
    // The page gets the change in a later task.
    await until(async () => await backgroundOf(page) < 64);
  });
});
