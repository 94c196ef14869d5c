import type { Match, Matched } from "./match.ts";
import { pack } from "./pack.ts";
import { PackedTree } from "./packed_tree.ts";
import type { RoutedPath } from "./pathname.ts";
import { createNode, insert, type Node, print } from "./radix.ts";

/**
 * Finds the value whose pattern matches a path: segment by segment from the left,
 * static before dynamic before wildcard (behaviour 3.1).
 *
 * All requests share one tree, which does not change once it is built. The tree knows
 * nothing of methods: a path leads to a route, and the route knows its methods.
 */
export class RouteTree<T extends Matched> {
  readonly #packed: PackedTree<T>;
  readonly #values: readonly T[];

  /**
   * Builds the tree. The order of the values does not matter.
   *
   * @throws {ConflictError} If two patterns match the same paths.
   */
  constructor(values: readonly T[]) {
    const root = build(values);
    // Every path begins with a slash, so the root has one static node at most.
    const [first = root] = root.statics;
    this.#packed = new PackedTree(pack(first));
    this.#values = values;
  }

  /**
   * Finds the value for a path, with what the path captured.
   *
   * A search visits each node at most once, since each node belongs to one depth of
   * the path. So the size of the tree limits its cost, whatever the path.
   *
   * @throws {BadPathError} If a segment of a wildcard holds an encoded separator.
   */
  find(path: RoutedPath): Match<T> | undefined {
    return this.#packed.find(path);
  }

  /** The tree as text, one line per node, in matching order. */
  toString(): string {
    return print(build(this.#values)).join("\n");
  }
}

function build<T extends Matched>(values: readonly T[]): Node<T> {
  const root = createNode<T>("");
  for (const value of values) insert(root, value.pattern, value);
  return root;
}
