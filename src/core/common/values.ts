/** Whether a value is an object, but not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value implements Standard Schema. */
export function isStandardSchema(value: unknown): boolean {
  // A schema may be a function, as in ArkType.
  if (!isObject(value) && typeof value !== "function") return false;
  const standard = (value as Record<string, unknown>)["~standard"];
  return isObject(standard) && typeof standard.validate === "function";
}

/** The kind of a value, for messages: `a string`, `an array`. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (isThenable(value)) return "a promise";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/**
 * Formats a wrong value for a message. The message shows the kind of an object. Strings
 * are in quotes, since `got 8000` could mean a number.
 */
export function formatValue(value: unknown): string {
  if (typeof value === "string") return `"${value}"`;
  if (value instanceof URL) return `URL "${value}"`;
  if (Array.isArray(value) && value.length === 0) return "[]";
  return typeof value === "object" || typeof value === "function"
    ? kindOf(value)
    : String(value);
}

/** Lists names in quotes: `"a", "b"`. */
export function quoted(names: readonly string[], separator = ", "): string {
  return names.map((name) => `"${name}"`).join(separator);
}

/**
 * Shortens a string that a client may have sent, to repeat it in a response or a log.
 * A lone surrogate, which UTF-8 cannot encode, becomes U+FFFD.
 */
export function shorten(text: string, length: number): string {
  const short = text.length > length
    ? text.slice(0, length - 1) + "\u2026"
    : text;
  return short.toWellFormed();
}

/** Makes the first letter of a word uppercase. */
export function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** The message of a thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Whether a value is a promise, even of another realm or library. */
export function isThenable<Result>(
  value: Result | PromiseLike<Result>,
): value is PromiseLike<Result> {
  return typeof (value as PromiseLike<Result> | undefined | null)?.then ===
    "function";
}

/** Whether an aborted signal caused an error. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/**
 * Whether a value is a plain object, or an object with an empty prototype, such as
 * `params`.
 */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Runs a task at the first call, and again only after a failure. */
export function once<T>(task: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () =>
    result ??= task().catch((error) => {
      result = undefined;
      throw error;
    });
}

/** A `Map` or a `WeakMap`. */
interface Cache<Key, Value> {
  has(key: Key): boolean;
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/**
 * Returns the value of a key, and computes a missing one. Node 20, which may run a bundle,
 * lacks `getOrInsertComputed()`, `Map.groupBy()` and `URL.parse()`.
 */
export function getOrCompute<Key, Value>(
  cache: Cache<Key, Value>,
  key: Key,
  compute: (key: Key) => Value,
): Value {
  const known = cache.get(key);
  if (known !== undefined || cache.has(key)) return known as Value;
  const value = compute(key);
  cache.set(key, value);
  return value;
}

/** Groups items by a key, as `Map.groupBy()` does. */
export function groupBy<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    getOrCompute(groups, keyOf(item), () => []).push(item);
  }
  return groups;
}

/** Parses a URL, as `URL.parse()` does. */
export function parseUrl(url: string | URL): URL | null {
  // `URL.canParse()` would parse each URL twice.
  try {
    return new URL(url);
  } catch {
    return null;
  }
}
