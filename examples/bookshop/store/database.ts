import { DatabaseSync, type StatementSync } from "node:sqlite";
import { protection } from "./protection.ts";

const TABLES = `
  PRAGMA foreign_keys = ON;
  CREATE TABLE IF NOT EXISTS authors (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE IF NOT EXISTS books (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    author_id INTEGER NOT NULL REFERENCES authors,
    cents INTEGER NOT NULL,
    stock INTEGER NOT NULL DEFAULT 0 CHECK (stock >= 0),
    UNIQUE (title, author_id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS reviews (
    id INTEGER PRIMARY KEY,
    book_id INTEGER NOT NULL REFERENCES books ON DELETE CASCADE,
    stars INTEGER NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY,
    email TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'placed',
    -- Each change of an order gives it the next number of all.
    revision INTEGER NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE IF NOT EXISTS order_items (
    order_id INTEGER NOT NULL REFERENCES orders,
    book_id INTEGER NOT NULL REFERENCES books,
    count INTEGER NOT NULL,
    cents INTEGER NOT NULL,
    PRIMARY KEY (order_id, book_id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS order_keys (
    key TEXT PRIMARY KEY,
    order_id INTEGER NOT NULL REFERENCES orders
  ) STRICT;
`;

const FIRST_BOOKS = `
  INSERT INTO authors (id, name) VALUES
    (1, 'Jane Austen'), (2, 'Mary Shelley'), (3, 'Herman Melville');
  INSERT INTO books (title, author_id, cents, stock) VALUES
    ('Emma', 1, 1200, 7), ('Persuasion', 1, 1100, 3),
    ('Frankenstein', 2, 900, 12), ('Moby-Dick', 3, 1500, 0);
  INSERT INTO reviews (book_id, stars, text) VALUES
    (1, 5, 'Handsome, clever, and rich.'), (3, 4, 'It lives.');
`;

const EMPTY = `
  DELETE FROM order_keys;
  DELETE FROM order_items;
  DELETE FROM orders;
  DELETE FROM reviews;
  DELETE FROM books;
  DELETE FROM authors;
`;

let opened: DatabaseSync | undefined;

const selectId = statement("PRAGMA user_version");

/**
 * Opens the shop's database, once and before the first request. A program that
 * does not call this, such as a test, gets a database in memory.
 *
 * @throws {Error} If the database is in use already.
 */
export function openDatabase(file: string): void {
  if (opened !== undefined) {
    throw new Error(
      `Cannot open "${file}": the shop has a database already; call openDatabase() once, before the first request`,
    );
  }
  opened = createDatabase(file);
}

/** Resets the shop to its first books, for tests. */
export function resetDatabase(): void {
  // Otherwise, a key would repeat the response to a removed order.
  protection.clear();
  transaction(() => database().exec(EMPTY + firstContent()));
}

/** The random number of this database. */
export function databaseId(): number {
  return Number(selectId().get()!.user_version);
}

/**
 * A statement of the database, prepared at its first use, so importing a route opens
 * no database.
 */
export function statement(sql: string): () => StatementSync {
  let prepared: StatementSync | undefined;
  return () => prepared ??= database().prepare(sql);
}

/** Whether the database can be queried. */
export function isOpen(): boolean {
  try {
    database().exec("SELECT 1");
    return true;
  } catch {
    return false;
  }
}

/** Runs statements in a transaction. If one throws, all changes are undone. */
export function transaction<Result>(run: () => Result): Result {
  // No other process can write between a check and its change.
  database().exec("BEGIN IMMEDIATE");
  try {
    const result = run();
    database().exec("COMMIT");
    return result;
  } catch (error) {
    database().exec("ROLLBACK");
    throw error;
  }
}

/** The database of the shop, by default in memory. */
function database(): DatabaseSync {
  return opened ??= createDatabase(":memory:");
}

/** Opens a database, and creates the tables and first books of the shop. */
function createDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec(TABLES);
  // Books can be removed, but authors cannot. A database without authors is new.
  if (database.prepare("SELECT 1 FROM authors").get() === undefined) {
    database.exec(firstContent());
  }
  return database;
}

/** SQL for a new database: the first books, and a random number. */
function firstContent(): string {
  const [id] = crypto.getRandomValues(new Uint32Array(1));
  return `${FIRST_BOOKS} PRAGMA user_version = ${id! >>> 1};`;
}
