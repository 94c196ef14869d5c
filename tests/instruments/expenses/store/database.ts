import { RequestState } from "@bough/framework";
import {
  DatabaseSync,
  type SQLInputValue,
  type StatementSync,
} from "node:sqlite";
import type { LiveSocket } from "@bough/framework/live";
import type { ChatSent } from "./chat.ts";

const TABLES = `
  PRAGMA foreign_keys = ON;
  CREATE TABLE users (
    id INTEGER PRIMARY KEY, created_at TEXT NOT NULL,
    name TEXT NOT NULL, email TEXT NOT NULL UNIQUE COLLATE NOCASE,
    password TEXT NOT NULL, role TEXT NOT NULL DEFAULT 'member', iban TEXT
  ) STRICT;
  CREATE TABLE sessions (
    token TEXT PRIMARY KEY,
    user INTEGER NOT NULL REFERENCES users,
    expires_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE reports (
    id INTEGER PRIMARY KEY AUTOINCREMENT, created_at TEXT NOT NULL,
    owner INTEGER NOT NULL REFERENCES users,
    title TEXT NOT NULL, purpose TEXT, currency TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'draft',
    version INTEGER NOT NULL DEFAULT 1,
    decided_by INTEGER REFERENCES users
  ) STRICT;
  CREATE INDEX reports_by_owner ON reports (owner, created_at, id);
  CREATE TABLE items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    report INTEGER NOT NULL REFERENCES reports ON DELETE CASCADE,
    date TEXT NOT NULL, category TEXT NOT NULL,
    cents INTEGER NOT NULL, note TEXT
  ) STRICT;
  CREATE TABLE receipts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    report INTEGER NOT NULL REFERENCES reports ON DELETE CASCADE,
    name TEXT NOT NULL, type TEXT NOT NULL, content BLOB NOT NULL
  ) STRICT;
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, created_at TEXT NOT NULL,
    report INTEGER NOT NULL REFERENCES reports ON DELETE CASCADE,
    author INTEGER NOT NULL REFERENCES users, text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE payments (
    id INTEGER PRIMARY KEY, created_at TEXT NOT NULL,
    report INTEGER NOT NULL REFERENCES reports,
    cents INTEGER NOT NULL, reference TEXT
  ) STRICT;
  CREATE TABLE idempotency_keys (
    user INTEGER NOT NULL REFERENCES users, key TEXT NOT NULL,
    request TEXT NOT NULL, payment INTEGER REFERENCES payments,
    PRIMARY KEY (user, key)
  ) STRICT;
  -- The last change of each report, in the order of the changes.
  CREATE TABLE changes (
    revision INTEGER PRIMARY KEY AUTOINCREMENT,
    owner INTEGER NOT NULL REFERENCES users,
    report INTEGER NOT NULL UNIQUE
  ) STRICT;
`;

type Values = Readonly<Record<string, SQLInputValue>>;

/** The data of an application, and the clients that wait for changes. */
export class Store implements Disposable {
  /** The open sockets of each report. */
  readonly rooms: Map<number, Set<LiveSocket<ChatSent>>> = new Map();
  /** Functions that wake the streams of events. */
  readonly sleepers: Set<() => void> = new Set();
  /** Abort when a user logs out, by token. */
  readonly sessions: Map<string, AbortController> = new Map();
  readonly #database: DatabaseSync = new DatabaseSync(":memory:");
  readonly #statements: Map<string, StatementSync> = new Map();

  constructor() {
    this.#database.exec(TABLES);
  }

  /** The rows of a query. */
  all<Row>(sql: string, values: Values = {}): Row[] {
    return this.#prepare(sql).all(values) as Row[];
  }

  /** The first row of a query. */
  get<Row>(sql: string, values: Values = {}): Row | undefined {
    return this.#prepare(sql).get(values) as Row | undefined;
  }

  /** Runs a statement that changes data. */
  run(sql: string, values: Values = {}): { id: number; changes: number } {
    const done = this.#prepare(sql).run(values);
    return { id: Number(done.lastInsertRowid), changes: Number(done.changes) };
  }

  /** Runs statements in a transaction. If one throws, all changes are undone. */
  transaction<Result>(run: () => Result): Result {
    this.#database.exec("BEGIN");
    try {
      const result = run();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #prepare(sql: string): StatementSync {
    return this.#statements.getOrInsertComputed(
      sql,
      () => this.#database.prepare(sql),
    );
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** The store of a request. */
export const store = new RequestState<Store>("store");

/** The time in responses. */
export function now(): string {
  return new Date().toISOString();
}
