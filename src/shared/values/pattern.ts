import { Draw } from "./draw.ts";

/** The choices of one string. */
interface Picker {
  /** The number of parts of the string so far. */
  parts: number;
  readonly draw: Draw;
  /** How often a character of each class was picked. */
  readonly picked: Map<string, number>;
}

/** Creates a string for a part; `extra` counts the repetitions beyond the minimum. */
type Part = (extra: number, picker: Picker) => string;

/** The preferred characters of a character class, best first. */
const PREFERRED =
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890-_. ";

const PRINTABLE = PREFERRED +
  Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index))
    .filter((character) => !PREFERRED.includes(character)).join("");

/** The maximum number of repetitions of a part. */
const MAX_REPEATS = 256;

/** The maximum number of parts of a string: `((a+)+)+` may have very many parts. */
const MAX_PARTS = 1_000;

const parsed = new Map<string, Part | undefined>();

/**
 * Yields strings that a regular expression may match, the shortest first: `AB-1`, `AB-12`
 * and so on for `^[A-Z]{2}-\d+$`; or random ones.
 *
 * Check each string, since the function ignores lookarounds and `\b`. The best strings
 * use only the first alternative. A pattern with a back reference yields no strings.
 */
export function* patternStrings(
  pattern: string,
  draw: Draw = new Draw(),
): Generator<string> {
  const part = parsed.getOrInsertComputed(pattern, parse);
  if (part === undefined) return;
  for (let extra = 0; extra <= MAX_REPEATS; extra += extra < 8 ? 1 : 8) {
    const picker: Picker = { parts: 0, draw, picked: new Map() };
    const text = part(extra, picker);
    if (picker.parts > MAX_PARTS) return;
    yield text;
  }
}

function parse(pattern: string): Part | undefined {
  try {
    // A pattern without anchors matches anywhere in a string.
    const [start, end] = [pattern.startsWith("^"), pattern.endsWith("$")]
      .map((isAnchored) => isAnchored ? "" : "[a-z]*");
    return new PatternParser(`${start}(?:${pattern})${end}`).parse();
  } catch {
    return undefined;
  }
}

class PatternParser {
  readonly #pattern: string;
  #position = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  parse(): Part {
    const part = this.#alternatives();
    if (this.#position < this.#pattern.length) throw new SyntaxError(")");
    return part;
  }

  #alternatives(): Part {
    const parts = [this.#sequence()];
    while (this.#take(/\|/y) !== undefined) parts.push(this.#sequence());
    return (extra, picker) => picker.draw.from(parts)(extra, picker);
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (this.#position < this.#pattern.length) {
      if (/[|)]/.test(this.#pattern[this.#position]!)) break;
      parts.push(this.#repeated(this.#atom()));
    }
    return (extra, picker) => parts.map((part) => part(extra, picker)).join("");
  }

  #atom(): Part {
    if (this.#take(/\^|\$|\\[bB]/y) !== undefined) return () => "";
    const open = this.#take(/\((?:\?(?:[:=!]|<[=!]|<\w+>))?/y);
    if (open !== undefined) {
      const inner = this.#alternatives();
      if (this.#take(/\)/y) === undefined) throw new SyntaxError("(");
      return /[=!]/.test(open) ? () => "" : inner;
    }
    const atom = this.#take(
      /\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u.{4}|\\x..|\\c.|\\[^1-9k]|[^\\*+?{}]/suy,
    );
    if (atom === undefined) throw new SyntaxError("not understood");
    // The regular expression itself decides which characters a class contains.
    const matcher = new RegExp(`^${atom}$`, "u");
    const matching = [...PRINTABLE].filter((text) => matcher.test(text));
    const characters = matching.length > 0 ? matching.join("") : atom;
    return (_, { draw, picked }) => {
      const count = picked.get(characters) ?? 0;
      picked.set(characters, count + 1);
      // Best is the next character of a class at each call: `\d\d\d` becomes `123`.
      const next = draw.isBest ? count : draw.pick(characters.length);
      return characters[next % characters.length]!;
    };
  }

  #repeated(part: Part): Part {
    const quantifier = this.#take(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y);
    if (quantifier === undefined) return part;
    const [least, most] = bounds(quantifier);
    return (extra, picker) => {
      const { isBest } = picker.draw;
      const more = isBest ? extra : extra + picker.draw.pick(8);
      const count = Math.min(most, least + more, MAX_REPEATS);
      let text = "";
      for (let made = 0; made < count; made++) {
        if (++picker.parts > MAX_PARTS) break;
        text += part(extra, picker);
      }
      return text;
    };
  }

  /** Consumes the match of a sticky expression at the current position. */
  #take(expression: RegExp): string | undefined {
    expression.lastIndex = this.#position;
    const text = expression.exec(this.#pattern)?.[0];
    this.#position += text?.length ?? 0;
    return text;
  }
}

/** The minimum and the maximum number of repetitions of a quantifier. */
function bounds(quantifier: string): readonly [number, number] {
  const [, least, comma, most] = /(\d+)(,?)(\d*)/.exec(quantifier) ?? [];
  return least === undefined
    ? [quantifier.startsWith("+") ? 1 : 0, quantifier[0] === "?" ? 1 : Infinity]
    : [Number(least), Number(most || (comma ? Infinity : least))];
}
