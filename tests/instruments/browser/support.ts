import { type Browser, chromium, type Page } from "npm:playwright-core@^1.57.0";
import type { TestFolder } from "../../support/application.ts";
import { DenoProcess, freePort, type Outcome } from "../../support/process.ts";

/** A page of a browser, which closes at the end of its test. */
export class OpenedPage implements AsyncDisposable {
  readonly page: Page;
  /** The URLs of its requests, without `data:` and `blob:`. */
  readonly requests: string[] = [];
  /** Errors on its console, including violations of its content policy. */
  readonly messages: string[] = [];
  readonly #browser: Browser;

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

/** The screen of a user: wide or narrow, light or dark. */
export interface Look {
  readonly width: number;
  readonly colorScheme: "light" | "dark";
}

/** The looks of the tests, by the name in their screenshots. */
export const LOOKS: Readonly<Record<string, Look>> = {
  wide_light: { width: 1280, colorScheme: "light" },
  wide_dark: { width: 1280, colorScheme: "dark" },
  narrow_light: { width: 390, colorScheme: "light" },
  narrow_dark: { width: 390, colorScheme: "dark" },
};

export async function openPage(
  { width, colorScheme }: Look = { width: 1280, colorScheme: "light" },
): Promise<OpenedPage> {
  const browser = await chromium.launch({
    executablePath: Deno.env.get("CHROMIUM") ?? "/usr/bin/chromium",
    // Root, as in a container, cannot use the sandbox.
    args: ["--no-sandbox"],
  });
  const viewport = { width, height: 900 };
  const page = await browser.newPage({ viewport, colorScheme });
  return new OpenedPage(page, browser);
}

/** A program in its own process, which can restart, with a folder for its files. */
export class RestartingProgram implements AsyncDisposable {
  readonly port: number = freePort();
  readonly folder: TestFolder;
  #process: DenoProcess | undefined;

  protected constructor(folder: TestFolder) {
    this.folder = folder;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  protected async run(
    cwd: string,
    main: string,
    ...args: readonly string[]
  ): Promise<void> {
    const env = { PORT: String(this.port), HOST: "127.0.0.1" };
    this.#process = new DenoProcess(cwd, ["-A"], main, { args, env });
    await this.#process.printed("Listening");
  }

  async stop(): Promise<Outcome> {
    this.#process!.kill("SIGTERM");
    return await this.#process!.outcome();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.[Symbol.asyncDispose]();
    await this.folder[Symbol.asyncDispose]();
  }
}
