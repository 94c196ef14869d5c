/**
 * Builds elements, and updates the page with them. Strings become text and attributes,
 * never markup: the page shows `<script>` in a request as text.
 */

/**
 * Creates an element with classes, attributes and children:
 * `h("a.file", { href }, "route.ts")`. Omits those that are `undefined`, `null`,
 * `false` or `""`.
 */
export function h(selector, ...content) {
  const [name, ...classes] = selector.split(".");
  const element = document.createElement(name);
  if (classes.length > 0) element.classList.add(...classes);
  for (const child of content.flat(Infinity)) {
    if (child === undefined || child === false || child === null) continue;
    if (Object.getPrototypeOf(child) !== Object.prototype) {
      if (child !== "") element.append(child);
      continue;
    }
    for (const [key, value] of Object.entries(child)) {
      const isSet = value !== undefined && value !== false && value !== "";
      if (isSet) element.setAttribute(key, value === true ? "" : value);
    }
  }
  return element;
}

/**
 * Gives an element new children. Equal children remain, with their focus and scroll
 * position. Children with an `id`, such as rows, remain if others appear before them.
 */
export function patch(target, ...content) {
  const children = [...h("div", content).childNodes];
  const ids = new Set(children.map(({ id }) => id));
  for (const child of [...target.children]) {
    if (child.id !== "" && !ids.has(child.id)) child.remove();
  }
  let at = target.firstChild;
  for (const child of children) {
    if (at?.nodeName === child.nodeName && at.id === child.id) {
      update(at, child);
      at = at.nextSibling;
    } else {
      target.insertBefore(child, at);
    }
  }
  while (target.childNodes.length > children.length) target.lastChild.remove();
}

function update(node, fresh) {
  if (node.isEqualNode(fresh)) return;
  if (node.nodeType === Node.TEXT_NODE) return node.data = fresh.data;
  const names = [...node.getAttributeNames(), ...fresh.getAttributeNames()];
  for (const name of names) {
    const value = fresh.getAttribute(name);
    // The user opens and closes details.
    if (name === "open" || value === node.getAttribute(name)) continue;
    if (value === null) node.removeAttribute(name);
    else node.setAttribute(name, value);
  }
  patch(node, ...fresh.childNodes);
}

/** The link that opens a file, and the folder of relative paths. */
export const editor = { link: "", folder: "" };

/** A link that opens a file in the editor. */
export function fileLink(file, { text = file, line = 1, column = 1 } = {}) {
  const isAbsolute = /^(?:\/|[A-Za-z]:[\\/])/.test(file);
  if (!isAbsolute && editor.folder === "") return h("code", text);
  const path = (isAbsolute ? file : editor.folder + file)
    .replaceAll("\\", "/").replace(/^\/?/, "/");
  const url = encodeURI(path).replace(/[?#]/g, encodeURIComponent);
  const parts = { file: url, line, column };
  // The path already begins with a slash.
  const href = editor.link.replace("/{file}", "{file}")
    .replace(/\{(file|line|column)\}/g, (_, name) => parts[name]);
  return h("a.file", { href, title: `Open ${path}` }, text);
}

const FILE = /^(.+ from )?(.+\.[cm]?[jt]sx?)( \(.+\))?$/;

/** A text of Bough with a link to the file in it: `bearer from api/middleware.ts`. */
export function linked(text) {
  const [, before, file, after] = FILE.exec(text) ?? [];
  return h("code", file ? [before, fileLink(file), after] : text);
}

/** Formats milliseconds: `0.42 ms`, `12.3 ms`, `1.50 s`. */
export function formatTime(time) {
  if (time >= 1000) return `${(time / 1000).toFixed(2)} s`;
  return `${time.toFixed(time < 10 ? 2 : 1)} ms`;
}

/** Formats a number of bytes: `312 B`, `1.5 kB`. */
export function formatSize(bytes) {
  const power = Math.min(3, Math.floor(Math.log10(bytes || 1) / 3));
  const digits = power === 0 ? 0 : 1;
  const unit = ["B", "kB", "MB", "GB"][power];
  return `${(bytes / 1000 ** power).toFixed(digits)} ${unit}`;
}
