/** The result of a task, and the outermost running task on which it depends. */
interface Task<T> {
  result: readonly T[];
  /** The depth of that task; `Infinity` for a final result. */
  outermost: number;
}

/**
 * Remembers the results of recursive tasks. A task that runs again inside itself has an
 * empty result there, since the outer run reports all.
 */
export class Memo<T> {
  readonly #tasks = new Map<string, Task<T>>();
  /** The ended tasks that depend on running tasks, in the order in which they ended. */
  readonly #open: string[] = [];
  /** The number of running tasks. */
  #depth = 0;
  /** The depth of the outermost running task on which the current task depends. */
  #outermost = Infinity;

  resolve(key: string, compute: () => readonly T[]): readonly T[] {
    const known = this.#tasks.get(key);
    const task = known ?? { result: [], outermost: this.#depth };
    if (known === undefined) {
      this.#tasks.set(key, task);
      this.#run(task, compute);
      if (task.outermost < Infinity) this.#open.push(key);
    }
    this.#outermost = Math.min(this.#outermost, task.outermost);
    return task.result;
  }

  #run(task: Task<T>, compute: () => readonly T[]): void {
    const [outer, before] = [this.#outermost, this.#open.length];
    const depth = this.#depth++;
    this.#outermost = Infinity;
    task.result = compute();
    const isFinal = this.#outermost >= depth;
    task.outermost = isFinal ? Infinity : this.#outermost;
    this.#outermost = outer;
    this.#depth = depth;
    for (const key of this.#open.splice(before)) {
      const inner = this.#tasks.get(key)!;
      // The inner tasks assumed that this task has an empty result.
      const isKept = inner.result.length > 0
        ? !isFinal
        : task.result.length === 0;
      if (!isKept) this.#tasks.delete(key);
      else if (isFinal) inner.outermost = Infinity;
      else this.#open.push(key);
    }
  }
}
