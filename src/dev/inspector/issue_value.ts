import { parseJson } from "../../core/request/content.ts";
import { readForm, valuesByName } from "../../core/request/form.ts";
import { kindOfType } from "../../core/common/media_type.ts";
import type { ValidationIssue } from "../../core/errors.ts";
import { withoutEscapes } from "../../core/schema/json_schema.ts";
import type { EntryMessage, RequestEntry } from "./entry.ts";

/** The members of a request that contain its values, as the client sent them. */
type Sent = Pick<RequestEntry, "url" | "params" | "request">;

/**
 * The value that caused an issue, as JSON: for the pointer `#/tags/0` in the query,
 * `"new"` of `?tags=new&tags=old`.
 *
 * @returns `undefined` if the request lacks the value, or if its body was cut.
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
    // The body is malformed.
    return undefined;
  }
}

const VALUES: Record<ValidationIssue["in"], (entry: Sent) => unknown> = {
  params: ({ params }) => params,
  query: ({ url }) =>
    valuesByName(new URLSearchParams(url.split("?").slice(1).join("?"))),
  headers: ({ request }) => Object.fromEntries(request.headers),
  body: ({ request }) => bodyValue(request),
};

function bodyValue({ headers, body }: EntryMessage): unknown {
  if (body?.text === undefined || body.isCut) return undefined;
  const { type, text } = body;
  const kind = kindOfType(type);
  if (kind !== "json" && kind !== "form") return text;
  const bytes = new TextEncoder().encode(text);
  if (kind === "json") return parseJson(bytes);
  const full = headers.find(([name]) => name === "content-type")?.[1];
  return valuesByName(readForm(bytes, full ?? type));
}
