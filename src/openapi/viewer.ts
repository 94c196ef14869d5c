import { Asset } from "./asset.ts";
import type { ApiServer } from "./types.ts";

/** What the documentation page shows. */
export interface ViewerOptions {
  /** The title of the page. */
  readonly title: string;
  /** Where the document is served. */
  readonly documentPath: string;
  /** Where the page is served. */
  readonly docsPath: string;
  /** The servers that the page may send requests to, beside its own. */
  readonly servers: readonly ApiServer[];
}

/**
 * The files of the documentation page, by name; that of the page itself is "".
 *
 * The viewer is Swagger UI from npm. It is imported as text at the first request
 * for the page, which needs no permission. The page loads nothing from elsewhere.
 */
export async function createViewer(
  options: ViewerOptions,
): Promise<ReadonlyMap<string, Asset>> {
  const [{ default: script }, { default: style }] = await Promise.all([
    import("swagger-ui-dist/swagger-ui-bundle.js", { with: { type: "text" } }),
    import("swagger-ui-dist/swagger-ui.css", { with: { type: "text" } }),
  ]);
  return new Map([
    ["", await page(options)],
    ["swagger-ui.js", await file(script, "text/javascript")],
    ["swagger-ui.css", await file(style, "text/css")],
    ["start.js", await file(startScript(options), "text/javascript")],
  ]);
}

function page(options: ViewerOptions): Promise<Asset> {
  const { title, docsPath } = options;
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>${escape(title)}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${escape(docsPath)}/swagger-ui.css">
    <script defer src="${escape(docsPath)}/swagger-ui.js"></script>
    <script defer src="${escape(docsPath)}/start.js"></script>
  </head>
  <body>
    <div id="docs"></div>
  </body>
</html>
`;
  return Asset.create(html, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy(options.servers),
    "referrer-policy": "no-referrer",
  });
}

function file(text: string, type: string): Promise<Asset> {
  return Asset.create(text, { "content-type": `${type}; charset=utf-8` });
}

/** Starts Swagger UI, without the external validator that it uses by default. */
function startScript({ documentPath }: ViewerOptions): string {
  return `SwaggerUIBundle({
  url: ${JSON.stringify(documentPath)},
  dom_id: "#docs",
  deepLinking: true,
  validatorUrl: null,
});
`;
}

/** What the page may load: its own files, and responses of the servers it lists. */
function contentSecurityPolicy(servers: readonly ApiServer[]): string {
  const origins = servers.map(({ url }) =>
    URL.canParse(url) ? new URL(url).origin : "'self'"
  );
  const connect = [...new Set(["'self'", ...origins])].join(" ");
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
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
