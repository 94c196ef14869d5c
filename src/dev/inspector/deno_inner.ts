import type { Bytes } from "../../core/request/content.ts";

// Deno's inner objects are not public. The inspector reads them, since the public members
// take longer or end the fast path by which Deno sends a response, and changes none. If a
// version of Deno lacks a member, the inspector uses the public members.

/** Deno's inner body of a response. */
interface InnerBody {
  readonly streamOrStatic:
    | ReadableStream<Bytes>
    | { readonly body: string | Bytes };
  /** The value that the program passed as the body; `null` for a stream. */
  readonly source: unknown;
}

/** Deno's inner object of a request or a response. */
interface InnerMessage {
  readonly body?: InnerBody | null;
  readonly headerList?: readonly Header[];
}

/** The name of a header, and its value. */
export type Header = readonly [name: string, value: string];

/** An object of Deno, whose inner members have symbols as keys. */
type Members = Readonly<Record<symbol, unknown>>;

/** Finds the key of an inner member; an unused key if this version of Deno lacks it. */
function keyOf(object: object, description: string): symbol {
  return Object.getOwnPropertySymbols(object)
    .find((key) => key.description === description) ?? Symbol(description);
}

const REQUEST = keyOf(new Request("http://localhost"), "request");
const SAMPLE = new Response("");
const RESPONSE = keyOf(SAMPLE, "response");
const FAST_BODY = keyOf(SAMPLE, "serve fast body");
const FAST_KIND = keyOf(SAMPLE, "serve fast header kind");
const FAST_TYPE = keyOf(SAMPLE, "serve fast content type");
const NATIVE = keyOf(SAMPLE, "serve native response");
const BACKING = keyOf(new ReadableStream(), "[[resourceBacking]]");

function innerOf(message: Request | Response, key: symbol): InnerMessage {
  return (message as unknown as Members)[key] as InnerMessage ?? {};
}

/** Copies the headers of a request, which Deno no longer gives after the response. */
export function requestHeaders(request: Request): readonly Header[] {
  // `request.headers` takes three times as long.
  return [...innerOf(request, REQUEST).headerList ?? request.headers];
}

/** Returns the headers that Deno will send with a response. */
export function responseHeaders(response: Response): readonly Header[] {
  const members = response as unknown as Members;
  const { headerList } = innerOf(response, RESPONSE);
  if (headerList === undefined) return [...response.headers];
  // Deno adds the header of `new Response("text")` when it sends the response.
  if (headerList.length > 0 || members[FAST_BODY] === null) return headerList;
  const type = members[FAST_KIND] === 1
    ? "text/plain;charset=UTF-8"
    : members[FAST_TYPE];
  return typeof type === "string" ? [["content-type", type]] : [];
}

/**
 * Returns the data or the stream that Deno sends as the body of a response; `undefined`
 * for files, and for bodies of `fetch()` and of requests, which Deno sends natively.
 */
export function sentBody(
  response: Response,
): string | Bytes | ReadableStream<Bytes> | undefined {
  const members = response as unknown as Members;
  const { body } = innerOf(response, RESPONSE);
  const stream = body?.streamOrStatic;
  if (!(stream instanceof ReadableStream)) {
    return (members[FAST_BODY] ?? stream?.body) as string | Bytes | undefined;
  }
  // After an access to `response.body`, the data is a stream, but Deno sends the data.
  const data = members[FAST_BODY] ?? (members[NATIVE] && body!.source);
  return typeof data === "string" || data instanceof Uint8Array
    ? data as string | Bytes
    : (stream as unknown as Members)[BACKING]
    ? undefined
    : stream;
}

export function valueOf(
  headers: readonly Header[],
  name: string,
): string | undefined {
  return headers.find((header) => header[0].toLowerCase() === name)?.[1];
}
