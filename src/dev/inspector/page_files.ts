import { HttpError } from "../../core/errors.ts";

/**
 * The files of the page. Imports of text require no permission. The published package
 * contains a file only if its import is static.
 */
const FILES: Readonly<Record<string, () => Promise<{ default: string }>>> = {
  "page.html": () => import("./page.html", { with: { type: "text" } }),
  "page.css": () => import("./page.css", { with: { type: "text" } }),
  "page.svg": () => import("./page.svg", { with: { type: "text" } }),
  "page.js": () => import("./page.js", { with: { type: "text" } }),
  "page_dom.js": () => import("./page_dom.js", { with: { type: "text" } }),
  "page_requests.js": () =>
    import("./page_requests.js", { with: { type: "text" } }),
  "page_routes.js": () =>
    import("./page_routes.js", { with: { type: "text" } }),
  "page_values.js": () =>
    import("./page_values.js", { with: { type: "text" } }),
};

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  css: "text/css",
  js: "text/javascript",
  svg: "image/svg+xml",
};

/**
 * Responds with a file of the page.
 *
 * @param path The path of the inspector.
 * @throws {HttpError} If the page has no such file.
 */
export async function pageFile(name: string, path: string): Promise<Response> {
  if (!Object.hasOwn(FILES, name)) throw new HttpError(404);
  const { default: text } = await FILES[name]!();
  const type = TYPES[name.split(".")[1]!];
  return new Response(text.replaceAll("/_bough/", `${path}/`), {
    headers: { "content-type": `${type}; charset=utf-8` },
  });
}
