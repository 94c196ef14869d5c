import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { isObject } from "../common/values.ts";
import { mapKeywords, mapReferences } from "../openapi/document/json_schema.ts";
import type { JsonSchema, OpenApiDocument } from "../openapi/types.ts";

/**
 * The direction of a value. A request must stay valid in the new document, and a
 * response of the new document must be valid in the old document.
 */
export type Direction = "request" | "response";

const DOCUMENT = "bough:document";

/** Validates values against the schemas of one document. */
export class Validators {
  /** The document to which the schemas refer. */
  readonly document: OpenApiDocument;
  readonly #compiled = new WeakMap<object, ValidateFunction>();
  readonly #ajv = new Ajv2020({
    strict: false,
    logger: false,
    validateSchema: false,
  });

  constructor(document: OpenApiDocument) {
    this.document = document;
    // Deno's types see the module of this CommonJS package instead of its default.
    (formats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
    // By default, the content of a string, such as an event, would not be validated.
    this.#ajv.removeKeyword("contentSchema").addKeyword({
      keyword: "contentSchema",
      type: "string",
      validate: (schema: unknown, text: string) =>
        this.accepts(schema, JSON.parse(text)) === true,
    });
    const $defs = document.components?.schemas ?? {};
    this.#ajv.addSchema({ $id: DOCUMENT, ...linked({ $defs }) });
  }

  /** Whether a schema accepts a value; `undefined` if the schema cannot be compiled. */
  accepts(schema: unknown, value: unknown): boolean | undefined {
    if (!isObject(schema)) return schema !== false;
    try {
      return this.#compiled.getOrInsertComputed(
        schema,
        () => this.#ajv.compile(linked(schema)),
      )(value);
    } catch {
      return undefined;
    }
  }
}

function linked(schema: JsonSchema): JsonSchema {
  return mapReferences(
    schema,
    (reference) =>
      reference.replace("#/components/schemas/", `${DOCUMENT}#/$defs/`),
  );
}

/** In a response, `additionalProperties: false` binds the server alone. */
export function opened<T>(value: T): T {
  return mapKeywords(
    value,
    ({ additionalProperties, ...rest }) =>
      isObject(additionalProperties) ? { additionalProperties, ...rest } : rest,
  );
}
