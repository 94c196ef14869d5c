import { decodeCookie } from "../../core/request/form.ts";
import type { Header } from "./deno_inner.ts";
import type { IsSecret } from "./secret_names.ts";

/** The most values with placeholders of their own. */
const MAX_VALUES = 500;

/** The length from which a value is left out of other texts: no `1` or `on`. */
const MIN_LENGTH = 4;

/** The deepest level of JSON that is shown. */
const MAX_DEPTH = 100;

/** Matches a parameter of a URL or of a form within a text: `?token=abc`. */
const PARAMETER = /((?:^|[?&#;])([^\s=?&#;"'<>]+)=)([^\s&#;"'<>]+)/g;

/** Matches the password in a URL: `postgres://ada:k3y@db/shop`. */
const PASSWORD = /(:\/\/[^\s/?#:@"'<>]*:)([^\s/?#@"'<>]+)(?=@)/g;

/** A number in JSON as it was sent, such as `1e400`; TypeScript does not know it. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  readonly rawJSON: (text: string) => object;
  readonly isRawJSON: (value: unknown) => value is { readonly rawJSON: string };
};

/**
 * The secrets of one request: the values of headers, cookies, parameters, fields and
 * members with the names of secrets. Each method returns a copy with placeholders.
 */
export class Secrets {
  readonly #isSecret: IsSecret;
  /** The placeholders by value: `«password»`, and `«password 2»` for another value. */
  readonly #placeholders = new Map<string, string>();
  /** The number of values by word. */
  readonly #counts = new Map<string, number>();
  readonly #names: string[] = [];
  /** Whether a replaced value of JSON is a number, whose placeholder is a string. */
  hasNumber = false;

  constructor(isSecret: IsSecret) {
    this.#isSecret = isSecret;
  }

  /** The names in the placeholders, such as `password 2`. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Headers; keeps the schemes of authorization and the names of cookies. */
  headers(headers: readonly Header[]): Header[] {
    return headers.map(([name, value]) => {
      const key = name.toLowerCase();
      const word = this.#isSecret(key);
      const isCookie = key === "cookie" || key === "set-cookie";
      const shown = isCookie
        ? this.#cookies(value, key === "set-cookie")
        : word === undefined
        ? this.#text(value)
        : this.#secret(word, value);
      return [key, shown];
    });
  }

  /** A path with a query; hides a segment that is a secret parameter. */
  url(url: string, params: Readonly<Record<string, string>>): string {
    const segments = new Map<string, string>();
    for (const [name, value] of Object.entries(params)) {
      const word = this.#isSecret(name);
      if (word !== undefined) segments.set(value, this.#secret(word, value));
    }
    const at = url.indexOf("?") + 1 || url.length + 1;
    const path = url.slice(0, at - 1);
    const shown = segments.size === 0 ? path : path.split("/")
      .map((segment) => segments.get(decode(segment)) ?? segment).join("/");
    return this.leaveOut(shown) + url.slice(at - 1, at) +
      this.pairs(url.slice(at));
  }

  /** Pairs of a query or of a form: `a=1&b=2`. */
  pairs(text: string): string {
    return text.split("&").map((pair) => {
      const at = pair.indexOf("=") + 1;
      if (at === 0) return this.leaveOut(pair);
      const [[name, value] = ["", ""]] = new URLSearchParams(`&${pair}`);
      const word = this.#isSecret(name) ??
        // The value contains a URL or JSON with a secret, so all of it is one.
        (this.#isPlain(value) ? undefined : "secret");
      return word === undefined
        ? this.leaveOut(pair)
        : pair.slice(0, at) + this.#secret(word, value, pair.slice(at));
    }).join("&");
  }

  /** JSON, written again, since a name may be repeated; `undefined` if it is malformed. */
  json(text: string): string | undefined {
    try {
      return JSON.stringify(this.value(JSON.parse(text, keepNumber)));
    } catch {
      return undefined;
    }
  }

  /** A value of JSON, whose members change. */
  value(value: unknown, word?: string, depth = 0): unknown {
    if (depth > MAX_DEPTH) throw new RangeError("The value is too deep");
    if (typeof value === "string") {
      return word === undefined ? this.#text(value) : this.#secret(word, value);
    }
    if (typeof value === "number" || isRawJSON(value)) {
      if (word === undefined) return value;
      this.hasNumber = true;
      const number = isRawJSON(value) ? Number(value.rawJSON) : value;
      return this.#secret(word, `${number}`);
    }
    if (Array.isArray(value)) {
      return value.map((it) => this.value(it, word, depth + 1));
    }
    if (typeof value !== "object" || value === null) return value;
    const members = value as Record<string, unknown>;
    for (const name of Object.keys(members)) {
      const own = this.#isSecret(name) ?? word;
      members[name] = this.value(members[name], own, depth + 1);
    }
    return members;
  }

  /** A text without the values that are hidden elsewhere in the request. */
  leaveOut(text: string): string {
    const found = [...this.#placeholders]
      .filter(([value]) => value.length >= MIN_LENGTH && text.includes(value))
      .sort(([a], [b]) => b.length - a.length);
    if (found.length === 0) return text;
    /** Parts of the text, and placeholders at odd indexes. */
    let parts = text.split(new RegExp(`(«(?:${this.#names.join("|")})»)`));
    for (const [value, placeholder] of found) {
      parts = parts.flatMap((part, index) =>
        index % 2 === 1
          ? part
          : part.split(value).flatMap((it, at) => at ? [placeholder, it] : it)
      );
    }
    return parts.join("");
  }

  /** A text without a name of its own, which may be JSON or contain URLs. */
  #text(text: string): string {
    const shown = /^\s*[{[]/.test(text) && this.json(text) || this.#urls(text);
    return this.leaveOut(shown);
  }

  /** Whether a value is shown as it is, apart from the white space of JSON. */
  #isPlain(text: string): boolean {
    const [sent, shown] = [text, this.#text(text)]
      .map((it) => it.replaceAll(/\s/g, ""));
    return sent === shown;
  }

  #urls(text: string): string {
    let shown = text;
    if (text.includes("=")) {
      shown = shown.replaceAll(PARAMETER, (pair, before, name, value) => {
        const word = this.#isSecret(decode(name));
        if (word === undefined) return pair;
        return before + this.#secret(word, decode(value), value);
      });
    }
    if (text.includes("://")) {
      shown = shown.replaceAll(
        PASSWORD,
        (_, before, value) =>
          before + this.#secret("password", decode(value), value),
      );
    }
    return shown;
  }

  #cookies(text: string, isSet: boolean): string {
    return text.split(";").map((pair, index) => {
      // Attributes follow the pair of `Set-Cookie`.
      if (isSet && index > 0) return this.leaveOut(pair);
      const start = /^\s*(?:([^=]*)=)?/.exec(pair)!;
      const word = this.#isSecret(start[1] ?? "") ?? "cookie";
      const value = pair.slice(start[0].length);
      return start[0] + this.#secret(word, decodeCookie(value), value);
    }).join(";");
  }

  /**
   * Returns the placeholder of a value. Keeps a scheme: `Bearer «authorization»`.
   *
   * @param encoded The value as it was sent.
   */
  #secret(word: string, value: string, encoded = value): string {
    if (value === "") return "";
    const [scheme = ""] = /^(?:bearer|basic|digest) +(?=\S)/i.exec(value) ?? [];
    const secret = value.slice(scheme.length);
    let placeholder = this.#placeholders.get(secret);
    if (placeholder === undefined) {
      if (this.#placeholders.size >= MAX_VALUES) return `${scheme}«${word}»`;
      const count = (this.#counts.get(word) ?? 0) + 1;
      this.#counts.set(word, count);
      const name = count === 1 ? word : `${word} ${count}`;
      this.#names.push(name);
      placeholder = `«${name}»`;
      this.#placeholders.set(secret, placeholder);
    }
    if (encoded !== value) this.#placeholders.set(encoded, placeholder);
    return scheme + placeholder;
  }
}

function keepNumber(
  _name: string,
  value: unknown,
  { source }: { readonly source?: string } = {},
): unknown {
  return typeof value === "number" ? rawJSON(source!) : value;
}

/** Decodes percent-encoded text, unless it is malformed. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
