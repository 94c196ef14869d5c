import type { SchemaPart, StandardSchemaIssue } from "./schema.ts";
import { shorten } from "../../common/shorten.ts";

/** One entry of `errors` in the problem document for an invalid request. */
export interface ValidationIssue {
  /** The part of the request. */
  readonly in: SchemaPart;
  /** Where in that part: a JSON pointer as a URI fragment (RFC 6901, section 6). */
  readonly pointer: string;
  /** What is wrong. */
  readonly detail: string;
}

/** How many issues a problem lists at most. */
const MAX_LISTED = 100;
/** How many bytes they take as JSON: the whole problem stays below 64 KiB. */
const MAX_BYTES = 63 * 1024;
const MAX_POINTER = 1_000;
const MAX_DETAIL = 2_000;

const UTF8 = new TextEncoder();

/**
 * Gathers the issues of a request: it lists the first ones and counts the rest.
 *
 * The client decides how many there are and how long they get: 300 KB of JSON can
 * hold 100,000 wrong items below one key of 100,000 characters, which would make
 * 10 GB of pointers.
 */
export class IssueReport {
  /** The issues that the problem lists. */
  readonly errors: ValidationIssue[] = [];
  /** How many issues there are in all. */
  count = 0;
  #bytes = 0;

  /** Adds the issues that a schema found in a part. */
  add(part: SchemaPart, issues: readonly StandardSchemaIssue[]): void {
    // A schema may fail without an issue.
    const found = issues.length > 0 ? issues : [{ message: "Invalid" }];
    const complete = this.errors.length === this.count;
    this.count += found.length;
    if (!complete) return;
    for (const issue of found) {
      if (this.errors.length === MAX_LISTED) return;
      const { message } = issue;
      const error: ValidationIssue = {
        in: part,
        pointer: pointerOf(issue),
        detail: shorten(String(message), MAX_DETAIL),
      };
      this.#bytes += UTF8.encode(JSON.stringify(error)).length + 1;
      if (this.#bytes > MAX_BYTES) return;
      this.errors.push(error);
    }
  }

  /** The issues in words, for a developer: `at "#/id" must be a number`. */
  words(): string[] {
    const listed = this.errors.map(({ in: part, pointer, detail }) =>
      part === "headers"
        ? `header "${pointer.replace(/^#\/?/, "")}" ${detail}`
        : `at "${pointer}" ${detail}`
    );
    const rest = this.count - listed.length;
    return rest > 0 ? [...listed, `and ${rest} more`] : listed;
  }

  /** The extension members of the problem. */
  members(): { errors: readonly ValidationIssue[]; issueCount?: number } {
    const { errors, count } = this;
    return count > errors.length ? { errors, issueCount: count } : { errors };
  }
}

/**
 * The pointer of an issue: `["items", 0, "a/b"]` becomes `#/items/0/a~1b`. If it
 * would be too long, it ends early, at a value around the faulty one.
 */
function pointerOf({ path = [] }: StandardSchemaIssue): string {
  let pointer = "#";
  for (const step of path) {
    const key = String(typeof step === "object" ? step.key : step);
    if (pointer.length + key.length >= MAX_POINTER) break;
    const escaped = key.replaceAll("~", "~0").replaceAll("/", "~1");
    const longer = `${pointer}/${encodeURIComponent(escaped.toWellFormed())}`;
    if (longer.length > MAX_POINTER) break;
    pointer = longer;
  }
  return pointer;
}
