import { HttpError } from "@bough/framework";
import { ifMatch, ifNoneMatch } from "@std/http/etag";

/** Whether the client has this version already: then the response is a 304. */
export function isKnown(request: Request, tag: string): boolean {
  return !ifNoneMatch(conditionOf(request, "if-none-match"), tag);
}

/**
 * Checks that a client changes the version that it has seen (RFC 9110, 13).
 *
 * @param tag The tag of the current version; `undefined` where there is none yet.
 * @throws {HttpError} 428 if the client does not say which version, 412 if it is
 * another one.
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
  // `ifNoneMatch` of "*" holds where there is nothing; so does that of a null.
  if (match !== null && !ifMatch(match, tag) || !ifNoneMatch(noneMatch, tag)) {
    throw new HttpError(412, "It has been changed since; get it again", {
      headers: tag === undefined ? {} : { etag: tag },
    });
  }
}

function conditionOf(request: Request, name: string): string | null {
  const value = request.headers.get(name);
  // `@std/http` takes quadratic time for it.
  if (value !== null && value.length > 1_000) {
    throw new HttpError(431, `${name} is too long`);
  }
  return value;
}
