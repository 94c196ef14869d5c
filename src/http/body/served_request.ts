/**
 * What Deno keeps behind a request that it serves. It is not public; `json()` and
 * `headers` of such a request use it. Other requests, and perhaps those of a later
 * Deno, lack it: then the public members serve as well, but take longer
 * (`deno task bench:http --cases="json echo,zod body"`).
 */
interface InnerRequest {
  readonly consumeTextBody?: () => string | null;
  readonly header?: (name: string) => string | null;
}

/**
 * Where Deno keeps it, as soon as a request has shown it: to make one only for that
 * would delay each start.
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
 * Takes the text of a body that has arrived as a whole. After that, the body is used.
 *
 * The native `json()` takes it in the same way, but refuses a byte order mark, which
 * this returns with the text. Without a promise, the body needs no deadline either.
 *
 * @returns The text; `undefined` if the body is still arriving, was read before, or
 * if this Deno has no such way.
 */
export function takeArrivedText(request: Request): string | undefined {
  const text: unknown = innerOf(request)?.consumeTextBody?.();
  return typeof text === "string" ? text : undefined;
}

/** A header of a request: what `request.headers.get()` returns, without `Headers`. */
export function headerOf(request: Request, name: string): string | null {
  const inner = innerOf(request);
  return typeof inner?.header === "function"
    ? inner.header(name)
    : request.headers.get(name);
}
