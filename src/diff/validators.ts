import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { isObject } from "../core/common/values.ts";
import { mapKeywords, mapReferences } from "../shared/document/json_schema.ts";
import type { JsonSchema, OpenApiDocument } from "../openapi/mod.ts";
import { canonical } from "./canonical.ts";
import { isListed, type Shape, shapesOf } from "./shapes.ts";

/**
 * The direction of a value. A request must stay valid in the new document, and a
 * response of the new document must be valid in the old document.
 */
export type Direction = "request" | "response";

/** The start of a reference to a component. */
const COMPONENT = /^#\/components\/schemas\/([^/]*)(?=\/|$)/;

/** Validates values against the schemas of one document. */
export class Validators {
  /** The document to which the schemas refer. */
  readonly document: OpenApiDocument;
  /** The validators by the text of their schemas. */
  readonly #compiled = new Map<string, ValidateFunction>();
  /** The shapes by the text of their schemas. */
  readonly #shapes = new Map<string, readonly Shape[]>();
  #isReady = false;
  readonly #ajv: Ajv2020;

  /** @param coerceTypes Whether strings may be numbers, booleans and so on. */
  constructor(document: OpenApiDocument, coerceTypes = false) {
    this.document = document;
    this.#ajv = new Ajv2020({
      coerceTypes,
      strict: false,
      logger: false,
      validateSchema: false,
      // Each validator checks few values, so optimizing its code would take longer.
      code: { optimize: false },
      messages: false,
    });
    // Deno's types see the module of this CommonJS package instead of its default.
    (formats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
    // By default, the content of a string, such as an event, would not be validated.
    this.#ajv.removeKeyword("contentSchema").addKeyword({
      keyword: "contentSchema",
      type: "string",
      validate: (schema: unknown, text: string) =>
        this.accepts(schema, JSON.parse(text)) === true,
    });
  }

  /** Whether a schema accepts a value; `undefined` if the schema cannot be compiled. */
  accepts(schema: unknown, value: unknown): boolean | undefined {
    if (!isObject(schema)) return schema !== false;
    try {
      return this.#compiled.getOrInsertComputed(
        canonical(schema),
        () => this.#compile(schema),
      )(value);
    } catch {
      return undefined;
    }
  }

  /** The shapes of a schema, without listed values that other keywords exclude. */
  shapes(schema: unknown): readonly Shape[] {
    const isPossible = (shape: Shape) => {
      const { const: value, ...others } = shape.keywords;
      return !isListed(shape) || this.accepts(others, value) !== false;
    };
    const split = () => shapesOf(schema, this.document).filter(isPossible);
    return this.#shapes.getOrInsertComputed(canonical(schema), split);
  }

  #compile(schema: JsonSchema): ValidateFunction {
    const { schemas } = this.document.components;
    // Ajv would compile the parts of one large schema again for each reference.
    for (const name of this.#isReady ? [] : Object.keys(schemas)) {
      this.#ajv.addSchema(linked(schemas[name]!), `bough:${name}`);
    }
    this.#isReady = true;
    return this.#ajv.compile(linked(schema));
  }
}

function linked(schema: JsonSchema): JsonSchema {
  const link = (target: string) => target.replace(COMPONENT, "bough:$1#");
  return mapReferences(schema, link);
}

const opens = new WeakMap<object, unknown>();

/** In a response, `additionalProperties: false` binds the server alone. */
export function opened<T>(value: T): T {
  if (!isObject(value)) return value;
  const open = ({ additionalProperties, ...rest }: JsonSchema) =>
    isObject(additionalProperties) ? { additionalProperties, ...rest } : rest;
  return opens.getOrInsertComputed(value, () => mapKeywords(value, open)) as T;
}
