import type { StandardSchemaV1 } from "../core/types/schema.ts";
import { schemaOf } from "./common.ts";

export const NAME = "idempotency-key";

/**
 * A string of RFC 9651, section 3.3.3, with parameters, which are ignored; or its
 * characters without quotation marks.
 */
const KEY =
  /^(?:"((?:[ !#-[\]-~]|\\["\\]){1,255})"(?:; *[a-z*][-_.*a-z\d]*(?:=(?:%?"(?:[ !#-[\]-~]|\\["\\])*"|[!#-+\--:<-[\]-~]+))?)*|[!#-+\--:<-[\]-~]{1,255})$/;
/** The requirement for a key, for messages. */
export const EXPECTED =
  "must be 1 to 255 visible ASCII characters in quotation marks";

/** Returns the key without quotation marks; `undefined` if it is malformed. */
export function parseKey(sent: string): string | undefined {
  const [bare, quoted] = KEY.exec(sent) ?? [];
  return quoted?.replace(/\\(.)/g, "$1") ?? bare;
}

export function keySchema(required: boolean): StandardSchemaV1 {
  const description =
    "A unique string, such as a UUID. A repeated request with this key gets the first response.";
  const form = {
    type: "object",
    properties: {
      [NAME]: { type: "string", pattern: KEY.source, description },
    },
    required: required ? [NAME] : [],
  };
  const issue = (message: string) => ({ issues: [{ message, path: [NAME] }] });
  return schemaOf<unknown>(form, (headers) => {
    const { [NAME]: sent } = headers as { readonly [NAME]?: string };
    if (sent === undefined) {
      return required ? issue("is missing") : { value: {} };
    }
    const key = parseKey(sent);
    return key === undefined ? issue(EXPECTED) : { value: { [NAME]: key } };
  });
}
