/**
 * Returns `value` if it is a response that can be sent. `Deno.serve` would find a
 * mistake only when it sends the response, and could not name the route.
 *
 * @param author The function that returned the value, for the message.
 * @throws {TypeError} If the value is not a `Response`, if it is `Response.error()`, or
 * if its body was already read, sent or locked.
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
      `${author} returned a Response whose body was ${state}; return a new response, or a clone()`,
    );
  }
  if (value.type === "error") {
    throw new TypeError(
      `${author} returned Response.error(), which cannot be sent; return a Response with a status`,
    );
  }
  return value;
}

/** Suggests a fix for a value that is not a response. */
function remedyFor(value: unknown): string {
  if (value === undefined) return '; is a "return" missing?';
  if (typeof value !== "object" || value === null) return "";
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype
    ? "; return Response.json(value)"
    : "";
}

/**
 * The key of the only member that shows whether Deno sent a body over its fast path.
 */
const SENT = ownSymbol("serve fast consumed");
/** The key of Deno's inner response, which holds the body. */
const INNER = ownSymbol("response");

function ownSymbol(name: string): symbol {
  return Object.getOwnPropertySymbols(new Response(""))
    .find(({ description }) => description === name) ?? Symbol(name);
}

/**
 * Whether the body of a response was read, sent or locked. After a read of `bodyUsed`
 * or `body`, Deno no longer sends a string or bytes over its fast path. The slower path
 * costs a tenth of the requests per second (`tests/instruments/bench/http/main.ts --cases=param`).
 * The function therefore reads Deno's internal members, or the standard members if a
 * version of Deno has other internal members.
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

/** A response with its inner response, which a version of Deno may lack. */
interface WithInner {
  readonly [symbol: symbol]: { readonly body?: { source?: unknown } | null };
}

/** The value that a body was created from, as kept by Deno; `null` for a stream. */
function sourceOf(response: Response): unknown {
  const { [INNER]: inner } = response as unknown as WithInner;
  return inner?.body?.source;
}

/**
 * Whether Deno reveals the source of a body. Determined at the first use, so that
 * startup does not load Deno's streams.
 */
let knowsSource: boolean | undefined;

/**
 * Whether the body of a response is a stream, which may never end, instead of a string
 * or bytes. If Deno does not reveal this, every body counts as a stream.
 */
export function isStreamed(response: Response): boolean {
  knowsSource ??= sourceOf(new Response(new ReadableStream())) === null;
  return knowsSource ? sourceOf(response) === null : response.body !== null;
}

/**
 * Frees the resources of a response that is not sent, such as the connection of its
 * `fetch()`.
 */
export function discard(response: Response): void {
  response.body?.cancel().catch(() => {
    // The body is locked, so its current reader has to release the resources.
  });
}

/**
 * Removes the body of a response to `GET`, for `HEAD` (RFC 9110, 9.3.2). A server
 * removes the body itself, but a call within the process has no server.
 */
export async function withoutBody(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  await response.body.cancel().catch(() => {
    // Ignore an error of the stream, since the client does not receive the stream.
  });
  return new Response(null, { status, statusText, headers });
}

/**
 * Describes the type of a value for messages: `a string`, `an object of class Object`.
 */
export function describeType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof value === "object" && name !== undefined
    ? `an object of class ${name}`
    : `a ${typeof value}`;
}

/**
 * Returns a response whose headers can be set for one request. The result is the response
 * itself, or a copy if the response came from `fetch()`, `Response.redirect()` or
 * `Deno.upgradeWebSocket()`, or if a handler may return it to many requests.
 */
export function mutableResponse(response: Response): Response {
  return mayBeShared(response) ||
      mayBeImmutable(response) && isImmutable(response)
    ? new Response(response.body, response)
    : response;
}

/**
 * Whether a response can be sent twice, because it has no body. An upgrade belongs to one
 * request.
 */
function mayBeShared(response: Response): boolean {
  if (response.status === 101) return false;
  const { [INNER]: inner } = response as unknown as WithInner;
  // As above, the standard member would cost time.
  return (inner ?? response).body === null;
}

/**
 * Whether a response may be immutable. This cheap test comes first, since changing a
 * header costs time and few responses are immutable.
 */
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
