/**
 * Shortens a text that a client may have sent, to repeat it in a response or a log.
 * A half surrogate pair, which UTF-8 cannot encode, becomes U+FFFD.
 */
export function shorten(text: string, length: number): string {
  const short = text.length > length
    ? text.slice(0, length - 1) + "\u2026"
    : text;
  return short.toWellFormed();
}
