import { HttpError } from "@bough/framework";
import { createHash } from "node:crypto";
import { statement, transaction } from "./database.ts";

/** A book in responses. */
export interface Book {
  id: number;
  title: string;
  author: string;
  cents: number;
  stock: number;
}

/** The values of a new book. */
export interface NewBook {
  title: string;
  author: string;
  cents: number;
}

const SELECT = `
  SELECT books.id, title, authors.name AS author, cents, stock
  FROM books JOIN authors ON authors.id = author_id
`;
const searchBooks = statement(`
  ${SELECT} WHERE instr(lower(title), lower(?)) ORDER BY title LIMIT ? OFFSET ?
`);
const selectFeatured = statement(
  `${SELECT} WHERE stock > 0 ORDER BY stock DESC LIMIT 2`,
);
const selectBook = statement(`${SELECT} WHERE books.id = ?`);
const insertAuthor = statement(
  "INSERT INTO authors (name) VALUES (?) ON CONFLICT DO NOTHING",
);
const insertBook = statement(`
  INSERT INTO books (title, author_id, cents)
  SELECT ?, id, ? FROM authors WHERE name = ? ON CONFLICT DO NOTHING
`);
const updateBook = statement(`
  UPDATE OR IGNORE books
  SET title = coalesce(?, title), cents = coalesce(?, cents)
  WHERE id = ?
`);
const updateStock = statement(
  "UPDATE books SET stock = ? WHERE id = ?",
);
const deleteBook = statement(`
  DELETE FROM books WHERE id = ?
    AND NOT EXISTS (SELECT 1 FROM order_items WHERE book_id = books.id)
`);

/** The books whose title contains a text, by title. */
export function findBooks(
  text: string,
  { limit, offset }: { limit: number; offset: number },
): Book[] {
  return searchBooks().all(text, limit, offset) as unknown as Book[];
}

/** The books with the most copies in stock. */
export function featuredBooks(): Book[] {
  return selectFeatured().all() as unknown as Book[];
}

/** One book; `undefined` if none has this id. */
export function findBook(id: number): Book | undefined {
  return selectBook().get(id) as unknown as Book | undefined;
}

/** One book; 404 if none has this id. */
export function getBook(id: number): Book {
  const book = findBook(id);
  if (book === undefined) throw new HttpError(404, `There is no book ${id}`);
  return book;
}

/** Adds a book, and its author if new; 409 if the shop has the book already. */
export function addBook({ title, author, cents }: NewBook): Book {
  insertAuthor().run(author);
  const { changes, lastInsertRowid } = insertBook().run(title, cents, author);
  if (changes === 0) throw alreadyHere(title, author);
  return getBook(Number(lastInsertRowid));
}

/** Changes the title or the price of a book; 409 if the title is taken. */
export function changeBook(
  id: number,
  { title, cents }: { title?: string | undefined; cents?: number | undefined },
): Book {
  const book = getBook(id);
  if (updateBook().run(title ?? null, cents ?? null, id).changes === 0) {
    throw alreadyHere(title ?? book.title, book.author);
  }
  return getBook(id);
}

/** The tag of a version of a book: a hash of the book in responses. */
export function tagOf(book: Book): string {
  const hash = createHash("sha256").update(JSON.stringify(book));
  return `"${hash.digest("base64url").slice(0, 22)}"`;
}

/**
 * Sets the number of copies in stock.
 *
 * @param check Throws if the book has another version.
 */
export function setStock(
  id: number,
  stock: number,
  check: (book: Book) => void,
): Book {
  return transaction(() => {
    check(getBook(id));
    updateStock().run(stock, id);
    return getBook(id);
  });
}

/** Removes a book; 409 if it was ordered. */
export function removeBook(id: number): void {
  const { title } = getBook(id);
  if (deleteBook().run(id).changes === 0) {
    throw new HttpError(409, `"${title}" stands in orders and must stay`);
  }
}

function alreadyHere(title: string, author: string): HttpError {
  return new HttpError(409, `"${title}" by ${author} is in the shop already`);
}
