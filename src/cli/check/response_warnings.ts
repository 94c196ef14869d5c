import { toJsonSchema } from "../../openapi/document/json_schema.ts";
import { mapKeywords } from "../../openapi/document/schema_walk.ts";
import type { RouteInfo } from "../../options/plugin.ts";
import type { Direction } from "../../schema/json_schema.ts";
import { declaredResponses } from "../../schema/responses.ts";
import type { Warning } from "../../start/discover.ts";
import type { StandardSchemaV1 } from "../../types/schema.ts";

/**
 * Warns of schemas of responses, events and messages to a client that take other values
 * than they return. Such a schema
 * does not say which of the two is sent: `z.string().default("")` documents a text,
 * and accepts that there is none.
 */
export function responseWarnings(routes: readonly RouteInfo[]): Warning[] {
  return routes.flatMap(({ file, schema }) =>
    Object.entries(schema).flatMap(([method, { response, events, socket }]) => [
      ...[...declaredResponses(response ?? {})].flatMap(
        ([status, { body, headers }]) => [
          ...misfits(body, `schema.${method}.response[${status}]`),
          ...misfits(headers, `schema.${method}.response[${status}].headers`),
        ],
      ),
      ...Object.entries(events ?? {}).flatMap(([name, data]) =>
        misfits(data, `schema.${method}.events[${JSON.stringify(name)}]`)
      ),
      ...misfits(socket?.send, `schema.${method}.socket.send`),
    ]).map((message): Warning => ({
      rule: "response-form",
      path: file,
      message,
    }))
  );
}

function misfits(
  schema: StandardSchemaV1 | undefined,
  member: string,
): string[] {
  if (schema === undefined) return [];
  try {
    const input = formOf(schema, "input");
    const output = formOf(schema, "output");
    // Valibot describes both sides alike, and yet fills in a default.
    if (input.text === output.text && !output.hasDefault) return [];
  } catch {
    // The document cannot have it, which is a finding already.
    return [];
  }
  return [
    `${member} takes other values than it returns; describe what is sent, without a default or a conversion`,
  ];
}

/** The JSON form of one side of a schema. */
interface Form {
  readonly text: string;
  readonly hasDefault: boolean;
}

/**
 * Describes one side of a schema. Both sides describe a date as a text, and neither
 * says whether further members are removed or refused.
 */
function formOf(schema: StandardSchemaV1, direction: Direction): Form {
  let hasDefault = false;
  const form = mapKeywords(
    toJsonSchema(schema, { direction, name: "Response", dates: "output" }),
    ({ additionalProperties, ...keywords }) => {
      hasDefault ||= "default" in keywords;
      return additionalProperties === false
        ? keywords
        : { additionalProperties, ...keywords };
    },
  );
  return { text: JSON.stringify(form), hasDefault };
}
