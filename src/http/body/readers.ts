import { isMethod } from "../../method.ts";
import {
  ACCESS,
  type BodyAccess,
  bytesOf,
  type LimitedRequest,
  STATE,
} from "./body_state.ts";
import { malformedForm } from "./client_fault.ts";
import { readForm } from "./form.ts";
import { readJson } from "./json.ts";
import type { Bytes } from "./read.ts";

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
