/**
 * What could break a line or steer a terminal: control characters (C0, DEL, C1),
 * the separators of lines and paragraphs, marks that turn the direction of text,
 * and halves of surrogate pairs, which no encoding holds.
 */
const UNPRINTABLE =
  // deno-lint-ignore no-control-regex
  /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

const SHORT: Readonly<Record<string, string>> = {
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
};

/**
 * Text from outside, such as a path or the name of a file, as one line that
 * means nothing to a terminal: a line break becomes `\n`, an escape `\u001b`.
 *
 * The escapes are those of JSON, and nothing else is changed, so that JSON on one
 * line stays what it says.
 */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, escaped);
}

/**
 * Text that may have several lines, such as the message of a syntax error. All
 * lines but the first are indented, so that none passes for an entry of its own.
 */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n  ");
}

function escaped(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, "0");
  return SHORT[character] ?? `\\u${code}`;
}
