import { PackedTree } from "./packed_tree.ts";
import type { RoutedPath } from "./pathname.ts";
import type { RoutePattern } from "./pattern.ts";
import { createNode, insert, type Node, print } from "./radix.ts";

/** A value to be found by the paths that its pattern matches. */
export interface Entry<T> {
  readonly pattern: RoutePattern;
  readonly value: T;
}

/**
 * Finds the value whose pattern matches a path: segment by segment from the left,
 * static before dynamic before wildcard (behaviour 3.1).
 *
 * The tree is immutable once built: requests may share it, and a new tree
 * replaces it in one assignment. It is blind to methods: a path finds a route,
 * the route knows its methods.
 */
export class RouteTree<T extends object> {
  readonly #packed: PackedTree<Entry<T>>;
  readonly #entries: readonly Entry<T>[];

  /**
   * Builds the tree. The order of the entries does not matter.
   *
   * @throws {TypeError} If two patterns match the same paths.
   */
  constructor(entries: readonly Entry<T>[]) {
    const root = build(entries);
    // All that the root leads to begins with the slash that begins all paths.
    const [first = root] = root.statics.values();
    this.#packed = new PackedTree(first);
    this.#entries = entries;
  }

  /**
   * Finds the value for a path, and gives the path what its segments captured.
   *
   * A search visits each node at most once, since a node stands at one depth of
   * the path: its cost is bounded by the size of the tree, whatever the path.
   */
  find(path: RoutedPath): T | undefined {
    return this.#packed.find(path)?.value;
  }

  /** The tree as text, one line a node, in matching order. */
  toString(): string {
    return print(build(this.#entries)).join("\n");
  }
}

function build<T>(entries: readonly Entry<T>[]): Node<Entry<T>> {
  const root = createNode<Entry<T>>("");
  for (const entry of entries) insert(root, entry.pattern, entry);
  return root;
}
