import { cookieHeader } from "../shared/wire.ts";

/** Strings by name, such as headers. */
export type Strings = Readonly<Record<string, string>>;

/** A request as data, which can be sent again, shown and shrunk. */
export interface RequestPlan {
  /** The method. */
  readonly method: string;
  /** The path and the query: `/api/books?limit=2`. */
  readonly target: string;
  /** The headers by lowercase name. */
  readonly headers: Strings;
  /** The name of the identity whose headers are added, from the option `as`. */
  readonly as?: string | undefined;
  /** The body. */
  readonly body?: string;
  /**
   * Whether each character of the body is a byte, as for `btoa()`. By default, the body
   * is sent as UTF-8.
   */
  readonly isBinary?: boolean;
  /**
   * The identifiers in the response, by pointer, such as `/article/slug`; `""` is the path
   * and query of its `Location`.
   */
  readonly returned?: Strings;
  /**
   * Whether `If-Match` names the `ETag` that a `GET` of the target, with the same
   * identity, returns just before the request.
   */
  readonly hasVersion?: boolean;
  /** Cookies in addition to those of the identity, with decoded values. */
  readonly cookies?: Strings;
  /** Whether the identity has cookies. */
  readonly hasCookies?: boolean;
  /** The operation whose stream or socket stays open during the later requests. */
  readonly live?: string;
  /** The messages to send over the socket that the request opens. */
  readonly messages?: readonly string[];
}

/** The origin of requests to an application without a server. */
export const LOCAL_ORIGIN = "http://localhost:8000";

export function requestOf(
  { method, target, headers, cookies, body, isBinary }: RequestPlan,
  { origin, signal }: { readonly origin: string; readonly signal: AbortSignal },
): Request {
  return new Request(origin + target, {
    method,
    headers: {
      ...headers,
      ...(cookies && { cookie: cookieHeader(cookies, headers.cookie) }),
    },
    signal,
    redirect: "manual",
    body: isBinary ? Uint8Array.fromBase64(btoa(body!)) : body ?? null,
  });
}

/** The name of the only identity if the option `as` contains headers. */
export const ONLY = "as";

/**
 * Finds the runs of a text, as texts at a limit of length have them: at least 100 equal
 * letters or spaces, with their character. A regular expression would exceed the stack
 * for the body of an upload.
 */
function* piecesOf(
  text: string,
): Generator<[text: string, character?: string]> {
  let start = 0;
  for (let index = 0, end = 0; index < text.length; index = end) {
    const character = text[index]!;
    end = index + 1;
    while (text[end] === character) end++;
    if (end - index < 100 || !/[A-Za-z ]/.test(character)) continue;
    if (start < index) yield [text.slice(start, index)];
    yield [text.slice(index, end), character];
    start = end;
  }
  if (start < text.length) yield [text.slice(start)];
}

/**
 * The shell command that sends a plan: `curl`, or `websocat` with messages. Variables such
 * as `$AUTHORIZATION`, or `$ALICE_AUTHORIZATION` for one of several identities, contain
 * the secrets.
 *
 * @param options `names` are the names of the identity's headers.
 */
export function curlOf(
  plan: RequestPlan,
  { origin, names = [] }: {
    readonly origin: string;
    readonly names?: readonly string[];
  },
): string {
  const { method, target, headers, cookies, body, isBinary } = plan;
  const { as, live, messages } = plan;
  const prefix = as === ONLY ? "" : `${as}_`;
  const isSocket = messages !== undefined;
  // `websocat` would read what follows "-H " as further headers.
  const flag = isSocket ? "-H=" : "-H ";
  const words = [
    isBinary && `printf %s '${btoa(body!)}' | base64 -d |`,
    ...(isSocket
      ? [
        messages.length > 0 ? "printf '%s\\n'" : ":",
        ...messages.map(shellText),
        "| websocat -n",
      ]
      : [live === undefined ? "curl -i" : "curl -i -N"]),
    method === "HEAD" ? "--head" : method !== "GET" && `-X ${method}`,
    ...Object.entries(headers).map(([name, value]) =>
      flag + quoted(`${name}: ${value}`)
    ),
    cookies && flag + quoted(`cookie: ${cookieHeader(cookies)}`),
    ...names.map((name) => {
      const variable = (prefix + name).toUpperCase().replaceAll(/\W/g, "_");
      return `${flag}"${name}: $${variable}"`;
    }),
    isBinary
      ? "--data-binary @-"
      : body !== undefined && `--data-raw ${shellText(body)}`,
    quoted((isSocket ? origin.replace("http", "ws") : origin) + target),
    live !== undefined && "&",
  ];
  return present(words).join(" ");
}

/** The items of a list that no condition omits. */
export function present<Item>(
  items: readonly (Item | false | "" | undefined)[],
): Item[] {
  return items.filter((item): item is Item => Boolean(item));
}

/** A string as a word of the shell, which repeats equal characters with `printf`. */
function shellText(text: string): string {
  const words = piecesOf(text).map(([text, character]) =>
    character === undefined
      ? quoted(text)
      : character === " "
      ? `"$(printf '%${text.length}s')"`
      : `"$(printf '%${text.length}s' | tr ' ' ${character})"`
  );
  return [...words].join("") || "''";
}

function quoted(text: string): string {
  // A terminal would execute control characters.
  // deno-lint-ignore no-control-regex
  const control = /[\x00-\x1f\x7f-\x9f]/g;
  if (text.search(control) === -1) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escape = (character: string) =>
    "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
  return `$'${text.replaceAll(/[\\']/g, "\\$&").replaceAll(control, escape)}'`;
}

/**
 * The source text of a plan: `new Request("http://…", { … })`. The text requires `as`
 * in scope.
 *
 * @param url The source text of the URL.
 */
export function requestText(
  { method, target, headers, as, body, isBinary, ...flags }: RequestPlan,
  url: string = JSON.stringify("http://localhost" + target),
): string {
  const version = () => {
    const plan = { method: "GET", target, headers: {}, as };
    const request = requestText(plan, url);
    return `String((await app.fetch(${request})).headers.get("etag"))`;
  };
  const member = as === ONLY
    ? ""
    : /^\w+$/.test(as ?? "")
    ? `.${as}`
    : `[${JSON.stringify(as)}]`;
  const { hasVersion, cookies, hasCookies } = flags;
  const own = Object.entries(headers).map(([name, value]) => {
    const isVersion = hasVersion && name === "if-match";
    const text = isVersion ? version() : JSON.stringify(value);
    return `${JSON.stringify(name)}: ${text}`;
  });
  if (cookies !== undefined) {
    const text = JSON.stringify(cookieHeader(cookies));
    const all = hasCookies ? `[as${member}.cookie, ${text}].join("; ")` : text;
    own.push(`"cookie": ${all}`);
  }
  const all = present([as !== undefined && `...as${member}`, ...own]);
  const init = present([
    method !== "GET" && `method: ${JSON.stringify(method)}`,
    all.length > 0 && `headers: { ${all.join(", ")} }`,
    isBinary
      ? `body: Uint8Array.fromBase64("${btoa(body!)}")`
      : body !== undefined && `body: ${bodyText(body)}`,
  ]).join(", ");
  return `new Request(${url}${init && `, { ${init} }`})`;
}

function bodyText(body: string): string {
  const pieces = piecesOf(body).map(([text, character]) =>
    character === undefined
      ? JSON.stringify(text)
      : `"${character}".repeat(${text.length})`
  );
  return [...pieces].join(" + ") || '""';
}
