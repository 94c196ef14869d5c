import { PackedTree } from "./packed_tree.ts";
import type { RoutedPath } from "./pathname.ts";
import type { RoutePattern } from "./pattern.ts";
import { createNode, insert, type Node, print } from "./radix.ts";

/** A value, and the pattern of the paths that lead to it. */
export interface Entry<T> {
  readonly pattern: RoutePattern;
  readonly value: T;
}

/**
 * Finds the value whose pattern matches a path: segment by segment from the left,
 * static before dynamic before wildcard (behaviour 3.1).
 *
 * All requests share one tree, which does not change once it is built. What a path
 * captures is stored on the path. The tree knows nothing of methods: a path leads to
 * a route, and the route knows its methods.
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
    // Every path begins with a slash, so the root has one static node at most.
    const [first = root] = root.statics.values();
    this.#packed = new PackedTree(first);
    this.#entries = entries;
  }

  /**
   * Finds the value for a path, and sets the captures of the path.
   *
   * A search visits each node at most once, since each node belongs to one depth of
   * the path. So the size of the tree limits its cost, whatever the path.
   */
  find(path: RoutedPath): T | undefined {
    return this.#packed.find(path)?.value;
  }

  /** The tree as text, one line per node, in matching order. */
  toString(): string {
    return print(build(this.#entries)).join("\n");
  }
}

function build<T>(entries: readonly Entry<T>[]): Node<Entry<T>> {
  const root = createNode<Entry<T>>("");
  for (const entry of entries) insert(root, entry.pattern, entry);
  return root;
}
