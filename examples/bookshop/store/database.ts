import { DatabaseSync } from "node:sqlite";

/** The shop's own arguments: another program that imports it has others. */
const isShop = Deno.mainModule === new URL("../main.ts", import.meta.url).href;
const [file = ":memory:"] = isShop ? Deno.args : [];

/** The one database of the shop, with its tables and some books in it. */
export const database = new DatabaseSync(file);

database.exec(`
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
    email TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS order_items (
    order_id INTEGER NOT NULL REFERENCES orders,
    book_id INTEGER NOT NULL REFERENCES books,
    count INTEGER NOT NULL,
    cents INTEGER NOT NULL,
    PRIMARY KEY (order_id, book_id)
  ) STRICT;
`);

// Books may all be removed, authors never are: they tell a new database.
if (database.prepare("SELECT 1 FROM authors").get() === undefined) {
  database.exec(`
    INSERT INTO authors (id, name) VALUES
      (1, 'Jane Austen'), (2, 'Mary Shelley'), (3, 'Herman Melville');
    INSERT INTO books (title, author_id, cents, stock) VALUES
      ('Emma', 1, 1200, 7), ('Persuasion', 1, 1100, 3),
      ('Frankenstein', 2, 900, 12), ('Moby-Dick', 3, 1500, 0);
    INSERT INTO reviews (book_id, stars, text) VALUES
      (1, 5, 'Handsome, clever, and rich.'), (3, 4, 'It lives.');
  `);
}

/** Whether the database answers. */
export function isOpen(): boolean {
  try {
    database.exec("SELECT 1");
    return true;
  } catch {
    return false;
  }
}

/** Runs statements as one: all of them, or none if one of them throws. */
export function transaction<Result>(run: () => Result): Result {
  database.exec("BEGIN");
  try {
    const result = run();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}
