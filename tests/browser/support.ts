import { type Browser, chromium, type Page } from "npm:playwright-core@^1.57.0";

/** A page of a browser, closed with it at the end of its test. */
export class OpenedPage implements AsyncDisposable {
  /** The page. */
  readonly page: Page;
  /** The URLs it asked for, those that carry their own data left out. */
  readonly requests: string[] = [];
  /** What its console says of errors, and its content policy of refusals. */
  readonly messages: string[] = [];
  readonly #browser: Browser;

  /** Watches a page. */
  constructor(page: Page, browser: Browser) {
    this.page = page;
    this.#browser = browser;
    page.on("request", (request) => {
      const url = request.url();
      if (!/^(?:data|blob):/.test(url)) this.requests.push(url);
    });
    page.on("console", (message) => {
      if (message.type() === "error") this.messages.push(message.text());
    });
    page.on("pageerror", (error) => this.messages.push(String(error)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}

/** Opens an empty page in headless Chromium. */
export async function openPage(): Promise<OpenedPage> {
  const browser = await chromium.launch({
    executablePath: Deno.env.get("CHROMIUM") ?? "/usr/bin/chromium",
    // Root, as in a container, may not have the sandbox.
    args: ["--no-sandbox"],
  });
  return new OpenedPage(await browser.newPage(), browser);
}
