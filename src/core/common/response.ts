/**
 * Returns `value` if it is a response. `Deno.serve` would find the mistake, too, but
 * could not name the route.
 *
 * @param author The function that returned the value, for the message.
 */
export function assertResponse(
  value: unknown,
  author = "A handler",
): Response {
  if (value instanceof Response) return value;
  const found = describeType(value) + remedyFor(value);
  throw new TypeError(
    `${author} must return a Response, but this one returned ${found}`,
  );
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

/** The members of Deno's inner response that Bough reads; other versions may lack them. */
interface InnerResponse {
  readonly body?: {
    readonly source?: unknown;
    readonly streamOrStatic?: unknown;
  } | null;
  /** Whether `fetch()` decoded the body, so that its headers describe other bytes. */
  readonly bodyDecoded?: boolean;
}

/** The key of the text of a response whose inner response has no body yet. */
const LAZY_TEXT = ownSymbol("lazy static body");
const INNER = ownSymbol("response");

function ownSymbol(name: string): symbol {
  return Object.getOwnPropertySymbols(new Response(""))
    .find(({ description }) => description === name) ?? Symbol(name);
}

/** A response with the internal members above. */
interface Members {
  readonly [key: symbol]: InnerResponse | string | null | undefined;
}

function innerOf(response: Response): InnerResponse | undefined {
  const { [INNER]: inner } = response as unknown as Members;
  return typeof inner === "object" && inner !== null ? inner : undefined;
}

/** The value that a body was created from, as kept by Deno; `null` for a stream. */
function sourceOf(response: Response): unknown {
  return innerOf(response)?.body?.source;
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

/** The body of a response, if it is a stream. */
export function streamOf(response: Response): ReadableStream | null {
  return isStreamed(response) ? response.body : null;
}

/** Whether a reader has locked the body of a response. */
export function isLocked(response: Response): boolean {
  // A read of `body` would make a stream of a string, whose length Deno does not send.
  const stream = innerOf(response)?.body?.streamOrStatic;
  return stream instanceof ReadableStream && stream.locked;
}

/**
 * Throws an error for `Response.error()`, which cannot be sent.
 *
 * @throws {TypeError} If the response is `Response.error()`.
 */
export function refuseErrorResponse({ type }: Response): void {
  if (type !== "error") return;
  throw new TypeError(
    "A handler returned Response.error(), which cannot be sent; return a Response with a status",
  );
}

/** Responses with these statuses have no body (RFC 9110, section 15). */
export const BODYLESS: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * Returns the response to `HEAD`, without the body of `GET` (RFC 9110, 9.3.2).
 *
 * @param isServed Whether a server sends the response. For `null` instead of a stream,
 * the server would send the length 0.
 */
export async function headResponse(
  response: Response,
  isServed: boolean,
): Promise<Response> {
  const isKnown = !isEmpty(response) && !isStreamed(response);
  // Deno reports a body that was used, as it does for `GET`.
  if (response.bodyUsed || isLocked(response)) return response;
  const bytes = isKnown ? await response.bytes() : undefined;
  discard(response);
  const isUnknown = isServed && !isKnown && !BODYLESS.has(response.status);
  const head = copyResponse(
    response,
    isUnknown ? ReadableStream.from([]) : null,
  );
  if (bytes) head.headers.set("content-length", String(bytes.length));
  return head;
}

/** The headers that Deno omits if `fetch()` has decoded the body. */
const OF_ENCODED_BODY = [
  "content-encoding",
  "content-length",
  "transfer-encoding",
];

/**
 * Copies a response, with mutable headers. Bough copies responses only here.
 *
 * `fetch()` decodes gzip and br, but its response keeps the headers of the encoded body.
 * Deno omits these headers only if it sends that very response, so a copy lacks them.
 * If `fetch()` decodes nothing, as for deflate, the copy keeps them.
 *
 * @param body Replaces the body.
 * @throws {TypeError} If the response is `Response.error()`.
 */
export function copyResponse(
  response: Response,
  body: BodyInit | null = response.body,
): Response {
  refuseErrorResponse(response);
  const copy = new Response(body, response);
  if (innerOf(response)?.bodyDecoded) {
    for (const name of OF_ENCODED_BODY) copy.headers.delete(name);
  }
  return copy;
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
 * Returns a response whose headers can be set for one request. The result is a copy if the
 * response came from `fetch()`, or has no body. The headers of a redirect and of an upgrade
 * are immutable, and a handler may return one without a body to many requests.
 */
export function mutableResponse(response: Response): Response {
  return isEmpty(response) || response.url !== ""
    ? copyResponse(response)
    : response;
}

/**
 * Whether a response lacks a body. After a read of the standard member `body`, Deno no
 * longer sends a string or bytes over its fast path, which costs a tenth of the requests
 * per second (`tests/instruments/bench/http/main.ts --cases=param`).
 */
export function isEmpty(response: Response): boolean {
  const { [LAZY_TEXT]: text } = response as unknown as Members;
  return (innerOf(response) ?? response).body === null &&
    typeof text !== "string";
}
