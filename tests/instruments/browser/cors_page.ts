/**
 * Calls an application from a page of another origin, with a real browser.
 * `deno task test:browser` runs it.
 */
import { assertEquals } from "@std/assert";
import { appFor } from "../../../examples/recipes/cors/main.ts";
import { TestServer } from "../../support/application.ts";
import { openPage } from "./support.ts";

/** The results of a page that calls the recipe with cookies, a stream and a socket. */
async function visit(pageOrigin: string, api: string): Promise<unknown> {
  await using opened = await openPage();
  await opened.page.goto(pageOrigin);
  return await opened.page.evaluate(async (api) => {
    const call = async (path: string, init: RequestInit = {}) => {
      const sent: RequestInit = { credentials: "include", ...init };
      const response = await fetch(api + path, sent).catch(() => undefined);
      return response && [response.status, await response.text()];
    };
    const put = await call("/api/name", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "ada" }),
    });
    const news = new EventSource(`${api}/api/news`, { withCredentials: true });
    const event = await new Promise((resolve) => {
      news.addEventListener("greeting", ({ data }) => resolve(data));
      news.onerror = () => resolve(undefined);
    });
    news.close();
    // A client that resumes a stream sends this header with fetch().
    const headers = { "last-event-id": "1" };
    const resumed = await call("/api/news", { headers });
    const chat = new WebSocket(`${api.replace("http", "ws")}/api/chat`);
    const message = await new Promise((resolve) => {
      chat.onopen = () => chat.send('"hi"');
      chat.onmessage = ({ data }) => resolve(data);
      chat.onerror = () => resolve(undefined);
    });
    chat.close();
    const read = await call("/api/name");
    const without = await call("/api/name", { credentials: "omit" });
    const missing = (await call("/nothing"))?.[0];
    return { put, event, resumed, message, read, without, missing };
  }, api);
}

Deno.test("only pages of the listed origins can call the recipe", async () => {
  await using shop = new PageServer();
  await using admin = new PageServer();
  await using other = new PageServer();
  const origins = [shop.origin, admin.origin];
  await using server = await TestServer.start(appFor(origins));
  for (const origin of origins) {
    assertEquals(await visit(origin, server.url("")), {
      put: [204, ""],
      event: '"Hello, ada"',
      resumed: [200, 'event: greeting\ndata: "Hello, ada"\n\n'],
      message: '"ada: hi"',
      read: [200, '{"name":"ada"}'],
      without: [200, '{"name":"stranger"}'],
      missing: 404,
    });
  }
  assertEquals(await visit(other.origin, server.url("")), {
    put: undefined,
    event: undefined,
    resumed: undefined,
    message: undefined,
    read: undefined,
    without: undefined,
    missing: undefined,
  });
});

/** Serves an empty page from its own origin. */
class PageServer implements AsyncDisposable {
  readonly #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () =>
      new Response("<!doctype html><link rel=icon href='data:,'>", {
        headers: { "content-type": "text/html" },
      }),
  );

  get origin(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
