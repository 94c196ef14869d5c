/**
 * Tests the documentation page in a real browser. `deno task test:browser` runs it.
 */
import { Buffer } from "node:buffer";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Framework } from "@bough/framework";
import { openapi, Problem } from "@bough/framework/openapi";
import { file, form } from "@bough/framework/uploads";
import type { Locator, Page } from "npm:playwright-core@^1.57.0";
import { z } from "zod";
import { app as bookshop } from "../../../examples/bookshop/main.ts";
import {
  behindPrefix,
  CapturedLog,
  TestApplication,
  type TestModule,
  TestServer,
} from "../../support/application.ts";
import { until } from "../../support/until.ts";
import { type OpenedPage, openPage } from "./support.ts";

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

const Order = z.object({ id: z.int(), state: z.string() })
  .meta({ id: "Order" });
const Said = z.object({ name: z.string(), text: z.string() })
  .meta({ id: "Said" });

let endedStreams = 0;

/** Streams an order every 200 ms, until the client disconnects. */
function streamOrders(): Response {
  let timer: ReturnType<typeof setInterval>;
  const body = new ReadableStream<string>({
    start(controller) {
      let id = 0;
      const tick = () => {
        const data = JSON.stringify({ id: ++id, state: "sent" });
        controller.enqueue(`event: status\ndata: ${data}\n\n`);
      };
      tick();
      timer = setInterval(tick, 200);
    },
    cancel() {
      clearInterval(timer);
      endedStreams++;
    },
  });
  return new Response(body.pipeThrough(new TextEncoderStream()), {
    headers: { "content-type": "text/event-stream" },
  });
}

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
      query: {
        summary: "Search by many titles",
        cookies: z.object({ theme: z.string().optional() }),
        body: z.object({ titles: z.array(z.string()) }),
        response: z.array(z.looseObject({})),
      },
      post: {
        summary: "Add a book",
        description: "The response has the new book, with its id.",
        body: Book.omit({ id: true }),
        response: { 201: Book, 409: Problem },
      },
    },
    GET: () =>
      Response.json([{ title: "Moby-Dick", author: "Herman Melville" }]),
    QUERY: ({ validated }) => Response.json([validated.body]),
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
  "orders/route.ts": {
    schema: {
      get: { events: { status: Order, done: z.object({ count: z.int() }) } },
    },
    GET: streamOrders,
  },
  "chat/route.ts": {
    schema: { get: { socket: { receive: z.string(), send: Said } } },
    GET: () => new Response("", { status: 426 }),
  },
  "shelves/route.ts": {
    schema: {
      post: {
        body: form({
          fields: z.object({ title: z.string() }),
          files: {
            cover: file({ types: ["image/*"], count: [1, 2] }),
            note: file({ count: [0, 1] }),
          },
        }),
        response: { 201: z.array(z.string()) },
      },
    },
    POST: async ({ validated }) => {
      const names = [];
      for await (const { name, stream } of validated.body.files) {
        await stream.cancel();
        names.push(name);
      }
      return Response.json(names, { status: 201 });
    },
  },
};

const { app } = TestApplication.of(FILES, {
  plugins: [openapi({ info: { title: "Books", version: "1" } })],
});

/**
 * Opens the documentation page of an application, perhaps behind a proxy that strips a
 * prefix. The page may request only what is below the prefix, and has no errors.
 */
async function withPage(
  app: Framework,
  use: (opened: OpenedPage, origin: string) => Promise<void>,
  prefix = "",
): Promise<void> {
  using _ = new CapturedLog();
  await using server = await TestServer.start(app);
  await using outer = prefix === "" ? server : behindPrefix(server, prefix);
  await using opened = await openPage();
  const origin = outer.url(prefix);
  await opened.page.goto(`${origin}/docs/`);
  await opened.page.locator(".opblock").first().waitFor();
  await use(opened, origin);
  const outside = opened.requests.filter((url) =>
    !url.startsWith(`${origin}/`)
  );
  assertEquals(outside, [], "requests outside of the application");
  assertEquals(opened.messages, [], "the page has no errors");
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

Deno.test("the page lists every operation of the bookshop, and sends a request", async () => {
  await withPage(bookshop, async ({ page, requests }, origin) => {
    const document = await (await fetch(`${origin}/openapi.json`)).json();
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

    const search = await open(page, "getBooks");
    await search.locator("tr[data-param-name=search] input").fill("moby");
    await search.getByRole("button", { name: "Execute" }).click();
    const answer = search.locator(".live-responses-table .response").first();
    await answer.waitFor();
    assertEquals(
      (await answer.locator(".response-col_status").textContent())?.trim(),
      "200",
    );
    assertStringIncludes((await answer.textContent())!, "Herman Melville");
    await page.screenshot({ path: "coverage/docs_page.png", fullPage: true });
    const sent = `${origin}/api/books?search=moby`;
    assert(requests.some((url) => url.startsWith(sent)));
  });
});

for (
  const [servers, called] of Object.entries({
    "a relative server": bookshop,
    "no servers": app,
  })
) {
  Deno.test(`the page behind a proxy that strips a prefix calls the application, with ${servers}`, async () => {
    await withPage(called, async ({ page }) => {
      const answer = await execute(await open(page, "getBooks"));
      assertStringIncludes((await answer.textContent())!, "Herman Melville");
      const link = page.locator(".info a.link").first();
      assertEquals((await link.textContent())?.trim(), "/shop/openapi.json");
    }, "/shop");
  });
}

Deno.test("the page sends parameters, a body and files, and offers a download", async () => {
  await withPage(app, async ({ page, requests }, origin) => {
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

    const query = await open(page, "queryBooks");
    await query.locator("tr[data-param-name=theme]").waitFor();
    await query.locator("textarea").fill('{"titles":["Emma"]}');
    const found = await execute(query);
    assertStringIncludes((await found.textContent())!, '"Emma"');

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

    const form = await open(page, "postShelves");
    await form.locator("tr[data-property-name=title] input").fill("Emma");
    // The page sends an empty field for the optional file.
    await form.locator("tr[data-property-name=cover] input")
      .setInputFiles({ name: "a.svg", mimeType: "image/svg+xml", buffer });
    const shelf = await execute(form);
    assertEquals(await statusOf(shelf), "201");
    assertStringIncludes((await shelf.textContent())!, '"a.svg"');

    const byId = await open(page, "getCoversById");
    await byId.locator("tr[data-param-name=id] input").fill("a/b");
    assertEquals(await statusOf(await execute(byId)), "200");
    assert(requests.includes(`${origin}/api/covers/a%2Fb`));

    const report = await open(page, "getReportsByYear");
    await report.locator("tr[data-param-name=year] input").fill("2026");
    const response = await execute(report);
    const download = page.waitForEvent("download");
    await response.getByText("Download file").click();
    assertEquals((await download).suggestedFilename(), "report.bin");
  });
});

Deno.test("the page escapes the segments of a wildcard", async () => {
  await withPage(app, async ({ page, requests }, origin) => {
    const wildcard = await open(page, "getCoversByWildcard");
    const input = wildcard.locator("tr[data-param-name=wildcard] input");
    await input.fill("a b/50%/what?/c#d");
    const response = await execute(wildcard);
    assertEquals(await statusOf(response), "200");
    assert(requests.includes(`${origin}/api/covers/a%20b/50%25/what%3F/c%23d`));
    assertStringIncludes((await response.textContent())!, '"what?"');
  });
});

Deno.test("the page shows events and messages, and stops reading a stream", async () => {
  await withPage(app, async ({ page }) => {
    const stream = await open(page, "getOrders");
    const declared = stream.locator(".response[data-code='200']").first();
    await declared.waitFor();
    const example = (await declared.locator(".example").first().textContent())!;
    assertEquals(Object.keys(JSON.parse(example)), ["status", "done"]);
    await declared.getByRole("tab", { name: "Schema" }).click();
    const schema =
      (await declared.locator(".model-box").first().textContent())!;
    for (const name of ["The data of each event", "status", "done"]) {
      assertStringIncludes(schema, name);
    }

    const read = (await (await execute(stream)).textContent())!;
    assertStringIncludes(read, 'data: {"id":1,"state":"sent"}');
    assertStringIncludes(read, "this page stopped reading it");
    await until(() => endedStreams === 1);

    const socket = page.locator("#operations-chat-getChat");
    await socket.locator(".opblock-summary").click();
    const switched = socket.locator(".response[data-code='101']").first();
    await switched.waitFor();
    const shown = (await switched.textContent())!;
    for (
      const name of ["the WebSocket is open", '"receive"', '"send"', "text"]
    ) {
      assertStringIncludes(shown, name);
    }
  });
});

Deno.test("the page follows a change of the color scheme", async () => {
  await withPage(app, async ({ page }) => {
    assert(await backgroundOf(page) > 192);
    await page.emulateMedia({ colorScheme: "dark" });
    // The page gets the change in a later task.
    await until(async () => await backgroundOf(page) < 64);
  });
});
