/**
 * Makes the pictures of the pages again, in `src/guide/pictures/`: `bough` in a terminal,
 * and the bookshop in Chromium. If there is no Chromium, it says how to get one, and
 * exits with 2. The pictures differ from the earlier ones only where the programs differ.
 */
import { fromFileUrl } from "@std/path";
import { chromium, type Page } from "npm:playwright-core@^1.57.0";
import { ADMIN_TOKEN } from "../../examples/bookshop/admin_token.ts";
import type { TestFolder } from "../../tests/support/application.ts";
import { freePort } from "../../tests/support/process.ts";
import { findBrowser, HOW_TO_GET_ONE } from "../browser.ts";
import { sendRequests } from "./requests.ts";
import { copyShop, replaceIn, start } from "./shop.ts";
import { drawTerminal } from "./terminal.ts";

const FOLDER = fromFileUrl(
  new URL("../../src/guide/pictures/", import.meta.url),
);
const FEATURED = "api/books/featured";

/** Frames a page, since some readers see it on a ground of the same color. */
const STYLE = `:root::after {
  content: "";
  position: fixed;
  inset: 0;
  z-index: 9999;
  border: 1px solid #c3cac3;
  pointer-events: none;
}
* {
  transition: none !important;
}`;

/** Runs `bough`, and returns its output without its progress. */
async function runBough(shop: TestFolder, ...args: string[]): Promise<string> {
  await using process = start(shop, "bough.ts", { args });
  const { code, output } = await process.outcome();
  if (code === 2) throw new Error(output);
  return output.replaceAll(/^bough test: .*\n/gm, "");
}

/** Draws a command with its output, except the table of `bough test`, which is too wide. */
async function drawCommand(shop: TestFolder, line: string): Promise<void> {
  const [, ...args] = line.match(/"[^"]*"|\S+/g)!
    .map((arg) => arg.replaceAll('"', ""));
  const output = (await runBough(shop, ...args))
    .replace(/^ROUTE[^]*(?=^Seed)/m, "\x1b[2m…\x1b[0m\n");
  await Deno.writeTextFile(
    `${FOLDER}bough_${args[0]}.svg`,
    drawTerminal(`\x1b[32m$\x1b[0m \x1b[1m${line}\x1b[0m\n${output}`),
  );
}

async function drawCheck(): Promise<void> {
  await using shop = await copyShop();
  const guard = `${shop.path}/api/(admin)/middleware`;
  await Deno.rename(`${guard}.ts`, `${guard}s.ts`);
  const route = await Deno.readTextFile(`${shop.path}/${FEATURED}/route.ts`);
  await shop.write("api/books/[id]/route.ts", route);
  await shop.write("api/reviews/routes.ts", route);
  await drawCommand(shop, "bough check main.ts");
}

async function drawTest(): Promise<void> {
  await using shop = await copyShop();
  await addMistake(shop);
  const as = `"authorization: Bearer ${ADMIN_TOKEN}"`;
  await drawCommand(shop, `bough test main.ts --seed=2:7 --as ${as}`);
}

async function drawDiff(): Promise<void> {
  await using shop = await copyShop();
  await shop.write("api.json", await runBough(shop, "openapi", "main.ts"));
  await replaceIn(shop, "api/orders/route.ts", ["max(100)", "max(20)"]);
  await Deno.remove(`${shop.path}/${FEATURED}`, { recursive: true });
  await drawCommand(shop, "bough diff main.ts --against=api.json");
}

/** Lets the shop fail if a book is added twice. */
async function addMistake(shop: TestFolder): Promise<void> {
  const end = "FROM authors WHERE name = ?";
  const unique = `${end} ON CONFLICT DO NOTHING`;
  await replaceIn(shop, "store/books.ts", [unique, end]);
}

/** Takes the picture of a page. */
async function photograph(page: Page, name: string): Promise<void> {
  await page.addStyleTag({ content: STYLE });
  await page.evaluate("document.activeElement.blur()");
  await page.mouse.move(0, 0);
  const session = await page.context().newCDPSession(page);
  const y = await page.evaluate<number>("scrollY");
  // Readable at the width of a page, also on fine screens, with less than 150 KB.
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality: 75,
    clip: { x: 0, y, ...page.viewportSize()!, scale: 1.5 },
  });
  const bytes = Uint8Array.fromBase64(data);
  await Deno.writeFile(`${FOLDER}${name}.webp`, bytes);
}

async function photographShop(page: Page): Promise<void> {
  await using shop = await copyShop();
  await addMistake(shop);
  const port = freePort();
  const env = { PORT: `${port}` };
  await using server = start(shop, "server.ts", { env });
  await server.printed("Listening");
  const origin = `http://127.0.0.1:${port}`;
  await sendRequests(origin);

  await page.setViewportSize({ width: 1220, height: 732 });
  await page.goto(`${origin}/_bough`);
  await page.locator("#rows tr", { hasText: "500" }).click();
  await page.locator("#shown .source").first().waitFor();
  await photograph(page, "inspector_request");

  await page.getByRole("navigation").getByText("Routes").click();
  await page.locator("#tree").getByText("/api/books/[bookId]").first().click();
  await page.getByPlaceholder("/api/…").fill("/api/books/featured");
  await page.getByRole("button", { name: "Explain" }).click();
  await page.locator("#outcome").getByText("also matches").waitFor();
  await photograph(page, "inspector_routes");

  await page.setViewportSize({ width: 960, height: 512 });
  await page.goto(`${origin}/board`);
  await page.getByLabel("Token").fill(ADMIN_TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  for (const id of [1, 2]) {
    await page.locator(`[data-id="${id}"] button`).click();
    await page.locator(`[data-status=sent] [data-id="${id}"]`).waitFor();
  }
  await photograph(page, "order_board");

  await page.setViewportSize({ width: 960, height: 832 });
  await page.goto(`${origin}/docs`);
  const operation = page.locator("#operations-books-postBooks");
  await operation.locator(".opblock-summary").click();
  await operation.getByRole("button", { name: "Execute" }).waitFor();
  await page.locator("#operations-tag-books")
    .evaluate((tag) => tag.scrollIntoView());
  await photograph(page, "docs");
}

const executablePath = findBrowser();
if (executablePath === undefined) {
  console.error(`pictures: there is no Chromium.\n${HOW_TO_GET_ONE}`);
  Deno.exit(2);
}
await drawCheck();
await drawTest();
await drawDiff();
await using browser = await chromium.launch({
  executablePath,
  args: [
    // Root, as in a container, cannot use the sandbox.
    "--no-sandbox",
    // Otherwise, the pixels of a text depend on when it was first drawn.
    "--disable-font-subpixel-positioning",
  ],
});
await photographShop(
  await browser.newPage({
    bypassCSP: true,
    deviceScaleFactor: 1.5,
    reducedMotion: "reduce",
    timezoneId: "UTC",
  }),
);
