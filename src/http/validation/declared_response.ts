import { isContent } from "./content.ts";
import { mediaTypeOf } from "./json_form.ts";
import type {
  MethodSchema,
  ResponseBody,
  ResponseDescription,
  StandardSchemaV1,
} from "./schema.ts";

/** A response that a method declares. Without a body, it has neither of the first two. */
export interface DeclaredResponse {
  /** Its media type; unknown where its schema has no JSON form. */
  readonly mediaType: string | undefined;
  /** The schema of its JSON or text. */
  readonly body: StandardSchemaV1 | undefined;
  /** The schema of its headers. */
  readonly headers: StandardSchemaV1 | undefined;
  /** When it is sent. */
  readonly description: string | undefined;
}

/** Responses with these statuses have no body (RFC 9110, section 15). */
export const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** The responses of a method by status; a single schema is for status 200. */
export function declaredResponses(
  declared: NonNullable<MethodSchema["response"]>,
): Map<number, DeclaredResponse> {
  if ("~standard" in declared) {
    return new Map([[200, describe(declared as StandardSchemaV1)]]);
  }
  return new Map(
    Object.entries(declared).map(([status, response]) => [
      Number(status),
      describe(response),
    ]),
  );
}

function describe(
  response: ResponseBody | ResponseDescription,
): DeclaredResponse {
  const isBody = "~standard" in response || isContent(response);
  const { body, headers, description }: ResponseDescription = isBody
    ? { body: response }
    : response;
  return { ...describeBody(body), headers, description };
}

function describeBody(
  body: ResponseBody | undefined,
): Pick<DeclaredResponse, "mediaType" | "body"> {
  if (body === undefined) return { mediaType: undefined, body: undefined };
  return isContent(body)
    ? { mediaType: body.mediaType, body: body.schema }
    : { mediaType: mediaTypeOf(body), body };
}
