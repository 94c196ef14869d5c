import type { RoutePattern } from "./pattern.ts";

/**
 * One node of the tree as it is built. Static text is shared by characters, so
 * `/users/me` and `/users/mine` meet in `/users/m`; a dynamic or wildcard
 * segment can only follow text that ends in a slash.
 */
export interface Node<T> {
  /** The literal text between the parent and this node. */
  text: string;
  /** The value of the pattern that ends here. */
  value: T | undefined;
  /** The nodes whose text goes on from here, by its first character code. */
  readonly statics: Map<number, Node<T>>;
  /**
   * Where a path goes on after a dynamic segment. Its text is empty, and what
   * follows can only begin with a slash: it has one static node at most.
   */
  dynamic: Node<T> | undefined;
  /** The value of the pattern whose wildcard begins here. */
  wildcard: T | undefined;
}

/** Makes a node that leads nowhere yet. */
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
 * Puts a value where its pattern ends.
 *
 * @throws {TypeError} If a pattern that matches the same paths is there.
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

/** Returns the node that `text` leads to from `node`, making what is missing. */
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

/** Puts a node between `parent` and `child`, after `length` shared characters. */
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

/** The static nodes that follow, in the order of their first characters. */
export function sortedStatics<T>(node: Node<T>): [number, Node<T>][] {
  return [...node.statics].sort(([a], [b]) => a - b);
}

/** The tree from `node` down as lines of text, in matching order. */
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
