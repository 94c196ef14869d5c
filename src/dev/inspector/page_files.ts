import { HttpError } from "../../core/errors.ts";

/**
 * The files of the page by name. Imports of text require no permission, and only static
 * ones are part of the published package.
 */
const FILES: Readonly<
  Record<string, readonly [string, () => Promise<{ default: string }>]>
> = {
  "": ["html", () => import("./page.html", { with: { type: "text" } })],
  "page.css": ["css", () => import("./page.css", { with: { type: "text" } })],
  "page.js": [
    "javascript",
    () => import("./page.js", { with: { type: "text" } }),
  ],
};

/**
 * Responds with a file of the page.
 *
 * @param path The path of the inspector.
 * @throws {HttpError} If there is no such file.
 */
export async function pageFile(name: string, path: string): Promise<Response> {
  if (!Object.hasOwn(FILES, name)) throw new HttpError(404);
  const [type, load] = FILES[name]!;
  const text = (await load()).default.replaceAll("/_bough/", `${path}/`);
  const headers = { "content-type": `text/${type}; charset=utf-8` };
  return new Response(text, { headers });
}
