/**
 * A text that may hold what a client sent, to be repeated in a response or a log:
 * cut if it is long, and without half a surrogate pair, which has no UTF-8.
 */
export function shorten(text: string, length: number): string {
  const short = text.length > length ? text.slice(0, length - 1) + "…" : text;
  return short.toWellFormed();
}
