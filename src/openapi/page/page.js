/**
 * Starts the documentation page. Browsers get this file unchanged.
 *
 * Plugins add the features that Swagger UI lacks
 * (<https://swagger.io/docs/open-source-tools/swagger-ui/customization/>).
 */

const element = document.querySelector("#docs");
const { document: documentPath, shown } = element.dataset;

const PROBLEM = "application/problem+json";

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
  const timer = setTimeout(() => reader.cancel(), STREAM_TIME);
  const start = performance.now();
  let text = "";
  let isWhole = false;
  while (text.length < STREAM_LENGTH) {
    const { done, value } = await reader.read();
    isWhole = done && performance.now() - start < STREAM_TIME;
    if (done) break;
    text += value;
  }
  clearTimeout(timer);
  if (!isWhole) {
    await reader.cancel();
    text += ": The stream continues, but this page stopped reading it\n";
  }
  const { status, statusText, headers } = response;
  const read = new Response(text, { status, statusText, headers });
  Object.defineProperty(read, "url", { value: response.url });
  return read;
}

/** Shows how to open a socket, which the page itself cannot do. */
const sockets = ({ React: { createElement } }) => ({
  wrapComponents: {
    execute: (Execute) => (props) =>
      props.operation.has("x-socket")
        ? createElement(
          "p",
          { className: "socket-note" },
          "This operation opens a WebSocket, which this page cannot do. In a script: ",
          createElement("code", null, "new WebSocket(url)"),
        )
        : createElement(Execute, props),
  },
});

/**
 * Sends the slashes of a wildcard without escapes, which OpenAPI cannot describe. Never
 * sends `Accept` with only the media type of problems.
 */
const requests = ({ fn: { execute } }) => ({
  fn: {
    execute(request) {
      const { operation, requestInterceptor, responseContentType } = request;
      const isWildcard = (parameter) => parameter.get("x-wildcard") === true;
      const hasWildcard = operation?.get("parameters")?.some(isWildcard);
      // A wildcard is the last segment, before the query.
      const withSlashes = (built) => ({
        ...built,
        url: built.url.replace(
          /[^/?]*(?=\?|$)/,
          (segment) => segment.replaceAll("%2F", "/"),
        ),
      });
      return execute({
        ...request,
        userFetch: fetchBeginning,
        responseContentType: responseContentType === PROBLEM
          ? "*/*"
          : responseContentType,
        requestInterceptor: (built) =>
          requestInterceptor(hasWildcard ? withSlashes(built) : built),
      });
    },
  },
});

/** Folds the description of a problem into one line. */
const foldedProblems = ({ React: { createElement } }) => ({
  wrapComponents: {
    response: (Response) => (props) => {
      const { code, response } = props;
      const types = [...response.get("content")?.keys() ?? []];
      const isProblem = types.length > 0 &&
        types.every((type) => type === PROBLEM);
      const row = createElement(Response, props);
      if (!isProblem) return row;
      return createElement(
        "tr",
        { className: "response problem" },
        createElement(
          "td",
          { colSpan: 3 },
          createElement(
            "details",
            null,
            createElement(
              "summary",
              null,
              createElement("b", null, code),
              response.get("description"),
            ),
            createElement("table", null, createElement("tbody", null, row)),
          ),
        ),
      );
    },
  },
});

/** Adds what keyboards and screen readers need to operations and dialogs. */
const access = ({ React: { createElement, Fragment } }) => ({
  wrapComponents: {
    // The path of an operation is an array. Its link is inside a button that does the same.
    DeepLink: (DeepLink) => (props) =>
      Array.isArray(props.text)
        ? createElement("span", null, props.text)
        : createElement(DeepLink, props),
    TextArea: (TextArea) => (props) =>
      createElement(TextArea, { "aria-label": "Body", ...props }),
    // Code scrolls, which needs the focus.
    HighlightCode: (Code) => (props) =>
      createElement(
        "div",
        { ref: (div) => div?.querySelector("pre").setAttribute("tabindex", 0) },
        createElement(Code, props),
      ),
    // The label of a button must contain its text.
    Button: (Button) => ({ "aria-label": _, ...props }) =>
      createElement(Button, props),
    CloseIcon: (Icon) => (props) =>
      createElement(
        Fragment,
        null,
        createElement(Icon, props),
        createElement("span", { className: "hidden-text" }, "Close"),
      ),
  },
});

/** Writes a request as JavaScript. */
function scriptOf(request) {
  const { url, method, headers = {}, body } = request.toJS();
  const write = (value) =>
    value instanceof File
      ? `new File(["…"], ${JSON.stringify(value.name)})`
      : JSON.stringify(value);
  const isForm = body?.constructor === Object;
  // Swagger UI numbers the values of an array.
  const fields = Object.entries(isForm ? body : {}).map(([name, value]) =>
    `body.append(${write(name.replace(/_\*\*\[\].*/, ""))}, ${write(value)});\n`
  );
  // `fetch()` writes this header of a form, with the boundary.
  const sent = Object.entries(headers).filter(([name]) =>
    !isForm || name.toLowerCase() !== "content-type"
  );
  return [
    ...isForm ? [`const body = new FormData();\n${fields.join("")}`] : [],
    `const response = await fetch(${write(url)}, {\n`,
    `  method: ${write(method)},\n`,
    `  headers: ${write(Object.fromEntries(sent))},\n`,
    ...body ? [isForm ? "  body,\n" : `  body: ${write(body)},\n`] : [],
    "});\nconsole.log(response.status, await response.text());",
  ].join("");
}

/** Writes an operation as Markdown, with the schemas that it refers to. */
function markdownOf(operation, { method, path, server }) {
  const { summary, description, ...rest } = operation.toJS();
  const json = JSON.stringify(
    rest,
    (key, value) => key === "$$ref" ? undefined : value,
    2,
  );
  return [
    `# ${method.toUpperCase()} ${server.replace(/\/$/, "")}${path}`,
    summary,
    description,
    `\`\`\`json\n${json}\n\`\`\``,
  ].filter(Boolean).join("\n\n");
}

/** Offers a call as JavaScript, and an operation as Markdown for agents. */
const copies = ({
  React: { createElement, Fragment },
  getComponent,
  specSelectors,
  oas3Selectors,
}) => {
  const code = (language, text) =>
    createElement(getComponent("HighlightCode", true), {
      language,
      canCopy: true,
      children: text,
    });
  return {
    wrapComponents: {
      curl: (Curl) => (props) =>
        createElement(
          Fragment,
          null,
          createElement(Curl, props),
          createElement("h4", null, "JavaScript"),
          createElement(
            "div",
            { className: "script" },
            code("javascript", scriptOf(props.request)),
          ),
        ),
      responses: (Responses) => (props) => {
        const { path, method } = props;
        const operation = specSelectors.specResolvedSubtree(
          ["paths", path, method],
        );
        const url = oas3Selectors.selectedServer() || "/";
        // A URL with variables cannot be parsed.
        const server = URL.parse(url, location.origin)?.href ?? url;
        return createElement(
          Fragment,
          null,
          createElement(Responses, props),
          operation && createElement(
            "details",
            { className: "for-agents" },
            createElement("summary", null, "Markdown for agents"),
            code("text", markdownOf(operation, { method, path, server })),
          ),
        );
      },
    },
  };
};

/** Finds operations by words of their method, path and summary. */
const search = {
  fn: {
    opsFilter(taggedOperations, phrase) {
      const words = phrase.toLowerCase().split(/\s+/);
      return taggedOperations
        .map((group, tag) =>
          group.update(
            "operations",
            (operations) =>
              operations.filter((operation) => {
                const text = [
                  tag,
                  operation.get("method"),
                  operation.get("path"),
                  operation.getIn(["operation", "summary"], ""),
                ].join(" ").toLowerCase();
                return words.every((word) => text.includes(word));
              }),
          )
        )
        .filter((group) => group.get("operations").size > 0);
    },
  },
};

/** Follows the colour scheme of the browser and its changes. */
const dark = matchMedia("(prefers-color-scheme: dark)");
const setScheme = () =>
  document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", setScheme);
setScheme();

globalThis.SwaggerUIBundle({
  url: documentPath,
  domNode: element,
  deepLinking: true,
  validatorUrl: null,
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  plugins: [requests, sockets, foldedProblems, search, access, copies],
  syntaxHighlight: { theme: "tomorrow-night" },
  onComplete: () =>
    document.querySelector("#servers")?.setAttribute("aria-label", "Server"),
  // The page shows a copy with examples, under the URL of the document itself: servers and
  // the link to the document are relative to that URL.
  requestInterceptor: (request) =>
    request.loadSpec ? { ...request, url: shown } : request,
});
