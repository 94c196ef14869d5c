/** Versions of reports: ETag, If-Match and If-None-Match (RFC 9110, 13). */
import { HttpError } from "@bough/framework";
import { ifMatch, ifNoneMatch } from "@std/http/etag";
import type { StoredReport } from "./store/reports.ts";

/** The tag of a version of a report. */
export function tagOf({ report, version }: StoredReport): string {
  return `"${report.id}-${version}"`;
}

/** Whether the client already has this version. */
export function isKnown(request: Request, tag: string): boolean {
  return !ifNoneMatch(request.headers.get("if-none-match"), tag);
}

/**
 * Checks that a client changes the version that it has seen, if it names one.
 *
 * @throws {HttpError} 412 if it names another version.
 */
export function assertUnchanged(request: Request, tag: string): void {
  const condition = request.headers.get("if-match");
  if (condition !== null && !ifMatch(condition, tag)) {
    throw new HttpError(412, "The report has changed; get it again");
  }
}
