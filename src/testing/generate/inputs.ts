import fc from "fast-check";
import { isObject } from "../../common/values.ts";
import { bodyTypes } from "../../openapi/document/operation.ts";
import { toJsonSchema } from "../../openapi/document/json_schema.ts";
import { createExample } from "../../openapi/examples/example.ts";
import type { JsonSchema } from "../../openapi/types.ts";
import { SCHEMA_PARTS } from "../../schema/validate.ts";
import type { SchemaPart } from "../../types/schema.ts";
import { type Captures, hasBody, type Operation } from "../operation.ts";
import type { PartGenerators } from "../options.ts";
import {
  areHeaders,
  asCarried,
  isCarried,
  JSON_TYPE,
  seenBody,
} from "../send/wire.ts";
import { arbitraryOf, type ArbitraryOptions } from "./arbitrary.ts";
import { checkPart, type Input } from "./input.ts";

/** The sources of inputs in addition to the schemas. */
export interface InputContext extends ArbitraryOptions {
  /** Values of the path's segments that identify existing resources. */
  readonly captures: readonly Captures[];
  /** The values of the option `generators` for the operation. */
  readonly given: PartGenerators;
  /** The seed of the search for valid values. */
  readonly seed: number;
}

/** Valid values, or the reason why there are none. */
type Valid<Value> =
  | { readonly arbitrary: fc.Arbitrary<Value> }
  | { readonly missing: string };

/** Valid inputs, or the reason why there are none. */
export type Inputs = Valid<Input>;

/** The number of generated values to validate as a sample. */
const SAMPLES = 100;

/** The minimum number of valid samples for the tests to generate further values. */
const ENOUGH = 5;

/** Inputs of an operation that are valid for all of its schemas. */
export async function inputsOf(
  operation: Operation,
  context: InputContext,
): Promise<Inputs> {
  const parts: Record<string, fc.Arbitrary<unknown>> = {};
  for (const part of SCHEMA_PARTS) {
    if (part === "body" && !hasBody(operation)) continue;
    const found = await partOf(operation, part, context);
    if ("missing" in found) return { missing: `${part}: ${found.missing}` };
    parts[part] = found.arbitrary;
    if (part === "body") parts.type = fc.constantFrom(...found.types);
  }
  const { params, ...others } = parts;
  return {
    arbitrary: fc.tuple(params!, fc.record(others))
      .map(([captures, others]) => ({
        ...captures as Captures,
        ...others as Omit<Input, keyof Captures>,
      })),
  };
}

/** Valid values of one part, and the media types of the body. */
async function partOf(
  operation: Operation,
  part: SchemaPart,
  context: InputContext,
): Promise<Valid<unknown> & { readonly types: readonly string[] }> {
  const schemas = operation.schema.parts[part];
  const given = context.given[part];
  const examples: unknown[] = [];
  let types = [JSON_TYPE];
  let made: fc.Arbitrary<unknown> = fc.constant(undefined);
  try {
    const schemasAsJson = schemas.map(({ value }) =>
      toJsonSchema(value, { direction: "input", name: part })
    );
    const example = merged(schemasAsJson.map((each) => createExample(each)));
    if (part !== "params") examples.push(asCarried(part, example));
    if (part === "body") types = bodyTypes(schemasAsJson[0]!);
    made = madeOf(schemasAsJson, operation, part, context);
  } catch (error) {
    if (given === undefined) {
      return { missing: (error as Error).message, types };
    }
  }
  if (given !== undefined) {
    made = Array.isArray(given)
      ? fc.constantFrom(...given)
      : given as unknown as fc.Arbitrary<unknown>;
    if (part === "params") made = made.map((each) => asCaptures(each));
  }
  const fits = async (value: unknown) => {
    const seen = part === "body"
      ? seenBody(value, types[0])
      : part === "params"
      ? (value as Captures).params
      : part === "headers"
      ? { ...value as object, ...operation.as }
      : value;
    for (const schema of schemas) {
      const checked = await checkPart(part, schema, seen);
      if (checked?.issues !== undefined) return false;
    }
    return part !== "headers" || areHeaders(seen as object);
  };
  return { ...await filterValid(made, fits, { examples, ...context }), types };
}

/** Generates values that the schemas have not validated yet. */
function madeOf(
  schemas: readonly JsonSchema[],
  operation: Operation,
  part: SchemaPart,
  context: InputContext,
): fc.Arbitrary<unknown> {
  const arbitraries = schemas.map((each) => arbitraryOf(each, context));
  if (arbitraries.includes(undefined)) return fc.constant(undefined);
  const values = fc.tuple(...arbitraries as fc.Arbitrary<unknown>[])
    .map(merged);
  return part === "params"
    ? capturesOf(operation, values, context.captures)
    : values.map((value) => asCarried(part, value));
}

/**
 * Merges the values of several levels. Objects are merged by member; otherwise, the
 * last value is used.
 */
function merged(values: readonly unknown[]): unknown {
  return values.every(isObject) ? Object.assign({}, ...values) : values.at(-1);
}

/** The known and generated values of segments. */
function capturesOf(
  { route: { segments } }: Operation,
  values: fc.Arbitrary<unknown>,
  known: readonly Captures[],
): fc.Arbitrary<Captures> {
  const text = fc.oneof(fc.string({ minLength: 1, maxLength: 12 }), fc.nat());
  const names = segments.flatMap((segment) =>
    segment.kind === "dynamic" ? [segment.name] : []
  );
  const hasWildcard = segments.at(-1)?.kind === "wildcard";
  const made = fc.tuple(
    fc.record(Object.fromEntries(names.map((name) => [name, text]))),
    values,
    fc.array(text.map(String), { minLength: 1, maxLength: 3 }),
  ).map(([any, values, wildcard]) =>
    asCaptures({ ...any, ...values as object }, hasWildcard ? wildcard : [])
  ).filter(isCarried);
  return known.length === 0 || names.length === 0 && !hasWildcard
    ? made
    : fc.oneof(
      { arbitrary: fc.constantFrom(...known), weight: 4 },
      { arbitrary: made, weight: 1 },
    );
}

function asCaptures(values: unknown, wildcard: string[] = []): Captures {
  const params = Object.entries(values as object)
    .map(([name, each]) => [name, String(each)]);
  return { params: Object.fromEntries(params), wildcard };
}

/**
 * Selects valid values. Only the schema itself contains its refinements, which may
 * reject nearly all values. In this case, the few valid values are reused.
 */
async function filterValid(
  made: fc.Arbitrary<unknown>,
  fits: (value: unknown) => Promise<boolean>,
  { examples, seed }: { examples: readonly unknown[]; seed: number },
): Promise<Valid<unknown>> {
  const samples = fc.sample(made, { numRuns: SAMPLES, seed });
  const good: unknown[] = [];
  for (const sample of samples) if (await fits(sample)) good.push(sample);
  if (good.length === SAMPLES) return { arbitrary: made };
  if (good.length >= ENOUGH) {
    // A filter of fast-check cannot wait for an asynchronous schema, so invalid values
    // remain. `validPlan()` drops them before their requests are sent.
    const both = [{ arbitrary: made, weight: 9 }, fc.constantFrom(...good)];
    return { arbitrary: fc.oneof(...both) };
  }
  for (const example of examples) {
    if (example !== undefined && await fits(example)) good.push(example);
  }
  return good.length > 0
    ? { arbitrary: fc.constantFrom(...good) }
    : { missing: "no generated value fits its schema" };
}
