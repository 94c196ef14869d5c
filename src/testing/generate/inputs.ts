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

/** What inputs are made of, beside the schemas. */
export interface InputContext extends ArbitraryOptions {
  /** Values of the segments that lead to something. */
  readonly captures: readonly Captures[];
  /** What the user hands over, by part. */
  readonly given: PartGenerators;
  /** Makes the search for values repeatable. */
  readonly seed: number;
}

/** Values that fit their schemas, or why there are none. */
type Found<Value> =
  | { readonly arbitrary: fc.Arbitrary<Value> }
  | { readonly missing: string };

/** Inputs that fit their schemas, or why there are none. */
export type Inputs = Found<Input>;

/** How many values are tried, to see how many of them fit. */
const TRIALS = 100;

/** How many of them must fit, so that others are waited for. */
const ENOUGH = 5;

/** Inputs of an operation that fit all of its schemas. */
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

/** Values of one part, and the media types of the body. */
async function partOf(
  operation: Operation,
  part: SchemaPart,
  context: InputContext,
): Promise<Found<unknown> & { readonly types: readonly string[] }> {
  const schemas = operation.schema.parts[part];
  const given = context.given[part];
  const examples: unknown[] = [];
  let types = [JSON_TYPE];
  let made: fc.Arbitrary<unknown> = fc.constant(undefined);
  try {
    const forms = schemas.map(({ value }) =>
      toJsonSchema(value, { direction: "input", name: part })
    );
    const example = merged(forms.map((form) => createExample(form)));
    if (part !== "params") examples.push(asCarried(part, example));
    if (part === "body") types = bodyTypes(forms[0]!);
    made = madeOf(forms, operation, part, context);
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
  return { ...await fitting(made, fits, { examples, ...context }), types };
}

/** Values before the schema itself has seen them. */
function madeOf(
  forms: readonly JsonSchema[],
  operation: Operation,
  part: SchemaPart,
  context: InputContext,
): fc.Arbitrary<unknown> {
  const arbitraries = forms.map((form) => arbitraryOf(form, context));
  if (arbitraries.includes(undefined)) return fc.constant(undefined);
  const values = fc.tuple(...arbitraries as fc.Arbitrary<unknown>[])
    .map(merged);
  return part === "params"
    ? capturesOf(operation, values, context.captures)
    : values.map((value) => asCarried(part, value));
}

/** Values of several levels as one: objects go together, of all else the last counts. */
function merged(values: readonly unknown[]): unknown {
  return values.every(isObject) ? Object.assign({}, ...values) : values.at(-1);
}

/** The values of segments: some that are known, and some that no schema refuses. */
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
 * Those values that fit. What a schema alone knows, such as a refinement, may refuse
 * nearly all: then the few that fit are taken again and again.
 */
async function fitting(
  made: fc.Arbitrary<unknown>,
  fits: (value: unknown) => Promise<boolean>,
  { examples, seed }: { examples: readonly unknown[]; seed: number },
): Promise<Found<unknown>> {
  const samples = fc.sample(made, { numRuns: TRIALS, seed });
  const good: unknown[] = [];
  for (const sample of samples) if (await fits(sample)) good.push(sample);
  if (good.length === TRIALS) return { arbitrary: made };
  if (good.length >= ENOUGH) {
    // A schema may be asynchronous, and fast-check does not wait: what does not fit
    // is left out before the request is sent.
    const both = [{ arbitrary: made, weight: 9 }, fc.constantFrom(...good)];
    return { arbitrary: fc.oneof(...both) };
  }
  for (const example of examples) {
    if (example !== undefined && await fits(example)) good.push(example);
  }
  return good.length > 0
    ? { arbitrary: fc.constantFrom(...good) }
    : { missing: "nothing that was made fits its schema" };
}
