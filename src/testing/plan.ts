/** Strings by name, such as headers. */
export type Strings = Readonly<Record<string, string>>;

/** A request, as data: it can be sent again, shown, and made smaller. */
export interface RequestPlan {
  /** Its method. */
  readonly method: string;
  /** Its path and query: `/api/books?limit=2`. */
  readonly target: string;
  /** Its headers, by lowercase name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The names of further headers, whose values are those of the option `as`. */
  readonly as?: readonly string[];
  /** Its body. */
  readonly body?: string;
  /** How its target follows from the response to what was created before. */
  readonly follows?: Following;
}

/** How a target follows from a response: by its `Location`, or by an identifier. */
export type Following = "location" | {
  /** Which segment of the path is the identifier, from 1. */
  readonly segment: number;
  /** The member of the body that has it; otherwise it ends the `Location`. */
  readonly member: string | undefined;
};

/** Where requests go that no server takes. */
export const LOCAL_ORIGIN = "http://localhost:8000";

/** The request of a plan. */
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

/** A request that names the headers of `as`, whose values may be secrets. */
export function withoutIdentity(plan: RequestPlan, as: Strings): RequestPlan {
  const names = Object.keys(as).filter((name) =>
    plan.headers[name] === as[name]
  );
  if (names.length === 0) return plan;
  const headers = Object.entries(plan.headers)
    .filter(([name]) => !names.includes(name));
  return { ...plan, headers: Object.fromEntries(headers), as: names };
}

/** The shortest value that is masked in texts: `1` may be anything. */
const SECRET = 6;

/** A text without the values of `as`, such as a log entry with a token in it. */
export function masked(text: string, as: Strings): string {
  return Object.values(as)
    // `Bearer secret`: an application reads the last word.
    .flatMap((value) => [value, value.split(/\s+/).at(-1)!])
    .filter((value) => value.length >= SECRET)
    .reduce((text, value) => text.replaceAll(value, "***"), text);
}

/**
 * A part of a text: a character that is repeated often, as it is at the edges of
 * schemas, or what is between two of these.
 */
const PIECE = /([A-Za-z ])\1{99,}|[^]+?(?=([A-Za-z ])\2{99}|$)/g;

/** A plan as a command line for a shell, with `as` in variables: `$AUTHORIZATION`. */
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

/** A body; the shell itself repeats a character. */
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
  // What a terminal would obey is written as an escape.
  // deno-lint-ignore no-control-regex
  const control = /[\x00-\x1f\x7f-\x9f]/g;
  if (text.search(control) === -1) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escape = (character: string) =>
    "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
  return `$'${text.replaceAll(/[\\']/g, "\\$&").replaceAll(control, escape)}'`;
}

/**
 * A plan as an expression: `new Request("http://…", { … })`, with `as` in scope.
 *
 * @param url The expression of its URL.
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
