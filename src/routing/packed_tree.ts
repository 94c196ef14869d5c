import type { RoutedPath } from "./pathname.ts";
import type { RoutePattern } from "./pattern.ts";
import { type Node, sortedStatics } from "./radix.ts";

/**
 * A tree packed into one array of integers, so that a search reads memory that
 * lies together: with 10,000 routes it takes a quarter of the time that it takes
 * through objects (`tests/bench/router/main.ts --set=10000`).
 *
 * A node is the index of its first integer, and what it holds are these:
 */
const VALUE = 0; // the value of the pattern that ends here, by its number
const WILDCARD = 1; // the value of the pattern whose wildcard begins here
const LAST_DYNAMIC = 2; // the value if a dynamic segment ends the path
const AFTER_DYNAMIC = 3; // the node after one and a slash, or `NOTHING_AFTER`
const LENGTH = 4; // how many characters its text has
const LOWEST = 5; // the first character code of its table
const TABLE_LENGTH = 6;
const TEXT = 7; // the text, the table of static nodes, then the other ones
// `0` stands for no value and for no node: nothing leads to the root.
const NOTHING_AFTER = -1;

/** Codes from here on are not in tables, which would be long and empty. */
const ASCII_END = 128;

/** A place to which a search may go back: a node, an offset, a depth. */
const PLACE = 3;

/** A value with the pattern that it is found by. */
interface Matched {
  readonly pattern: RoutePattern;
}

/** Finds values by paths. */
export class PackedTree<T extends Matched> {
  readonly #nodes: Int32Array;
  readonly #values: readonly (T | undefined)[];
  // Room for what a search notes down. It is done with both when it returns, and
  // neither leaves this class: the path gets its own copy of what it captured.
  readonly #places: Int32Array;
  readonly #captures: Int32Array;

  /** Packs the tree from `root` down. */
  constructor(root: Node<T>) {
    const packer = new Packer<T>();
    packer.pack(root, 1);
    this.#nodes = Int32Array.from(packer.nodes);
    this.#values = packer.values;
    this.#places = new Int32Array(PLACE * packer.depth);
    this.#captures = new Int32Array(2 * packer.depth);
  }

  /** Finds the value for a path, and gives the path what it captured. */
  find(path: RoutedPath): T | undefined {
    const captures = this.#captures;
    const found = this.#values[
      search(this.#nodes, path.text, captures, this.#places)
    ];
    found?.pattern.capture(path, captures);
    return found;
  }
}

/**
 * Finds the number of a value, or 0. Without regard to speed, it would read so:
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
 * This one goes down for as long as the path allows it, notes each place with
 * another way on, and goes back to the latest such place where it leads nowhere. A
 * place whose node is negative has its wildcard left alone: it is that value.
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
        // `/users` ends here. That a wildcard or a dynamic segment begins here is
        // nothing to it: they take a segment at least.
        if (nodes[node + VALUE] !== 0) return nodes[node + VALUE]!;
      } else {
        if ((nodes[node + AFTER_DYNAMIC]! | nodes[node + WILDCARD]!) !== 0) {
          places[noted] = node;
          places[noted + 1] = at;
          places[noted + 2] = captured;
          noted += PLACE;
        }
        // Static first: `users/me` before `users/[id]`, and all that lies below it.
        // For `/users/me/posts`, `users/me/[...]` wins over `users/[id]/posts`.
        const next = staticNode(nodes, node, path.charCodeAt(at));
        if (next !== 0) {
          node = next;
          continue;
        }
      }
    }
    // Here `users/me/settings` did not lead to `/users/me/posts`. Go back to the
    // latest place, the deepest one, and let `me` be the `[id]` of
    // `users/[id]/posts`.
    while (noted > 0) {
      noted -= PLACE;
      node = places[noted]!;
      at = places[noted + 1]!;
      captured = places[noted + 2]!;
      captures[captured] = at;
      // Below the dynamic segment of this place nothing was found either.
      if (node < 0) return -node;
      const wildcard = nodes[node + WILDCARD]!;
      const after = nodes[node + AFTER_DYNAMIC]!;
      if (after !== 0) {
        const end = path.indexOf("/", at);
        if (end === -1) {
          // `/users/7` ends in its `[id]`.
          captures[captured + 1] = path.length;
          const value = nodes[node + LAST_DYNAMIC]!;
          if (value !== 0) return value;
        } else if (after !== NOTHING_AFTER) {
          // `/users/7/posts` goes on after it. If that leads nowhere, the wildcard
          // of this place is left.
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
      // Wildcard last: `files/[...]` takes the whole rest of `/files/a/b`.
      if (wildcard !== 0) return wildcard;
    }
    return 0;
  }
}

/**
 * Whether the text of a node stands in `path` at an offset. Its first character
 * is known to, and two paths of one tree mostly differ in their last ones.
 */
function continues(
  nodes: Int32Array,
  node: number,
  path: string,
  at: number,
): boolean {
  for (let index = nodes[node + LENGTH]! - 1; index > 0; index--) {
    // Past the end of the path this is NaN, which equals nothing.
    if (path.charCodeAt(at + index) !== nodes[node + TEXT + index]) {
      return false;
    }
  }
  return true;
}

/** The static node that goes on with a character, or 0. */
function staticNode(nodes: Int32Array, node: number, code: number): number {
  const table = node + TEXT + nodes[node + LENGTH]!;
  const slot = code - nodes[node + LOWEST]!;
  const length = nodes[node + TABLE_LENGTH]!;
  if (slot >= 0 && slot < length) return nodes[table + slot]!;
  if (code < ASCII_END) return 0;
  // The others are few, and rarely any: pairs of a code and its node.
  for (let pair = table + length; nodes[pair] !== 0; pair += 2) {
    if (nodes[pair] === code) return nodes[pair + 1]!;
  }
  return 0;
}

/** Writes nodes one after the other, each before those it leads to. */
class Packer<T> {
  readonly nodes: number[] = [];
  readonly values: (T | undefined)[] = [undefined];
  /** How many nodes stand one below the other at most. */
  depth = 0;

  /** Writes a node and all below it; returns its index. */
  pack(node: Node<T>, depth: number): number {
    this.depth = Math.max(this.depth, depth);
    const index = this.nodes.length;
    const { text, value, wildcard, dynamic } = node;
    const statics = sortedStatics(node);
    const ascii = statics.filter(([code]) => code < ASCII_END);
    const others = statics.slice(ascii.length);
    const lowest = ascii[0]?.[0] ?? ASCII_END;
    const length = ascii.length === 0 ? 0 : ascii.at(-1)![0] - lowest + 1;

    this.nodes.push(
      this.#number(value),
      this.#number(wildcard),
      this.#number(dynamic?.value),
      dynamic === undefined ? 0 : NOTHING_AFTER,
      text.length,
      lowest,
      length,
    );
    for (let at = 0; at < text.length; at++) {
      this.nodes.push(text.charCodeAt(at));
    }
    const table = this.nodes.length;
    for (let slot = 0; slot < length; slot++) this.nodes.push(0);
    const pairs = this.nodes.length;
    for (const [code] of others) this.nodes.push(code, 0);
    this.nodes.push(0);

    for (const [code, child] of ascii) {
      this.nodes[table + code - lowest] = this.pack(child, depth + 1);
    }
    for (const [place, [, child]] of others.entries()) {
      this.nodes[pairs + 2 * place + 1] = this.pack(child, depth + 1);
    }
    for (const after of dynamic?.statics.values() ?? []) {
      this.nodes[index + AFTER_DYNAMIC] = this.pack(after, depth + 1);
    }
    return index;
  }

  #number(value: T | undefined): number {
    return value === undefined ? 0 : this.values.push(value) - 1;
  }
}
