import type { BodyContent } from "./record.ts";

/** Deno's inner body of a request. */
interface InnerBody {
  streamOrStatic: ReadableStream | {
    readonly body: BodyContent;
    readonly consumed: boolean;
  };
}

/**
 * Deno's inner object of a request, which is not public; the members of the request use
 * this object. Only a request to a server has the methods.
 *
 * A later version of Deno may lack members. Bough then uses the public members, which take
 * longer (`deno task bench:http --cases="json echo,zod body"`). A body that was read then
 * stays used for `request.body`, `clone()` and `new Request(request)`.
 */
interface InnerRequest {
  readonly body?: InnerBody | null;
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

/**
 * Returns the content of an unused body if the whole body has arrived. Deno keeps such a
 * body until `request.body` makes a stream of it.
 */
export function arrivedContent(request: Request): BodyContent | undefined {
  const body = innerOf(request)?.body;
  if (body === null) return "";
  const data = body?.streamOrStatic;
  return data === undefined || data instanceof ReadableStream || data.consumed
    ? undefined
    : data.body;
}

/** Returns `request.headers.get(name)` without creating `Headers`. */
export function headerOf(request: Request, name: string): string | null {
  const inner = innerOf(request);
  return typeof inner?.header === "function"
    ? inner.header(name)
    : request.headers.get(name);
}

/**
 * Prepares to replace the body of a request, even a body that was read. The new body is
 * unused for `request.body`, `clone()` and `new Request(request)`.
 *
 * @returns The function that replaces the body. It works even after the request has
 * ended, when the inner object no longer gives its body.
 */
export function bodySetter(
  request: Request,
): (content: BodyContent | ReadableStream) => void {
  const body = innerOf(request)?.body;
  return (content) => {
    if (body === undefined || body === null) return;
    body.streamOrStatic = content instanceof ReadableStream
      ? content
      : { body: content, consumed: false };
  };
}
