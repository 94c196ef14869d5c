import { MAX_TEXT } from "./body_copy.ts";
import type {
  EntryBody,
  EntryError,
  EntryIssue,
  EntryMessage,
  RequestEntry,
} from "./entry.ts";
import type { IsSecret } from "./secret_names.ts";
import { SecretValues, type ValueOptions } from "./secret_values.ts";

/** The deepest level of validated values; `…` replaces deeper ones. */
const MAX_DEPTH = 100;

/** Matches a string, a bracket, a comma or another value in JSON that may be cut. */
const TOKEN =
  /"([^"\\]*(?:\\.?[^"\\]*)*)("|$)(\s*:)?|[{}[\],]|[^\s"{}[\],:]+/gs;

/** Matches a name up to its value, in any text: `token=`, `token%3D`, `pin: '`, `pin = `. */
const PAIR =
  /(?:(?<![\w$%-])|(?<=%[\da-f]{2}))([\w$-]{1,64})(?:["'`]?\s{0,9}(?:[:=]|=>)\s{0,9}(["'`])|(:\s{1,9}| {0,9}=>? {1,9})|\]?(?:=|%3D))/gi;

/** Matches an unquoted value, with the scheme of an authorization: `Bearer abc`. */
const UNQUOTED = /^(?:(?:bearer|basic) +)?.*?(?=[\s"'`\\&,;<>]|%26|$)/is;

/** Matches the password in a URL: `postgres://ada:k3y@db/shop`. */
const IN_URL = /:\/\/[^\s/?#"'`:]*:([^\s/?#"'`]+)@/g;

/** Matches a value after a space, but no word of a sentence: `pin: 1234`, `pin: wrong`. */
const LOGGED = /^(?=.*\d).{4}/;

/** Matches part of a character or of its escape at the end of a cut value: `\u00`. */
const CUT = /(?:\\(?:u[\da-f]{0,3})?|%.?|\ufffd{1,3})$/i;

/** Matches a text that V8 cites, which may begin within a secret: `"unter2" is not…`. */
const CITED = /(?:\.{3})?"[^]{1,60}"(?:\.{3})? is not valid JSON/g;

/**
 * The secrets of one request.
 *
 * A name must be next to its value: `{ "pin": 1234 }` contains a secret, but the pin in
 * `{ "name": "pin", "value": 1234 }` is not found.
 */
export class Secrets {
  readonly #isSecret: IsSecret;
  readonly #values = new SecretValues();
  #isFinding = false;

  constructor(isSecret: IsSecret) {
    this.#isSecret = isSecret;
  }

  /** The names in the placeholders, such as `password 2`. */
  get names(): string[] {
    return this.#values.names;
  }

  /**
   * Replaces the secrets in members of a request, then removes long texts and bodies that
   * lack a part. Cuts none, since a cut may be within a secret, even a later one. Keeps the
   * placeholders of earlier calls, so that a result can be passed again.
   */
  redact<T extends Partial<RequestEntry>>(entry: T): T {
    // The first pass only finds: a log may precede the body that names its secret.
    this.#isFinding = true;
    this.#entry(entry);
    this.#isFinding = false;
    return this.#entry(entry);
  }

  #entry<T extends Partial<RequestEntry>>(entry: T): T {
    const { request, params, url, wildcardParams, validated, response } = entry;
    const { messages, issues, error, logs, ended } = entry;
    return {
      ...entry,
      ...(request && { request: this.#message(request) }),
      ...(params && { params: this.#value(params) }),
      ...(url && { url: this.#url(url) }),
      ...(wildcardParams && { wildcardParams: this.#value(wildcardParams) }),
      ...(validated && {
        validated: Object.fromEntries(
          Object.entries(this.#value(validated))
            .filter(([, part]) => JSON.stringify(part).length <= MAX_TEXT),
        ),
      }),
      ...(response && { response: this.#message(response) }),
      ...(messages && {
        messages: messages.map((it) => (
          { ...it, text: short(this.#json(it.text)) }
        )),
      }),
      ...(issues && { issues: issues.map((issue) => this.#issue(issue)) }),
      ...(error && { error: this.#error(error) }),
      ...(logs && {
        logs: logs.map((it) => ({ ...it, text: short(this.#prose(it.text)) })),
      }),
      ...(ended?.reason && {
        ended: { ...ended, reason: this.#prose(ended.reason) },
      }),
    };
  }

  #message({ headers, body }: EntryMessage): EntryMessage {
    const type = headers.find(([name]) => /^content-type$/i.test(name))?.[1];
    const boundary = /^multipart.*boundary="?([^";]+)/i.exec(type ?? "")?.[1];
    return {
      headers: headers.map(([name, value]) => [
        name,
        this.#isSecret(name)
          ? this.#add(name.toLowerCase(), value)
          : this.#prose(value),
      ]),
      ...(body && { body: this.#body(body, boundary) }),
    };
  }

  #body({ text, ...body }: EntryBody, boundary?: string): EntryBody {
    const replaced = text && this.#bodyText(body, text, boundary);
    return replaced === undefined || body.isCut
      ? body
      : { ...body, text: replaced };
  }

  #bodyText(
    { type, isCut }: EntryBody,
    text: string,
    boundary?: string,
  ): string {
    if (/^application\/x-www-form-urlencoded$/i.test(type)) {
      return this.#form(text, isCut);
    }
    if (boundary === undefined) return this.#json(text, { isCut });
    const parts = text.split(`--${boundary}`);
    return parts.map((part, index) =>
      this.#part(part, isCut && index === parts.length - 1)
    ).join(`--${boundary}`);
  }

  /** Replaces the secrets in a part of a multipart body. */
  #part(part: string, isCut: boolean): string {
    const head = /^[^]*?\r?\n\r?\n/.exec(part)?.[0] ?? "";
    const names = head.matchAll(/\bname\*?=(?:[\w-]+'')?"?([^";\r\n]*)/gi);
    const name = [...names].map(([, it]) => it!).find(this.#isSecret);
    if (name === undefined) return this.#json(part, { isCut });
    // A cut part may end within the delimiter.
    const value = part.slice(head.length).replace(/\r?\n(?:-.*)?$|\r$/, "");
    const end = part.slice(head.length + value.length);
    return this.#text(head) + this.#add(name, value, { isCut }) + end;
  }

  #url(url: string): string {
    const [path = "", ...query] = url.split("?");
    this.#findPairs(decode(path));
    const segments = path.split("/").map((segment) =>
      segment.includes("%") && this.#values.find(decode(segment)) || segment
    );
    return [this.#text(segments.join("/"))]
      .concat(query.length > 0 ? this.#form(query.join("?"), false) : [])
      .join("?");
  }

  #form(text: string, isCut: boolean): string {
    const pairs = text.split("&");
    const replaced = pairs.map((pair, index) => {
      const start = pair.indexOf("=") + 1;
      const [[name, value] = ["", ""]] = new URLSearchParams(pair);
      if (start === 0 || !this.#isSecret(name)) {
        if (this.#isFinding) this.#json(value);
        return pair;
      }
      const isEnd = isCut && index === pairs.length - 1;
      const known = isEnd ? value.replace(CUT, "") : value;
      const options = { also: pair.slice(start), isCut: isEnd };
      return pair.slice(0, start) + this.#add(name, known, options);
    });
    return this.#text(replaced.join("&"));
  }

  /** Replaces the values in the header `Cookie` or `Set-Cookie`. */
  #cookies(text: string, isSet: boolean): string {
    return text.split(";").map((pair, index) => {
      const start = pair.indexOf("=") + 1;
      const value = pair.slice(start).replaceAll('"', "").trim();
      if (value === "" || isSet && index > 0) return this.#text(pair);
      const name = pair.slice(0, start).replace("=", "").trim();
      const at = pair.indexOf(value, start);
      const word = this.#isSecret(name) ?? "cookie";
      return this.#text(pair.slice(0, at)) + this.#values.add(word, value, {
        also: decode(value),
        // `theme=dark` is not a secret in the rest of the request.
        isLocal: value.length < 6 && !this.#isSecret(name),
      }) + pair.slice(at + value.length);
    }).join(";");
  }

  /** Replaces the secrets in JSON, and in texts that may contain JSON. */
  #json(text: string, { secret, isCut = false }: {
    /** The name of the value, if it is a secret. */
    readonly secret?: string | undefined;
    readonly isCut?: boolean;
  } = {}): string {
    const isPlain = secret === undefined && !this.#isSecret.mayBeIn(text);
    if (isPlain) return this.#text(text);
    const outer = [secret];
    let name = secret;
    const replaced = text.replaceAll(TOKEN, (
      token: string,
      string: string | undefined,
      quote: string | undefined,
      colon: string | undefined,
      index: number,
    ) => {
      if (quote === undefined && "{}[],".includes(token)) {
        if (token === "{" || token === "[") outer.push(name);
        else if (token !== ",") outer.pop();
        name = outer.at(-1);
        return token;
      }
      const whole = quote === "" ? string?.replace(CUT, "") : string;
      const value = whole === undefined ? token : unescape(whole);
      if (colon !== undefined) {
        name = this.#isSecret(value) ? value : outer.at(-1);
      } else if (name === undefined) {
        if (this.#isFinding && value !== (string ?? token)) this.#json(value);
      } else if (quote !== undefined || !/^(?:true|false|null)$/.test(token)) {
        const isEnd = index + token.length === text.length;
        const placeholder = this.#add(name, value, {
          also: string ?? token,
          isCut: quote === "" || isCut && isEnd && quote === undefined,
        });
        return quote === undefined ? placeholder : `"${placeholder}${quote}`;
      }
      return token;
    });
    this.#findPairs(text);
    return this.#text(replaced);
  }

  /** Replaces the secrets in a text for humans, such as a log line. */
  #prose(text: string): string {
    this.#findPairs(text);
    if (this.#isFinding) return text;
    return this.#values.replace(text)
      .replaceAll(CITED, '"…" is not valid JSON');
  }

  #findPairs(text: string): void {
    if (!this.#isFinding || !this.#isSecret.mayBeIn(text)) return;
    for (const [, also = ""] of text.matchAll(IN_URL)) {
      this.#add("password", decode(also), { also });
    }
    let end = 0;
    for (const match of text.matchAll(PAIR)) {
      const [pair, name = "", quote, spaced] = match;
      const start = match.index + pair.length;
      if (start < end || !this.#isSecret(name)) continue;
      const rest = text.slice(start);
      const length = quote === undefined
        ? UNQUOTED.exec(rest)![0].length
        : new RegExp(`(?<!\\\\)${quote}|$`).exec(rest)!.index;
      const also = text.slice(start, start + length);
      if (spaced !== undefined && !LOGGED.test(also)) continue;
      end = start + length;
      const value = quote === undefined ? decode(also) : unescape(also);
      this.#add(name, value, { also });
    }
  }

  #value<T>(value: T, secret?: string, depth?: number): T;
  #value(value: unknown, secret?: string, depth = 0): unknown {
    if (typeof value === "string") {
      return secret === undefined
        ? this.#json(value)
        : this.#add(secret, value);
    }
    if (typeof value === "number" || typeof value === "bigint") {
      const text = String(value);
      const replaced = secret === undefined
        ? this.#text(text)
        : this.#add(secret, text);
      return replaced === text ? value : replaced;
    }
    if (typeof value !== "object" || value === null) return value;
    if (depth > MAX_DEPTH) return "…";
    if (Array.isArray(value)) {
      return value.map((element) => this.#value(element, secret, depth + 1));
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        const isSecret = this.#isSecret(key);
        const inner = this.#value(member, isSecret ? key : secret, depth + 1);
        return [isSecret ? key : this.#text(key), inner];
      }),
    );
  }

  #issue(issue: EntryIssue): EntryIssue {
    const secret = issue.pointer.split("/").findLast(this.#isSecret);
    const { detail, pointer, value } = issue;
    return {
      ...issue,
      pointer: this.#text(pointer),
      detail: this.#prose(detail),
      ...(value !== undefined &&
        { value: short(this.#json(value, { secret })) }),
    };
  }

  #error({ text, frames, cause }: EntryError): EntryError {
    return {
      text: short(this.#prose(text)),
      frames: frames.map((it) => ({ ...it, text: this.#text(it.text) })),
      ...(cause && { cause: this.#error(cause) }),
    };
  }

  /** Adds a value, and returns its placeholder. Keeps a scheme: `Bearer «token»`. */
  #add(name: string, value: string, options: ValueOptions = {}): string {
    const { also = value } = options;
    if (value === "") return also;
    if (/^(?:set-)?cookie$/i.test(name) && /=/.test(value) && also === value) {
      return this.#cookies(value, /^set/i.test(name));
    }
    const word = this.#isSecret(name)!;
    const scheme = /authorization$/i.test(name)
      ? /^[\w-]+ +(?=\S)/
      : /^(?:bearer|basic) +(?=\S)/i;
    const [before = ""] = scheme.exec(value) ?? [];
    if (before === "" || !also.startsWith(before)) {
      return this.#values.add(word, value, options);
    }
    const rest = value.slice(before.length);
    if (/^basic /i.test(before)) this.#add("password", passwordIn(rest));
    const changed = { ...options, also: also.slice(before.length) };
    return before + this.#values.add(word, rest, changed);
  }

  #text(text: string): string {
    return this.#isFinding ? text : this.#values.replace(text);
  }
}

/** Returns a text, or the length of a long one. */
function short(text: string): string {
  return text.length > MAX_TEXT ? `${text.length} characters` : text;
}

/** Parses the inside of a JSON string, unless it is malformed. */
function unescape(string: string): string {
  if (!string.includes("\\")) return string;
  try {
    return JSON.parse(`"${string}"`);
  } catch {
    return string;
  }
}

/** Decodes percent-encoded text, unless it is malformed. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the password of Basic authentication, or `""` if it is malformed. */
function passwordIn(credentials: string): string {
  try {
    const bytes = Uint8Array.fromBase64(credentials);
    return new TextDecoder().decode(bytes).replace(/^[^:]*:?/, "");
  } catch {
    return "";
  }
}
