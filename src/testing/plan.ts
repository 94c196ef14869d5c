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
export function withoutIdentity(
  plan: RequestPlan,
  as: Readonly<Record<string, string>>,
): RequestPlan {
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
export function masked(
  text: string,
  as: Readonly<Record<string, string>>,
): string {
  return Object.values(as)
    // `Bearer secret`: an application reads the last word.
    .flatMap((value) => [value, value.split(/\s+/).at(-1)!])
    .filter((value) => value.length >= SECRET)
    .reduce((text, value) => text.replaceAll(value, "***"), text);
}

/** A character that is repeated often, as it is at the edges of schemas. */
const RUN = /([A-Za-z ])\1{99,}/g;

/** The variable of a shell for a header: `AUTHORIZATION`. */
function variableOf(name: string): string {
  return name.toUpperCase().replaceAll(/\W/g, "_");
}

/**
 * A plan as a command line for a shell, with the headers of `as` in variables that are
 * named like them.
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
    ...as.map((name) => `-H "${name}: $${variableOf(name)}"`),
    ...(body === undefined ? [] : [bodyWords(body)]),
    quoted(origin + target),
  ];
  return words.join(" ");
}

/** A body; the shell itself repeats a character. */
function bodyWords(body: string): string {
  const words = split(body).map(({ text, character, count }) =>
    character === undefined
      ? quoted(text)
      : character === " "
      ? `"$(printf '%${count}s')"`
      : `"$(printf '%${count}s' | tr ' ' ${character})"`
  );
  return `--data-raw ${words.join("") || "''"}`;
}

/** A part of a text: as it is, or a character and how often it is repeated. */
interface Piece {
  readonly text: string;
  readonly character?: string;
  readonly count?: number;
}

function split(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: run, 1: character, index } of text.matchAll(RUN)) {
    if (index > end) pieces.push({ text: text.slice(end, index) });
    pieces.push({ text: run, character: character!, count: run.length });
    end = index + run.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

function quoted(text: string): string {
  // What a terminal would obey is written as an escape.
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x1f\x7f-\x9f]/.test(text)) {
    const escaped = text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")
      .replaceAll(
        // deno-lint-ignore no-control-regex
        /[\x00-\x1f\x7f-\x9f]/g,
        (character) =>
          "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0"),
      );
    return `$'${escaped}'`;
  }
  return `'${text.replaceAll("'", `'\\''`)}'`;
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
  const pieces = split(body).map(({ text, character, count }) =>
    character === undefined
      ? JSON.stringify(text)
      : `"${character}".repeat(${count})`
  );
  return pieces.join(" + ") || '""';
}
