import {
  isInRange,
  isJson,
  MULTIPART,
  OCTET_STREAM,
} from "../../core/common/media_type.ts";
import { SCHEMA_PARTS } from "../../core/schema/check_request.ts";
import { declaredTypes, invalidStatus, type Operation } from "../operation.ts";
import type { RequestPlan } from "../plan.ts";
import { streamedBody } from "../../shared/schemas.ts";
import { JSON_TYPE, seenBody } from "../../shared/wire.ts";
import {
  becomesLarge,
  type Input,
  isSendable,
  isTooLarge,
  planOf,
  refusedHeaders,
  refusedPlaces,
} from "./input.ts";
import { type InputEdit, inputValues } from "./parts.ts";

/** A request that violates the contract, and the expected rejection. */
export interface Refusal {
  readonly plan: RequestPlan;
  readonly status: number;
  /** The response must name one of these places, such as `body#/title`. */
  readonly places: ReadonlySet<string>;
  /** Whether the handler runs before the rejection, and may reject the request first. */
  readonly isLate?: boolean;
}

/** Media types, at least one of which most operations reject. */
const OTHER_TYPES = ["text/xml", "image/x-other", "application/x-other"];

/** The highest body limit, in bytes, that a request exceeds. */
const MAX_BODY = 64 * 1024 * 1024;

/** The number of changes to the body as a whole: to its media type, syntax and size. */
function specialCount(operation: Operation): number {
  if (!operation.hasBody) return 0;
  // The limits of a streamed body are in its schema.
  return streamedBody(operation) === undefined ? 3 : 2;
}

/**
 * Makes one change to a valid input, so that its schemas reject the input.
 *
 * @param choice The number of the change, below or above the number of all changes.
 * @returns The request; `undefined` if the schemas accept the changed input.
 */
export async function mutate(
  operation: Operation,
  input: Input,
  choice: number,
): Promise<Refusal | undefined> {
  const special = specialCount(operation);
  if (choice < special) return await malformedOf(operation, input, choice);
  const all = changesOf(operation);
  const changed = all[(choice - special) % all.length]?.(input) ?? input;
  if (changed === input || !isSendable(operation, changed)) return undefined;
  const isRepeated = choice >= special + all.length;
  if (isRepeated && becomesLarge(input, changed)) return undefined;
  const { body } = changed;
  const type = body === undefined ? OCTET_STREAM : JSON_TYPE;
  // For such an operation, JSON is a file.
  if (!(body instanceof File) && isStreamable(operation, type)) {
    return undefined;
  }
  const places = await refusedPlaces(operation, changed);
  const cutOff = await cutOffStatus(operation, changed);
  const isBody = [...places ?? []].every((place) => /^body\b/.test(place));
  const made = planOf(operation, changed);
  const { hasVersion: _, ...unversioned } = made;
  const plan = changed.headers === input.headers ? made : unversioned;
  const isLate = cutOff !== undefined && isBody;
  const isHidden = operation.route.invalidParams === 404 &&
    places?.values().some((place) => place.startsWith("params#"));
  const status = isLate ? cutOff : isHidden ? 404 : undefined;
  if (status !== undefined) return { plan, status, places: new Set(), isLate };
  // A body that is too large is rejected before its validation.
  return places?.size === 0 || isTooLarge(operation, plan) ? undefined : {
    plan,
    status: invalidStatus(operation),
    places: places ?? new Set(),
  };
}

export function changeCount(operation: Operation): number {
  return changesOf(operation).length + specialCount(operation);
}

const changes = new WeakMap<object, readonly InputEdit[]>();

function changesOf(operation: Operation): readonly InputEdit[] {
  const none = { known: new Map(), captures: [], given: {} };
  return changes.getOrInsertComputed(
    operation.schema,
    () => inputValues(operation, none).beyond,
  );
}

/** Whether an operation has a schema for any part of a request. */
export function isChecked(operation: Operation): boolean {
  return SCHEMA_PARTS.some((part) => operation.schema.parts[part].length > 0);
}

/** Whether an operation streams bodies of a media type. */
function isStreamable(operation: Operation, type: string): boolean {
  return Object.keys(streamedBody(operation)?.content ?? {})
    .some((range) => isInRange(type, range));
}

/** The status for a body with a file that is cut off while it arrives. */
async function cutOffStatus(
  operation: Operation,
  { body, type }: Input,
): Promise<number | undefined> {
  const seen = seenBody(body, type);
  const { issues } = await streamedBody(operation)?.["~standard"]
    .validate(seen) ?? {};
  // Such an issue has a status, 413 or 415.
  const statuses = issues?.map((issue) => Object(issue).status) ?? [];
  // A wrong field is rejected before the files arrive.
  return statuses.includes(undefined) ? undefined : statuses[0];
}

async function malformedOf(
  operation: Operation,
  input: Input,
  kind: number,
): Promise<Refusal | undefined> {
  const refusal = malformed(operation, planOf(operation, input), kind);
  if (!refusal || !streamedBody(operation)) return refusal;
  // A body that streams is read after the headers are validated.
  const found = await refusedHeaders(operation, () => refusal.plan);
  const status = invalidStatus(operation);
  return found?.length
    ? { ...refusal, status, places: new Set(found) }
    : refusal;
}

function malformed(
  operation: Operation,
  plan: RequestPlan,
  kind: number,
): Refusal | undefined {
  const { bodyLimit } = operation.route;
  const { headers } = plan;
  // An empty body of another type counts as missing.
  const body = plan.body || "null";
  const type = headers["content-type"] ?? JSON_TYPE;
  const refusal = (status: number, body: string, type: string) => ({
    plan: { ...plan, body, headers: { ...headers, "content-type": type } },
    status,
    places: new Set<string>(),
  });
  const declared = declaredTypes(operation);
  const isDeclared = (type: string) =>
    declared?.some((range) => isInRange(type, range));
  if (kind === 0) {
    const other = (declared ? [JSON_TYPE, ...OTHER_TYPES] : OTHER_TYPES)
      .find((type) => !isDeclared(type) && !isStreamable(operation, type));
    return other === undefined ? other : refusal(415, body, other);
  }
  if (kind === 1) {
    // Every string is a valid urlencoded form, but hardly any is a multipart form.
    const sent = type.startsWith(MULTIPART) || isDeclared(type)
      ? type
      : JSON_TYPE;
    // A streamed file may have any bytes.
    const isParsed = isJson(sent) && streamedBody(operation) === undefined;
    if (!sent.startsWith(MULTIPART) && !isParsed) return undefined;
    const invalid = refusal(invalidStatus(operation), "{", sent);
    return { ...invalid, places: new Set(["body#"]) };
  }
  if (bodyLimit > MAX_BODY) return undefined;
  const more = Math.max(0, bodyLimit - body.length) + 1;
  return refusal(413, body + " ".repeat(more), type);
}
