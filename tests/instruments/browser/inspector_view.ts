import { assertStringIncludes } from "@std/assert";
import type { Locator, Page } from "npm:playwright-core@^1.57.0";
import { until } from "../../support/until.ts";
import { InspectedApp } from "./inspector_app.ts";
import { type OpenedPage, openPage } from "./support.ts";

export class InspectorView implements AsyncDisposable {
  readonly app: InspectedApp;
  readonly opened: OpenedPage;
  readonly page: Page;
  readonly rows: Locator;
  /** The details of a request or a route. */
  readonly shown: Locator;

  private constructor(app: InspectedApp, opened: OpenedPage) {
    this.app = app;
    this.opened = opened;
    this.page = opened.page;
    this.rows = this.page.locator("#rows tr");
    this.shown = this.page.locator("#shown");
  }

  static async open(): Promise<InspectorView> {
    const app = await InspectedApp.open();
    const opened = await openPage();
    const { page } = opened;
    await page.context().grantPermissions(
      ["clipboard-read", "clipboard-write"],
      { origin: app.origin },
    );
    await page.goto(app.page);
    await page.getByText("Live").waitFor();
    return new InspectorView(app, opened);
  }

  async hasRows(count: number): Promise<void> {
    await until(async () => await this.rows.count() === count, 10_000);
  }

  /** Selects the newest request whose row contains all words, with all its details. */
  async select(...words: string[]): Promise<void> {
    let { rows } = this;
    for (const word of words) rows = rows.filter({ hasText: word });
    const link = rows.first().getByRole("link");
    const href = (await link.getAttribute("href"))!;
    await link.click();
    const detail = `[id="detail-${href.split("/").at(-1)}"]`;
    await this.page.locator(`${detail}:not([aria-busy])`).waitFor();
  }

  /** Asserts that the details show texts, which may arrive with a later poll. */
  async shows(...texts: string[]): Promise<void> {
    let shown = "";
    const isShown = async () => {
      shown = await this.shown.innerText();
      return texts.every((text) => shown.includes(text));
    };
    await until(isShown, 10_000).catch(() => {});
    for (const text of texts) assertStringIncludes(shown, text);
  }

  async sendAgain(): Promise<void> {
    await this.page.getByRole("button", { name: "Send again" }).click();
  }

  async showRoutes(): Promise<void> {
    await this.page.getByRole("navigation").getByText("Routes").click();
    await this.page.locator("#tree").waitFor();
  }

  /** Asks which route a path reaches, and waits for the beginning of the answer. */
  async explain(path: string, outcome: string): Promise<void> {
    const field = this.page.getByLabel("Path", { exact: true });
    await field.fill(path);
    await field.press("Enter");
    await this.page.locator("#outcome").getByText(outcome).waitFor();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.opened[Symbol.asyncDispose]();
    await this.app[Symbol.asyncDispose]();
  }
}
