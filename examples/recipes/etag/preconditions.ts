import { HttpError } from "@bough/framework";
import { ifMatch, ifNoneMatch } from "@std/http/etag";

/** Whether the client already has this version; if so, respond with 304. */
export function isKnown(request: Request, tag: string): boolean {
  return !ifNoneMatch(conditionOf(request, "if-none-match"), tag);
}

/**
 * Checks that a client changes the version that it has seen (RFC 9110, 13).
 *
 * @param tag The tag of the current version; `undefined` if there is no version yet.
 * @throws {HttpError} 428 if the client does not name a version, 412 if the version
 * is not the current one.
 */
export function assertUnchanged(
  request: Request,
  tag: string | undefined,
): void {
  const match = conditionOf(request, "if-match");
  const noneMatch = conditionOf(request, "if-none-match");
  if (match === null && noneMatch === null) {
    throw new HttpError(
      428, // RFC 6585, 3
      'Send If-Match with the ETag that you have, or "If-None-Match: *" to create',
    );
  }
  // `ifNoneMatch` returns true for null, and for "*" if there is no version yet.
  if (match !== null && !ifMatch(match, tag) || !ifNoneMatch(noneMatch, tag)) {
    throw new HttpError(412, "It has been changed since; get it again", {
      headers: tag === undefined ? {} : { etag: tag },
    });
  }
}

function conditionOf(request: Request, name: string): string | null {
  const value = request.headers.get(name);
  // `@std/http` reads this header in quadratic time.
  if (value !== null && value.length > 1_000) {
    throw new HttpError(431, `${name} is too long`);
  }
  return value;
}
