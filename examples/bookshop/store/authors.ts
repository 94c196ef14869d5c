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

/** All authors, by name. */
export function allAuthors(): Record<string, unknown>[] {
  return selectAuthors().all();
}

/** One author with the books of the shop; a 404 if no author has this id. */
export function getAuthor(id: number): Record<string, unknown> {
  const author = selectAuthor().get(id);
  if (author === undefined) {
    throw new HttpError(404, `There is no author ${id}`);
  }
  return { ...author, books: selectTitles().all(id) };
}
