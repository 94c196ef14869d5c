/**
 * A store of protections in an SQLite file, for several processes on one machine.
 *
 * @example Usage
 * ```ts ignore
 * import { rateLimit } from "@bough/framework/protect";
 * import { sqliteStore } from "@bough/framework/protect/sqlite";
 *
 * const store = sqliteStore("/var/lib/shop/protect.db");
 * export default rateLimit({ limit: 100, per: 60_000, store });
 * ```
 *
 * @module
 */
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { checkOptions } from "../core/common/forms.ts";
import { COUNT } from "./common.ts";
import type { Counter, ProtectionStore } from "./store.ts";

/** Options of {@linkcode sqliteStore}. */
export interface SqliteStoreOptions {
  /**
   * The largest size of the file, in bytes. While the file is full of keys that have not
   * expired, calls with new keys throw.
   *
   * @default {1_073_741_824}
   */
  readonly maxBytes?: number;
}

/** A store in a file, which `using` closes. */
export interface SqliteStore extends ProtectionStore, Disposable {
  /** Forgets all counters and keys, for example between two tests. */
  clear(): void;
}

/** A claim in the file. */
interface Row {
  readonly fingerprint: string;
  readonly value: Uint8Array<ArrayBuffer> | null;
  readonly span: number;
  readonly left: number;
}

/** The time that a call waits for other processes, in milliseconds. */
const BUSY_TIMEOUT = 1000;
/** The time for opening the file, which delays no request. */
const OPEN_TIMEOUT = 10_000;
/** The time between two attempts. SQLite's own attempts are so rare that processes starve. */
const BUSY_INTERVAL = 0.1;
const PAGE_SIZE = 4096;
/** After this number of calls, remove up to ten times as many expired rows. */
const CALLS = 100;

/**
 * The system time in milliseconds. SQLite reads the time when a statement has its lock,
 * so times of several processes have the order of their changes.
 */
const NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

const COUNTERS = `
  CREATE TABLE IF NOT EXISTS counters (key TEXT PRIMARY KEY,
    count INTEGER NOT NULL, ends INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS counters_by_end ON counters (ends)`;
const INCREMENT = `
  INSERT INTO counters VALUES (?1, 1, ${NOW} + ?2)
  ON CONFLICT (key) DO UPDATE SET
    count = iif(ends <= ${NOW}, 1, count + 1),
    ends = iif(ends <= ${NOW}, excluded.ends, min(ends, excluded.ends))
  RETURNING count, ends - ${NOW} AS left`;

// A claim runs while its value is null. `span` is the lease or the time to live.
const CLAIMS = `
  CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, owner TEXT NOT NULL,
    fingerprint TEXT NOT NULL, span INTEGER NOT NULL, ends INTEGER NOT NULL,
    value BLOB) STRICT;
  CREATE INDEX IF NOT EXISTS claims_by_end ON claims (ends)`;
const READ = `
  SELECT fingerprint, value, span, ends - ${NOW} AS left FROM claims
  WHERE key = ? AND ends > ${NOW}`;
const CLAIM = `
  INSERT INTO claims VALUES (?1, ?2, ?3, ?4, ${NOW} + ?4, NULL)
  ON CONFLICT (key) DO UPDATE SET value = NULL, owner = excluded.owner, ends =
    excluded.ends, fingerprint = excluded.fingerprint, span = excluded.span
  WHERE ends <= ${NOW} RETURNING key`;
const SHORTEN = `UPDATE claims SET ends = ${NOW} + span
  WHERE key = ? AND ends > ${NOW} + span`;
const OWNED = "WHERE key = ?1 AND owner = ?2 AND value IS NULL RETURNING key";
const UPDATE = `
  UPDATE claims SET span = ?3, ends = ${NOW} + ?3, value = ?4 ${OWNED}`;
const FREE = `DELETE FROM claims ${OWNED}`;

const SLEEPING = new Int32Array(new SharedArrayBuffer(4));

/** Runs a statement as soon as no other process has locked the file. */
function whenFree<Result>(
  run: () => Result,
  timeout: number = BUSY_TIMEOUT,
): Result {
  const deadline = performance.now() + timeout;
  for (;;) {
    try {
      return run();
    } catch (error) {
      const isBusy = error instanceof Error && /\blocked\b/.test(error.message);
      if (!isBusy || performance.now() > deadline) throw error;
      Atomics.wait(SLEEPING, 0, 0, BUSY_INTERVAL);
    }
  }
}

/**
 * Opens a store in an SQLite file, and creates the file if necessary. Processes on one
 * machine can share the file, on a local disk. They need permission to read and write
 * the file.
 *
 * A call is synchronous, and waits at most a second for other processes. A crash of
 * a process loses nothing. A power failure may reset counters, but keeps all claims. The
 * clock of the store is the system time, which all processes share.
 *
 * @param path The path of the file.
 * @param options The limit of the file.
 * @returns The store.
 * @throws {TypeError} If an option is unknown or invalid.
 * @throws {Error} If SQLite cannot open the file.
 *
 * @example Usage
 * ```ts
 * import { sqliteStore } from "@bough/framework/protect/sqlite";
 *
 * using store = sqliteStore(":memory:"); // a path, for several processes
 * await store.increment("Ada", 60_000);
 * ```
 */
export function sqliteStore(
  path: string,
  options: SqliteStoreOptions = {},
): SqliteStore {
  checkOptions("open the store", options, { maxBytes: COUNT });
  const { maxBytes = 2 ** 30 } = options;

  /** The functions that remove the expired rows of each table. */
  const removals: (() => void)[] = [];

  function open(table: string, synchronous: string, definition: string) {
    const database = new DatabaseSync(path, { timeout: 0 });
    whenFree(
      () =>
        database.exec(`
        PRAGMA page_size = ${PAGE_SIZE};
        PRAGMA max_page_count = ${Math.ceil(maxBytes / PAGE_SIZE)};
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = ${synchronous};${definition}`),
      OPEN_TIMEOUT,
    );
    /** Prepares a statement, which returns its rows. */
    function prepare(sql: string) {
      const statement = database.prepare(sql);
      const run = (...values: SQLInputValue[]) =>
        whenFree(() => statement.all(...values));
      return (...values: SQLInputValue[]) => {
        try {
          return run(...values);
        } catch (error) {
          if (!/\bfull\b/.test(String(error))) throw error;
          for (const remove of removals) remove();
          return run(...values);
        }
      };
    }
    const removal = database.prepare(`DELETE FROM ${table} WHERE key IN
      (SELECT key FROM ${table} WHERE ends <= ${NOW} LIMIT ${CALLS * 10})`);
    const remove = () => whenFree(() => removal.run());
    removals.push(remove);
    let calls = 0;
    const removeExpired = () => {
      if (calls++ % CALLS === 0) remove();
    };
    return { database, prepare, removeExpired };
  }

  // Two connections, since claims must survive a power failure. Counters need not, and
  // would take eight times as long.
  const counters = open("counters", "NORMAL", COUNTERS);
  const increment = counters.prepare(INCREMENT);
  const claims = open("claims", "FULL", CLAIMS);
  const claim = claims.prepare(CLAIM);
  const read = claims.prepare(READ);
  const shorten = claims.prepare(SHORTEN);
  const update = claims.prepare(UPDATE);
  const free = claims.prepare(FREE);
  const clearCounters = counters.prepare("DELETE FROM counters");
  const clearClaims = claims.prepare("DELETE FROM claims");

  return {
    increment(key, window) {
      counters.removeExpired();
      return increment(key, window)[0] as unknown as Counter;
    },
    claim(key, { owner, fingerprint, lease }) {
      claims.removeExpired();
      for (;;) {
        const { length } = claim(key, owner, fingerprint, lease);
        if (length === 1) return { state: "claimed" };
        const [row] = read(key) as unknown as Row[];
        // Since the first statement, the owner has freed the key, or its lease expired.
        if (row === undefined) continue;
        const { value, span, fingerprint: first } = row;
        if (row.left > span) shorten(key);
        const left = Math.min(row.left, span);
        return value === null
          ? { state: "running", fingerprint: first, left }
          : { state: "finished", fingerprint: first, value };
      }
    },
    renew: (key, owner, lease) => update(key, owner, lease, null).length === 1,
    finish: (key, owner, outcome) =>
      (outcome === undefined
        ? free(key, owner)
        : update(key, owner, outcome.ttl, outcome.value)).length === 1,
    clear() {
      clearCounters();
      clearClaims();
    },
    [Symbol.dispose]() {
      counters.database[Symbol.dispose]();
      claims.database[Symbol.dispose]();
    },
  };
}
