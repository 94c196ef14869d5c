/**
 * Returns `value` if it is a response that can be sent. `Deno.serve` would find a
 * mistake only when it sends the response; here the route is known.
 *
 * @param author Who made the value, for the message.
 * @throws {TypeError} If it is no `Response`, `Response.error()`, or one whose
 * body was read, sent or locked before.
 */
export function assertUsable(value: unknown, author = "A handler"): Response {
  if (!(value instanceof Response)) {
    const found = describeType(value) + remedyFor(value);
    throw new TypeError(
      `${author} must return a Response, but this one returned ${found}`,
    );
  }
  if (isUnusable(value)) {
    const state = value.bodyUsed ? "already used" : "locked";
    throw new TypeError(
      `${author} returned a Response whose body was ${state}; return a new one, or its clone()`,
    );
  }
  if (value.type === "error") {
    throw new TypeError(
      `${author} returned Response.error(), which cannot be sent; return a Response with a status`,
    );
  }
  return value;
}

/** Says what is likely meant by a value in the place of a response. */
function remedyFor(value: unknown): string {
  if (value === undefined) return '; is a "return" missing?';
  if (typeof value !== "object" || value === null) return "";
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype
    ? "; return Response.json(value)"
    : "";
}

/** Where Deno notes that it sent a body the fast way; nothing else shows it. */
const SENT = ownSymbol("serve fast consumed");
/** Where Deno keeps the inner response, which has the body. */
const INNER = ownSymbol("response");

function ownSymbol(name: string): symbol {
  return Object.getOwnPropertySymbols(new Response(""))
    .find(({ description }) => description === name) ?? Symbol(name);
}

/**
 * Whether the body of a response was read, sent or locked. After a look at
 * `bodyUsed` or `body`, Deno no longer sends a text or bytes the fast way: that
 * alone costs a tenth of all requests a second (`tests/bench/http/main.ts
 * --cases=param`). So this looks at Deno's own members instead, and at the standard
 * ones where a Deno has others.
 */
const isUnusable = knowsMembers() ? isUnusableByMembers : isUnusableByStandard;

function isUnusableByMembers(response: Response): boolean {
  const { [SENT]: sent, [INNER]: inner } = response as unknown as Record<
    symbol,
    { readonly body?: { unusable(): boolean } | null } | boolean
  >;
  return sent === true ||
    (typeof inner === "object" && (inner.body?.unusable() ?? false));
}

function isUnusableByStandard({ bodyUsed, body }: Response): boolean {
  return bodyUsed || (body?.locked ?? false);
}

function knowsMembers(): boolean {
  const read = new Response(new Uint8Array());
  read.text();
  try {
    return isUnusableByMembers(read) && !isUnusableByMembers(new Response(""));
  } catch {
    return false;
  }
}

/** What a body was made of, as Deno knows it; `null` for a stream. */
function sourceOf(response: Response): unknown {
  const { [INNER]: inner } = response as unknown as {
    readonly [symbol: symbol]: { readonly body?: { source?: unknown } | null };
  };
  return inner?.body?.source;
}

/** Found at the first look: no start has to load the streams for that. */
let knowsSource: boolean | undefined;

/**
 * Whether the body of a response is a stream, which may never end, and not a text or
 * bytes. Where Deno does not say so, every body counts as a stream.
 */
export function isStreamed(response: Response): boolean {
  knowsSource ??= sourceOf(new Response(new ReadableStream())) === null;
  return knowsSource ? sourceOf(response) === null : response.body !== null;
}

/** Frees a response that is not sent, and with it, say, a connection of `fetch()`. */
export function discard(response: Response): void {
  response.body?.cancel().catch(() => {
    // Its body is locked: whoever reads it also ends it.
  });
}

/**
 * The response to `HEAD`: that to `GET` without its body (RFC 9110, 9.3.2). A
 * server removes the body itself; in this process nobody else would.
 */
export async function withoutBody(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  await response.body.cancel().catch(() => {
    // What a stream throws at its end changes nothing for the client.
  });
  return new Response(null, { status, statusText, headers });
}

/** The type of a value, for messages: `a string`, `an object of class Object`. */
export function describeType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof value === "object" && name !== undefined
    ? `an object of class ${name}`
    : `a ${typeof value}`;
}

/**
 * Returns a response whose headers can be set: the same one, or a copy if it came
 * from `fetch()`, `Response.redirect()` or `Deno.upgradeWebSocket()`.
 */
export function mutableResponse(response: Response): Response {
  return mayBeImmutable(response) && isImmutable(response)
    ? new Response(response.body, response)
    : response;
}

/** A cheap test first: to look at headers costs time, and few responses need it. */
function mayBeImmutable({ status, url }: Response): boolean {
  return url !== "" || status === 101 || (status > 300 && status < 309);
}

function isImmutable({ headers }: Response): boolean {
  try {
    headers.delete("x-bough-probe");
    return false;
  } catch {
    return true;
  }
}
