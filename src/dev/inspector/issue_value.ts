import { URLENCODED } from "../../core/common/media_type.ts";
import { valuesByName } from "../../core/request/form.ts";
import type { ValidationIssue } from "../../core/errors.ts";
import { withoutEscapes } from "../../core/schema/json_schema.ts";
import type { RequestEntry } from "./entry.ts";

/** The members of an entry that contain the values of the client. */
type Sent = Pick<RequestEntry, "url" | "params" | "request">;

/**
 * The value that caused an issue, as JSON: for the pointer `#/tags/0` in the query,
 * `"new"` of `?tags=new&tags=old`. A placeholder replaces a secret.
 *
 * @returns `undefined` if the entry lacks the value.
 */
export function issueValue(
  { in: part, pointer }: ValidationIssue,
  entry: Sent,
): string | undefined {
  try {
    let value: unknown = VALUES[part](entry);
    for (const step of pointer.split("/").slice(1)) {
      const name = withoutEscapes(decodeURIComponent(step));
      // For `?tags=new`, the value is a string, but the pointer is `#/tags/0`.
      if (typeof value === "string" && name === "0") continue;
      if (typeof value !== "object" || value === null) return undefined;
      value = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    }
    return JSON.stringify(value);
  } catch {
    // The handler has listed an issue with a malformed pointer.
    return undefined;
  }
}

const VALUES: Record<ValidationIssue["in"], (entry: Sent) => unknown> = {
  params: ({ params }) => params,
  query: ({ url }) => pairsIn(url.split("?").slice(1).join("?")),
  headers: ({ request }) => Object.fromEntries(request.headers),
  body({ request: { body } }) {
    if (body?.text === undefined) return undefined;
    return body.type === URLENCODED
      ? pairsIn(body.text)
      : JSON.parse(body.text);
  },
};

function pairsIn(text: string): Record<string, unknown> {
  return valuesByName(new URLSearchParams(text));
}
