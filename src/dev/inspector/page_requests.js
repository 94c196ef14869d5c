/** Shows the list of requests, and one request. */
import { fileLink, formatSize, formatTime, h, linked } from "./page_dom.js";
import { routeLink } from "./page_routes.js";
import {
  bodyBox,
  box,
  pairLines,
  scrolling,
  valueLines,
} from "./page_values.js";

export function requestRow(entry, isSelected) {
  const { key, method, url, route, response, duration, time } = entry;
  const link = h("a", {
    href: `#/requests/${key}`,
    "aria-current": isSelected && "true",
    title: url.slice(0, 500),
  }, url);
  return h(
    isSelected ? "tr.selected" : "tr",
    { id: `row-${key}` },
    h("td.method", method),
    h("td", h("div.row", link, badges(entry))),
    h("td.status", statusText(entry)),
    h("td.quiet.wide", route),
    h("td.number", formatTime(duration)),
    h(
      "td.number.wide",
      response?.body?.size !== undefined && formatSize(response.body.size),
    ),
    h("td.number.wide", clock(time)),
  );
}

function badges({ isOld, isDeprecated, state }) {
  return [
    isOld && h("span.badge.quiet", "old code"),
    state === "open" && h("span.badge.good", "open"),
    isDeprecated && h("span.badge.warn", "deprecated"),
  ];
}

function statusText({ status, state, error }) {
  const kind = status === undefined ? error && 5 : Math.floor(status / 100);
  const text = status ?? (state === "running" ? "…" : "none");
  return h(`span.s${kind ?? 0}`, `${text}`);
}

/** Formats a time of day: `18:53:31`. */
function clock(time) {
  return new Date(time).toLocaleTimeString("en-GB");
}

/** The details of a request; `extra` has those that the list lacks. */
export function requestDetail(entry, extra = {}) {
  const { key, method, url, route, file, duration, time } = entry;
  const { error = entry.error, explanation, isLoading } = extra;
  const { response, logs, messageCount, ended } = entry;
  return h(
    "article",
    { id: `detail-${key}`, "aria-busy": isLoading && "true" },
    h("h2", { tabindex: "-1" }, h("span.method", method), ` ${url}`),
    h(
      "p.facts.row",
      statusText(entry),
      h("span", formatTime(duration)),
      h("time", { datetime: time }, clock(time)),
      route && [routeLink(route), linked(file)],
      badges(entry),
    ),
    actions(entry),
    explanation && section("Why no route matched", whyNot(explanation)),
    error && section("Error", errorBlock(error)),
    entry.steps.length > 0 && section("Steps", stepTable(entry)),
    section("Input", input(entry)),
    response && section(
      "Response",
      box("headers", pairLines(response.headers)),
      messageCount === 0 && response.body && bodyBox("body", response.body),
    ),
    messageCount > 0 && section("Messages", messages(entry)),
    ended && h("p.server", endText(ended)),
    logs.length > 0 && section("Logs", scrolling("Logs", logs.map(entryLine))),
    (error || logs.length > 0) &&
      h("p.hint", "Errors and logs are shown as they are, even with secrets."),
  );
}

function actions({ copies, unrepeatable, secrets }) {
  const disabled = copies === undefined;
  const button = (action, text) =>
    h("button", { type: "button", "data-action": action, disabled }, text);
  const note = disabled
    ? `Cannot be repeated: ${unrepeatable ?? "it has not ended"}`
    : secrets.length > 0 && `Without the values of ${secrets.join(", ")}`;
  return h(
    "p.row",
    button("send", "Send again"),
    button("curl", "Copy as curl"),
    button("test", "Copy as test"),
    note && h("span.hint", note),
  );
}

function section(title, ...content) {
  return h("section", { id: `part-${title}` }, h("h3", title), content);
}

/** Why routes do not match, by the outcome of `explain`. */
export function whyNot({ reason, otherCandidates }) {
  return [
    h("p", reason),
    h(
      "ul",
      otherCandidates.map(({ route, why }) =>
        h("li", routeLink(route), ` ${why}`)
      ),
    ),
  ];
}

/** An error with the frames of the program; the whole stack has the others, too. */
function errorBlock({ text, frames, cause }) {
  const stack = frames.map((frame) => frame.text).join("\n");
  return h(
    "div.error",
    scrolling("Message", text),
    h("ol", frames.filter(({ file }) => file).map(frameItem)),
    stack &&
      h("details", h("summary", "Whole stack"), scrolling("Stack", stack)),
    cause && [h("h4", "Caused by"), errorBlock(cause)],
  );
}

function frameItem({ text, file, line, column, source }) {
  return h(
    "li",
    fileLink(file, { text, line, column }),
    source && h(
      "pre.source",
      source.map((each) =>
        h(
          each.line === line ? "mark" : "span",
          `${String(each.line).padStart(4)}  ${each.text}\n`,
        )
      ),
    ),
  );
}

function stepTable({ steps, duration: max }) {
  return h(
    "table",
    steps.map(({ name, file, duration: value }) =>
      h(
        "tr",
        h("th", { scope: "row" }, name, " ", file && linked(file)),
        h("td", h("meter", { max, value, "aria-label": name })),
        h("td.number", formatTime(value)),
      )
    ),
  );
}

/** Each part of the input as sent, next to its validated value. */
function input({ url, params, wildcardParams, request, validated, issues }) {
  const [, query] = /\?(.+)/s.exec(url) ?? [];
  const path = Object.entries(params);
  if (wildcardParams) path.push(["...", wildcardParams.join("/")]);
  const { headers, body } = request;
  const sent = {
    params: path.length > 0 && pairLines(path),
    query: query && pairLines(new URLSearchParams(query)),
    headers: pairLines(headers),
    body,
  };
  return Object.entries(sent).map(([part, value]) => {
    const found = issues.filter((issue) => issue.in === part);
    const isValid = Object.hasOwn(validated ?? {}, part);
    const title = `${part} as sent`;
    return (value || isValid || found.length > 0) && h(
      "div.pair.row",
      part === "body" && value
        ? bodyBox(title, value, found)
        : box(title, value || [], found),
      isValid && box(`${part} as validated`, valueLines(validated[part])),
    );
  });
}

function messages({ messages, messageCount }) {
  const dropped = messageCount - messages.length;
  return [
    dropped > 0 && h("p.hint", `${dropped} older messages were dropped`),
    scrolling("Messages", messages.map(entryLine)),
  ];
}

/** A line of the log, or a message of a stream or of a socket. */
function entryLine({ time, text, level, from = "server" }) {
  const origin = from === "client" ? "client →" : "← server";
  return h(
    "div.entry",
    h("span.number", formatTime(time)),
    h(`span.${level?.replace(/\W/g, "-") ?? from}`, level ?? origin),
    h("pre", text),
  );
}

function endText({ by, code, reason }) {
  const parts = [`Ended by the ${by}`, code, reason && `"${reason}"`];
  return parts.filter((part) => part !== undefined && part !== "").join(", ");
}
