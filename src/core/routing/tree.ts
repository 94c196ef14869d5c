import type { RoutedPath } from "./pathname.ts";
import type { Params, RoutePattern } from "./pattern.ts";
import {
  codeOf,
  createNode,
  insert,
  type Node,
  sortedStatics,
} from "./node.ts";

/** A value with its pattern. */
export interface Matched {
  readonly pattern: RoutePattern;
}

/** The value found for a path, and the captures of its pattern. */
export interface Match<T = unknown> {
  readonly value: T;
  /** The values of the dynamic segments, by name. */
  readonly params: Params;
  /** The segments that the wildcard captured; `undefined` without a wildcard. */
  readonly wildcardParams: string[] | undefined;
}

/**
 * Finds the value whose pattern matches a path: segment by segment from the left,
 * static before dynamic before wildcard (behaviour 3.1).
 *
 * All requests share one tree, which is immutable once built. The tree ignores methods:
 * a path leads to a route, and the route knows its methods.
 *
 * The tree is packed into one array of integers, so that a search reads adjacent
 * memory. With 10,000 routes, a search takes a quarter of the time of a search through
 * objects (`tests/instruments/bench/router/main.ts --set=10000`). A node is the index of its first
 * integer; the constants below are the offsets of its integers.
 */
export class RouteTree<T extends Matched> {
  readonly #nodes: Int32Array;
  /** The values by number, from 1. */
  readonly #values: readonly (T | undefined)[];
  // All searches safely share this scratch memory, since `find` is synchronous and
  // copies the captures before it returns.
  readonly #places: Int32Array;
  readonly #captures: Int32Array;

  /**
   * Builds the tree. The order of the values does not matter.
   *
   * @param onConflict Receives each value whose pattern matches the same paths as an
   * earlier one; throws by default.
   */
  constructor(
    values: readonly T[],
    onConflict: (value: T) => void = refuse,
  ) {
    const root = createNode<T>("");
    for (const value of values) {
      if (!insert(root, value.pattern, value)) onConflict(value);
    }
    // Every path begins with a slash, so the root has at most one static node.
    const [first = root] = root.statics;
    const packer = new Packer<T>();
    packer.pack(first, 1);
    this.#nodes = packer.nodes;
    this.#values = packer.values;
    this.#places = new Int32Array(PLACE * packer.depth);
    this.#captures = new Int32Array(2 * packer.depth);
  }

  /**
   * Finds the value for a path, and the captures.
   *
   * A search visits each node at most once, since each node belongs to one depth of the
   * path. The size of the tree therefore limits the cost of a search for every path.
   *
   * @throws {BadPathError} If a wildcard segment contains an encoded separator.
   */
  find(path: RoutedPath): Match<T> | undefined {
    const captures = this.#captures;
    const value = this.#values[
      search(this.#nodes, path.text, captures, this.#places)
    ];
    if (value === undefined) return undefined;
    const { pattern } = value;
    return {
      value,
      params: pattern.params(path, captures),
      wildcardParams: pattern.hasWildcard
        ? pattern.wildcardParams(path, captures)
        : undefined,
    };
  }
}

function refuse({ pattern }: Matched): never {
  throw new TypeError(
    `Two patterns match the same paths: "${pattern.text}"`,
  );
}

const VALUE = 0; // the number of the value whose pattern ends here
const WILDCARD = 1; // the number of the value whose wildcard begins here
const LAST_DYNAMIC = 2; // the number of the value if a dynamic segment ends the path
const AFTER_DYNAMIC = 3; // the node after a dynamic segment, or `NOTHING_AFTER`
const LENGTH = 4; // the number of characters in its text
const LOWEST = 5; // the lowest character code in its table
const TABLE_LENGTH = 6;
const TEXT = 7; // the text, then the table of static nodes, then the others
// `0` stands for a missing value or child, since values count from 1 and node 0 is the
// root.
const NOTHING_AFTER = -1;

/** The end of the codes in tables. With higher codes, tables would be mostly empty. */
const ASCII_END = 128;

/** The size of a place to return to, in integers: node, offset, number of captures. */
const PLACE = 3;

/**
 * Returns the number of a value, or 0. The following short search specifies the result:
 *
 * ```ts ignore
 * function search(node: Node, path: string, at: number): Value | undefined {
 *   if (!path.startsWith(node.text, at)) return undefined;
 *   at += node.text.length;
 *   if (at === path.length) return node.value;
 *   const end = endOfSegment(path, at);
 *   return search(node.static(path[at]), path, at) ??
 *     (end === path.length ? node.lastDynamic : search(node.afterDynamic, path, end)) ??
 *     node.wildcard;
 * }
 * ```
 *
 * The fast search does not recurse. The search descends while the path matches, and
 * records each place that has an alternative. At a mismatch, the search returns to the
 * latest place. If only the wildcard of a place is left to try, the place stores the
 * negated number of the wildcard's value instead of a node.
 */
function search(
  nodes: Int32Array,
  path: string,
  captures: Int32Array,
  places: Int32Array,
): number {
  let node = 0;
  let at = 0;
  let captured = 0;
  let noted = 0;
  down: while (true) {
    if (continues(nodes, node, path, at)) {
      at += nodes[node + LENGTH]!;
      if (at === path.length) {
        // `/users` ends here. A wildcard or a dynamic segment that begins here does not
        // match `/users`, since each takes at least one segment.
        if (nodes[node + VALUE] !== 0) return nodes[node + VALUE]!;
      } else {
        if ((nodes[node + AFTER_DYNAMIC]! | nodes[node + WILDCARD]!) !== 0) {
          places[noted] = node;
          places[noted + 1] = at;
          places[noted + 2] = captured;
          noted += PLACE;
        }
        // Static first: everything below `users/me` comes before `users/[id]`. For
        // `/users/me/posts`, `users/me/[...]` wins over `users/[id]/posts`.
        const next = staticNode(nodes, node, path.charCodeAt(at));
        if (next !== 0) {
          node = next;
          continue;
        }
      }
    }
    // Mismatch: `users/me/settings` does not match `/users/me/posts`. Return to the
    // latest place, which is the deepest, and try `me` as the `[id]` of
    // `users/[id]/posts`.
    while (noted > 0) {
      noted -= PLACE;
      node = places[noted]!;
      at = places[noted + 1]!;
      captured = places[noted + 2]!;
      captures[captured] = at;
      // The dynamic segment of this place failed, too; its wildcard matches.
      if (node < 0) return -node;
      const wildcard = nodes[node + WILDCARD]!;
      const after = nodes[node + AFTER_DYNAMIC]!;
      if (after !== 0) {
        const end = path.indexOf("/", at);
        if (end === -1) {
          // `/users/7` ends in `[id]`.
          captures[captured + 1] = path.length;
          const value = nodes[node + LAST_DYNAMIC]!;
          if (value !== 0) return value;
        } else if (after !== NOTHING_AFTER) {
          // `/users/7/posts` continues after `[id]`. If the rest does not match, the
          // search still has to try the wildcard of this place.
          captures[captured + 1] = end;
          if (wildcard !== 0) {
            places[noted] = -wildcard;
            noted += PLACE;
          }
          node = after;
          at = end;
          captured += 2;
          continue down;
        }
      }
      // Wildcard last: `files/[...]` matches the rest of `/files/a/b`.
      if (wildcard !== 0) return wildcard;
    }
    return 0;
  }
}

/**
 * Whether `path` has the text of a node at an offset, whose first character is known to
 * match. The comparison starts at the end, where most paths differ.
 */
function continues(
  nodes: Int32Array,
  node: number,
  path: string,
  at: number,
): boolean {
  for (let index = nodes[node + LENGTH]! - 1; index > 0; index--) {
    // Beyond the path, the code is NaN, which differs from every code.
    if (path.charCodeAt(at + index) !== nodes[node + TEXT + index]) {
      return false;
    }
  }
  return true;
}

/** The static node whose text begins with a character, or 0. */
function staticNode(nodes: Int32Array, node: number, code: number): number {
  const table = node + TEXT + nodes[node + LENGTH]!;
  const slot = code - nodes[node + LOWEST]!;
  const length = nodes[node + TABLE_LENGTH]!;
  if (slot >= 0 && slot < length) return nodes[table + slot]!;
  if (code < ASCII_END) return 0;
  // Other codes follow as pairs with their nodes; most nodes have no such pairs.
  for (let pair = table + length; nodes[pair] !== 0; pair += 2) {
    if (nodes[pair] === code) return nodes[pair + 1]!;
  }
  return 0;
}

/**
 * Writes the nodes of a tree as integers, each node before its children. The packer
 * writes to memory outside the heap, and does not create arrays for nodes. Otherwise,
 * garbage collections would delay startup with thousands of routes.
 */
export class Packer<T> {
  /** The values by number. */
  readonly values: (T | undefined)[] = [undefined];
  /** The number of nodes on the longest path from the root. */
  depth = 0;
  #nodes = new Int32Array(4_096);
  #length = 0;

  /** The integers of all nodes so far. */
  get nodes(): Int32Array {
    return this.#nodes.slice(0, this.#length);
  }

  /** Writes a node and everything below it; returns its index. */
  pack(node: Node<T>, depth: number): number {
    if (depth > this.depth) this.depth = depth;
    const { text, dynamic } = node;
    const statics = sortedStatics(node);
    let inTable = statics.length;
    while (inTable > 0 && codeOf(statics[inTable - 1]!) >= ASCII_END) inTable--;
    const lowest = inTable === 0 ? ASCII_END : codeOf(statics[0]!);
    const tableLength = inTable === 0
      ? 0
      : codeOf(statics[inTable - 1]!) - lowest + 1;

    const table = TEXT + text.length;
    const pairs = table + tableLength;
    // A zero ends the pairs.
    const index = this.#reserve(pairs + 2 * (statics.length - inTable) + 1);
    const nodes = this.#nodes;
    nodes[index + VALUE] = this.#number(node.value);
    nodes[index + WILDCARD] = this.#number(node.wildcard);
    nodes[index + LAST_DYNAMIC] = this.#number(dynamic?.value);
    nodes[index + AFTER_DYNAMIC] = dynamic === undefined ? 0 : NOTHING_AFTER;
    nodes[index + LENGTH] = text.length;
    nodes[index + LOWEST] = lowest;
    nodes[index + TABLE_LENGTH] = tableLength;
    for (let at = 0; at < text.length; at++) {
      nodes[index + TEXT + at] = text.charCodeAt(at);
    }

    for (let place = 0; place < statics.length; place++) {
      const child = statics[place]!;
      const code = codeOf(child);
      const below = this.pack(child, depth + 1);
      // Read `this.#nodes` again, since packing the child may have replaced the array.
      if (place < inTable) {
        this.#nodes[index + table + code - lowest] = below;
      } else {
        const pair = index + pairs + 2 * (place - inTable);
        this.#nodes[pair] = code;
        this.#nodes[pair + 1] = below;
      }
    }
    const after = dynamic?.statics[0];
    if (after !== undefined) {
      const below = this.pack(after, depth + 1);
      this.#nodes[index + AFTER_DYNAMIC] = below;
    }
    return index;
  }

  /** Allocates integers with the value 0; returns the index of the first integer. */
  #reserve(count: number): number {
    const index = this.#length;
    this.#length += count;
    if (this.#length > this.#nodes.length) {
      const larger = new Int32Array(2 * this.#length);
      larger.set(this.#nodes);
      this.#nodes = larger;
    }
    return index;
  }

  #number(value: T | undefined): number {
    return value === undefined ? 0 : this.values.push(value) - 1;
  }
}
