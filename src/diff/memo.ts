/**
 * Remembers the results of recursive tasks. A task that runs again inside itself has an
 * empty result there, since the outer run reports all.
 */
export class Memo<T> {
  readonly #results = new Map<string, readonly T[]>();
  readonly #running = new Set<string>();
  /** The tasks that ended inside the outermost running task. */
  #ended: string[] = [];
  /** Whether a task ran again inside itself. */
  #isRecursive = false;

  resolve(key: string, compute: () => readonly T[]): readonly T[] {
    const isAgain = this.#running.has(key);
    this.#isRecursive ||= isAgain;
    const known = isAgain ? [] : this.#results.get(key);
    if (known !== undefined) return known;
    const before = this.#ended.length;
    this.#running.add(key);
    const result = compute();
    this.#running.delete(key);
    if (this.#isRecursive) this.#forget(before, result);
    this.#results.set(key, result);
    this.#ended.push(key);
    if (this.#running.size === 0) this.#ended = [];
    this.#isRecursive &&= this.#running.size > 0;
    return result;
  }

  /** Forgets the results inside a task that its own result shows to be incomplete. */
  #forget(before: number, result: readonly T[]): void {
    for (const key of this.#ended.splice(before)) {
      // An empty result assumed that the outer results are empty, too.
      const isForgotten = this.#results.get(key)!.length === 0
        ? result.length > 0
        : this.#running.size === 0;
      if (isForgotten) this.#results.delete(key);
      else this.#ended.push(key);
    }
  }
}
