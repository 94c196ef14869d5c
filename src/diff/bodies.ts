import { mediaType, MULTIPART } from "../core/common/media_type.ts";
import { contentFinder, READ_TYPES } from "../core/schema/declaration.ts";
import type { Operation } from "../shared/types.ts";
import type { Found } from "./change.ts";

/** The media types that a route reads. */
export function readTypes({ requestBody }: Operation): readonly string[] {
  const { content = {}, "x-declared-types": isDeclared } = requestBody ?? {};
  const types = Object.keys(content).map(mediaType);
  // Only a streamed form has the types of its files.
  const isPlain = content[MULTIPART]?.encoding === undefined &&
    types.every((type) => READ_TYPES.includes(type));
  return isPlain && !isDeclared ? READ_TYPES : types;
}

/** Finds the media type or the range of a route that reads bodies of a type. */
export function readerOf(
  operation: Operation,
  type: string,
): string | undefined {
  const types = readTypes(operation).map((mediaType) => ({ mediaType }));
  return contentFinder(types)(type)?.mediaType;
}

/** The changes of a body that its schema does not show. */
export function* bodyChanges(
  before: Operation,
  after: Operation,
): Generator<Found> {
  const { requestBody: now } = after;
  if (now === undefined) return;
  const { required, content = {} } = before.requestBody ?? {};
  const rule = "request-narrowed";
  const place = "body";
  if (now.required && !required) {
    const message = "requests without a body are refused";
    yield { rule, place, message };
  }
  for (const type of Object.keys(content).map(mediaType)) {
    if (readerOf(after, type) !== undefined) continue;
    const message = `bodies of type "${type}" are refused`;
    yield { rule, place, message };
  }
}
