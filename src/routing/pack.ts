import { LAYOUT, type Packed } from "./packed_tree.ts";
import { codeOf, type Node, sortedStatics } from "./radix.ts";

const { VALUE, WILDCARD, LAST_DYNAMIC, AFTER_DYNAMIC, NOTHING_AFTER } = LAYOUT;
const { LENGTH, LOWEST, TABLE_LENGTH, TEXT, ASCII_END } = LAYOUT;

/** Packs the tree from `root` down into one array of integers. */
export function pack<T>(root: Node<T>): Packed<T> {
  const packer = new Packer<T>();
  packer.pack(root, 1);
  return packer.packed;
}

/**
 * Writes the nodes of a tree as integers, each node before its children. It writes to
 * memory outside of the heap and makes no arrays of its own for a node: otherwise the
 * start with thousands of routes would wait for collections of garbage.
 */
class Packer<T> {
  #nodes = new Int32Array(4_096);
  #length = 0;
  #depth = 0;
  readonly #values: (T | undefined)[] = [undefined];

  get packed(): Packed<T> {
    return {
      nodes: this.#nodes.slice(0, this.#length),
      values: this.#values,
      depth: this.#depth,
    };
  }

  /** Writes a node and everything below it; returns its index. */
  pack(node: Node<T>, depth: number): number {
    if (depth > this.#depth) this.#depth = depth;
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
      // Not `nodes`: to pack the child may have moved them.
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

  /** Makes room for integers, which are 0; returns the index of the first one. */
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
    return value === undefined ? 0 : this.#values.push(value) - 1;
  }
}
