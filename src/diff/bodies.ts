import { mediaType } from "../core/common/media_type.ts";
import type { Operation } from "../shared/types.ts";
import { readerOf } from "../shared/wire.ts";
import type { Found } from "./change.ts";

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
