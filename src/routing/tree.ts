import { type RoutePattern, segmentEnd } from "./pattern.ts";

/** A value to be found by the paths that its pattern matches. */
export interface Entry<T> {
  readonly pattern: RoutePattern;
  readonly value: T;
}

/**
 * One node of the tree. Static text is shared by characters, so `/users/me` and
 * `/users/mine` meet in `/users/m`; a dynamic or wildcard segment can only
 * follow text that ends in a slash.
 */
interface Node<T> {
  /** The literal text between the parent and this node. */
  text: string;
  /** The value of the pattern that ends here. */
  value: T | undefined;
  /** Nodes whose text goes on from here, by its first character code. */
  statics: Map<number, Node<T>>;
  /** Where a path goes on after a dynamic segment; its text is empty. */
  dynamic: Node<T> | undefined;
  /** The value of the pattern whose wildcard begins here. */
  wildcard: T | undefined;
}

/**
 * Finds the value whose pattern matches a path, by the order of spec 4.4:
 * segment by segment from the left, static before dynamic before wildcard.
 *
 * The tree is immutable once built, and finding writes nothing: requests may
 * share it, and a new tree replaces it in one assignment. It is blind to
 * methods: a path finds a route, the route knows its methods.
 */
export class RouteTree<T extends object> {
  readonly #root: Node<T> = createNode("");

  /**
   * Builds the tree. The order of the entries does not matter.
   *
   * @throws {TypeError} If two patterns match the same paths.
   */
  constructor(entries: Iterable<Entry<T>>) {
    for (const { pattern, value } of entries) {
      insert(this.#root, pattern, value);
    }
  }

  /**
   * Finds the value for a routed path, as {@linkcode PathReader.read} gives it.
   *
   * A search visits each node at most once, since a node stands at one depth of
   * the path: its cost is bounded by the size of the tree, whatever the path.
   */
  find(path: string): T | undefined {
    return find(this.#root, path, 0);
  }

  /** The tree as text, one line a node, in matching order. */
  toString(): string {
    return print(this.#root, "", "").join("\n");
  }
}

function find<T>(node: Node<T>, path: string, start: number): T | undefined {
  if (!path.startsWith(node.text, start)) return undefined;
  const at = start + node.text.length;
  if (at === path.length) return node.value;

  // `users/me` before `users/[id]`, and all that lies below it: for
  // `/users/me/posts`, `users/me/[...]` wins over `users/[id]/posts`.
  const next = node.statics.get(path.charCodeAt(at));
  if (next !== undefined) {
    const value = find(next, path, at);
    if (value !== undefined) return value;
  }
  // Here `users/me/settings` did not lead to `/users/me/posts`: go back, and
  // let `me` be the `[id]` of `users/[id]/posts`.
  if (node.dynamic !== undefined) {
    const value = find(node.dynamic, path, segmentEnd(path, at));
    if (value !== undefined) return value;
  }
  // The deepest wildcard is met first, on the way back to the root.
  return node.wildcard;
}

function insert<T>(root: Node<T>, pattern: RoutePattern, value: T): void {
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
  child.text = child.text.slice(length);
  middle.statics.set(child.text.charCodeAt(0), child);
  parent.statics.set(middle.text.charCodeAt(0), middle);
  return middle;
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) {
    length++;
  }
  return length;
}

function createNode<T>(text: string): Node<T> {
  return {
    text,
    value: undefined,
    statics: new Map(),
    dynamic: undefined,
    wildcard: undefined,
  };
}

function print<T>(node: Node<T>, label: string, indent: string): string[] {
  const lines = label === "" && node.text === ""
    ? []
    : [indent + (label || node.text) + (node.value === undefined ? "" : " •")];
  const inner = lines.length === 0 ? indent : indent + "  ";
  const statics = [...node.statics.values()];
  statics.sort((a, b) => a.text < b.text ? -1 : 1);
  for (const child of statics) lines.push(...print(child, "", inner));
  if (node.dynamic !== undefined) {
    lines.push(...print(node.dynamic, "[]", inner));
  }
  if (node.wildcard !== undefined) lines.push(inner + "[...] •");
  return lines;
}
