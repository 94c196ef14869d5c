import { eTag } from "@std/http/etag";
import { parseUrl } from "../../core/common/values.ts";
import type { ApiServer, OpenApiDocument } from "../../shared/types.ts";
import { shownDocument } from "./page.ts";

/** The paths of the document and its page. */
type Paths = Readonly<Record<"documentPath" | "docsPath", string>>;

/**
 * Creates the files of the documentation page by name; the name of the page itself is
 * "".
 *
 * The viewer is Swagger UI from npm, with a script and a style of Bough. The first
 * request for the page imports these files as text, which requires no permission. The
 * page loads nothing from other origins.
 */
export async function createViewer(
  document: OpenApiDocument,
  paths: Paths,
): Promise<ReadonlyMap<string, Asset>> {
  const [viewer, viewerStyle, start, style] = (await Promise.all([
    import("swagger-ui-dist/swagger-ui-bundle.js", { with: { type: "text" } }),
    import("swagger-ui-dist/swagger-ui.css", { with: { type: "text" } }),
    import("./page.js", { with: { type: "text" } }),
    import("./page.css", { with: { type: "text" } }),
  ])).map((module) => module.default);
  const shown = JSON.stringify(shownDocument(document));
  const file = (text: string, type: string): Promise<Asset> =>
    asset(text, { "content-type": `${type}; charset=utf-8` });
  return new Map([
    ["", await page(document, paths)],
    ["swagger-ui.js", await file(viewer!, "text/javascript")],
    ["swagger-ui.css", await file(viewerStyle!, "text/css")],
    ["start.js", await file(start!, "text/javascript")],
    ["style.css", await file(style!, "text/css")],
    ["document.json", await file(shown, "application/json")],
  ]);
}

/** Its URLs are relative, since a proxy may serve the application below a prefix. */
function page(
  { info, servers = [] }: OpenApiDocument,
  { documentPath, docsPath }: Paths,
): Promise<Asset> {
  const [folder, ...above] = docsPath.slice(1).split("/").reverse();
  const root = above.length === 0 ? "./" : "../".repeat(above.length);
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta name="color-scheme" content="light dark">
    <title>${escape(info.title)}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${folder}/swagger-ui.css">
    <link rel="stylesheet" href="${folder}/style.css">
    <script defer src="${folder}/swagger-ui.js"></script>
    <script defer src="${folder}/start.js"></script>
  </head>
  <body>
    <div id="docs" data-root="${root}" data-document="${root}${
    documentPath.slice(1)
  }" data-shown="${folder}/document.json"></div>
  </body>
</html>
`;
  return asset(html, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy(servers),
    "referrer-policy": "no-referrer",
  });
}

/**
 * Returns the content security policy. The page may load its own files, and responses
 * of the servers in the document. The page shows images and audio in responses as
 * blobs.
 */
function contentSecurityPolicy(servers: readonly ApiServer[]): string {
  const origins = servers.map(({ url }) => parseUrl(url)?.origin ?? "'self'");
  const connect = [...new Set(["'self'", ...origins])].join(" ");
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    `connect-src ${connect}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll('"', "&quot;");
}

/** Responds to `GET`, with 304 if the client has the current text (RFC 9110, 13.1.2). */
export type Asset = (request: Request) => Response;

/** Serves a fixed text with an `ETag`. */
export async function asset(text: string, init: HeadersInit): Promise<Asset> {
  const headers = new Headers(init);
  const tag = (await eTag(text))!;
  headers.set("etag", tag);
  // Clients revalidate the file at each use, and usually receive status 304.
  headers.set("cache-control", "no-cache");
  headers.set("x-content-type-options", "nosniff");
  return (request) => {
    // `*`, `"x", "abc"` and `W/"abc"` all list `"abc"`. A plain search suffices, since no
    // tag contains a comma. `ifNoneMatch` of `@std/http` takes seconds for 65,000 spaces.
    const known = request.headers.get("if-none-match") ?? "";
    return known === "*" || known.includes(tag)
      ? new Response(null, { status: 304, headers })
      : new Response(text, { headers });
  };
}
