import { checkEachOption } from "../common/option_table.ts";
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

/**
 * A map that forgets entries that have not been used recently. It has two generations:
 * once a third of the entries is new, a new generation begins, and the older one is
 * dropped. A search for the oldest entry of a single map would take 60 us.
 */
class RecentMap<Value extends Window | Entry> {
  #recent = new Map<string, Value>();
  #older = new Map<string, Value>();
  /** The size of the values in the recent generation. */
  #bytes = 0;
  readonly #limits: Required<MemoryStoreOptions>;

  constructor(limits: Required<MemoryStoreOptions>) {
    this.#limits = limits;
  }

  get(key: string): Value | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.#older.get(key);
    if (older !== undefined && this.#fits(key, older)) this.#put(key, older);
    return older;
  }

  /** @throws {Error} If running claims leave no space. */
  set(key: string, value: Value): void {
    if (!this.#fits(key, value)) this.#beginGeneration();
    if (!this.#fits(key, value)) {
      const { maxEntries, maxBytes } = this.#limits;
      throw new Error(
        `Cannot store a key with ${
          sizeOf(value)
        } bytes: the store in memory is full; increase maxEntries (${maxEntries}) or maxBytes (${maxBytes})`,
      );
    }
    this.#put(key, value);
  }

  /** Whether the recent generation has space; a key moves there without a limit. */
  #fits(key: string, value: Value): boolean {
    const { maxEntries, maxBytes } = this.#limits;
    const recent = this.#recent.get(key);
    return this.#bytes - sizeOf(recent) + sizeOf(value) <= maxBytes / 2 &&
      (this.#recent.size < maxEntries / 3 || recent !== undefined ||
        this.#older.has(key));
  }

  #put(key: string, value: Value): void {
    this.delete(key);
    this.#recent.set(key, value);
    this.#bytes += sizeOf(value);
  }

  delete(key: string): void {
    this.#bytes -= sizeOf(this.#recent.get(key));
    this.#recent.delete(key);
    this.#older.delete(key);
  }

  clear(): void {
    this.#recent.clear();
    this.#older.clear();
    this.#bytes = 0;
  }

  #beginGeneration(): void {
    const now = clock();
    const isRunning = (value: Value) =>
      "owner" in value && value.value === undefined && value.ends > now;
    const running = [...this.#older].filter(([, value]) => isRunning(value));
    this.#older = this.#recent;
    this.#recent = new Map(running);
    this.#bytes = 0;
  }
}

function sizeOf(value: Window | Entry | undefined): number {
  return value !== undefined && "value" in value
    ? value.value?.byteLength ?? 0
    : 0;
}

/**
 * Creates a store in the memory of this process, for an application of one process. A
 * restart forgets everything.
 *
 * If there are too many counters or outcomes, the store forgets those that have not been
 * used recently; at least a third of `maxEntries` remains. A client whose counter is
 * forgotten begins a new window. A claim whose owner runs is never forgotten: if there
 * are too many, further claims throw.
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
  checkEachOption("create the store", options, table);
  const { maxEntries = 100_000, maxBytes = 2 ** 26 } = options;
  const limits = { maxEntries, maxBytes };
  const windows = new RecentMap<Window>(limits);
  const entries = new RecentMap<Entry>(limits);

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
        windows.set(key, found);
      }
      return { count: ++found.count, left: found.ends - now };
    },
    claim(key, { owner, fingerprint, lease }) {
      const now = clock();
      const entry = entries.get(key);
      if (entry === undefined || entry.ends <= now) {
        entries.set(key, { owner, fingerprint, ends: now + lease });
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
      entries.set(key, { ...entry, ends: clock() + lease });
      return true;
    },
    finish(key, owner, outcome) {
      const entry = ownClaim(key, owner);
      if (entry === undefined) return false;
      if (outcome === undefined) entries.delete(key);
      else {
        const { value, ttl } = outcome;
        entries.set(key, { ...entry, value, ends: clock() + ttl });
      }
      return true;
    },
    clear() {
      windows.clear();
      entries.clear();
    },
  };
}
