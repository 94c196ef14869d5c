import { isInRange, mediaType, MULTIPART } from "../core/common/media_type.ts";
import { READ_TYPES } from "../core/schema/declaration.ts";
import type { Operation } from "../shared/types.ts";
import type { Found } from "./change.ts";

/** The media types of the body that a client knows. */
export function knownTypes({ requestBody }: Operation): string[] {
  return Object.keys(requestBody?.content ?? {});
}

/** Whether a route reads only the media types in its document. */
export function hasDeclaredTypes({ requestBody }: Operation): boolean {
  return requestBody?.["x-declared-types"] ?? false;
}

/** The media types that a route reads. */
export function readTypes({ requestBody }: Operation): readonly string[] {
  const { content = {}, "x-declared-types": isDeclared } = requestBody ?? {};
  const types = Object.keys(content).map(mediaType);
  if (isDeclared) return types;
  // Only a streamed form has the types of its files.
  const isStreamed = content[MULTIPART]?.encoding !== undefined ||
    !types.every((type) => READ_TYPES.includes(type));
  return isStreamed ? types : READ_TYPES;
}

/** The changes of a body that its schema does not show. */
export function* bodyChanges(
  before: Operation,
  after: Operation,
): Generator<Found> {
  const { requestBody: now } = after;
  if (now === undefined) return;
  const rule = "request-narrowed";
  const place = "body";
  if (now.required && !before.requestBody?.required) {
    const message = "requests without a body are refused";
    yield { rule, place, message };
  }
  const types = readTypes(after);
  for (const type of knownTypes(before).map(mediaType)) {
    if (types.some((each) => isInRange(type, each))) continue;
    const message = `bodies of type "${type}" are refused`;
    yield { rule, place, message };
  }
}
