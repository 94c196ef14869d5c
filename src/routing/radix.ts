import type { RoutePattern } from "./pattern.ts";

/**
 * One node of the tree while it is built. Patterns share nodes by characters:
 * `/users/me` and `/users/mine` share `/users/m`. A dynamic or wildcard segment can
 * only follow text that ends in a slash.
 */
export interface Node<T> {
  /** The literal text between the parent and this node. */
  text: string;
  /** The value of the pattern that ends here. */
  value: T | undefined;
  /** The static nodes that follow, by the first character code of their text. */
  readonly statics: Map<number, Node<T>>;
  /**
   * The node after a dynamic segment. Its text is empty, and it has at most one
   * static node, since only a slash can follow.
   */
  dynamic: Node<T> | undefined;
  /** The value of the pattern whose wildcard begins here. */
  wildcard: T | undefined;
}

/** Creates a node without children. */
export function createNode<T>(text: string): Node<T> {
  return {
    text,
    value: undefined,
    statics: new Map(),
    dynamic: undefined,
    wildcard: undefined,
  };
}

/**
 * Inserts a value at the node where its pattern ends.
 *
 * @throws {TypeError} If another pattern matches the same paths.
 */
export function insert<T>(
  root: Node<T>,
  pattern: RoutePattern,
  value: T,
): void {
  let node = root;
  let text = "";
  for (const segment of pattern.segments) {
    text += "/";
    if (segment.kind === "static") {
      text += segment.text;
      continue;
    }
    node = descend(node, text);
    text = "";
    if (segment.kind === "wildcard") {
      if (node.wildcard !== undefined) throw conflict(pattern);
      node.wildcard = value;
      return;
    }
    node = node.dynamic ??= createNode("");
  }
  node = descend(node, pattern.segments.length === 0 ? "/" : text);
  if (node.value !== undefined) throw conflict(pattern);
  node.value = value;
}

function conflict(pattern: RoutePattern): TypeError {
  return new TypeError(`Two patterns match the same paths: "${pattern.text}"`);
}

/** Returns the node at the end of `text` from `node`; creates missing nodes. */
function descend<T>(node: Node<T>, text: string): Node<T> {
  while (text !== "") {
    const first = text.charCodeAt(0);
    const next = node.statics.get(first);
    if (next === undefined) {
      const end = createNode<T>(text);
      node.statics.set(first, end);
      return end;
    }
    const shared = sharedLength(next.text, text);
    node = shared === next.text.length ? next : split(node, next, shared);
    text = text.slice(shared);
  }
  return node;
}

/** Inserts a node between `parent` and `child`, after `length` shared characters. */
function split<T>(parent: Node<T>, child: Node<T>, length: number): Node<T> {
  const middle = createNode<T>(child.text.slice(0, length));
  parent.statics.set(middle.text.charCodeAt(0), middle);
  child.text = child.text.slice(length);
  middle.statics.set(child.text.charCodeAt(0), child);
  return middle;
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) {
    length++;
  }
  return length;
}

/** The static nodes that follow, by their first characters. */
export function sortedStatics<T>(node: Node<T>): [number, Node<T>][] {
  return [...node.statics].sort(([a], [b]) => a - b);
}

/** The tree below `node` as lines of text, in matching order. */
export function print<T>(node: Node<T>, label = "", indent = ""): string[] {
  const lines = label === "" && node.text === ""
    ? []
    : [indent + (label || node.text) + (node.value === undefined ? "" : " •")];
  const inner = lines.length === 0 ? indent : indent + "  ";
  for (const [, child] of sortedStatics(node)) {
    lines.push(...print(child, "", inner));
  }
  if (node.dynamic !== undefined) {
    lines.push(...print(node.dynamic, "[]", inner));
  }
  if (node.wildcard !== undefined) lines.push(inner + "[...] •");
  return lines;
}
