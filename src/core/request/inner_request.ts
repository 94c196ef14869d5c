/**
 * Deno's inner object of a request, which is not public; the members of the request use
 * this object. Only a request to a server has the methods.
 *
 * A later version of Deno may lack members. Bough then uses the public members, which take
 * longer (`deno task bench:http --cases="json echo,zod body"`). A body that was read then
 * stays used for `request.body`, `clone()` and `new Request(request)`.
 */
interface InnerRequest {
  readonly body?: { streamOrStatic: unknown } | null;
  readonly consumeTextBody?: () => string | null;
  readonly header?: (name: string) => string | null;
}

/**
 * The key of the inner object, found at the first request. At startup, Bough would have
 * to create a request to find the key, which takes time.
 */
let inner: symbol | undefined;

function innerOf(request: Request): InnerRequest | undefined {
  inner ??= Object.getOwnPropertySymbols(request)
    .find(({ description }) => description === "request");
  if (inner === undefined) return undefined;
  return (request as unknown as { readonly [name: symbol]: InnerRequest })[
    inner
  ];
}

/**
 * Takes the text of a body if the whole body has arrived, and no member has read it. The
 * body then counts as used.
 *
 * The native `json()` works the same way, but rejects a byte order mark, which this
 * function returns with the text.
 *
 * @returns The text; `undefined` if the body is still arriving, was already read, or if
 * this version of Deno lacks the inner object.
 */
export function takeArrivedText(request: Request): string | undefined {
  const text: unknown = innerOf(request)?.consumeTextBody?.();
  return typeof text === "string" ? text : undefined;
}

/** Returns `request.headers.get(name)` without creating `Headers`. */
export function headerOf(request: Request, name: string): string | null {
  const sent = sentHeader(request, name);
  return sent === undefined ? request.headers.get(name) : sent;
}

/**
 * Returns a header of a request that Deno's server has received; `undefined` if the
 * request, such as a copy, was made in this process.
 */
export function sentHeader(
  request: Request,
  name: string,
): string | null | undefined {
  return innerOf(request)?.header?.(name);
}

/**
 * Replaces the body of a request, even a body that was read. Other ways take longer: a JSON
 * echo with accessors of its own for `body` takes 15 % more CPU time.
 */
export function setBody(
  request: Request,
  content: string | ReadableStream,
): void {
  const body = innerOf(request)?.body;
  if (body === undefined || body === null) return;
  body.streamOrStatic = typeof content === "string"
    ? { body: content, consumed: false }
    : content;
}
