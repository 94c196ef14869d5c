import type { Bytes } from "../../core/body/read.ts";

/** Deno's body of a request or a response, which is not public. */
export interface InnerBody {
  streamOrStatic: ReadableStream<Bytes> | { readonly body: string | Bytes };
  /** The value that the body was created from; `null` for a stream. */
  readonly source: unknown;
  /** Whether the body is locked, or was read. */
  unusable(): boolean;
}

/** A body that is a stream. */
export interface StreamedBody extends InnerBody {
  streamOrStatic: ReadableStream<Bytes>;
}

/** Deno's inner object of a request, which is not public. */
interface InnerRequest {
  readonly body: InnerBody | null;
  readonly headerList: Header[];
  /** Takes the text of a body that has arrived; absent if no server has the request. */
  consumeTextBody?(): string | null;
}

/** The name of a header, in lowercase, and its value. */
export type Header = readonly [name: string, value: string];

/** Copies headers, since the program may change them later. */
function copied(headers: readonly Header[]): Header[] {
  return headers.map(([name, value]) => [name.toLowerCase(), value]);
}

/** Returns the value of a header. */
export function valueOf(
  headers: readonly Header[],
  name: string,
): string | undefined {
  return headers.find((header) => header[0] === name)?.[1];
}

/** The members of an object of Deno, some of which have symbols as keys. */
type Members = Readonly<Record<symbol, unknown>>;

/** Finds the key of a member, of which only the description is known. */
function keyOf(object: object, description: string): symbol | undefined {
  return Object.getOwnPropertySymbols(object)
    .find((symbol) => symbol.description === description);
}

/** Found at the first request. */
let requestKey: symbol | undefined;

/** Returns the inner object; `undefined` if this version of Deno has no such object. */
function innerOf(request: Request): InnerRequest | undefined {
  requestKey ??= keyOf(request, "request");
  const inner = (request as unknown as Members)[requestKey!];
  return typeof inner === "object" && inner !== null && "headerList" in inner
    ? inner as InnerRequest
    : undefined;
}

/** The headers of a request that has just arrived. */
export function requestHeaders(request: Request): Header[] {
  // `request.headers` takes three times as long.
  return copied(innerOf(request)?.headerList ?? [...request.headers]);
}

/** Receives the body of a request when something first looks at it. */
export interface BodyWatcher {
  /** @param body The body, or its text if a reader takes the text at once. */
  opened(body: InnerBody | string): void;
}

const WATCHER = Symbol("bough body watcher");

type WatchedRequest = InnerRequest & { [WATCHER]?: BodyWatcher | undefined };

/**
 * Watches the body of a request in Deno's inner object, which all readers use:
 * `request.body`, `json()` and `clone()`. Deno still reads no byte before a reader does.
 */
export function watchBody(request: Request, watcher: BodyWatcher): void {
  const inner: WatchedRequest | undefined = innerOf(request);
  if (inner === undefined) return;
  const { prototype } = inner.constructor as { prototype: WatchedRequest };
  if (prototype.consumeTextBody === undefined) {
    if (inner.body !== null) watcher.opened(inner.body);
    return;
  }
  if (!Object.hasOwn(prototype, WATCHER)) watchBodies(prototype);
  inner[WATCHER] = watcher;
}

/**
 * Replaces members of all served requests, once. To replace them in each request would
 * take a microsecond, and make V8 promote the request to the old generation.
 */
function watchBodies(prototype: WatchedRequest): void {
  const { get } = Object.getOwnPropertyDescriptor(prototype, "body")!;
  const { consumeTextBody } = prototype;
  prototype[WATCHER] = undefined;
  Object.defineProperties(prototype, {
    body: {
      configurable: true,
      get(this: WatchedRequest): InnerBody | null {
        const body: InnerBody | null = get!.call(this);
        if (body !== null) open(this, body);
        return body;
      },
    },
    consumeTextBody: {
      configurable: true,
      value(this: WatchedRequest): string | null {
        const text = consumeTextBody!.call(this);
        if (text !== null) open(this, text);
        return text;
      },
    },
  });
}

function open(inner: WatchedRequest, body: InnerBody | string): void {
  const watcher = inner[WATCHER];
  if (watcher === undefined) return;
  inner[WATCHER] = undefined;
  watcher.opened(body);
}

/** The keys of the members that hold the headers and the body of a response. */
const [INNER, FAST_BODY, FAST_KIND, FAST_TYPE, NATIVE] = ((sample) =>
  [
    "response",
    "serve fast body",
    "serve fast header kind",
    "serve fast content type",
    "serve native response",
  ].map((description) => keyOf(sample, description) ?? Symbol(description)))(
    new Response(""),
  ) as [symbol, symbol, symbol, symbol, symbol];

/** Deno's inner object of a response, which is not public. */
interface InnerResponse {
  readonly headerList: readonly Header[];
  readonly body: InnerBody | null;
}

/** Returns the headers of a response, without a change to how Deno sends it. */
export function responseHeaders(response: Response): readonly Header[] {
  const members = response as unknown as Members;
  const inner = members[INNER] as InnerResponse | undefined;
  if (inner?.headerList === undefined) return [...response.headers];
  // Deno creates the only header of a simple response when it sends the response.
  if (inner.headerList.length > 0 || members[FAST_BODY] === null) {
    return copied(inner.headerList);
  }
  const type = members[FAST_KIND] === 1
    ? "text/plain;charset=UTF-8"
    : members[FAST_TYPE];
  return typeof type === "string" ? [["content-type", type]] : [];
}

/**
 * Returns the data that Deno sends as the body of a response. If the body is a stream,
 * returns the inner body that holds the stream.
 */
export function sentBody(
  response: Response,
): string | Bytes | StreamedBody | undefined {
  const members = response as unknown as Members;
  const { body } = members[INNER] as Partial<InnerResponse> ?? {};
  const stream = body?.streamOrStatic;
  // If the program has looked at `body`, the data became a stream, but Deno still sends
  // the data.
  const data = members[FAST_BODY] ??
    (stream instanceof ReadableStream
      ? members[NATIVE] && body?.source
      : stream?.body);
  if (typeof data === "string" || data instanceof Uint8Array) {
    return data as string | Bytes;
  }
  return stream instanceof ReadableStream ? body as StreamedBody : undefined;
}
