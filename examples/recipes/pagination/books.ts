import { DatabaseSync } from "node:sqlite";

/** A book in the database. */
export interface Book {
  readonly id: number;
  readonly title: string;
}

/** The last book before a page, in the order of title and id. */
export type Cursor = readonly [title: string, id: number];

const database = new DatabaseSync(":memory:");
database.exec(`
  CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT NOT NULL) STRICT;
  CREATE INDEX books_by_title ON books (title, id);
`);
const insert = database.prepare("INSERT INTO books (title) VALUES (?)");
const remove = database.prepare("DELETE FROM books WHERE title = ?");
// With the index, the thousandth page is as fast as the first, unlike with OFFSET.
const select = database.prepare(`
  SELECT id, title FROM books WHERE (title, id) > (?, ?)
  ORDER BY title, id LIMIT ?
`);

/** Adds books. */
export function addBooks(...titles: readonly string[]): void {
  for (const title of titles) insert.run(title);
}

/** Removes the books of a title. */
export function removeBooks(title: string): void {
  remove.run(title);
}

/** Lists books in order, after a cursor. */
export function listBooks(after: Cursor, limit: number): Book[] {
  return select.all(...after, limit) as unknown as Book[];
}

addBooks("Emma", "Frankenstein", "Moby-Dick", "Persuasion", "Emma");
