import fc from "fast-check";
import type { Captures } from "../../shared/wire.ts";
import { isObject, messageOf } from "../../core/common/values.ts";
import { toJsonSchema } from "../../shared/document/json_schema.ts";
import { typesOfBody } from "../../shared/document/operation.ts";
import { createExample } from "../../shared/values/example.ts";
import type { JsonSchema } from "../../shared/types.ts";
import { lenientForm } from "../../core/schema/json_schema.ts";
import { WILDCARD } from "../../shared/fill_path.ts";
import { SCHEMA_PARTS } from "../../core/schema/check_request.ts";
import type { LocatedSchema } from "../../core/types/effective_schema.ts";
import type { SchemaPart } from "../../core/types/schema.ts";
import { declaredTypes, hasBody, type Operation } from "../operation.ts";
import type { PartGenerators } from "../options.ts";
import { asCarried, JSON_TYPE, stringOf } from "../../shared/wire.ts";
import {
  type ArbitraryOptions,
  changed,
  type Edit,
  inTurn,
  samplesOf,
  type Values,
  valuesOf,
  WRONG,
} from "./arbitrary.ts";
import {
  becomesLarge,
  type Input,
  isValid,
  merged,
  refusedPlaces,
} from "./input.ts";
import { Planned } from "./planned.ts";

/** The sources of inputs in addition to the schemas. */
export interface InputContext extends ArbitraryOptions {
  /** Values of the path's segments that identify existing resources. */
  readonly captures: readonly Captures[];
  /** The values of the option `generators` for the operation. */
  readonly given: PartGenerators;
}

/** Valid inputs, the planned inputs first, or the reason why there are none. */
export type Inputs =
  | {
    readonly arbitrary: Planned<Input>;
    /** Inputs with large files, which are sent once: hundreds would be gigabytes. */
    readonly large: readonly Input[];
  }
  | { readonly missing: string };

/** The number of ordinary inputs, of which each edge changes one. */
const BASES = 30;

/** The number of ordinary inputs to try with an edge. */
const TRIES = 3;

/** The number of changed inputs to validate if no ordinary input is valid. */
const SAMPLES = 200;

/** Valid inputs of an operation, of which at most `most` are planned. */
export async function inputsOf(
  operation: Operation,
  { most, seed, ...context }: InputContext & {
    readonly most: number;
    readonly seed: number;
  },
): Promise<Inputs> {
  const { plain, edges, missing } = inputValues(operation, context);
  if (missing !== undefined) return { missing };
  const samples = fc.sample(plain, { numRuns: BASES, seed });
  let bases = await validOf(operation, samples);
  // A filter of fast-check cannot wait for an asynchronous schema, so invalid values
  // remain. `validPlan()` drops them before their requests are sent.
  let base = bases.length === BASES
    ? plain
    : fc.oneof(plain, fc.constantFrom(...bases, samples[0]!));
  if (bases.length === 0) {
    // Only the schema itself contains its refinements, which may reject nearly all
    // values. In this case, the few valid values are reused.
    const options = { numRuns: SAMPLES, seed };
    samples.push(
      ...edges.map((edit) => edit(samples[0]!)),
      ...fc.sample(changed({ plain, edges }), options),
    );
    bases = await validOf(operation, samples);
    if (bases.length === 0) {
      return { missing: await partWithoutValues(operation, samples) };
    }
    base = fc.constantFrom(...bases);
  }
  const planned = bases.slice(0, 1);
  const large: Input[] = [];
  for (const [index, edit] of edges.entries()) {
    if (planned.length >= most) break;
    const first = index % bases.length;
    const changes = [...bases.slice(first), ...bases.slice(0, first)]
      .map((base) => [base, edit(base)] as const)
      .filter(([base, edited]) => base !== edited).slice(0, TRIES);
    for (const [, edited] of changes) {
      if (!await isValid(operation, edited)) continue;
      (becomesLarge(bases[0]!, edited) ? large : planned).push(edited);
      break;
    }
  }
  const small = edges.map((edit): InputEdit => (input) => {
    const edited = edit(input);
    return becomesLarge(input, edited) ? input : edited;
  });
  const random = changed({ plain: base, edges: small });
  return {
    large,
    get arbitrary() {
      return new Planned(planned, random);
    },
  };
}

async function validOf(
  operation: Operation,
  inputs: readonly Input[],
): Promise<Input[]> {
  const valid: Input[] = [];
  for (const input of inputs) {
    if (await isValid(operation, input)) valid.push(input);
  }
  return valid;
}

/** The part whose schema rejects all inputs. */
async function partWithoutValues(
  operation: Operation,
  inputs: readonly Input[],
): Promise<string> {
  const places = await Promise.all(
    inputs.map((input) => refusedPlaces(operation, input)),
  );
  const count = (part: SchemaPart) =>
    places.filter((all) => [...all ?? []].some((each) => each.startsWith(part)))
      .length;
  const [part] = SCHEMA_PARTS.toSorted((a, b) => count(b) - count(a));
  const secret = parameterNames(operation, part!)
    .find((name) => isCredential(operation, part!, name));
  const option = part === "headers" ? "as" : "generators";
  return secret === undefined
    ? `${part}: no generated value fits its schema`
    : `${part}: "${secret}" carries a credential, which tests never generate; send it with "${option}"`;
}

/** Changes an input at one place; returns the input itself if the place is missing. */
export type InputEdit = (input: Input) => Input;

/** Ordinary inputs, and changes to them, which the schemas have not validated yet. */
export interface InputValues {
  readonly plain: fc.Arbitrary<Input>;
  readonly edges: readonly InputEdit[];
  readonly beyond: readonly InputEdit[];
  /** The reason why there are no inputs. */
  readonly missing?: string | undefined;
}

export function inputValues(
  operation: Operation,
  { known, created, captures, given }: InputContext,
): InputValues {
  const parts: Record<string, fc.Arbitrary<unknown>> = {};
  const edges: InputEdit[][] = [];
  const beyond: InputEdit[][] = [];
  let missing: string | undefined;
  const bodies: fc.Arbitrary<unknown>[] = [];
  for (const [part, located] of groupsOf(operation)) {
    const isGiven = given[part] !== undefined;
    const isKnown = part === "params" && captures.length > 0;
    const values = given[part] ??
      (isKnown ? captures.map(asValues) : undefined);
    const list: readonly unknown[] | undefined = Array.isArray(values)
      ? values
      : undefined;
    let made: Values | undefined;
    const [{ mediaType } = {}] = located;
    let types = [mediaType ?? JSON_TYPE];
    try {
      const schemas = partSchemas(operation, located, part);
      if (part === "body") {
        types = typesOfBody(located[0]!, schemas[0]!);
      }
      made = valuesOfPart(operation, schemas, part, { known, created });
    } catch (error) {
      if (!isGiven) missing ??= `${part}: ${messageOf(error)}`;
    }
    const plain = list === undefined
      ? values as unknown as fc.Arbitrary<unknown> | undefined
      : fc.constantFrom(...list);
    const value = (plain ?? made?.plain ?? fc.constant(undefined))
      .map((value) => part === "params" ? value : asCarried(part, value));
    if (part === "body") {
      bodies.push(value.map((body) => ({ body, type: types[0] })));
    } else parts[part] = value;
    const added = isGiven ? [...list ?? []] : [];
    const all = given.only && isGiven ? undefined : made;
    // Generated values are also sent, such as unknown identifiers.
    if (plain && all) added.push(...samplesOf(all.plain, GENERATED));
    const edits = [...added.map((value) => () => value), ...all?.edges ?? []];
    const within = (edit: Edit): InputEdit => {
      const change = inPart(part, edit);
      return (input) =>
        mediaType === undefined || input.type === mediaType
          ? change(input)
          : input;
    };
    edges.push(
      edits.map(within),
      types.slice(1).map((type) => (input) => ({ ...input, type })),
    );
    if (mediaType !== undefined && (plain ?? made) !== undefined) {
      // Each type is sent at least once, whatever the ordinary inputs are.
      const [body] = list ?? samplesOf((plain ?? made?.plain)!, 1);
      edges.push([(input) => ({ ...input, body, type: mediaType })]);
    }
    if (located.length > 0) {
      // If no library converts the schema, its limits are unknown.
      const wrong = made?.beyond ?? WRONG;
      beyond.push(wrong.map(within));
    }
  }
  // A single choice would use a random number, and change all later values of a seed.
  if (bodies.length > 0) {
    parts.body = bodies.length === 1 ? bodies[0]! : fc.oneof(...bodies);
  }
  const types = operation.responses.values().flatMap(({ bodies }) =>
    bodies.length > 1 ? bodies.map(({ mediaType = "*/*" }) => mediaType) : []
  );
  edges.push(
    [...new Set(types)].map((accept) => (input) => ({
      ...input,
      headers: { ...input.headers, accept },
    })),
  );
  return {
    plain: fc.record(parts).map(({ params, body, ...others }) => ({
      ...asCaptures(params),
      ...others as Omit<Input, keyof Captures>,
      ...body as Pick<Input, "body" | "type">,
    })),
    edges: inTurn(edges),
    beyond: inTurn(beyond),
    missing,
  };
}

/** The parts with the schemas that check them together: of a body, those of a type. */
function groupsOf(
  operation: Operation,
): (readonly [SchemaPart, readonly LocatedSchema[]])[] {
  return SCHEMA_PARTS.flatMap((part) => {
    const located = operation.schema.parts[part];
    if (part === "body" && !hasBody(operation)) return [];
    return part === "body" && declaredTypes(operation) !== undefined
      ? located.map((each) => [part, [each]] as const)
      : [[part, located] as const];
  });
}

/** The names of the members that the schemas of a part declare. */
export function parameterNames(
  { schema: { parts } }: Operation,
  part: SchemaPart,
): string[] {
  return parts[part].flatMap(({ value }) =>
    Object.keys(lenientForm(value, "input")?.properties ?? {})
  );
}

/** The number of generated values to send in addition to known or given values. */
const GENERATED = 5;

function asValues({ params, wildcard }: Captures): Record<string, unknown> {
  return { ...params, [WILDCARD]: wildcard };
}

/** Captures from the values of segments by name. */
function asCaptures(values: unknown): Captures {
  const given = values as Record<string, unknown>;
  const { [WILDCARD]: wildcard = [], ...params } = given;
  const strings = Object.entries(params)
    .map(([name, each]) => [name, stringOf(each)]);
  return {
    params: Object.fromEntries(strings),
    wildcard: [wildcard].flat().map(stringOf),
  };
}

/** The schema of segments that have no other schema. */
const SEGMENT: JsonSchema = {
  anyOf: [
    { type: "string", minLength: 1, maxLength: 200 },
    { type: "integer", minimum: 0 },
  ],
};

function valuesOfPart(
  operation: Operation,
  schemas: readonly JsonSchema[],
  part: SchemaPart,
  options: ArbitraryOptions,
): Values {
  const all = schemas.map((schema) => valuesOf(schema, options));
  const example = schemas.length === 0
    ? undefined
    : merged(schemas.map((each) => createExample(each)));
  if (part === "params") {
    const segments = operation.route.segments.flatMap((segment) =>
      segment.kind === "static"
        ? []
        : segment.kind === "dynamic"
        ? [[segment.name, SEGMENT]]
        : [[WILDCARD, { items: SEGMENT, minItems: 1, maxItems: 3 }]]
    );
    const properties = Object.fromEntries(segments);
    const required = Object.keys(properties);
    const values = valuesOf({ properties, required }, options)!;
    // A schema overrides these values, which hardly any segment rejects.
    all.unshift({ ...values, beyond: [] });
  }
  const known = all.filter((each) => each !== undefined);
  return {
    plain: known.length < all.length
      ? fc.constant(undefined)
      : fc.tuple(...known.map(({ plain }) => plain)).map(merged),
    // The edges of schemas come before those of all segments.
    edges: [
      ...example === undefined ? [] : [() => example],
      ...inTurn(known.map(({ edges }) => edges).reverse()),
      ...part === "body" ? [() => undefined] : [],
    ],
    beyond: inTurn(known.map(({ beyond }) => beyond)),
  };
}

/** The JSON Schemas of a part, without credentials and optional conditions. */
function partSchemas(
  operation: Operation,
  located: readonly LocatedSchema[],
  part: SchemaPart,
): JsonSchema[] {
  return located.map(({ value }) => {
    const json = toJsonSchema(value, { direction: "input", name: part });
    const { properties, required = [] } = json;
    if (!isObject(properties)) return json;
    const needed = required as readonly string[];
    const isKept = (name: string) =>
      !isCredential(operation, part, name) &&
      (part !== "headers" || !CONDITIONAL.test(name) || needed.includes(name));
    const entries = Object.entries(properties)
      .filter(([name]) => isKept(name));
    return {
      ...json,
      properties: Object.fromEntries(entries),
      required: needed.filter(isKept),
    } as JsonSchema;
  });
}

function isCredential(
  { credentials }: Operation,
  part: SchemaPart,
  name: string,
): boolean {
  const names = credentials[part] ?? [];
  return names.includes(part === "headers" ? name.toLowerCase() : name);
}

/** Headers with which nearly every request would fail; the property `repeats` sends them. */
const CONDITIONAL = /^if-(?:(?:none-)?match|(?:un)?modified-since|range)$/i;

/** Changes a part of an input; returns the input itself if nothing changes. */
function inPart(part: SchemaPart, edit: Edit): InputEdit {
  return (input) => {
    const value = part === "params" ? asValues(input) : input[part];
    const edited = edit(value);
    if (edited === value || part !== "body" && !isObject(edited)) return input;
    if (part !== "params") {
      return { ...input, [part]: asCarried(part, edited) };
    }
    // A path has all of its segments, and no others.
    const captures = asCaptures({ ...value as object, ...edited as object });
    const params = Object.keys(input.params)
      .map((name) => [name, captures.params[name]]);
    return { ...input, ...captures, params: Object.fromEntries(params) };
  };
}
