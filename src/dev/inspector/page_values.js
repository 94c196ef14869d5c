/** Shows headers, parameters and bodies, with each issue next to its value. */
import { formatSize, h } from "./page_dom.js";

const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** The deepest indentation: a body of 16 KiB may nest 16,000 arrays. */
const MAX_INDENT = 16;

/**
 * Formats JSON as lines with pointers, such as `#/items/0`. Keeps tokens as sent, such as
 * `1e400`.
 */
function jsonLines(text) {
  /** The objects and arrays around the current value; arrays have an index. */
  const around = [];
  const lines = [];
  let line;
  const begin = (pointer) => {
    const indent = "  ".repeat(Math.min(around.length, MAX_INDENT));
    lines.push(line = { pointer, indent, key: "", text: "" });
  };
  const beginItem = ({ pointer, index }) =>
    begin(index === undefined ? pointer : `${pointer}/${index}`);
  begin("#");
  for (const [token] of text.matchAll(TOKEN)) {
    const parent = around.at(-1);
    if (token === "{" || token === "[") {
      line.text += token;
      const index = token === "[" ? 0 : undefined;
      around.push({ index, pointer: line.pointer, opening: line });
      beginItem(around.at(-1));
    } else if (token === "}" || token === "]") {
      around.pop();
      const isEmpty = line.key + line.text === "";
      if (isEmpty && parent !== undefined && lines.at(-2) === parent.opening) {
        lines.pop();
        line = lines.at(-1);
      } else {
        begin(parent?.pointer ?? "#");
      }
      line.text += token;
    } else if (token === "," && parent !== undefined) {
      line.text += token;
      if (parent.index !== undefined) parent.index++;
      beginItem(parent);
    } else if (token === ":") {
      line.pointer += `/${pointerStep(JSON.parse(line.text))}`;
      line.key = `${line.text}: `;
      line.text = "";
    } else {
      line.text += token;
    }
  }
  return lines;
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
  return jsonLines(JSON.stringify(value) ?? "undefined");
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
  return box(caption, isTree ? jsonLines(text) : [line], issues);
}

/** A box with lines, and with each issue below the line that it names. */
export function box(title, lines, issues = []) {
  const byLine = Map.groupBy(issues, (issue) => lineOf(lines, issue.pointer));
  const show = (line) =>
    byLine.get(line)?.map(({ pointer, detail, value }) =>
      h(
        "div.issue",
        h("strong", detail),
        line?.pointer !== pointer && [
          " at ",
          h("code", pointer),
          value === undefined ? ", which is missing" : `: ${value}`,
        ],
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
