import { isObject } from "../../core/common/values.ts";
import type { Captures } from "../../shared/wire.ts";
import { SCHEMA_PARTS } from "../../core/schema/check_request.ts";
import { isReached, type Operation, pathOf, schemasFor } from "../operation.ts";
import type { RequestPlan, Strings } from "../plan.ts";
import {
  checkPart,
  formsOf,
  refusedIn,
  refusedMembers,
  streamedBody,
} from "../../shared/schemas.ts";
import { LARGE_FILE } from "../../shared/values/files.ts";
import {
  areHeaders,
  bodyOf,
  cookieHeader,
  cookiesIn,
  filesOf,
  isCarried,
  readFiles,
} from "../../shared/wire.ts";

/** The parts of a request to an operation, in the form that the schemas receive. */
export interface Input extends Captures {
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Strings;
  readonly cookies: Strings;
  /** The value of the body, if the operation has one. */
  readonly body?: unknown;
  /** The media type of the body; JSON by default. */
  readonly type?: string;
}

/** The input of a path without other values. */
export function pathInput({ params, wildcard }: Captures): Input {
  return { params, wildcard, query: {}, headers: {}, cookies: {} };
}

/** An input with the identifiers of created resources in its path. */
export function inputAt(input: Input, { params, wildcard }: Captures): Input {
  return {
    ...input,
    params: { ...input.params, ...params },
    wildcard: wildcard.length > 0 ? wildcard : input.wildcard,
  };
}

/** The request of an input. A valid idempotency key is replaced by a new one. */
export function planOf(operation: Operation, input: Input): RequestPlan {
  // Values other than files are sent as JSON, which a streamed body never is.
  const type = streamedBody(operation) && input.type?.startsWith("text/")
    ? undefined
    : input.type;
  const body = operation.hasBody ? bodyOf(input.body, type) : undefined;
  const headers: Strings = {
    // For a required version, `*` names any version.
    ...(operation.responses.has(428) && { [VERSION]: "*" }),
    ...withNewKey(operation, input.headers),
    ...(body && { "content-type": body.type }),
  };
  return {
    method: operation.method,
    target: pathOf(operation.route, input) + searchOf(input.query),
    headers,
    ...(Object.keys(input.cookies).length > 0 && { cookies: input.cookies }),
    ...(headers[VERSION] !== undefined && { hasVersion: true }),
    ...(operation.as && { as: operation.as.name }),
    ...(body && { body: body.text }),
    ...(body?.isBinary && { isBinary: true }),
  };
}

/** The header that names the version of a resource. */
export const VERSION = "if-match";

/** The header that the application may remember, with the response to its request. */
export const KEY = "idempotency-key";

/**
 * Replaces a valid key. Otherwise, the application might repeat the response to an
 * earlier input with this key, such as 201 to a body that became invalid.
 */
function withNewKey({ schema }: Operation, headers: Strings): Strings {
  if (headers[KEY] === undefined) return headers;
  const renewed = { ...headers, [KEY]: crypto.randomUUID() };
  const accepts = (headers: Strings) =>
    schema.parts.headers.every(({ value }) =>
      refusedMembers(value, headers)?.includes(KEY) === false
    );
  return accepts(headers) && accepts(renewed) ? renewed : headers;
}

function searchOf(query: Input["query"]): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) =>
      `${encodeURIComponent(name)}=${encodeURIComponent(String(each))}`
    )
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** Whether HTTP can carry an input unchanged to its operation. */
export function isSendable(operation: Operation, input: Input): boolean {
  return isCarried(input) && isReached(operation, input) &&
    areHeaders(input.headers) &&
    Object.keys(input.cookies).every((name) => areHeaders({ [name]: "a" }));
}

/**
 * Whether an input can be sent, and its schemas accept the input. If a schema throws, the
 * input also counts as valid, since the application must respond to the request.
 */
export async function isValid(
  operation: Operation,
  input: Input,
): Promise<boolean> {
  return isSendable(operation, input) &&
    ((await refusedPlaces(operation, input))?.size ?? 0) === 0;
}

/**
 * The places of an input that its schemas reject, such as `body#/title`; `undefined` if
 * the only error is a schema that throws.
 */
export async function refusedPlaces(
  operation: Operation,
  input: Input,
): Promise<Set<string> | undefined> {
  await readFiles(input.body);
  const all: (readonly string[] | undefined)[] = [];
  const own = operation.as?.headers.cookie;
  const cookies = cookiesIn(cookieHeader(input.cookies, own));
  const sent = { ...input, cookies };
  for (const part of SCHEMA_PARTS) {
    if (part === "body" && !operation.hasBody) continue;
    all.push(
      part === "headers"
        ? await refusedHeaders(operation, () => planOf(operation, input))
        : await refusedIn(part, schemasFor(operation, part, input), sent),
    );
  }
  const places = new Set(all.flatMap((each) => each ?? []));
  return places.size === 0 && all.includes(undefined) ? undefined : places;
}

/** Like {@linkcode refusedPlaces}, for the headers that a request has when it arrives. */
export async function refusedHeaders(
  { schema: { parts }, as }: Operation,
  makePlan: () => RequestPlan,
): Promise<string[] | undefined> {
  if (parts.headers.length === 0) return [];
  const { headers: own } = makePlan();
  const type = own["content-type"];
  const headers = {
    ...own,
    ...as?.headers,
    ...(type !== undefined && { "content-type": type }),
  };
  return await refusedIn("headers", parts.headers, { headers });
}

/** The body as its handler receives it, as JSON. */
export async function validatedBody(
  operation: Operation,
  input: Input,
): Promise<unknown> {
  if (!operation.hasBody) return undefined;
  const values: unknown[] = [];
  for (const schema of schemasFor(operation, "body", input)) {
    const result = await checkPart("body", schema, input);
    if (result !== undefined && "value" in result) values.push(result.value);
  }
  const isMerged = values.length !== 1 && values.every(isObject);
  const body = isMerged ? Object.assign({}, ...values) : values.at(-1);
  try {
    return JSON.parse(JSON.stringify(body));
  } catch {
    return undefined; // such as a bigint
  }
}

/** The members of a body, or of the only object in it: `{ "user": { … } }`. */
export function unwrapBody(body: unknown): {
  readonly members: Readonly<Record<string, unknown>>;
  readonly envelope: readonly string[];
} {
  const members = isObject(body) ? body : {};
  const [[name, inner] = [], ...others] = Object.entries(members);
  const isEnvelope = isObject(inner) && !(inner instanceof File);
  return isEnvelope && others.length === 0
    ? { members: inner, envelope: [name!] }
    : { members, envelope: [] };
}

/** Whether a change makes an input large, which then should be sent once. */
export function becomesLarge(before: Input, after: Input): boolean {
  const isLarge = ({ body }: Input) =>
    filesOf(body).some(({ size }) => size > LARGE_FILE);
  return isLarge(after) && !isLarge(before);
}

export function isTooLarge(
  operation: Operation,
  { body = "", isBinary }: RequestPlan,
): boolean {
  // The limits of a streamed body are in its schema.
  if (streamedBody(operation) !== undefined) return false;
  const { length } = isBinary ? body : new TextEncoder().encode(body);
  return length > operation.route.bodyLimit;
}

/**
 * Whether the largest string or file of a body is within a length that its schema declares,
 * so that the limit of the body contradicts the schema.
 */
export function isDeclaredLength(
  operation: Operation,
  { body }: Input,
): boolean {
  const sizeOf = ([, value]: [string, unknown]) =>
    value instanceof File ? value.size : String(value).length;
  const [[largest] = [""]] = Object.entries(unwrapBody(body).members)
    .sort((a, b) => sizeOf(b) - sizeOf(a));
  return hasDeclaredLength(operation, largest);
}

/** Whether the schema of a body, or of its envelope, declares the length of a member. */
export function hasDeclaredLength(
  { schema: { parts } }: Operation,
  name: string,
): boolean {
  return parts.body.flatMap(({ value }) => formsOf(value, name))
    .some(({ maxLength }) => maxLength !== undefined);
}
