import { resultWithin } from "../../core/common/deadline.ts";
import { isJson, mediaType } from "../../core/common/media_type.ts";
import type { ValidationIssue } from "../../plumbing.ts";
import { workOf } from "../../core/request/record.ts";
import { refusedIssues } from "../../core/operation/error_format.ts";
import { BODYLESS } from "../../core/common/response.ts";
import type { ResolvedTestOptions, TestedApplication } from "../options.ts";
import { LOCAL_ORIGIN, requestOf, type RequestPlan } from "../plan.ts";
import {
  createEventParser,
  type ParsedEvent,
} from "../../shared/event_parser.ts";
import { listen } from "../../shared/process_watch.ts";
import { type ExchangeError, LiveConnection } from "./live.ts";
import type { Patience } from "../patience.ts";

/** A request, and what its client saw of the response. */
export interface Exchange {
  readonly plan: RequestPlan;
  /** The status; `undefined` if no response arrived in time. */
  readonly status: number | undefined;
  readonly headers: Headers;
  /** The whole body; `undefined` if there is none, or if only a part was read. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  /** Whether reading stopped before the end of the body, as for an event stream. */
  readonly isCut: boolean;
  /** The first events of an event stream. */
  readonly stream: string;
  readonly errors: readonly ExchangeError[];
  /**
   * The issues of an invalid request, if the application in this process responded in
   * an error format.
   */
  readonly issues?: readonly ValidationIssue[] | undefined;
  /** The stream or the socket, if the plan is `live`. */
  readonly connection?: LiveConnection;
}

/** The maximum number of bytes to read from a body. */
const MAX_BODY = 10 * 1024 * 1024;

/** The maximum number of bytes to read from an event stream. */
const MAX_STREAM = 64 * 1024;

/** Milliseconds to wait for the whole body. */
const BODY_TIME = 1_000;

/** Milliseconds to wait for the cancellation of a stream. */
const CANCEL_TIME = 100;

const NO_RESPONSE = {
  status: undefined,
  headers: new Headers(),
  body: undefined,
  isCut: false,
  stream: "",
};

/**
 * Sends a request, reads its response, and waits for the work of `waitUntil()`. If the
 * work does not end in time, the result counts as a missing response.
 *
 * @param timeout Milliseconds for the response, and again for the work.
 * @param patience How long to read a stream of events; not at all by default.
 * @param isLocal Whether the application runs in this process, and so logs here.
 */
export async function exchangeOf(
  plan: RequestPlan,
  send: () => Response | Promise<Response>,
  { request, timeout, patience, isLocal }: {
    readonly request: Request;
    readonly timeout: number;
    readonly patience?: Patience | undefined;
    readonly isLocal: boolean;
  },
): Promise<Exchange> {
  const errors: ExchangeError[] = [];
  using _ = isLocal ? listen((error) => errors.push(error)) : undefined;
  const missing = (kind: "timeout" | "missing", text: string): Exchange => {
    errors.push({ kind, text });
    return { ...NO_RESPONSE, plan, errors };
  };
  const end = `within ${timeout / 1000} s`;
  try {
    const response = await resultWithin(Promise.resolve(send()), timeout);
    if (response === undefined) return missing("timeout", `no response ${end}`);
    const read = await readResponse(response, patience);
    errors.push(...read.errors);
    const work = workOf(request).then(() => true);
    if (!await resultWithin(work, timeout)) {
      return missing("timeout", `the work of waitUntil() did not end ${end}`);
    }
    return { ...read, plan, errors };
  } catch (error) {
    return missing("missing", `no response: ${error}`);
  } finally {
    // Deno reports an unhandled rejection in the next turn of the event loop.
    if (isLocal) await new Promise<void>((go) => setImmediate(go));
  }
}

/**
 * Reads a response, but only the beginning of a stream of events.
 *
 * @param patience How long to wait for events; not at all by default.
 */
export async function readResponse(
  response: Response,
  patience?: Patience,
): Promise<Omit<Exchange, "plan">> {
  const { status, headers } = response;
  const base = { ...NO_RESPONSE, status, headers, errors: [] };
  if (response.body === null) return base;
  const reader = response.body.getReader();
  const isStream =
    mediaType(headers.get("content-type")) === "text/event-stream";
  try {
    if (isStream) {
      const read = patience && await readEvents(reader, patience);
      return { ...base, isCut: true, ...read };
    }
    const body = await readWhole(reader);
    return { ...base, body, isCut: body === undefined };
  } finally {
    await resultWithin(reader.cancel().catch(() => {}), CANCEL_TIME);
    // Waits for the error that a generator of events may log when it ends.
    if (patience && isStream) {
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
}

/** Reads a body; `undefined` if it is too large or takes too long. */
async function readWhole(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const end = performance.now() + BODY_TIME;
  // A steady flow of chunks would delay a single timer.
  for (let size = 0, rest = BODY_TIME; size < MAX_BODY && rest > 0;) {
    const chunk = await resultWithin(reader.read(), rest);
    if (chunk === undefined) return undefined;
    if (chunk.done) {
      // A `Blob` takes ten times as long as a copy.
      return chunks.length === 1
        ? chunks[0]!.slice()
        : await new Blob(chunks).bytes();
    }
    chunks.push(chunk.value);
    size += chunk.value.length;
    rest = end - performance.now();
  }
  return undefined;
}

/** Reads the events that arrive before the patience is exhausted. */
async function readEvents(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  patience: Patience,
): Promise<Pick<Exchange, "stream" | "errors">> {
  const decoder = new TextDecoder();
  const parser = createEventParser();
  let stream = "";
  let count = 0;
  const errors: ExchangeError[] = [];
  const read = async () => {
    for (let size = 0; size < MAX_STREAM;) {
      const { done, value } = await reader.read();
      if (done) return;
      size += value.length;
      stream += decoder.decode(value, { stream: true });
      count += parser.read(value).length;
    }
  };
  read().catch((error) => {
    const text = `the stream of events failed: ${error}`;
    errors.push({ kind: "stream", text });
  }).finally(() => count = Infinity);
  await patience.wait(() => count);
  return { stream, errors };
}

export function responseOf(
  { status, headers, body, isCut }: Exchange,
): Response {
  const isBodyless = status === undefined || BODYLESS.has(status);
  return new Response(isBodyless ? null : body ?? (isCut ? "" : null), {
    status: status === 101 ? 200 : status ?? 500,
    headers,
  });
}

/** The JSON of a response; `undefined` if its body is not JSON. */
export function jsonOf({ headers, body }: Exchange): unknown {
  const type = mediaType(headers.get("content-type"));
  if (body === undefined || !isJson(type)) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** The complete events at the beginning of an event stream. */
export function eventsOf(text: string): ParsedEvent[] {
  return createEventParser().read(new TextEncoder().encode(text));
}

/** Creates an application. */
export type MakeApplication = () =>
  | TestedApplication
  | Promise<TestedApplication>;

/** The recipient of requests: an application in this process, or a server. */
export class Target {
  readonly #make: MakeApplication;
  readonly #options: ResolvedTestOptions;
  #isUsed = false;
  /** The current application; a reset replaces it. */
  application!: TestedApplication;
  isResettable = false;

  private constructor(make: MakeApplication, options: ResolvedTestOptions) {
    this.#make = make;
    this.#options = options;
  }

  static async create(
    make: MakeApplication,
    options: ResolvedTestOptions,
  ): Promise<Target> {
    const { reset, url } = options;
    await reset?.();
    const target = new Target(make, options);
    target.application = await make();
    // A function that returns the same application cannot reset its data.
    const isSame = reset === undefined && await make() === target.application;
    target.isResettable = url === undefined && !isSame;
    return target;
  }

  get origin(): string {
    return this.#options.url ?? LOCAL_ORIGIN;
  }

  /** Resets the application, if possible and necessary; returns whether it did so. */
  async reset(): Promise<boolean> {
    if (!this.#isUsed || !this.isResettable) return false;
    await this.#options.reset?.();
    this.application = await this.#make();
    this.#isUsed = false;
    return true;
  }

  /** Responds to the request of a log-in, which is not tested. */
  readonly fetch = async (request: Request): Promise<Response> => {
    this.#isUsed = true;
    const { pathname, search } = new URL(request.url);
    return this.#options.url === undefined
      ? await this.application.fetch(request)
      : await fetch(new Request(this.origin + pathname + search, request));
  };

  /**
   * Sends a request, and reads its response; see {@linkcode exchangeOf}. If the plan is
   * `live`, the caller must dispose the connection.
   */
  async send(plan: RequestPlan, patience?: Patience): Promise<Exchange> {
    this.#isUsed = true;
    const aborter = new AbortController();
    const { signal } = aborter;
    const { url, responseTimeout: timeout } = this.#options;
    const isLocal = url === undefined;
    const request = requestOf(plan, { origin: this.origin, signal });
    if (plan.live !== undefined) {
      const connection = await LiveConnection.open(request, {
        messages: plan.messages,
        respond: isLocal ? this.application.fetch : undefined,
        timeout,
      });
      const { status, errors } = connection;
      return { ...NO_RESPONSE, plan, errors, status, connection };
    }
    const exchange = await exchangeOf(
      plan,
      () => isLocal ? this.application.fetch(request) : fetch(request),
      { request, timeout, patience, isLocal },
    );
    if (exchange.status === undefined) aborter.abort();
    return { ...exchange, issues: refusedIssues(request) };
  }
}
