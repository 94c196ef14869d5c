import type { SchemaPart, StandardSchemaIssue } from "./schema.ts";
import { shorten } from "../../common/shorten.ts";

/** One entry of `errors` in the problem that an invalid request comes to. */
export interface ValidationIssue {
  /** The part of the request that is concerned. */
  readonly in: SchemaPart;
  /** Where in that part: a JSON pointer as a URI fragment (RFC 6901, section 6). */
  readonly pointer: string;
  /** What is wrong. */
  readonly detail: string;
}

/** How many issues are told at most. */
const MAX_TOLD = 100;
/** How many bytes they take as JSON, so that a whole problem stays below 64 KiB. */
const MAX_BYTES = 63 * 1024;
const MAX_POINTER = 1_000;
const MAX_DETAIL = 2_000;

const UTF8 = new TextEncoder();

/**
 * Gathers the issues of a request, and tells the first of them.
 *
 * Their number and their length are the client's choice: 300 KB of JSON can hold
 * 100,000 wrong items below one key of 100,000 characters, which makes 10 GB of
 * pointers. So the others are only counted.
 */
export class IssueReport {
  /** The issues that are told. */
  readonly errors: ValidationIssue[] = [];
  /** How many issues there are. */
  count = 0;
  #bytes = 0;

  /** Adds the issues that a schema found in a part. */
  add(part: SchemaPart, issues: readonly StandardSchemaIssue[]): void {
    // A schema may say no more than that it failed.
    const found = issues.length > 0 ? issues : [{ message: "Invalid" }];
    const complete = this.errors.length === this.count;
    this.count += found.length;
    if (!complete) return;
    for (const issue of found) {
      if (this.errors.length === MAX_TOLD) return;
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

  /** The members of a problem that tell of the issues. */
  members(): { errors: readonly ValidationIssue[]; issueCount?: number } {
    const { errors, count } = this;
    return count > errors.length ? { errors, issueCount: count } : { errors };
  }
}

/**
 * The path of an issue: `["items", 0, "a/b"]` is `#/items/0/a~1b`. One that would
 * be too long ends early, at what holds the faulty value.
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
