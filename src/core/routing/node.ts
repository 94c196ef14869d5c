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
  /**
   * The static nodes that follow, each with a different first character. Most nodes
   * have at most one static node, so a map or reserved space would only delay startup.
   */
  statics: readonly Node<T>[];
  /**
   * The node after a dynamic segment. The text of this node is empty, and at most one
   * static node follows, since only a slash can follow.
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
    statics: [],
    dynamic: undefined,
    wildcard: undefined,
  };
}

/**
 * Inserts a value at the node where its pattern ends.
 *
 * @returns Whether no other pattern matches the same paths; otherwise, the tree keeps
 * the value of the other pattern.
 */
export function insert<T>(
  root: Node<T>,
  pattern: RoutePattern,
  value: T,
): boolean {
  let node = root;
  let text = "";
  const { segments } = pattern;
  for (let index = 0; index < segments.length; index++) {
    const segment = segments[index]!;
    text += "/";
    if (segment.kind === "static") {
      text += segment.text;
      continue;
    }
    node = descend(node, text);
    text = "";
    if (segment.kind === "wildcard") {
      if (node.wildcard !== undefined) return false;
      node.wildcard = value;
      return true;
    }
    node = node.dynamic ??= createNode("");
  }
  node = descend(node, segments.length === 0 ? "/" : text);
  if (node.value !== undefined) return false;
  node.value = value;
  return true;
}

/** Follows `text` from `node`, creates missing nodes, and returns the last node. */
function descend<T>(node: Node<T>, text: string): Node<T> {
  let at = 0;
  while (at < text.length) {
    const next = staticNode(node, text.charCodeAt(at));
    if (next === undefined) {
      const end = createNode<T>(text.slice(at));
      node.statics = node.statics.concat(end);
      return end;
    }
    const shared = sharedLength(next.text, text, at);
    if (shared < next.text.length) split(next, shared);
    node = next;
    at += shared;
  }
  return node;
}

/** The static node that follows and begins with a character. */
function staticNode<T>(node: Node<T>, code: number): Node<T> | undefined {
  for (let index = 0; index < node.statics.length; index++) {
    if (codeOf(node.statics[index]!) === code) return node.statics[index];
  }
  return undefined;
}

/** Splits a node: all text after its first characters moves to a node below it. */
function split<T>(node: Node<T>, length: number): void {
  const { text, value, statics, dynamic, wildcard } = node;
  const rest = { text: text.slice(length), value, statics, dynamic, wildcard };
  node.text = text.slice(0, length);
  node.value = undefined;
  node.statics = [rest];
  node.dynamic = undefined;
  node.wildcard = undefined;
}

/** The first character code of the text of a static node. */
export function codeOf({ text }: Node<unknown>): number {
  return text.charCodeAt(0);
}

/** The length of the common beginning of a node and of `text` from an offset. */
function sharedLength(node: string, text: string, at: number): number {
  let length = 0;
  while (
    length < node.length &&
    node.charCodeAt(length) === text.charCodeAt(at + length)
  ) {
    length++;
  }
  return length;
}

/** The static nodes that follow, by their first characters. */
export function sortedStatics<T>(node: Node<T>): readonly Node<T>[] {
  const { statics } = node;
  return statics.length < 2
    ? statics
    : statics.toSorted((a, b) => codeOf(a) - codeOf(b));
}
