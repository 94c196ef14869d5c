/**
 * Starts the documentation page. Browsers get this file unchanged.
 *
 * Plugins add the features that Swagger UI lacks
 * (<https://swagger.io/docs/open-source-tools/swagger-ui/customization/>).
 */

const element = document.querySelector("#docs");
const [root, documentUrl, shown] = ["root", "document", "shown"]
  .map((name) => new URL(element.dataset[name], location).href);

/** Milliseconds and characters to read of a stream of events. */
const STREAM_TIME = 5_000;
const STREAM_LENGTH = 100_000;

/**
 * Reads the beginning of a stream of events. A stream may never end, and the page shows only
 * complete responses.
 */
async function fetchBeginning(url, options) {
  const response = await fetch(url, options);
  const type = response.headers.get("content-type") ?? "";
  if (!type.startsWith("text/event-stream") || response.body === null) {
    return response;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let isWhole = true;
  const stop = () => {
    isWhole = false;
    return reader.cancel();
  };
  const timer = setTimeout(stop, STREAM_TIME);
  let text = "";
  let read = await reader.read();
  while (!read.done) {
    text += read.value;
    if (text.length >= STREAM_LENGTH) await stop();
    read = await reader.read();
  }
  clearTimeout(timer);
  if (!isWhole) {
    text += ": The stream continues, but this page stopped reading it\n";
  }
  const { status, statusText, headers } = response;
  const beginning = new Response(text, { status, statusText, headers });
  return Object.defineProperty(beginning, "url", { value: response.url });
}

/** Sends the slashes of a wildcard without escapes, which OpenAPI cannot describe. */
const requests = ({ fn: { execute } }) => ({
  fn: {
    execute(request) {
      const { operation, requestInterceptor, spec } = request;
      const isWildcard = (parameter) => parameter.get("x-wildcard") === true;
      const hasWildcard = operation?.get("parameters")?.some(isWildcard);
      const withSlashes = (built) => {
        // A wildcard is the last segment, before the query.
        const url = built.url.replace(
          /[^/?]*(?=\?|$)/,
          (segment) => segment.replaceAll("%2F", "/"),
        );
        return { ...built, url };
      };
      return execute({
        ...request,
        // By default, Swagger UI calls the origin of the page, without a prefix.
        baseURL: spec.servers?.length ? undefined : root.replace(/\/$/, ""),
        userFetch: fetchBeginning,
        requestInterceptor: (built) =>
          requestInterceptor(hasWildcard ? withSlashes(built) : built),
      });
    },
  },
});

/** Folds the description of a problem into one line. */
const foldedProblems = ({ React: { createElement: h } }) => ({
  wrapComponents: {
    response: (Response) => (props) => {
      const row = h(Response, props);
      const types = [...props.response.get("content")?.keys() ?? []];
      if (types.join() !== "application/problem+json") return row;
      const description = props.response.get("description");
      const summary = h("summary", null, `${props.code} ${description}`);
      const table = h("table", null, h("tbody", null, row));
      const cell = h("td", { colSpan: 3 }, h("details", null, summary, table));
      return h("tr", { className: "response problem" }, cell);
    },
  },
});

/** Follows the colour scheme of the browser and its changes. */
const dark = matchMedia("(prefers-color-scheme: dark)");
const setScheme = () =>
  document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", setScheme);
setScheme();

globalThis.SwaggerUIBundle({
  url: new URL(documentUrl).pathname,
  domNode: element,
  deepLinking: true,
  validatorUrl: null,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  plugins: [requests, foldedProblems],
  // The page shows a copy of the document, under the URL of the document itself: servers
  // and the link to the document are relative to that URL.
  requestInterceptor: (request) =>
    request.loadSpec ? { ...request, url: shown } : request,
});
