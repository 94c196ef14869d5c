/**
 * Characters that could break a line or control a terminal: control characters (C0,
 * DEL, C1), line and paragraph separators, marks that change the direction of text,
 * and halves of surrogate pairs, which cannot be encoded.
 */
const UNPRINTABLE =
  // deno-lint-ignore no-control-regex
  /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu;

const PLAIN = /^[ -~]*$/;

const SHORT: Readonly<Record<string, string>> = {
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
};

/**
 * Escapes text from outside, such as a path or a file name, so that it stays on one
 * line and cannot control a terminal: a line break becomes `\n`, ESC `\u001b`.
 *
 * The escapes are those of JSON, and nothing else changes, so JSON keeps its
 * meaning.
 */
export function printable(text: string): string {
  // Most texts are plain, and a search for all of Unicode is slow.
  return PLAIN.test(text) ? text : text.replaceAll(UNPRINTABLE, escaped);
}

/**
 * The text that {@linkcode printable} escaped, say to open a file by a path that was
 * made for messages. A backslash in front of `u202e` is taken for an escape; folders
 * with one are not served.
 */
export function unescaped(text: string): string {
  return text.replaceAll(
    /\\u([\da-f]{4})/g,
    (_, code) => String.fromCharCode(parseInt(code, 16)),
  );
}

/**
 * Escapes text of several lines, such as the message of a syntax error. All lines
 * but the first are indented, so that none looks like a log entry of its own.
 */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n  ");
}

function escaped(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, "0");
  return SHORT[character] ?? `\\u${code}`;
}
