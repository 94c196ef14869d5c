/**
 * Serves the bookshop with a page that calls it: bundle the page, then serve it.
 *
 *     deno bundle --platform=browser --minify -o page.js page.ts
 *     deno run --allow-read --allow-net serve.ts
 */
import { Framework, type Plugin } from "@bough/framework";

/** Serves a page and its script, next to the API. */
export function page(script: string): Plugin {
  const file = (text: string, type: string) => ({
    GET: () => new Response(text, { headers: { "content-type": type } }),
  });
  const html = Deno.readTextFileSync(new URL("page.html", import.meta.url));
  return {
    name: "page",
    routes: () => [
      { path: "/", handlers: file(html, "text/html; charset=utf-8") },
      { path: "/page.js", handlers: file(script, "text/javascript") },
    ],
  };
}

/** The bookshop and the page. */
export function withPage(script: string): Framework {
  return new Framework({
    apiDir: new URL("../bookshop/api/", import.meta.url),
    plugins: [page(script)],
  });
}

if (import.meta.main) {
  const script = Deno.readTextFileSync(new URL("page.js", import.meta.url));
  await withPage(script).serve();
}
