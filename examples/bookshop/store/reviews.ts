import { HttpError } from "@bough/framework";
import { getBook } from "./books.ts";
import { statement } from "./database.ts";

/** A review of a book. */
export interface Review {
  id: number;
  stars: number;
  text: string;
}

const selectReviews = statement(
  "SELECT id, stars, text FROM reviews WHERE book_id = ? ORDER BY id",
);
const selectReview = statement(
  "SELECT id, stars, text FROM reviews WHERE book_id = ? AND id = ?",
);
const insertReview = statement(
  "INSERT INTO reviews (book_id, stars, text) VALUES (?, ?, ?)",
);
const deleteReview = statement("DELETE FROM reviews WHERE id = ?");

/** The reviews of a book. */
export function reviewsOf(bookId: number): Review[] {
  return selectReviews().all(getBook(bookId).id) as unknown as Review[];
}

/** One review of a book; 404 if the book has none with this id. */
export function getReview(bookId: number, id: number): Review {
  const review = selectReview().get(getBook(bookId).id, id);
  if (review === undefined) {
    throw new HttpError(404, `Book ${bookId} has no review ${id}`);
  }
  return review as unknown as Review;
}

/** Adds a review to a book. */
export function addReview(
  bookId: number,
  { stars, text }: { stars: number; text: string },
): Review {
  const { lastInsertRowid } = insertReview().run(
    getBook(bookId).id,
    stars,
    text,
  );
  return getReview(bookId, Number(lastInsertRowid));
}

/** Removes a review of a book. */
export function removeReview(bookId: number, id: number): void {
  deleteReview().run(getReview(bookId, id).id);
}
