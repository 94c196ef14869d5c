import { HttpError } from "@bough/framework";
import { statement } from "./database.ts";

const selectAuthors = statement(
  "SELECT id, name FROM authors ORDER BY name",
);
const selectAuthor = statement(
  "SELECT id, name FROM authors WHERE id = ?",
);
const selectTitles = statement(
  "SELECT id, title FROM books WHERE author_id = ? ORDER BY title",
);

/** An author in responses. */
export interface Author {
  id: number;
  name: string;
}

/** An author with the books of the shop. */
export interface AuthorWithBooks extends Author {
  books: { id: number; title: string }[];
}

/** All authors, by name. */
export function allAuthors(): Author[] {
  return selectAuthors().all() as unknown as Author[];
}

/** One author with the books of the shop; 404 if no author has this id. */
export function getAuthor(id: number): AuthorWithBooks {
  const author = selectAuthor().get(id) as unknown as Author | undefined;
  if (author === undefined) {
    throw new HttpError(404, `There is no author ${id}`);
  }
  const books = selectTitles().all(id);
  return { ...author, books: books as unknown as AuthorWithBooks["books"] };
}
