/** Shows headers, parameters and bodies, with each issue next to its value. */
import { formatSize, h } from "./page_dom.js";

/** Parses JSON, and keeps numbers as sent, such as `1e400`, if the browser can. */
function parse(text) {
  return JSON.parse(
    text,
    (_, value, context) =>
      typeof value === "number" && JSON.rawJSON
        ? JSON.rawJSON(context.source)
        : value,
  );
}

/** Formats a value as lines of JSON with pointers, such as `#/items/0`. */
function jsonLines(value, { pointer, indent, key, end }) {
  const isList = Array.isArray(value);
  const isLeaf = value === null || typeof value !== "object" ||
    JSON.isRawJSON?.(value);
  const members = isLeaf ? [] : Object.entries(value);
  if (members.length === 0) {
    return [{ pointer, indent, key, text: JSON.stringify(value) + end }];
  }
  const lines = members.flatMap(([name, member], index) =>
    jsonLines(member, {
      pointer: `${pointer}/${pointerStep(name)}`,
      indent: `${indent}  `,
      key: isList ? "" : `${JSON.stringify(name)}: `,
      end: index < members.length - 1 ? "," : "",
    })
  );
  return [
    { pointer, indent, key, text: isList ? "[" : "{" },
    ...lines,
    { pointer, indent, key: "", text: `${isList ? "]" : "}"}${end}` },
  ];
}

/** A name as a step of a pointer (RFC 6901). */
function pointerStep(name) {
  const step = String(name).replaceAll("~", "~0").replaceAll("/", "~1");
  return encodeURIComponent(step.toWellFormed());
}

/** The lines of names and values, such as headers. */
export function pairLines(pairs) {
  return [...pairs].map(([name, text]) => (
    { pointer: `#/${pointerStep(name)}`, key: `${name}: `, text }
  ));
}

export function valueLines(value) {
  return jsonLines(value, { pointer: "#", indent: "", key: "", end: "" });
}

/** The box of a body, with its type and its size. */
export function bodyBox(title, { type, size, text }, issues) {
  // A multipart form is shown as JSON.
  const isTree = text !== undefined && /\bjson\b|^multipart/.test(type);
  const absent =
    "not shown: only JSON and forms of up to 16 KiB, read as a whole";
  const line = { pointer: "#", text: text ?? absent };
  const facts = [type, size === undefined ? "" : formatSize(size)]
    .filter(Boolean);
  const caption = `${title} (${facts.join(", ")})`;
  return box(caption, isTree ? valueLines(parse(text)) : [line], issues);
}

/** A box with lines, and with each issue below the line that it names. */
export function box(title, lines, issues = []) {
  const byLine = Map.groupBy(issues, (issue) => lineOf(lines, issue.pointer));
  const show = (line) =>
    byLine.get(line)?.map(({ pointer, detail }) =>
      h(
        "div.issue",
        h("strong", detail),
        line?.pointer !== pointer && [" at ", h("code", pointer)],
      )
    );
  return h(
    "figure",
    h("figcaption", title),
    scrolling(
      title,
      lines.map((line) => [
        h(
          byLine.has(line) ? "div.wrong" : "div",
          line.indent,
          h("span.key", line.key),
          line.text,
        ),
        show(line),
      ]),
      lines.length === 0 && h("div.hint", "none"),
      show(undefined),
    ),
  );
}

/** A box that scrolls, even with the keyboard. */
export function scrolling(title, ...content) {
  const role = { tabindex: "0", role: "group", "aria-label": title };
  return h("div.box", role, content);
}

/** The line of a pointer, or of the innermost value that contains it. */
function lineOf(lines, pointer) {
  const around = lines.filter((line) =>
    `${pointer}/`.startsWith(`${line.pointer}/`)
  );
  return around.sort((a, b) => b.pointer.length - a.pointer.length)[0];
}
