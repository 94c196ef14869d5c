import { checkOptions } from "../core/common/forms.ts";
import { COUNT } from "./common.ts";
import type { ProtectionStore } from "./store.ts";

/** Options of {@linkcode memoryStore}. */
export interface MemoryStoreOptions {
  /**
   * The largest number of counters, and the largest number of claimed keys.
   *
   * @default {100_000}
   */
  readonly maxEntries?: number;
  /**
   * The largest size of all stored outcomes together, in bytes.
   *
   * @default {67_108_864}
   */
  readonly maxBytes?: number;
}

/** A store in memory. */
export interface MemoryStore extends ProtectionStore {
  /** Forgets all counters and keys, for example between two tests. */
  clear(): void;
}

/** The counter of a key. */
interface Window {
  count: number;
  readonly ends: number;
}

/** A claimed key: while it has no value, its owner runs. */
interface Entry {
  readonly owner: string;
  readonly fingerprint: string;
  readonly ends: number;
  readonly value?: Uint8Array<ArrayBuffer>;
}

let offset = 0;
let lastDate = -Infinity;

/**
 * The monotonic clock, in whole milliseconds. A reading takes a twentieth of a request's
 * time, so the system time replaces it for the next 100 ms, unless that time jumps.
 */
function clock(): number {
  const date = Date.now();
  if (!(date >= lastDate && date < lastDate + 100)) {
    offset = Math.trunc(performance.now()) - date;
  }
  lastDate = date;
  return date + offset;
}

/** Values with one lifetime, in the order in which they were set, and so expire. */
class Queue<Value> {
  readonly time: number;
  readonly values = new Map<string, Value>();
  /** Continues the last search: a new iterator would visit every removed value again. */
  #rest = this.values.entries();
  #first: readonly [key: string, value: Value] | undefined;

  constructor(time: number) {
    this.time = time;
  }

  /** The value that expires first, with its key. */
  get first(): readonly [key: string, value: Value] | undefined {
    while (
      this.#first === undefined ||
      this.values.get(this.#first[0]) !== this.#first[1]
    ) {
      this.#first = this.#rest.next().value;
      if (this.#first !== undefined) continue;
      this.#rest = this.values.entries();
      return undefined;
    }
    return this.#first;
  }
}

/** A map whose values expire, within the limits of memory. */
class LastingMap<Value extends Window | Entry> {
  /** The values by their lifetime; an application has few different lifetimes. */
  #queues: Queue<Value>[] = [];
  #size = 0;
  #bytes = 0;
  readonly #limits: Required<MemoryStoreOptions>;
  /** Whether to remove values before they expire if there are too many. */
  readonly #forgets: boolean;

  constructor(limits: Required<MemoryStoreOptions>, forgets: boolean) {
    this.#limits = limits;
    this.#forgets = forgets;
  }

  get(key: string): Value | undefined {
    for (const { values } of this.#queues) {
      const value = values.get(key);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /**
   * Sets a value that expires after a time, in milliseconds.
   *
   * @throws {Error} If unexpired values leave no space; the old value remains.
   */
  set(key: string, value: Value, time: number): void {
    this.#makeRoom(key, value);
    this.delete(key);
    let queue = this.#queues.find((each) => each.time === time);
    if (queue === undefined) this.#queues.push(queue = new Queue(time));
    queue.values.set(key, value);
    this.#size++;
    this.#bytes += sizeOf(value);
  }

  #makeRoom(key: string, value: Value): void {
    const { maxEntries, maxBytes } = this.#limits;
    for (;;) {
      const old = this.get(key);
      const size = this.#size + (old === undefined ? 1 : 0);
      const bytes = this.#bytes - sizeOf(old) + sizeOf(value);
      if (size <= maxEntries && bytes <= maxBytes) return;
      const [first] = this.#queues.flatMap(({ first }) => first ? [first] : [])
        .sort(([, a], [, b]) => a.ends - b.ends);
      if (
        first === undefined || !this.#forgets && first[1].ends > clock()
      ) {
        throw new Error(
          `Cannot store a key with ${
            sizeOf(value)
          } bytes: the store in memory is full; increase maxEntries (${maxEntries}) or maxBytes (${maxBytes})`,
        );
      }
      this.delete(first[0]);
    }
  }

  delete(key: string): void {
    for (const { values } of this.#queues) {
      const value = values.get(key);
      if (value === undefined) continue;
      values.delete(key);
      this.#size--;
      this.#bytes -= sizeOf(value);
    }
  }

  clear(): void {
    this.#queues = [];
    this.#size = this.#bytes = 0;
  }
}

/**
 * The size of a value, in bytes. A claim without an outcome reserves space for a status:
 * if a response does not fit, `idempotent()` stores its status instead.
 */
function sizeOf(value: Window | Entry | undefined): number {
  return value !== undefined && "owner" in value
    ? Math.max(value.value?.byteLength ?? 0, STATUS)
    : 0;
}

/** The size of a stored status: `{"status":200}` and a line break. */
const STATUS = 15;

/**
 * Creates a store in the memory of this process, for an application of one process. A
 * restart forgets everything.
 *
 * Up to `maxEntries` and `maxBytes`, the store keeps each value until it expires. If
 * there are more counters, the store removes the counter whose window ends first, and
 * its client begins a new window. If there are more keys or outcomes, further claims
 * throw, so `idempotent()` responds with 503 instead of running a request twice.
 *
 * The clock of the store is monotonic, so changes of the system time have no effect.
 *
 * @param options The limits of memory.
 * @returns The store.
 * @throws {TypeError} If an option is unknown or invalid.
 *
 * @example Usage
 * ```ts
 * import { memoryStore } from "@bough/framework/protect";
 *
 * export const store = memoryStore({ maxEntries: 10_000 });
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const table = { maxEntries: COUNT, maxBytes: COUNT };
  checkOptions("create the store", options, table);
  const { maxEntries = 100_000, maxBytes = 2 ** 26 } = options;
  const limits = { maxEntries, maxBytes };
  const windows = new LastingMap<Window>(limits, true);
  const entries = new LastingMap<Entry>(limits, false);

  /** The entry of a claim that this owner has neither lost nor finished. */
  function ownClaim(key: string, owner: string): Entry | undefined {
    const entry = entries.get(key);
    return entry?.owner === owner && entry.value === undefined
      ? entry
      : undefined;
  }

  return {
    increment(key, window) {
      const now = clock();
      let found = windows.get(key);
      if (found === undefined || found.ends <= now) {
        found = { count: 0, ends: now + window };
        windows.set(key, found, window);
      }
      return { count: ++found.count, left: found.ends - now };
    },
    claim(key, { owner, fingerprint, lease }) {
      const now = clock();
      const entry = entries.get(key);
      if (entry === undefined || entry.ends <= now) {
        entries.set(key, { owner, fingerprint, ends: now + lease }, lease);
        return { state: "claimed" };
      }
      const { value, ends, fingerprint: first } = entry;
      return value === undefined
        ? { state: "running", fingerprint: first, left: ends - now }
        : { state: "finished", fingerprint: first, value };
    },
    renew(key, owner, lease) {
      const entry = ownClaim(key, owner);
      if (entry === undefined) return false;
      entries.set(key, { ...entry, ends: clock() + lease }, lease);
      return true;
    },
    finish(key, owner, outcome) {
      const entry = ownClaim(key, owner);
      if (entry === undefined) return false;
      if (outcome === undefined) entries.delete(key);
      else {
        const { value, ttl } = outcome;
        entries.set(key, { ...entry, value, ends: clock() + ttl }, ttl);
      }
      return true;
    },
    clear() {
      windows.clear();
      entries.clear();
    },
  };
}
