/**
 * Opens a frontend that Vite built, next to an API, in a real browser.
 * `deno task test:browser` runs it.
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Framework } from "@bough/framework";
import { files } from "@bough/framework/files";
import { join } from "@std/path";
import { build } from "npm:vite@8.3.4";
import { TestFolder, TestServer } from "../../support/application.ts";
import { openPage } from "./support.ts";

/** An application with routes of the history API, and a lazy chunk for one of them. */
const main = (version: number) =>
  `async function show() {
    const [, first, id] = location.pathname.split("/");
    const page = first === "books" ? (await import("./book.js")).book(id) : "home";
    document.body.dataset.shown = page + " of version ${version}";
  }
  addEventListener("popstate", show);
  window.go = (path) => (history.pushState(null, "", path), show());
  show();`;

/** Builds a version of the frontend into `dist/`, as `vite build` does. */
async function buildVersion(root: TestFolder, version: number): Promise<void> {
  await root.write("main.js", main(version));
  await build({ root: root.path, configFile: false, logLevel: "silent" });
}

Deno.test("a frontend of Vite has deep links, and is new after each build", async () => {
  await using root = await TestFolder.create({
    "index.html":
      '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/main.js"></script>',
    "book.js": 'export const book = (id) => "book " + id;',
  });
  await buildVersion(root, 1);
  const plugin = files({
    dir: join(root.path, "dist"),
    fallback: "index.html",
    immutable: ["assets"],
  });
  const GET = () => Response.json(["Emma"]);
  const app = new Framework({
    manifest: { "books/route.ts": { GET } },
    plugins: [plugin],
  });
  await using server = await TestServer.start(app);
  await using opened = await openPage();
  const { page } = opened;
  const shown = async (text: string) =>
    await page.waitForSelector(`[data-shown="${text}"]`, {
      state: "attached",
      timeout: 5_000,
    });
  await page.goto(server.url("/"));
  await shown("home of version 1");
  await page.evaluate('go("/books/7")');
  await shown("book 7 of version 1");
  await page.reload();
  await shown("book 7 of version 1");
  await page.goBack();
  await shown("home of version 1");

  const chunks = opened.requests.filter((url) => url.includes("/assets/"));
  assert(chunks.some((url) => url.includes("/book-")));
  const old = chunks.find((url) => url.includes("index"))!;
  const caching = async (url: string) =>
    (await fetch(url)).headers.get("cache-control");
  assertMatch((await caching(old))!, /immutable/);
  assertEquals(await caching(server.url("/")), "no-cache");

  await buildVersion(root, 2);
  for (const path of ["/", "/books/7"]) {
    await page.goto(server.url(path));
    const text = path === "/" ? "home" : "book 7";
    await shown(`${text} of version 2`);
  }
  const answers = await page.evaluate(async (paths) => {
    const types = [];
    for (const path of paths) {
      const { status, headers } = await fetch(path);
      types.push([status, headers.get("content-type")]);
    }
    const missing = await import(paths[0]!).then(() => "loaded", String);
    return { types, missing };
  }, ["/assets/missing.js", "/api/unknown", "/api/books"]);
  assertEquals(answers.types, [
    [404, "application/problem+json"],
    [404, "application/problem+json"],
    [200, "application/json"],
  ]);
  assertMatch(answers.missing, /Failed to fetch/);
  // The same for a navigation to a path of the API.
  const wrong = await page.goto(server.url("/api/unknown"));
  assertEquals(wrong!.status(), 404);
  assert(!(await wrong!.text()).includes("<"));
});
