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
  /** Nodes whose text goes on from here. */
  readonly statics: StaticNodes<T>;
  /** Where a path goes on after a dynamic segment; its text is empty. */
  dynamic: Node<T> | undefined;
  /** The value of the pattern whose wildcard begins here. */
  wildcard: T | undefined;
}

/**
 * Nodes by the first character of their text. A table from the lowest to the
 * highest code is found in faster than a `Map` (`tests/bench/router/`), and is
 * short, since it holds ASCII alone.
 */
class StaticNodes<T> {
  #table: (Node<T> | undefined)[] = [];
  #lowest = 0;
  /** Nodes whose text begins with another character: few, and rarely any. */
  #others: readonly Node<T>[] = [];

  get(code: number): Node<T> | undefined {
    const slot = code - this.#lowest;
    if (slot >= 0 && slot < this.#table.length) return this.#table[slot];
    return code < ASCII_END
      ? undefined
      : this.#others.find(({ text }) => text.charCodeAt(0) === code);
  }

  /** Puts in a node, in the place of one that begins with the same character. */
  set(node: Node<T>): void {
    const code = node.text.charCodeAt(0);
    const nodes = this.all().filter(({ text }) => text.charCodeAt(0) !== code);
    nodes.push(node);
    const ascii = nodes.filter(({ text }) => text.charCodeAt(0) < ASCII_END);
    const codes = ascii.map(({ text }) => text.charCodeAt(0));
    this.#lowest = Math.min(...codes, ASCII_END);
    this.#table = Array.from(
      { length: Math.max(...codes, 0) - this.#lowest + 1 },
      (_, slot) => ascii[codes.indexOf(this.#lowest + slot)],
    );
    this.#others = nodes.filter((each) => !ascii.includes(each))
      .sort((a, b) => a.text < b.text ? -1 : 1);
  }

  /** The nodes in the order of their first characters. */
  all(): Node<T>[] {
    const ascii = this.#table.filter((node) => node !== undefined);
    return [...ascii, ...this.#others];
  }
}

const ASCII_END = 128;

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
  const { text } = node;
  if (text.length > 1 && !continues(path, start, text)) return undefined;
  const at = start + text.length;
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

/**
 * Whether `text` stands in `path` at `start`. Its first character is known to,
 * and two paths of one tree mostly differ in their last ones.
 */
function continues(path: string, start: number, text: string): boolean {
  const { length } = text;
  // A cut costs as much as looking at some characters one by one.
  if (length > LONG_TEXT) return path.slice(start, start + length) === text;
  for (let index = length - 1; index > 0; index--) {
    // Past the end of the path this is NaN, which equals nothing.
    if (path.charCodeAt(start + index) !== text.charCodeAt(index)) return false;
  }
  return true;
}

const LONG_TEXT = 16;

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
      node.statics.set(end);
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
  // Before the child's text changes: it is found by its first character.
  parent.statics.set(middle);
  child.text = child.text.slice(length);
  middle.statics.set(child);
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
    statics: new StaticNodes(),
    dynamic: undefined,
    wildcard: undefined,
  };
}

function print<T>(node: Node<T>, label: string, indent: string): string[] {
  const lines = label === "" && node.text === ""
    ? []
    : [indent + (label || node.text) + (node.value === undefined ? "" : " •")];
  const inner = lines.length === 0 ? indent : indent + "  ";
  for (const child of node.statics.all()) {
    lines.push(...print(child, "", inner));
  }
  if (node.dynamic !== undefined) {
    lines.push(...print(node.dynamic, "[]", inner));
  }
  if (node.wildcard !== undefined) lines.push(inner + "[...] •");
  return lines;
}
