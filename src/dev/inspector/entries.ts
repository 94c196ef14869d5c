import type { RequestEntry } from "./entry.ts";
import type { Recording } from "./recording.ts";

/** The number of last requests to keep, and of older ones that are open. */
const MAX_ENTRIES = 200;

/** The greatest size of all recordings, in bytes. */
const MAX_SIZE = 32 * 1024 * 1024;

/** Which entries to list; all by default. */
export interface EntryFilter {
  /** Only entries that changed after this version. */
  readonly after?: number | undefined;
  readonly method?: string | undefined;
  /** A status, such as `404`, or a class of statuses, such as `4xx`. */
  readonly status?: string | undefined;
  readonly route?: string | undefined;
  /** A text anywhere in the entry, ignoring case. */
  readonly text?: string | undefined;
  readonly limit?: number | undefined;
}

/** The recordings of the last requests, and of older ones that are still open. */
export class Entries {
  /** The last requests: request 201 replaces request 1 at index 1. */
  readonly #last: Recording[] = [];
  /** Older requests that run or stream, by id. */
  readonly #open = new Map<number, Recording>();
  #size = 0;
  #version = 0;

  /** Adds a request that has arrived, which replaces the oldest one. */
  add(recording: Recording): void {
    const place = recording.id % MAX_ENTRIES;
    const replaced = this.#last[place];
    this.#last[place] = recording;
    recording.version = ++this.#version;
    if (replaced === undefined) return;
    if (replaced.state === "done") return this.#drop(replaced);
    this.#open.set(replaced.id, replaced);
    const [oldest] = this.#open.values();
    if (this.#open.size > MAX_ENTRIES) this.#drop(oldest!);
  }

  /** Notes a change of a recording, and the number of bytes that it added. */
  changed(recording: Recording, added: number): void {
    recording.version = ++this.#version;
    this.#size += added;
    if (recording.state === "done" && this.#open.has(recording.id)) {
      this.#drop(recording);
    }
    if (added <= 0 || this.#size <= MAX_SIZE) return;
    const oldestFirst = this.#all().reverse();
    for (const each of oldestFirst) {
      each.shrink();
      if (this.#size <= MAX_SIZE) return;
    }
    for (const each of oldestFirst) {
      this.#drop(each);
      if (this.#size <= MAX_SIZE) return;
    }
  }

  /** Lists entries, newest first, and the version to pass next time as `after`. */
  list(
    { after = 0, limit = Infinity, ...filter }: EntryFilter = {},
  ): { readonly version: number; readonly requests: RequestEntry[] } {
    const requests = [];
    for (const recording of this.#all()) {
      if (requests.length >= limit) break;
      if (recording.version <= after) continue;
      const { entry } = recording;
      if (isListed(entry, filter)) requests.push(entry);
    }
    return { version: this.#version, requests };
  }

  /** Returns a recording, unless newer ones replaced it. */
  find(id: number): Recording | undefined {
    const last = this.#last[id % MAX_ENTRIES];
    const found = last?.id === id ? last : this.#open.get(id);
    return found?.isDropped ? undefined : found;
  }

  /** All recordings, newest first. */
  #all(): Recording[] {
    return [...this.#open.values(), ...this.#last.filter(Boolean)]
      .filter(({ isDropped }) => !isDropped).sort((a, b) => b.id - a.id);
  }

  #drop(recording: Recording): void {
    this.#open.delete(recording.id);
    const place = recording.id % MAX_ENTRIES;
    if (this.#last[place] === recording) delete this.#last[place];
    this.#size -= recording.size;
    recording.drop();
  }
}

function isListed(
  entry: RequestEntry,
  { method, status, route, text }: EntryFilter,
): boolean {
  if (method !== undefined && entry.method !== method) return false;
  if (route !== undefined && entry.route !== route) return false;
  const digits = status?.replace(/x+$/i, "");
  if (digits !== undefined && !`${entry.status}`.startsWith(digits)) {
    return false;
  }
  return text === undefined ||
    JSON.stringify(entry).toLowerCase().includes(text.toLowerCase());
}
