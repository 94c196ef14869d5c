import { isInRange, mediaType } from "../core/common/media_type.ts";
import type { Operation } from "../shared/types.ts";
import { BUFFERED, MULTIPART } from "../shared/wire.ts";
import type { Found } from "./change.ts";

/** The media types that a route reads. */
function typesOf(
  { content }: NonNullable<Operation["requestBody"]>,
): readonly string[] {
  const types = Object.keys(content).map(mediaType);
  // Only a streamed form has the types of its files.
  const isStreamed = content[MULTIPART]?.encoding !== undefined ||
    !types.every((type) => BUFFERED.includes(type));
  return isStreamed ? types : BUFFERED;
}

/** The changes of a body that its schema does not show. */
export function* bodyChanges(
  { requestBody: old }: Operation,
  { requestBody: now }: Operation,
): Generator<Found> {
  if (now === undefined) return;
  const rule = "request-narrowed";
  const place = "body";
  if (now.required && !old?.required) {
    const message = "requests without a body are refused";
    yield { rule, place, message };
  }
  const types = typesOf(now);
  for (const type of Object.keys(old?.content ?? {}).map(mediaType)) {
    if (types.some((each) => isInRange(type, each))) continue;
    const message = `bodies of type "${type}" are refused`;
    yield { rule, place, message };
  }
}
