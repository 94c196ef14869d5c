/**
 * Starts the documentation page. Browsers get this file unchanged.
 *
 * Plugins add the features that Swagger UI lacks
 * (<https://swagger.io/docs/open-source-tools/swagger-ui/customization/>).
 */

const element = document.querySelector("#docs");
const [root, documentUrl, shown] = ["root", "document", "shown"]
  .map((name) => new URL(element.dataset[name], location).href);

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

/** Shows how to open a socket, which the page itself cannot do. */
const sockets = ({ React: { createElement: h } }) => ({
  wrapComponents: {
    execute: (Execute) => (props) => {
      if (!props.operation.has("x-socket")) return h(Execute, props);
      const text =
        "This operation opens a WebSocket, which this page cannot do. In a script: ";
      const code = h("code", null, "new WebSocket(url)");
      return h("p", { className: "socket-note" }, text, code);
    },
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
        baseURL: request.spec.servers?.length
          ? undefined
          : root.replace(/\/$/, ""),
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
const foldedProblems = ({ React: { createElement: h } }) => ({
  wrapComponents: {
    response: (Response) => (props) => {
      const row = h(Response, props);
      const types = [...props.response.get("content")?.keys() ?? []];
      if (types.length === 0 || types.some((type) => type !== PROBLEM)) {
        return row;
      }
      const code = h("b", null, props.code);
      const description = props.response.get("description");
      const summary = h("summary", null, code, description);
      const table = h("table", null, h("tbody", null, row));
      const cell = h("td", { colSpan: 3 }, h("details", null, summary, table));
      return h("tr", { className: "response problem" }, cell);
    },
  },
});

/** Adds what keyboards and screen readers need to operations and dialogs. */
const access = ({ React: { createElement: h, Fragment } }) => ({
  wrapComponents: {
    // The path of an operation is an array. Its link is inside a button that does the same.
    DeepLink: (DeepLink) => (props) =>
      Array.isArray(props.text)
        ? h("span", null, props.text)
        : h(DeepLink, props),
    TextArea: (TextArea) => (props) =>
      h(TextArea, { "aria-label": "Body", ...props }),
    // Code scrolls, which needs the focus.
    HighlightCode: (Code) => (props) => {
      const ref = (div) =>
        div?.querySelector("pre").setAttribute("tabindex", 0);
      return h("div", { ref }, h(Code, props));
    },
    // The label of a button must contain its text.
    Button: (Button) => ({ "aria-label": _, ...props }) => h(Button, props),
    CloseIcon: (Icon) => (props) => {
      const text = h("span", { className: "hidden-text" }, "Close");
      return h(Fragment, null, h(Icon, props), text);
    },
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
  React: { createElement: h, Fragment },
  getComponent,
  specSelectors,
  oas3Selectors,
}) => {
  const code = (language, children) =>
    h(
      getComponent("HighlightCode", true),
      { language, canCopy: true, children },
    );
  return {
    wrapComponents: {
      curl: (Curl) => (props) => {
        const script = code("javascript", scriptOf(props.request));
        return h(
          Fragment,
          null,
          h(Curl, props),
          h("h4", null, "JavaScript"),
          h("div", { className: "script" }, script),
        );
      },
      responses: (Responses) => (props) => {
        const { path, method } = props;
        const operation = specSelectors.specResolvedSubtree(
          ["paths", path, method],
        );
        const url = oas3Selectors.selectedServer();
        // A URL with variables cannot be parsed.
        const server = url ? URL.parse(url, documentUrl)?.href ?? url : root;
        return h(
          Fragment,
          null,
          h(Responses, props),
          operation && h(
            "details",
            { className: "for-agents" },
            h("summary", null, "Markdown for agents"),
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
        .map((group, tag) => {
          const isFound = (operation) => {
            const text = [
              tag,
              operation.get("method"),
              operation.get("path"),
              operation.getIn(["operation", "summary"], ""),
            ].join(" ").toLowerCase();
            return words.every((word) => text.includes(word));
          };
          return group.update("operations", (all) => all.filter(isFound));
        })
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
  url: new URL(documentUrl).pathname,
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
