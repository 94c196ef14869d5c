/** Strings by name, such as headers. */
export type Strings = Readonly<Record<string, string>>;

/** A request as data, which can be sent again, shown and shrunk. */
export interface RequestPlan {
  /** The method. */
  readonly method: string;
  /** The path and the query: `/api/books?limit=2`. */
  readonly target: string;
  /** The headers by lowercase name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The names of further headers, whose values are in the option `as`. */
  readonly as?: readonly string[];
  /** The body. */
  readonly body?: string;
  /** The source of the target: a part of the earlier response that created a resource. */
  readonly follows?: Following;
}

/** The source of a target in a response: the `Location`, or an identifier. */
export type Following = "location" | {
  /** The number of the segment that is the identifier, from 1. */
  readonly segment: number;
  /**
   * The member of the body that contains the identifier; `undefined` if `Location` ends
   * with the identifier.
   */
  readonly member: string | undefined;
};

/** The origin of requests to an application without a server. */
export const LOCAL_ORIGIN = "http://localhost:8000";

/** Creates the request of a plan. */
export function requestOf(
  { method, target, headers, body }: RequestPlan,
  { origin, signal }: { readonly origin: string; readonly signal: AbortSignal },
): Request {
  return new Request(origin + target, {
    method,
    headers,
    signal,
    redirect: "manual",
    ...(body !== undefined && { body }),
  });
}

/** Replaces the headers of `as` with their names, since the values may be secrets. */
export function withoutIdentity(plan: RequestPlan, as: Strings): RequestPlan {
  const names = Object.keys(as).filter((name) =>
    plan.headers[name] === as[name]
  );
  if (names.length === 0) return plan;
  const headers = Object.entries(plan.headers)
    .filter(([name]) => !names.includes(name));
  return { ...plan, headers: Object.fromEntries(headers), as: names };
}

/** The minimum length of a value to mask, since a value such as `1` may occur anywhere. */
const SECRET = 6;

/** Masks the values of `as`, such as a token in a log entry. */
export function masked(text: string, as: Strings): string {
  return Object.values(as)
    // In `Bearer secret`, only the last word is secret.
    .flatMap((value) => [value, value.split(/\s+/).at(-1)!])
    .filter((value) => value.length >= SECRET)
    .reduce((text, value) => text.replaceAll(value, "***"), text);
}

/**
 * A part of a string: a run of at least 100 equal characters, or the text between two
 * runs. A string at the limit of `maxLength` may contain such a run.
 */
const PIECE = /([A-Za-z ])\1{99,}|[^]+?(?=([A-Za-z ])\2{99}|$)/g;

/**
 * The shell command that sends a plan. Variables such as `$AUTHORIZATION` contain the
 * values of `as`.
 */
export function curlOf(
  { method, target, headers, as = [], body }: RequestPlan,
  origin: string,
): string {
  const words = [
    "curl -i",
    ...(method === "HEAD" ? ["--head"] : []),
    ...(method === "GET" || method === "HEAD" ? [] : [`-X ${method}`]),
    ...Object.entries(headers).map(([name, value]) =>
      `-H ${quoted(`${name}: ${value}`)}`
    ),
    ...as.map((name) =>
      `-H "${name}: $${name.toUpperCase().replaceAll(/\W/g, "_")}"`
    ),
    ...(body === undefined ? [] : [bodyWords(body)]),
    quoted(origin + target),
  ];
  return words.join(" ");
}

/** The arguments for the body. The shell repeats equal characters with `printf`. */
function bodyWords(body: string): string {
  const words = [...body.matchAll(PIECE)].map(([text, character]) =>
    character === undefined
      ? quoted(text)
      : character === " "
      ? `"$(printf '%${text.length}s')"`
      : `"$(printf '%${text.length}s' | tr ' ' ${character})"`
  );
  return `--data-raw ${words.join("") || "''"}`;
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
  { method, target, headers, as, body }: RequestPlan,
  url: string = JSON.stringify("http://localhost" + target),
): string {
  const own = Object.entries(headers).map((pair) =>
    pair.map((text) => JSON.stringify(text)).join(": ")
  );
  const all = [...(as === undefined ? [] : ["...as"]), ...own].join(", ");
  const init = [
    ...(method === "GET" ? [] : [`method: ${JSON.stringify(method)}`]),
    ...(all === "" ? [] : [`headers: { ${all} }`]),
    ...(body === undefined ? [] : [`body: ${bodyText(body)}`]),
  ];
  return init.length === 0
    ? `new Request(${url})`
    : `new Request(${url}, { ${init.join(", ")} })`;
}

function bodyText(body: string): string {
  const pieces = [...body.matchAll(PIECE)].map(([text, character]) =>
    character === undefined
      ? JSON.stringify(text)
      : `"${character}".repeat(${text.length})`
  );
  return pieces.join(" + ") || '""';
}
