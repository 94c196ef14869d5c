import type { Bytes } from "../../core/request/content.ts";

/** Deno's inner body of a request or a response; Deno does not export it. */
export interface InnerBody {
  streamOrStatic: ReadableStream<Bytes> | { readonly body: string | Bytes };
  /** The value that the program passed as the body; `null` for a stream. */
  readonly source: unknown;
  /** Whether the body is locked, or was read. */
  unusable(): boolean;
}

/** Deno's inner object of a request or a response. */
interface InnerMessage {
  readonly body: InnerBody | null;
  readonly headerList: readonly Header[];
  /** Takes the text of a body that has arrived; only a request to a server has it. */
  consumeTextBody?(): string | null;
}

/** The name of a header, in lowercase, and its value. */
export type Header = readonly [name: string, value: string];

/** Copies headers, since the program may change them later. */
function copied(headers: readonly Header[]): Header[] {
  return headers.map(([name, value]) => [name.toLowerCase(), value]);
}

export function valueOf(
  headers: readonly Header[],
  name: string,
): string | undefined {
  return headers.find((header) => header[0] === name)?.[1];
}

/** An object of Deno, whose inner members have symbols as keys. */
type Members = Readonly<Record<symbol, unknown>>;

/** Finds the key of an inner member; an unused key if this version of Deno lacks it. */
function keyOf(object: object, description: string): symbol {
  return Object.getOwnPropertySymbols(object)
    .find((key) => key.description === description) ?? Symbol(description);
}

const REQUEST = keyOf(new Request("http://localhost"), "request");

/** Returns the inner object; `undefined` if this version of Deno lacks it. */
function innerOf(request: Request): InnerMessage | undefined {
  const inner = (request as unknown as Members)[REQUEST];
  return typeof inner === "object" && inner !== null && "headerList" in inner
    ? inner as InnerMessage
    : undefined;
}

/** Copies the headers of a request that has just arrived. */
export function requestHeaders(request: Request): Header[] {
  // `request.headers` takes three times as long.
  return copied(innerOf(request)?.headerList ?? [...request.headers]);
}

/** Receives the body of a request at the first access, such as `request.body`. */
export interface BodyWatcher {
  /** @param body The body, or its text if the first reader reads the text at once. */
  opened(body: InnerBody | string): void;
}

const WATCHER = Symbol("bough body watcher");

type WatchedRequest = InnerMessage & { [WATCHER]?: BodyWatcher | undefined };

/**
 * Watches the body in Deno's inner object, which all readers use: `request.body`, `json()`
 * and `clone()`. Deno still reads nothing before a reader does.
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
 * Replaces the members once, for all served requests. Replacing them in each request
 * takes a microsecond, and makes V8 promote the request to the old generation.
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

const SAMPLE = new Response("");
const RESPONSE = keyOf(SAMPLE, "response");
const FAST_BODY = keyOf(SAMPLE, "serve fast body");
const FAST_KIND = keyOf(SAMPLE, "serve fast header kind");
const FAST_TYPE = keyOf(SAMPLE, "serve fast content type");
const NATIVE = keyOf(SAMPLE, "serve native response");

/** Returns the headers of a response, and keeps the fast path by which Deno sends it. */
export function responseHeaders(response: Response): readonly Header[] {
  const members = response as unknown as Members;
  const inner = members[RESPONSE] as InnerMessage | undefined;
  if (inner?.headerList === undefined) return [...response.headers];
  // Deno adds the header of `new Response("text")` when it sends the response.
  if (inner.headerList.length > 0 || members[FAST_BODY] === null) {
    return copied(inner.headerList);
  }
  const type = members[FAST_KIND] === 1
    ? "text/plain;charset=UTF-8"
    : members[FAST_TYPE];
  return typeof type === "string" ? [["content-type", type]] : [];
}

/** Returns the data that Deno sends as the body of a response, or the inner body. */
export function sentBody(
  response: Response,
): string | Bytes | InnerBody | null | undefined {
  const members = response as unknown as Members;
  const { body } = members[RESPONSE] as Partial<InnerMessage> ?? {};
  const stream = body?.streamOrStatic;
  // After an access to `response.body`, the data is a stream, but Deno sends the data.
  const data = members[FAST_BODY] ??
    (stream instanceof ReadableStream
      ? members[NATIVE] && body?.source
      : stream?.body);
  return typeof data === "string" || data instanceof Uint8Array
    ? data as string | Bytes
    : body;
}
