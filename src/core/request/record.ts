import { rawPathOf } from "../routing/pathname.ts";
import type { Match } from "../routing/tree.ts";
import type { FrameworkRequest, MiddlewareRequest } from "../types/request.ts";
import type { ContentType } from "../common/media_type.ts";
import { log, type RequestPlace } from "../common/log.ts";
import { isThenable, kindOf } from "../common/values.ts";
import type { OpenConnections } from "./connections.ts";
import type { BodyRules, Operation, Timing } from "./application.ts";

/** The request and its operation, for the log. */
export function requestPlace(
  request: Request,
  operation: Pick<Operation, "pattern" | "file"> | undefined = recordOf(request)
    ?.operation,
): RequestPlace {
  const { pattern, file } = operation ?? {};
  const to = recordOf(request)?.rewrittenPath;
  const rewrite = to === undefined ? {} : {
    rewrite: { from: rawPathOf(request.url), to },
  };
  return { method: request.method, pattern, file, ...rewrite };
}

/**
 * A whole body. A text stands for its bytes in UTF-8, since Deno gives the text of a body
 * that has arrived sooner than its bytes. The text has no byte order mark.
 */
export type BodyContent = string | Uint8Array<ArrayBuffer>;

/** The rules for reading the body of a request, and what was read. */
export class BodyReading {
  rules: BodyRules;
  /** The type of the body; `undefined` before it is needed. */
  type: ContentType | undefined;
  /**
   * The `Content-Length` to which the server limits the body; `undefined` before it is
   * needed. A body of an allowed length is read natively. If the length is -1, Bough
   * counts the bytes as they arrive.
   */
  length: number | undefined;
  /** The content, or its arrival; `undefined` before a reader needs it. */
  content: BodyContent | Promise<BodyContent> | undefined;

  constructor(rules: BodyRules) {
    this.rules = rules;
  }
}

/** Bough's data about one request, in a property of the request. */
export class RequestRecord {
  /** The operation that handles the request, once it is known. */
  operation: Operation | undefined;
  /** Whether the handler of the operation was called. */
  isHandled = false;
  /** The path that the option `rewrite` returned. */
  rewrittenPath: string | undefined;
  /** Whether the request is for a known route, so that `rewrite` does not apply. */
  isRouted = false;
  /** The open connections of the application whose server received the request. */
  connections: OpenConnections | undefined;
  /** The state of the body, if the request may have one and the rules are known. */
  body: BodyReading | undefined;
  /** The values of the request, with each `RequestState` as a key. */
  values: Map<object, unknown> | undefined;
  /** Whether nothing was awaited since the request arrived. */
  isFresh = true;
  /** Ends the socket if the upgrade response is not sent. */
  onBrokenUpgrade: (() => void) | undefined;
  /** The times of the steps, for the header `Server-Timing`. */
  timing: Timing | undefined;
}

const RECORD = Symbol("bough request");

type RecordedRequest = Request & { [RECORD]?: RequestRecord };

/** Returns the record of a request, if Bough or `RequestState` has created one. */
export function recordOf(request: Request): RequestRecord | undefined {
  return (request as RecordedRequest)[RECORD];
}

/** The URL whose path is matched: the rewritten one, or the one that was sent. */
export function routedUrl(request: Request): string {
  const path = recordOf(request)?.rewrittenPath;
  // `URL` escapes characters that a sent path cannot contain, such as a NUL.
  return path === undefined
    ? request.url
    : new URL(`http://rewritten${path}`).href;
}

/** Records that the body of a request was read to its end, or that reading has failed. */
export function endReading(request: Request): void {
  const record = recordOf(request)!;
  record.connections?.endReading(record);
}

/** Returns the record of a request, and creates it if necessary. */
export function ensureRecord(request: Request): RequestRecord {
  return (request as RecordedRequest)[RECORD] ??= new RequestRecord();
}

/**
 * A typed value that middleware sets on a request, for handlers and inner middleware to
 * read. Each request has its own value.
 *
 * @typeParam Value The type of the value.
 *
 * @example Usage
 * ```ts
 * import {
 *   type FrameworkRequest,
 *   type Middleware,
 *   RequestState,
 * } from "@bough/framework";
 *
 * // user.ts
 * const currentUser = new RequestState<{ name: string }>("current user");
 *
 * // middleware.ts
 * const authenticate: Middleware = (request, next) => {
 *   currentUser.set(request, { name: "Ada" });
 *   return next();
 * };
 *
 * // route.ts
 * function GET(request: FrameworkRequest): Response {
 *   return new Response(currentUser.get(request).name);
 * }
 * ```
 */
export class RequestState<Value> {
  /** The name of the value in error messages. */
  readonly name: string;

  /**
   * Declares a value that requests may carry.
   *
   * @param name The name of the value in error messages, such as `"current user"`.
   */
  constructor(name: string) {
    this.name = name;
  }

  /**
   * Sets the value of a request.
   *
   * @param request The request.
   * @param value The value, which replaces an earlier value.
   */
  set(request: Request, value: Value): void {
    const record = ensureRecord(request);
    (record.values ??= new Map()).set(this, value);
  }

  /**
   * Returns the value of a request; throws an error if the request has no value.
   *
   * @param request The request.
   * @returns The value.
   * @throws {Error} If the request has no value.
   */
  get(request: Request): Value {
    const values = recordOf(request)?.values;
    if (values?.has(this)) return values.get(this) as Value;
    throw new Error(
      `The request has no "${this.name}"; set it in middleware, or call find()`,
    );
  }

  /**
   * Returns the value of a request, if it was set.
   *
   * @param request The request.
   * @returns The value, or `undefined`.
   */
  find(request: Request): Value | undefined {
    return recordOf(request)?.values?.get(this) as Value | undefined;
  }
}

const NOTHING_VALIDATED = Object.freeze({});

/**
 * The default `info` of a request. The address is the unspecified address (RFC 1122,
 * 3.2.1.3), which no client has. A guard that allows only `127.0.0.1` therefore rejects
 * the request if `Deno.serve((request) => app.fetch(request))` omits `info`.
 */
export const NO_CONNECTION: Deno.ServeHandlerInfo<Deno.Addr> = Object.freeze({
  remoteAddr: Object.freeze({ transport: "tcp", hostname: "0.0.0.0", port: 0 }),
  completed: Promise.resolve(),
});

/** A request whose members are being set. */
type Binding<Bound> = { -readonly [Name in keyof Bound]: Bound[Name] };

/**
 * Turns a request into a {@linkcode FrameworkRequest}. Sets the members on the request
 * itself, since a wrapper would require a copy and break
 * `Deno.upgradeWebSocket(request)`.
 *
 * @param match The values captured from the path; `undefined` if no route matches.
 * @param options The operation of the request, and the `info` from the server.
 */
export function bindRequest(
  request: Request,
  match: Pick<Match, "params" | "wildcardParams"> | undefined,
  { operation, info }: {
    readonly operation: Operation;
    readonly info: unknown;
  },
): RequestRecord {
  const bound = request as Binding<MiddlewareRequest>;
  bound.params = match === undefined ? Object.create(null) : match.params;
  bound.validated = NOTHING_VALIDATED as FrameworkRequest["validated"];
  bound.pattern = match === undefined ? undefined : operation.pattern;
  // Another member takes 15 ns, so requests omit `security` if it is undefined.
  if ((operation.security ?? bound.security) !== undefined) {
    bound.security = operation.security;
  }
  bound.waitUntil = waitUntil;
  bound.info = (info as MiddlewareRequest["info"] | undefined) ?? bound.info ??
    NO_CONNECTION;
  setWildcardParams(bound, match?.wildcardParams);
  const record = ensureRecord(request);
  record.operation = operation;
  record.isHandled = false;
  record.connections ??= operation.application.connections;
  return record;
}

/** The member `waitUntil` of a request. */
function waitUntil(this: Request, promise: PromiseLike<unknown>): void {
  if (!isThenable(promise)) {
    throw new TypeError(
      `waitUntil() received ${
        kindOf(promise)
      }, which is not a promise; call the function, as in request.waitUntil(send())`,
    );
  }
  const place = requestPlace(this);
  const { connections } = recordOf(this)!;
  const running = (this as WorkingRequest)[WORK] ??= new Set();
  const work = Promise.resolve(promise).then(undefined, (error) => {
    const message = "a promise of waitUntil() was rejected";
    log({ level: "error", place, message, error });
  }).then(() => {
    running.delete(work);
    connections!.endWork(work);
  });
  running.add(work);
  connections!.beginWork(work, place);
}

/**
 * The key of a request's running work, for which contract tests wait. All copies of this
 * package share the key, since the tested application may use another copy.
 */
const WORK = Symbol.for("@bough/framework work");

type WorkingRequest = Request & { [WORK]?: Set<Promise<void>> };

/**
 * Waits for the work that handlers and middleware passed to `request.waitUntil()`, for
 * tests of an application without a server.
 *
 * @param request The request that was passed to `app.fetch()`.
 * @returns A promise that resolves when all work of the request has ended, including
 * the work that it added. Bough logs failures of the work.
 *
 * @example Usage
 * ```ts
 * import { Framework, type FrameworkRequest } from "@bough/framework";
 * import { workOf } from "@bough/framework/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const mails: string[] = [];
 * const send = async (to: string) => void mails.push(await Promise.resolve(to));
 * const POST = (request: FrameworkRequest) => {
 *   request.waitUntil(send("ada@example.com"));
 *   return new Response(null, { status: 202 });
 * };
 * const app = new Framework({ manifest: { "mails/route.ts": { POST } } });
 *
 * const request = new Request("http://localhost/api/mails", { method: "POST" });
 * await app.fetch(request);
 * await workOf(request);
 * assertEquals(mails, ["ada@example.com"]);
 * ```
 */
export async function workOf(request: Request): Promise<void> {
  const running = (request as WorkingRequest)[WORK];
  while (running?.size) await Promise.all(running);
}

function setWildcardParams(
  bound: Partial<Binding<MiddlewareRequest>>,
  wildcardParams: MiddlewareRequest["wildcardParams"] | undefined,
): void {
  if (wildcardParams !== undefined) bound.wildcardParams = wildcardParams;
  else if (bound.wildcardParams !== undefined) delete bound.wildcardParams;
}

/**
 * Lets another application bind a request. Guards, handlers and errors of the first
 * application may still need its members.
 *
 * @returns A function that gives the request its members back.
 */
export function unbindRequest(request: Request): () => void {
  const record = recordOf(request)!;
  const { operation, isHandled, rewrittenPath, body } = record;
  const rules = body?.rules;
  const { params, validated, pattern, security, wildcardParams } =
    request as MiddlewareRequest;
  record.operation = record.rewrittenPath = undefined;
  return () => {
    Object.assign(record, { operation, isHandled, rewrittenPath });
    if (rules !== undefined) record.body!.rules = rules;
    Object.assign(request, { params, validated, pattern, security });
    setWildcardParams(request as Binding<MiddlewareRequest>, wildcardParams);
  };
}
