import { ifMatch, ifNoneMatch } from "@std/http/etag";
import { BOOLEAN, checkOptions } from "../core/common/forms.ts";
import { formatValue } from "../core/common/values.ts";
import { HttpError } from "../core/errors.ts";
import { isCacheable } from "../core/methods.ts";
import { lenientForm } from "../core/schema/json_schema.ts";
import { Problem } from "../core/schema/problem.ts";
import type {
  ContractedMiddleware,
  Middleware,
} from "../core/types/request.ts";
import type { StandardSchemaV1 } from "../core/types/schema.ts";
import { headerSchema, schemaOf } from "./common.ts";

/**
 * Options of {@linkcode preconditions}, and of {@linkcode assertMatch}.
 *
 * @typeParam Required Whether a change must name a version.
 */
export interface PreconditionOptions<Required extends boolean = boolean> {
  /**
   * Whether a change must name the version that it changes. A request without `*` and
   * without a tag in `If-Match` or `If-None-Match` then gets 428.
   *
   * @default {false}
   */
  readonly required?: Required;
}

/**
 * A contract of {@linkcode preconditions}.
 *
 * @typeParam Covered The methods.
 * @typeParam Headers The request headers.
 * @typeParam Responses The responses by status.
 */
export interface VersionContract<Covered, Headers, Responses> {
  /** The methods that the contract covers. */
  readonly methods: readonly Covered[];
  /** Describes the headers that name versions. */
  readonly headers: StandardSchemaV1<Headers>;
  /** Responses that depend on the version. */
  readonly response: Responses;
}

/** The optional request headers that name versions. */
export interface VersionHeaders {
  /** The tags of the versions, one of which must be the current version. */
  readonly "if-match"?: string | undefined;
  /** The tags of the versions that must not be the current version. */
  readonly "if-none-match"?: string | undefined;
}

/**
 * The headers of a change, at least one of which names a version.
 *
 * @typeParam Required Whether a change must name a version.
 */
export type ChangeHeaders<Required extends boolean> = Required extends true ?
    | VersionHeaders & { readonly "if-match": string }
    | VersionHeaders & { readonly "if-none-match": string }
  : VersionHeaders;

/** A response of {@linkcode preconditions}. */
export interface VersionResponse {
  /** The header `ETag`. */
  readonly headers?: StandardSchemaV1<{ readonly etag?: string }>;
  /** The meaning of the response. */
  readonly description: string;
}

/** The rejection of a request, for {@linkcode preconditions}. */
export interface VersionProblem extends VersionResponse {
  /** The problem. */
  readonly body: typeof Problem;
}

const CHANGES = ["PUT", "PATCH", "DELETE"] as const;

/**
 * Declares that the resources of a folder have an `ETag`. The contract adds
 * `If-None-Match` and 304 to `GET` and `QUERY`, `If-Match` and 428 to changes (`PUT`,
 * `PATCH` and `DELETE`), and 412 and 431 to both. The handlers compare the tags with
 * {@linkcode notModified} and {@linkcode assertMatch}. A middleware cannot compare tags:
 * the version that it reads may change before the handler writes.
 *
 * @typeParam Required Whether each change must name a version.
 * @param options Whether each change must name a version.
 * @returns The middleware, for a `middleware.ts` or the `middleware` of a route file.
 * @throws {TypeError} If an option is unknown or invalid.
 *
 * @example Usage
 * ```ts
 * // api/notes/middleware.ts
 * import { preconditions } from "@bough/framework/protect";
 *
 * export default preconditions({ required: true });
 * ```
 */
export function preconditions<const Required extends boolean = false>(
  options: PreconditionOptions<Required> = {},
): ContractedMiddleware<
  readonly [
    VersionContract<
      "GET" | "QUERY",
      Pick<VersionHeaders, "if-none-match">,
      & { readonly 304: VersionResponse }
      & { readonly [Status in 412 | 431]: VersionProblem }
    >,
    VersionContract<
      "PUT" | "PATCH" | "DELETE",
      ChangeHeaders<Required>,
      {
        readonly [
          Status in Required extends true ? 412 | 428 | 431 : 412 | 431
        ]: VersionProblem;
      }
    >,
  ]
> {
  checkOptions("declare preconditions", options, { required: BOOLEAN });
  const { required = false } = options;
  const declare: Middleware = (request, next) => {
    // If no handler responds, Bough does not check the contract.
    const isHandled = request.validated.headers !== undefined;
    if (
      required && isHandled && CHANGES.some((each) => each === request.method)
    ) {
      requireCondition(request);
    }
    return next();
  };
  const headers = headerSchema({ etag: "The tag of the current version" }, []);
  const rejections = {
    412: {
      body: Problem,
      headers,
      description: "The version does not match",
    },
    431: { body: Problem, description: "A list of tags is too long" },
  };
  const reads = {
    methods: ["GET", "QUERY"],
    headers: headerSchema({
      "if-none-match": "The tags of the versions that the client has",
    }, []),
    response: {
      304: { headers, description: "The client has the current version" },
      ...rejections,
    },
  } as const;
  const missing = {
    428: { body: Problem, description: "The request names no version" },
  };
  const conditions = headerSchema({
    "if-match":
      'The tag of the version to change, such as `"7"`, or `*` for any version',
    "if-none-match": "`*`, to create a resource that must not exist yet",
  }, []);
  const changes = {
    methods: CHANGES,
    headers: (required ? oneOf(conditions) : conditions) as StandardSchemaV1<
      ChangeHeaders<Required>
    >,
    response: { ...rejections, ...(required ? missing : {}) as typeof missing },
  };
  return Object.assign(declare, { contracts: [reads, changes] as const });
}

/**
 * Requires one of the headers in the JSON Schema. The schema itself accepts requests
 * without these headers, since they get 428 instead of 400.
 */
function oneOf(headers: StandardSchemaV1): StandardSchemaV1 {
  const form = lenientForm(headers, "input")!;
  const names = Object.keys(form.properties as object);
  const properties = Object.fromEntries(names.map((name) => [name, false]));
  return schemaOf<unknown>(
    { ...form, not: { properties } },
    (value) => ({ value }),
  );
}

/**
 * Checks that a request concerns the current version of a resource (RFC 9110, 13.2.2).
 * `If-Match` must list the tag of this version, and `If-None-Match` must not.
 *
 * Call this function where no other request can change the resource before the handler
 * writes: in the same transaction, or without an `await` in between.
 *
 * @param request The request.
 * @param etag The tag of the current version, such as `"7"` with its quotation marks;
 * `undefined` if the resource does not exist yet. `If-Match` compares strong tags only,
 * so a weak tag such as `W/"7"` matches only `If-Match: *`.
 * @param options Whether the request must name a version.
 * @throws {HttpError} 412 if the version is another one, with the `ETag` of the current
 * version. 428 if the request must name a version, but does not. 431 if a list of tags
 * is longer than 2,000 characters.
 * @throws {TypeError} If `etag` is not a tag, or contains a comma.
 *
 * @example Usage
 * ```ts
 * import { type FrameworkRequest, HttpError } from "@bough/framework";
 * import { assertMatch } from "@bough/framework/protect";
 *
 * const notes = new Map([["todo", { text: "milk", version: 1 }]]);
 *
 * export async function PUT(
 *   request: FrameworkRequest<"/notes/[name]">,
 * ): Promise<Response> {
 *   const text = await request.text();
 *   const note = notes.get(request.params.name);
 *   if (note === undefined) throw new HttpError(404);
 *   // Nothing is awaited between this check and the change.
 *   assertMatch(request, `"${note.version}"`, { required: true });
 *   notes.set(request.params.name, { text, version: note.version + 1 });
 *   return new Response(null, { status: 204 });
 * }
 * ```
 */
export function assertMatch(
  request: Request,
  etag: string | undefined,
  { required = false }: PreconditionOptions = {},
): void {
  if (required) requireCondition(request);
  if (isListed(request, etag)) throw changed(etag);
}

/**
 * Responds with 304 to a `GET`, `HEAD` or `QUERY` whose `If-None-Match` lists the current
 * version, so that the client uses its copy.
 *
 * @param request The request.
 * @param etag The tag of the current version, strong or weak, with its quotation marks.
 * @param headers Further headers that the response with 200 would have, such as
 * `Cache-Control` and `Vary` (RFC 9110, 15.4.5).
 * @returns The response; `undefined` if the client needs the current version.
 * @throws {HttpError} 412 if `If-Match` does not list the tag. 431 if a list of tags is
 * longer than 2,000 characters.
 * @throws {TypeError} If `etag` is not a tag, or contains a comma.
 *
 * @example Usage
 * ```ts
 * import type { FrameworkRequest } from "@bough/framework";
 * import { notModified } from "@bough/framework/protect";
 *
 * const note = { text: "milk", version: 1 };
 *
 * export function GET(request: FrameworkRequest): Response {
 *   const headers = { etag: `"${note.version}"`, "cache-control": "no-cache" };
 *   return notModified(request, headers.etag, headers) ??
 *     Response.json(note, { headers });
 * }
 * ```
 */
export function notModified(
  request: Request,
  etag: string,
  headers: HeadersInit = {},
): Response | undefined {
  if (!isCacheable(request.method) || !isListed(request, etag)) {
    return undefined;
  }
  const response = new Response(null, { status: 304, headers });
  response.headers.set("etag", etag);
  return response;
}

/** `@std/http` reads a list of tags in quadratic time. */
const LONGEST_LIST = 2_000;

/**
 * A tag (RFC 9110, 8.8.3) without a comma, since `@std/http` splits lists at each comma.
 */
const TAG = /^(?:W\/)?"[!#-+\--~\x80-\xff]*"$/;

/** Matches a condition that names a version: `*`, or a list with a tag. */
const VERSION = /^\*$|"[!#-~\x80-\xff]*"/;

/**
 * Whether `If-None-Match` lists a version, by weak comparison.
 *
 * @throws {HttpError} 412 if `If-Match` does not list the version, by strong comparison.
 */
function isListed({ headers }: Request, etag: string | undefined): boolean {
  if (etag !== undefined && !TAG.test(etag)) {
    throw new TypeError(
      `Cannot compare the ETag ${
        formatValue(etag)
      }: it must be a string in quotation marks without a comma, such as '"7"'`,
    );
  }
  const listOf = (name: string) => {
    const list = headers.get(name);
    if (list === null || list.length <= LONGEST_LIST) return list;
    throw new HttpError(
      431,
      `${name} has more than ${LONGEST_LIST} characters`,
    );
  };
  const match = listOf("if-match");
  // `*` is any version. `ifMatch()` rejects `*` if the tag is weak.
  const isMatch = match === null ||
    (match === "*" ? etag !== undefined : ifMatch(match, etag));
  if (!isMatch) throw changed(etag);
  return !ifNoneMatch(listOf("if-none-match"), etag);
}

/** @throws {HttpError} 428 (RFC 6585, 3). */
function requireCondition({ headers }: Request): void {
  const names = ["if-match", "if-none-match"];
  if (names.some((name) => VERSION.test(headers.get(name) ?? ""))) return;
  throw new HttpError(
    428,
    "Send If-Match with the ETag of your version, or If-None-Match: * to create",
  );
}

function changed(etag: string | undefined): HttpError {
  return new HttpError(
    412,
    "The version does not match; get the current version",
    etag === undefined ? {} : { headers: { etag } },
  );
}
