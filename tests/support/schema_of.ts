import type { StandardSchemaV1 } from "@bough/framework";

/**
 * A schema without a library.
 *
 * @param validate By default, the schema accepts each value.
 * @param form Creates the JSON Schema of the schema.
 */
export function schemaOf(
  validate: (value: never) => unknown = (value) => ({ value }),
  form?: () => unknown,
): StandardSchemaV1 {
  const jsonSchema = form && { input: form, output: form };
  return {
    "~standard": {
      version: 1,
      vendor: "mine",
      validate,
      ...(jsonSchema && { jsonSchema }),
    },
  } as StandardSchemaV1;
}
