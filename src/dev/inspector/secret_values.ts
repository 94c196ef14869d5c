/** The most values that are replaced everywhere; others only where they were found. */
const MAX_VALUES = 500;

/** The length from which a value is replaced even within a word: not `a1` in `data1`. */
const LONG = 6;

/** The number of characters that find a value, since a log may cut the rest. */
const START = 64;

const FEW = 100;

/** Values that occur too often to be replaced everywhere. */
const COMMON = /^(?:.?|true|false|null|undefined|none|yes|off)$/is;

/** Values that are also names: only the second `password` in `password=password`. */
const NAME = /^(?:password|passwd|pwd|secret|token|session|cookie|auth|pin)$/i;
const AFTER_NAME = /\\*["'`]?\]?\s{0,9}[:=]/y;

/** Matches the end of what precedes a value, unless it is a letter or a digit. */
const BEFORE =
  /(?:^|[^\p{L}\p{N}]|%(?:25){0,2}[\da-f]{2}|\\[bfnrt]|\\u[\da-f]{4})$/iu;
const WORD = /[\p{L}\p{N}]/uy;
const REST = /[^\s"'`\\&,;<>]*/y;

/** Matches a text that may be a placeholder. */
const PLACEHOLDER = /«[^«»]{1,80}»/y;

/** The result of a search that found no value. */
const NONE: readonly [number, string] = [0, ""];

/** A way to write a value: `a%20b`. */
interface Spelling {
  readonly text: string;
  readonly placeholder: string;
  readonly isCut: boolean;
}

export interface ValueOptions {
  /** Another spelling of the value, such as the escaped spelling in the request. */
  readonly also?: string;
  /** Whether the value is replaced only where it was found. */
  readonly isLocal?: boolean;
  /** Whether the end of the value is missing. */
  readonly isCut?: boolean;
}

/**
 * Secret values and their placeholders. `«password»` stands for a value, and
 * `«password 2»` for another value of the same name.
 */
export class SecretValues {
  /** The placeholders by value. */
  readonly #placeholders = new Map<string, string>();
  readonly #names = new Set<string>();
  /** The number of values by name. */
  readonly #counts = new Map<string, number>();
  /** The spellings by their first characters, the start. */
  readonly #spellings = new Map<string, Spelling[]>();
  /** The lengths of the starts by their first two characters, longest first. */
  readonly #lengths = new Map<number, number[]>();
  readonly #spelled = new Set<string>();

  /** The names in the placeholders, such as `password 2`. */
  get names(): string[] {
    return [...this.#names];
  }

  /**
   * Adds a value, and returns its placeholder.
   *
   * @param name A known word without a number, so that «token 2» is unique.
   */
  add(name: string, value: string, options: ValueOptions = {}): string {
    const { also = value, isLocal = false, isCut = false } = options;
    if (this.#isPlaceholder(value)) return value;
    let placeholder = this.find(value);
    if (placeholder === undefined) {
      if (this.#placeholders.size >= MAX_VALUES) return `«${name}»`;
      const count = (this.#counts.get(name) ?? 0) + 1;
      const unique = count === 1 ? name : `${name} ${count}`;
      this.#counts.set(name, count);
      this.#names.add(unique);
      this.#placeholders.set(value, placeholder = `«${unique}»`);
    }
    if (isLocal || COMMON.test(value)) return placeholder;
    const isNew = !this.#spelled.has(value);
    for (const text of isNew ? spellingsOf(value).add(also) : [also]) {
      if (this.#spelled.has(text)) continue;
      this.#spelled.add(text);
      this.#addSpelling({ text, placeholder, isCut });
    }
    return placeholder;
  }

  #addSpelling(spelling: Spelling): void {
    const start = spelling.text.slice(0, START);
    const others = this.#spellings.get(start) ?? [];
    this.#spellings.set(start, [...others, spelling]);
    const pair = pairAt(start, 0);
    const lengths = this.#lengths.get(pair) ?? [];
    if (lengths.includes(start.length)) return;
    this.#lengths.set(
      pair,
      [...lengths, start.length].sort((a, b) => b - a),
    );
  }

  /** Returns the placeholder of a value. */
  find(value: string): string | undefined {
    return this.#placeholders.get(value);
  }

  /** Replaces the values in a text. */
  replace(text: string): string {
    // A few searches take less time than a look at each character.
    const starts = this.#spellings.size > FEW
      ? undefined
      : this.#spellings.keys();
    if (starts?.every((start) => !text.includes(start))) return text;
    let result = "";
    let end = 0;
    // An expression would be compiled again for each new value of a stream.
    for (let index = 0; index < text.length;) {
      const [length, placeholder] = this.#match(text, index);
      if (length > 0) {
        result += text.slice(end, index) + placeholder;
        end = index + length;
      }
      index += length || 1;
    }
    return result + text.slice(end);
  }

  /** Returns the length of the value that begins at an index, and its placeholder. */
  #match(text: string, index: number): readonly [number, string] {
    if (text[index] === "«") {
      PLACEHOLDER.lastIndex = index;
      const [found = ""] = PLACEHOLDER.exec(text) ?? [];
      if (this.#isPlaceholder(found)) return [found.length, found];
    }
    const lengths = this.#lengths.get(pairAt(text, index));
    // In `a-bc`, the value `a-b` is part of a word, but the shorter value `a` is not.
    for (const size of lengths ?? []) {
      let best = NONE;
      const start = text.slice(index, index + size);
      for (const spelling of this.#spellings.get(start) ?? []) {
        const length = lengthAt(text, index, spelling);
        if (length > best[0]) best = [length, spelling.placeholder];
      }
      if (best[0] > 0) return best;
    }
    return NONE;
  }

  #isPlaceholder(text: string): boolean {
    return text.startsWith("«") && text.endsWith("»") &&
      this.#names.has(text.slice(1, -1));
  }
}

/** A number for two characters, which takes less time to look up than their text. */
function pairAt(text: string, index: number): number {
  return text.charCodeAt(index) << 14 ^ text.charCodeAt(index + 1);
}

/** Returns the length of a spelling in a text, or 0 if it is only a part of a word. */
function lengthAt(
  text: string,
  index: number,
  { text: spelling, isCut }: Spelling,
): number {
  let end = index + Math.min(spelling.length, START);
  while (end - index < spelling.length && text[end] === spelling[end - index]) {
    end++;
  }
  const isAt = (pattern: RegExp) => {
    pattern.lastIndex = end;
    return pattern.test(text);
  };
  if (NAME.test(spelling) && isAt(AFTER_NAME)) return 0;
  if (
    spelling.length < LONG &&
    (!BEFORE.test(text.slice(Math.max(index - 9, 0), index)) ||
      !isCut && isAt(WORD))
  ) return 0;
  if (isCut && isAt(REST)) end = REST.lastIndex;
  return end - index;
}

/**
 * Returns the ways in which programs write a value: as it is, escaped for JSON and for
 * URLs, and in base64.
 */
function spellingsOf(value: string): Set<string> {
  if (/^[\w.-]+$/.test(value)) return new Set([value, ...base64Of(value)]);
  const json = JSON.stringify(value).slice(1, -1);
  const text = value.toWellFormed();
  const escaped = [
    encodeURIComponent(text),
    encodeURI(text),
    new URLSearchParams({ "": text }).toString().slice(1),
  ];
  return new Set([
    value,
    json,
    // JSON in JSON, a member in `console.log()`, and the notations of PHP and Python.
    JSON.stringify(json).slice(1, -1),
    Deno.inspect(value).slice(1, -1),
    // An entry of the log.
    value.replaceAll("\n", "\n  "),
    json.replaceAll("/", "\\/"),
    json.replaceAll(
      /[^ -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
    ...escaped,
    ...escaped.map((text) =>
      text.replaceAll(/%../g, (byte) => byte.toLowerCase())
    ),
    ...base64Of(text),
    // `console.log()` prints each line of a key as a string of its own.
    ...value.split(/\r?\n/).filter((line) => line.length >= 16),
  ]);
}

/** Returns the value in base64, and in the base64 of a longer text. */
function base64Of(value: string): string[] {
  if (value.length < LONG) return [];
  const bytes = new TextEncoder().encode(value);
  const parts = [0, 1, 2].map((before) => {
    const all = new Uint8Array(before + bytes.length);
    all.set(bytes, before);
    // Characters at both ends also depend on the bytes around the value.
    const [start, end] = [before * 8 / 6, all.length * 8 / 6];
    return all.toBase64().slice(Math.ceil(start), Math.floor(end));
  });
  parts.push(bytes.toBase64({ omitPadding: true }));
  return parts.concat(
    parts.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  );
}
