/** A result that is valid only while a task around it runs. */
interface Open<T> {
  readonly result: readonly T[];
  /** The depth of the outermost of these tasks. */
  readonly outermost: number;
}

/**
 * Remembers the results of recursive tasks. A task that runs again inside itself has an
 * empty result there, since the outer run reports all.
 */
export class Memo<T> {
  readonly #results = new Map<string, readonly T[]>();
  /** The running tasks with their depth. */
  readonly #running = new Map<string, number>();
  /** The results that depend on running tasks, in the order in which they ended. */
  readonly #open = new Map<string, Open<T>>();
  /** The depth of the outermost running task on which the current task depends. */
  #outermost = Infinity;

  resolve(key: string, compute: () => readonly T[]): readonly T[] {
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    const running = this.#running.get(key);
    const open = this.#open.get(key);
    if (running !== undefined || open !== undefined) {
      this.#dependOn(running ?? open!.outermost);
      return open?.result ?? [];
    }
    const outer = this.#outermost;
    const depth = this.#running.size;
    const before = this.#open.size;
    this.#outermost = Infinity;
    this.#running.set(key, depth);
    const result = compute();
    this.#running.delete(key);
    const outermost = this.#outermost;
    this.#outermost = outer;
    const isFinal = outermost >= depth;
    // The inner tasks assumed that this task has an empty result.
    const isRight = result.length === 0;
    const inner = this.#open.size === before ? [] : [...this.#open];
    for (const [key, { result: { length } }] of inner.slice(before)) {
      if (isFinal && isRight && length === 0) this.#results.set(key, []);
      if (isFinal || !isRight && length === 0) this.#open.delete(key);
    }
    if (isFinal) this.#results.set(key, result);
    else {
      this.#open.set(key, { result, outermost });
      this.#dependOn(outermost);
    }
    return result;
  }

  #dependOn(depth: number): void {
    this.#outermost = Math.min(this.#outermost, depth);
  }
}
