/**
 * Tests the order board of the bookshop in a real browser. The screenshots are
 * `coverage/board_*.png`. `deno task test:browser` runs these tests.
 */
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import type { Page } from "npm:playwright-core@^1.57.0";
import { ADMIN_TOKEN } from "../../../examples/bookshop/admin_token.ts";
import { TestFolder } from "../../support/application.ts";
import { LOOKS, openPage, RestartingProgram } from "./support.ts";

const SHOP = fromFileUrl(
  new URL("../../../examples/bookshop/", import.meta.url),
);

class Bookshop extends RestartingProgram {
  static async open(): Promise<Bookshop> {
    const shop = new Bookshop(await TestFolder.create({}));
    await shop.start();
    return shop;
  }

  async start(file = "shop.db"): Promise<void> {
    await this.run(SHOP, "main.ts", join(this.folder.path, file));
  }

  /** Places an order of a customer, and returns its number. */
  async order(bookId: number, count: number): Promise<number> {
    const response = await fetch(`${this.origin}/api/orders`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        email: "ada@example.com",
        items: [{ bookId, count }],
      }),
    });
    assertEquals(response.status, 201);
    return (await response.json()).id;
  }

  async change(path: string, body: unknown): Promise<void> {
    const response = await fetch(`${this.origin}/api${path}`, {
      method: "PUT",
      headers: {
        "authorization": `Bearer ${ADMIN_TOKEN}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    assertEquals(response.status, 200, await response.text());
  }
}

async function signIn(page: Page, token = ADMIN_TOKEN): Promise<void> {
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Waits until a page shows a state of the connection. */
async function connection(page: Page, text: string): Promise<void> {
  await page.getByRole("status").filter({ hasText: text }).waitFor();
}

/** Waits until a column shows exactly these orders. */
async function column(
  page: Page,
  status: string,
  ids: readonly number[],
): Promise<void> {
  const cards = page.locator(`[data-status=${status}] h3`);
  const expected = ids.map((id) => `Order ${id}`);
  for (let tries = 0; tries < 100; tries++) {
    const shown = await cards.allTextContents();
    if (shown.join() === expected.join()) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assertEquals(await cards.allTextContents(), expected, status);
  const count = page.locator(`[data-status=${status}] .count`);
  assertEquals(await count.textContent(), String(ids.length));
}

/** Unexpected messages of a page: violations of its policy, and errors of its script. */
function faults(messages: readonly string[]): string[] {
  // The browser itself reports missing servers and 401.
  return messages.filter((text) => !/^Failed to load resource/.test(text));
}

Deno.test("two screens show orders without a reload, even after restarts", async () => {
  await using shop = await Bookshop.open();
  await using opened = await openPage();
  await using other = await openPage();
  const screens = [opened.page, other.page];
  for (const page of screens) {
    await page.goto(`${shop.origin}/board`);
    await connection(page, "Signed out");
    await signIn(page);
    await connection(page, "Live");
    await column(page, "placed", []);
  }
  const all = async (status: string, ...ids: number[]) => {
    for (const page of screens) await column(page, status, ids);
  };

  const first = await shop.order(1, 2);
  await all("placed", first);
  const text = await opened.page.locator("li[data-id]").innerText();
  for (const part of ["ada@example.com", "2 × Emma", "24.00"]) {
    assert(text.includes(part), text);
  }
  assertEquals(await opened.page.title(), "(1) Orders · Bough Books");

  // A change on one screen appears on both.
  await opened.page.getByRole("button", { name: "Mark as packed" }).click();
  await all("packed", first);
  await all("placed");

  assertEquals((await shop.stop()).code, 0);
  for (const page of screens) await connection(page, "Connection lost");
  const next = opened.page.getByRole("button", { name: "Mark as sent" });
  await next.click();
  const alert = opened.page.getByRole("alert");
  await alert.filter({ hasText: "Order 1 was not changed" }).waitFor();
  assert(await next.isEnabled());
  await shop.start();
  // The boards still wait before they reconnect.
  const second = await shop.order(3, 1);
  await all("placed", second);
  await all("packed", first);
  for (const page of screens) await connection(page, "Live");

  // The token lasts as long as the tab.
  await opened.page.reload();
  await all("packed", first);

  // With another database, the boards remove the orders that they show.
  assertEquals((await shop.stop()).code, 0);
  await shop.start("other.db");
  const only = await shop.order(3, 1);
  await all("placed", only);
  await all("packed");

  for (const { requests, messages } of [opened, other]) {
    assertEquals(faults(messages), []);
    const foreign = requests.filter((url) => !url.startsWith(shop.origin));
    assertEquals(foreign, [], "requests to other origins");
  }
});

Deno.test("the board rejects a wrong token, and removes all orders when the user signs out", async () => {
  await using shop = await Bookshop.open();
  await using opened = await openPage();
  const { page, messages } = opened;
  await shop.order(1, 1);
  await page.goto(`${shop.origin}/board`);
  await signIn(page, "wrong");
  const alert = page.getByRole("alert");
  await alert.filter({ hasText: "not the token of the staff" }).waitFor();
  await connection(page, "Signed out");
  await signIn(page);
  await page.locator("li[data-id]").waitFor();
  assertEquals(await alert.textContent(), "");
  await page.getByRole("button", { name: "Sign out" }).click();
  await connection(page, "Signed out");
  assertEquals(await page.locator("li[data-id]").count(), 0);
  await page.reload();
  await connection(page, "Signed out");
  assertEquals(faults(messages), []);
});

Deno.test("the board shows the last 20 sent orders", async () => {
  await using shop = await Bookshop.open();
  await using opened = await openPage();
  const { page } = opened;
  await page.goto(`${shop.origin}/board`);
  await signIn(page);
  await connection(page, "Live");
  await shop.change("/stock/1", { stock: 30 });
  const ids: number[] = [];
  for (let count = 0; count < 22; count++) {
    const id = await shop.order(1, 1);
    await shop.change(`/orders/${id}/status`, { status: "sent" });
    ids.push(id);
  }
  await column(page, "sent", ids.toReversed().slice(0, 20));
  // An older order appears again, whatever its number.
  const first = `/orders/${ids[0]}/status`;
  await shop.change(first, { status: "packed" });
  await column(page, "packed", [ids[0]!]);
  await shop.change(first, { status: "sent" });
  await column(page, "sent", [ids[0]!, ...ids.toReversed().slice(0, 19)]);
});

Deno.test("the board fits wide and narrow screens, in light and dark", async () => {
  await using shop = await Bookshop.open();
  for (let count = 0; count < 3; count++) await shop.order(1 + count, 2);
  await Deno.mkdir("coverage", { recursive: true });
  for (const [name, look] of Object.entries(LOOKS)) {
    await using opened = await openPage(look);
    const { page, messages } = opened;
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.goto(`${shop.origin}/board`);
    await page.screenshot({ path: `coverage/board_${name}_signed_out.png` });
    await signIn(page);
    await connection(page, "Live");
    await page.locator("li[data-id]").nth(2).waitFor();
    const next = page.getByRole("button", { name: "Mark as packed" });
    if (name === "wide_light") await next.nth(1).click();
    await page.locator("[data-status=packed] li[data-id]").waitFor();
    await page.screenshot({ path: `coverage/board_${name}.png` });
    assertEquals(
      await page.evaluate("document.documentElement.scrollWidth"),
      look.width,
      `${name}: the page is too wide`,
    );
    const ground = await page.evaluate<string>(
      "getComputedStyle(document.body).backgroundColor",
    );
    const [red] = /\d+/.exec(ground)!;
    assertEquals(Number(red) < 128, look.colorScheme === "dark", ground);
    assertEquals(faults(messages), []);
  }
});
