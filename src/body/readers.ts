import { isMethod } from "../methods.ts";
import { readForm } from "./form.ts";
import {
  type BodyRules,
  type Bytes,
  malformedForm,
  noteReadFailure,
  parseBytes,
  parseText,
  readBody,
  takeBody,
} from "./read.ts";

/** The `config` export of a route file or a middleware file. */
export interface BodyConfig {
  /** The size of the largest body that the route reads as a whole, in bytes. */
  readonly bodyLimit?: number;
  /**
   * Keeps the exact bytes of a body that was read as JSON, say by validation. Then
   * `request.text()` and `request.bytes()` can check the signature of a webhook.
   */
  readonly rawBody?: boolean;
}

/**
 * Replaces the body readers of a request by readers that keep to the rules. They
 * are functions that all requests share: what was read stands on the request.
 *
 * A body may be read any number of times, by middleware, validation and the
 * handler: every reader uses the same bytes. But `json()`, which is the fastest,
 * leaves none. After it, `json()` returns the same value again, and the other readers
 * reject.
 */
export function limitBody(request: Request, access: BodyAccess): void {
  (request as LimitedRequest)[ACCESS] = access;
  request.json = json as Request["json"];
  request.text = text as Request["text"];
  request.bytes = bytes as Request["bytes"];
  request.arrayBuffer = arrayBuffer as Request["arrayBuffer"];
  request.blob = blob as Request["blob"];
  request.formData = formData as Request["formData"];
  request.clone = clone as Request["clone"];
}

/** Replaces the body of a request by that of `source`, which was made from it. */
export function replaceBody(request: Request, source: Request): void {
  Object.defineProperties(request, {
    body: { configurable: true, get: () => source.body },
    bodyUsed: { configurable: true, get: () => source.bodyUsed },
  });
  const limited = request as LimitedRequest;
  // The `Content-Length` of the client is not the length of this stream.
  limited[ACCESS] = { ...limited[ACCESS], framed: false };
}

function json(this: LimitedRequest): Promise<unknown> {
  return readJson(this);
}

async function text(this: LimitedRequest): Promise<string> {
  return new TextDecoder().decode(await bytesOf(this));
}

/** Each caller gets a copy, which it may change. */
async function bytes(this: LimitedRequest): Promise<Bytes> {
  return (await bytesOf(this)).slice();
}

async function arrayBuffer(this: LimitedRequest): Promise<ArrayBuffer> {
  return (await bytesOf(this)).slice().buffer;
}

async function blob(this: LimitedRequest): Promise<Blob> {
  return new Blob([await bytesOf(this)], { type: typeOf(this) });
}

async function formData(this: LimitedRequest): Promise<FormData> {
  const form = readForm(await bytesOf(this), typeOf(this));
  if (form === undefined) throw malformedForm();
  if (form instanceof FormData) return form;
  const data = new FormData();
  for (const [name, value] of form) data.append(name, value);
  return data;
}

function typeOf({ headers }: Request): string {
  return headers.get("content-type") ?? "";
}

/** A clone has a body of its own, read by the same rules. */
function clone(this: LimitedRequest): Request {
  const state = this[STATE];
  // Without a body, nothing is used up, and `new Request` would refuse one for GET.
  const copy =
    (state !== undefined && this.body !== null
      ? copyWith(this, streamOf(this))
      : Object.hasOwn(this, "body")
      ? cloneReplaced(this)
      : Request.prototype.clone.call(this)) as LimitedRequest;
  limitBody(copy, { ...this[ACCESS], framed: false });
  if (state !== undefined) copy[STATE] = { ...state };
  return copy;
}

/** Clones a replaced body, which the native `clone()` does not see. */
function cloneReplaced(request: LimitedRequest): Request {
  const [kept = null, copied = null] = request.body?.tee() ?? [];
  replaceBody(request, copyWith(request, kept));
  return copyWith(request, copied);
}

function copyWith(request: Request, body: ReadableStream | null): Request {
  const { url, method, headers } = request;
  if (isMethod(method)) return new Request(url, { method, headers, body });
  // Clients may send TRACE, which `new Request` refuses, or "post", which it changes.
  const copy = new Request(url, { method: "POST", headers, body });
  return Object.defineProperty(copy, "method", { value: method });
}

/** A stream of a body that was read before. */
function streamOf(request: LimitedRequest): ReadableStream<Bytes> {
  return new ReadableStream({
    async pull(controller) {
      controller.enqueue(await bytesOf(request));
      controller.close();
    },
  }, { highWaterMark: 0 });
}

/** How to read the body of a request. All requests of a route share it. */
export interface BodyAccess {
  /**
   * The rules of the route, or a function that imports the route to find them:
   * middleware may read the body of a route that is not imported yet.
   */
  readonly rules: BodyRules | (() => Promise<BodyRules>);
  /** Whether the server cuts bodies at their `Content-Length`. */
  readonly framed: boolean;
}

/** What was read of a body. Each request has its own, from the first read on. */
export interface BodyState {
  /** Its bytes, unless it was read as JSON alone. */
  bytes?: Promise<Bytes>;
  /** Its value, once it was read as JSON. */
  json?: Promise<unknown>;
  /** Whether it was read as JSON, and has no bytes at all. */
  isEmpty?: boolean;
}

/** Where a request carries how its body is read. */
export const ACCESS: unique symbol = Symbol("body access");
/** Where a request carries what was read of its body. */
export const STATE: unique symbol = Symbol("body state");

/** A request whose body readers keep to the rules. */
export type LimitedRequest = Request & {
  [ACCESS]: BodyAccess;
  [STATE]?: BodyState;
};

/**
 * Finds the rules of a route that is imported by now, so that the first request of a
 * lazy route reads its body like all others.
 */
export async function settleRules(request: Request): Promise<void> {
  const limited = request as LimitedRequest;
  const { rules, framed } = limited[ACCESS];
  if (typeof rules !== "function") return;
  limited[ACCESS] = { rules: await rules(), framed };
}

/** Reads the bytes of a body, which all readers share: do not change them. */
export function bytesOf(request: LimitedRequest): Promise<Bytes> {
  const state = request[STATE] ??= {};
  if (state.bytes !== undefined) return state.bytes;
  if (state.json !== undefined) return Promise.reject(new TypeError(LOST));
  state.bytes = read(request);
  state.bytes.then(undefined, noteReadFailure);
  return state.bytes;
}

const LOST =
  "The body was read as JSON before, and its exact bytes were not kept; to keep them, " +
  "export const config = { rawBody: true } from the route file, or from the middleware file of a folder above it";

/** Reads a body that nobody has read before, and keeps nothing of it. */
export function read(request: LimitedRequest): Promise<Bytes> {
  const { rules, framed } = request[ACCESS];
  return typeof rules === "function"
    ? rules().then((known) => readBody(request, { rules: known, framed }))
    : readBody(request, { rules, framed });
}

/** Whether a body that was read as JSON is empty, which is no JSON. */
export function isEmptyBody(request: Request): boolean {
  return (request as LimitedRequest)[STATE]?.isEmpty === true;
}

/**
 * Takes the text of a JSON body at once, to be parsed by `parseTaken`.
 *
 * @returns The text; `undefined` if the body is still arriving, was read before, or
 * if its bytes are to be kept.
 * @throws {HttpError} 413 or 403.
 */
export function takeJsonText(request: Request): string | undefined {
  const { [STATE]: state, [ACCESS]: { rules, framed } } =
    request as LimitedRequest;
  return state !== undefined || typeof rules === "function" || rules.raw
    ? undefined
    : takeBody(request, { rules, framed });
}

/**
 * Parses the text of a body, and keeps the outcome for `request.json()`.
 *
 * @throws {SyntaxError} If the text is not valid JSON.
 */
export function parseTaken(request: Request, text: string): unknown {
  const state: BodyState = (request as LimitedRequest)[STATE] = {};
  try {
    const value = parseText(text);
    state.json = Promise.resolve(value);
    return value;
  } catch (error) {
    noteReadFailure(error);
    if (text === "") noteEmpty(state);
    state.json = Promise.reject(error);
    state.json.catch(() => {
      // Nobody may ever ask for it.
    });
    throw error;
  }
}

/** Reads a body as JSON; every call returns the same promise. */
export function readJson(request: Request): Promise<unknown> {
  const state = (request as LimitedRequest)[STATE];
  if (state?.json !== undefined) return state.json;
  try {
    const text = takeJsonText(request);
    if (text === undefined) return awaitJson(request as LimitedRequest);
    parseTaken(request, text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) return Promise.reject(error);
  }
  return (request as LimitedRequest)[STATE]!.json!;
}

function awaitJson(request: LimitedRequest): Promise<unknown> {
  const state = request[STATE] ??= {};
  const { bytes: before } = state;
  const { rules } = request[ACCESS];
  const keepsBytes = typeof rules === "function" || rules.raw;
  const reading = before !== undefined || keepsBytes
    ? bytesOf(request)
    : read(request);
  state.json = reading.then((bytes) => {
    if (bytes.length === 0) noteEmpty(state);
    return parseBytes(bytes);
  }, (error) => {
    // Nothing was read as JSON: the other readers reject with the same 413, say.
    state.bytes = reading;
    throw error;
  });
  if (reading !== before && typeof rules === "function") {
    // The bytes were kept only in case that the route asks for them.
    rules().then(({ raw }) => {
      if (!raw) delete state.bytes;
    });
  }
  // Beside what the caller gets, which rejects with the same error.
  state.json.then(undefined, noteReadFailure);
  return state.json;
}

/** The other readers have all there is of an empty body. */
function noteEmpty(state: BodyState): void {
  state.isEmpty = true;
  state.bytes ??= Promise.resolve(new Uint8Array());
}
