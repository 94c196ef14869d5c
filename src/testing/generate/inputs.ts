import fc from "fast-check";
import { isObject } from "../../common/values.ts";
import { bodyTypes } from "../../openapi/document/body.ts";
import { toJsonSchema } from "../../openapi/document/json_schema.ts";
import { createExample } from "../../openapi/examples/example.ts";
import type { JsonSchema } from "../../openapi/types.ts";
import type { Placed } from "../../schema/effective_schema.ts";
import type { SchemaPart, StandardSchemaV1 } from "../../types/schema.ts";
import { type Captures, hasBody, type Operation } from "../operation.ts";
import type { PartGenerators } from "../options.ts";
import { JSON_TYPE, seenBody } from "../send/body.ts";
import { areHeaders, asCarried, isCarried } from "../send/wire.ts";
import { arbitraryOf } from "./arbitrary.ts";
import { checkPart, type Input } from "./input.ts";

/** What inputs are made of, beside the schemas. */
export interface InputContext {
  /** Headers that every request has. */
  readonly as: Readonly<Record<string, string>>;
  /** Values of the segments that lead to something. */
  readonly captures: readonly Captures[];
  /** Values that fit a member of this name. */
  readonly known: ReadonlyMap<string, readonly unknown[]>;
  /** What the user hands over, by part. */
  readonly given: PartGenerators;
  /** Makes the search for values repeatable. */
  readonly seed: number;
}

/** Inputs that fit their schemas, or why there are none. */
export type Inputs =
  | { readonly arbitrary: fc.Arbitrary<Input> }
  | { readonly missing: string };

/** How many values are tried, to see how many of them fit. */
const TRIALS = 100;

/** How many of them must fit, so that others are waited for. */
const ENOUGH = 5;

/** Inputs of an operation that fit all of its schemas. */
export async function inputsOf(
  operation: Operation,
  context: InputContext,
): Promise<Inputs> {
  const parts: Partial<Record<SchemaPart, fc.Arbitrary<unknown>>> = {};
  let types: readonly string[] = [JSON_TYPE];
  for (const part of ["params", "query", "headers", "body"] as const) {
    if (part === "body" && !hasBody(operation)) continue;
    const found = await partOf(operation, part, context);
    if ("missing" in found) return found;
    parts[part] = found.arbitrary;
    if (part === "body") types = found.types;
  }
  const { params, ...others } = parts;
  const type = fc.constantFrom(...types);
  return {
    arbitrary: fc.tuple(
      params as fc.Arbitrary<Captures>,
      fc.record({ ...others, type }) as fc.Arbitrary<
        Omit<Input, keyof Captures>
      >,
    ).map(([captures, others]) => ({ ...captures, ...others })),
  };
}

type Found =
  | {
    readonly arbitrary: fc.Arbitrary<unknown>;
    /** The media types of the part, if it is the body. */
    readonly types: readonly string[];
  }
  | { readonly missing: string };

async function partOf(
  operation: Operation,
  part: SchemaPart,
  context: InputContext,
): Promise<Found> {
  const schemas = operation.schema.parts[part];
  const given = context.given[part];
  const examples: unknown[] = [];
  let types = [JSON_TYPE];
  let made: fc.Arbitrary<unknown>;
  try {
    const forms = schemas.map(({ value }) =>
      toJsonSchema(value, { direction: "input", name: part })
    );
    const example = merged(forms.map((form) => createExample(form)));
    examples.push(asCarried(part, example));
    if (part === "body") types = bodyTypes(forms[0]!);
    made = madeOf(forms, operation, part, context);
  } catch (error) {
    if (given === undefined) {
      return { missing: `${part}: ${(error as Error).message}` };
    }
    made = fc.constant(undefined);
  }
  if (given !== undefined) {
    made = Array.isArray(given)
      ? fc.constantFrom(...given)
      : given as unknown as fc.Arbitrary<unknown>;
    if (part === "params") made = made.map(asCaptures);
  }
  const fits = (value: unknown) => {
    const seen = part === "body"
      ? seenBody(value, types[0])
      : seenBySchema(part, value, context);
    return fitsAll(part, schemas, seen);
  };
  const { seed } = context;
  const found = await fitting(made, fits, { part, examples, seed });
  return "missing" in found ? found : { ...found, types };
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
  const any = fc.record(Object.fromEntries(names.map((name) => [name, text])));
  const made = fc.tuple(
    any,
    values,
    fc.array(text.map(String), { minLength: 1, maxLength: 3 }),
  ).map(([any, values, wildcard]): Captures => ({
    params: Object.fromEntries(
      Object.entries({ ...any, ...values as object })
        .map(([name, value]) => [name, String(value)]),
    ),
    wildcard: hasWildcard ? wildcard : [],
  })).filter(isCarried);
  return known.length === 0 || names.length === 0 && !hasWildcard
    ? made
    : fc.oneof(
      { arbitrary: fc.constantFrom(...known), weight: 4 },
      { arbitrary: made, weight: 1 },
    );
}

function asCaptures(value: unknown): Captures {
  const params = Object.entries(value as object)
    .map(([name, each]) => [name, String(each)]);
  return { params: Object.fromEntries(params), wildcard: [] };
}

/** A part as its schema gets it. */
function seenBySchema(
  part: SchemaPart,
  value: unknown,
  { as }: InputContext,
): unknown {
  if (part === "params") return (value as Captures).params;
  return part === "headers" ? { ...value as object, ...as } : value;
}

async function fitsAll(
  part: SchemaPart,
  schemas: readonly Placed<StandardSchemaV1>[],
  value: unknown,
): Promise<boolean> {
  for (const schema of schemas) {
    const checked = await checkPart(part, schema, value);
    if (checked?.issues !== undefined) return false;
  }
  return part !== "headers" || areHeaders(value as object);
}

/**
 * Those values that fit. What a schema alone knows, such as a refinement, may refuse
 * nearly all: then the few that fit are taken again and again.
 */
async function fitting(
  made: fc.Arbitrary<unknown>,
  fits: (value: unknown) => Promise<boolean>,
  { part, examples, seed }: {
    readonly part: SchemaPart;
    readonly examples: readonly unknown[];
    readonly seed: number;
  },
): Promise<{ arbitrary: fc.Arbitrary<unknown> } | { missing: string }> {
  const samples = fc.sample(made, { numRuns: TRIALS, seed });
  const good: unknown[] = [];
  for (const sample of samples) if (await fits(sample)) good.push(sample);
  if (good.length === TRIALS) return { arbitrary: made };
  if (good.length >= ENOUGH) {
    // A schema may be asynchronous, and fast-check does not wait: what does not fit
    // is left out before the request is sent.
    return {
      arbitrary: fc.oneof(
        { arbitrary: made, weight: 9 },
        fc.constantFrom(...good),
      ),
    };
  }
  for (const example of examples) {
    if (part === "params" || example === undefined) continue;
    if (await fits(example)) good.push(example);
  }
  return good.length > 0
    ? { arbitrary: fc.constantFrom(...good) }
    : { missing: `${part}: nothing that was made fits its schema` };
}
