import fc from "fast-check";
import type { Captures } from "../../shared/wire.ts";
import { isObject, messageOf } from "../../core/common/values.ts";
import { toJsonSchema } from "../../shared/document/json_schema.ts";
import { typesOfBody } from "../../shared/document/operation.ts";
import { Draw } from "../../shared/values/draw.ts";
import {
  type Edit,
  inTurn,
  type ValueOptions,
  type Values,
  valuesOf,
  WRONG,
} from "../../shared/values/values.ts";
import type { JsonSchema } from "../../shared/types.ts";
import { lenientForm } from "../../core/schema/json_schema.ts";
import { WILDCARD } from "../../shared/fill_path.ts";
import { SCHEMA_PARTS } from "../../core/schema/check_request.ts";
import type { LocatedSchema } from "../../core/types/effective_schema.ts";
import type { SchemaPart } from "../../core/types/schema.ts";
import { declaredTypes, hasBody, type Operation } from "../operation.ts";
import type { PartGenerators } from "../options.ts";
import { asCarried, JSON_TYPE, stringOf } from "../../shared/wire.ts";
import { becomesLarge, type Input, isValid, refusedPlaces } from "./input.ts";
import { drawn, type Make, Planned } from "./planned.ts";

/** The sources of inputs in addition to the schemas. */
export interface InputContext extends Pick<ValueOptions, "known" | "created"> {
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
  const samples = samplesOf(plain, { count: BASES, seed });
  let bases = await validOf(operation, samples);
  const share = bases.length;
  if (share === 0) {
    // Only the schema itself contains its refinements, which may reject nearly all
    // values. In this case, the few valid values are reused.
    samples.push(
      ...edges.map((edit) => edit(samples[0]!)),
      ...samplesOf(changed(plain, edges), { count: SAMPLES, seed }),
    );
    bases = await validOf(operation, samples);
    if (bases.length === 0) {
      return { missing: await partWithoutValues(operation, samples) };
    }
  }
  const { planned, large } = await plannedOf(operation, { bases, edges, most });
  const small = edges
    .filter((edit) => !becomesLarge(bases[0]!, edit(bases[0]!)));
  // An arbitrary cannot wait for an asynchronous schema, so some values are invalid.
  // `validPlan()` drops them before their requests are sent.
  const base = (draw: Draw) =>
    draw.pick(BASES) < share ? plain(draw) : draw.from(bases);
  const random = drawn(changed(base, small));
  return {
    large,
    get arbitrary() {
      return new Planned(planned, random);
    },
  };
}

/** The first base, and a base with each of the edges, as far as these are valid. */
async function plannedOf(
  operation: Operation,
  { bases, edges, most }: {
    readonly bases: readonly Input[];
    readonly edges: readonly InputEdit[];
    readonly most: number;
  },
): Promise<{ planned: Input[]; large: Input[] }> {
  const planned = bases.slice(0, 1);
  const large: Input[] = [];
  for (const [index, edit] of edges.entries()) {
    if (planned.length >= most) break;
    const first = index % bases.length;
    const inputs = [...bases.slice(first), ...bases.slice(0, first)].values()
      .filter((base) => edit(base) !== base).take(TRIES).map(edit);
    const [input] = await validOf(operation, inputs, { most: 1 });
    if (input === undefined) continue;
    (becomesLarge(bases[0]!, input) ? large : planned).push(input);
  }
  return { planned, large };
}

/** A few random values; each call returns the same values. */
function samplesOf<Value>(
  make: Make<Value>,
  { count, seed = 1 }: { readonly count: number; readonly seed?: number },
): Value[] {
  return Array.from(
    { length: count },
    (_, index) => make(new Draw(seed * count + index)),
  );
}

/** Values with up to three changes. */
function changed(make: Make<Input>, edits: readonly InputEdit[]): Make<Input> {
  return (draw) => {
    let input = make(draw);
    for (let left = draw.pick(4); left > 0; left--) {
      input = draw.from(edits)?.(input) ?? input;
    }
    return input;
  };
}

async function validOf(
  operation: Operation,
  inputs: Iterable<Input>,
  { most = Infinity } = {},
): Promise<Input[]> {
  const valid: Input[] = [];
  for (const input of inputs) {
    if (await isValid(operation, input)) valid.push(input);
    if (valid.length === most) break;
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
  readonly plain: Make<Input>;
  readonly edges: readonly InputEdit[];
  readonly beyond: readonly InputEdit[];
  /** The reason why there are no inputs. */
  readonly missing?: string | undefined;
}

export function inputValues(
  operation: Operation,
  context: InputContext,
): InputValues {
  const all = groupsOf(operation)
    .map((group) => valuesOfGroup(operation, group, context));
  const parts = [...Map.groupBy(all, ({ part }) => part).values()];
  const types = operation.responses.values().flatMap(({ bodies }) =>
    bodies.length > 1 ? bodies.map(({ mediaType = "*/*" }) => mediaType) : []
  );
  const accepted = [...new Set(types)].map((accept): InputEdit => (input) => ({
    ...input,
    headers: { ...input.headers, accept },
  }));
  return {
    plain: (draw) =>
      Object.assign({}, ...parts.map((each) => draw.from(each).plain(draw))),
    edges: inTurn([...all.flatMap(({ edges }) => edges), accepted]),
    beyond: inTurn(all.map(({ beyond }) => beyond)),
    missing: all.find(({ missing }) => missing !== undefined)?.missing,
  };
}

/** A part with its schemas. */
type Group = readonly [part: SchemaPart, located: readonly LocatedSchema[]];

/** The values of a part, or those of a body with one media type. */
interface GroupValues {
  readonly part: SchemaPart;
  readonly plain: Make<Partial<Input>>;
  readonly edges: readonly (readonly InputEdit[])[];
  readonly beyond: readonly InputEdit[];
  readonly missing: string | undefined;
}

function valuesOfGroup(
  operation: Operation,
  group: Group,
  { captures, given, ...options }: InputContext,
): GroupValues {
  const [part, located] = group;
  const [{ mediaType } = {}] = located;
  const { made, types, error } = schemaValues(operation, group, options);
  const isGiven = given[part] !== undefined;
  const all = given.only && isGiven ? undefined : made;
  const isKnown = part === "params" && captures.length > 0;
  const own = given[part] ?? (isKnown ? captures.map(asValues) : undefined);
  const make = own ? makeOf(own) : made?.plain ?? (() => undefined);
  const plain: Make<Partial<Input>> = (draw) => ({
    ...inputWith(part, make(draw)),
    ...part === "body" && { type: types[0]! },
  });
  const within = (edit: Edit): InputEdit => {
    const change = inPart(part, edit);
    return (input) =>
      mediaType === undefined || input.type === mediaType
        ? change(input)
        : input;
  };
  const values = [
    ...isGiven && Array.isArray(own) ? own : [],
    ...all && located.length > 0 ? [all.plain(new Draw())] : [],
    // Generated values are also sent, such as unknown identifiers.
    ...all && own ? samplesOf(all.plain, { count: GENERATED }) : [],
  ].map((value) => () => value);
  const edits = [...all?.edits("edges") ?? [], () => undefined];
  return {
    part,
    plain,
    edges: [
      [...values, ...all ? edits : []].map(within),
      // Each type is sent at least once, whatever the ordinary inputs are.
      mediaType === undefined
        ? types.slice(1).map((type) => (input) => ({ ...input, type }))
        : [(input) => ({ ...input, ...plain(new Draw(1)) })],
    ],
    // If no library converts the schema, its limits are unknown.
    beyond: located.length === 0
      ? []
      : (made?.edits("beyond") ?? WRONG).map(within),
    missing: isGiven || error === undefined
      ? undefined
      : `${part}: ${messageOf(error)}`,
  };
}

/** The values of a list, or of an arbitrary. */
function makeOf(
  given: NonNullable<PartGenerators["body"]>,
): Make<unknown> {
  if (Array.isArray(given)) return (draw) => draw.from(given);
  const arbitrary = given as unknown as fc.Arbitrary<unknown>;
  return (draw) =>
    fc.sample(arbitrary, { numRuns: 1, seed: draw.pick(2 ** 31) })[0];
}

/** The values that the schemas of a part describe, unless no library converts them. */
function schemaValues(
  operation: Operation,
  [part, located]: Group,
  options: ValueOptions,
): { made?: Values; types: readonly string[]; error?: unknown } {
  const [{ mediaType } = {}] = located;
  let types = [mediaType ?? JSON_TYPE];
  try {
    const schemas = partSchemas(operation, located, part);
    if (part === "body") types = typesOfBody(located[0]!, schemas[0]!);
    const all = together(schemas);
    const schema = part === "params" ? withSegments(operation, all) : all;
    return { made: valuesOf(schema, options), types };
  } catch (error) {
    return { types, error };
  }
}

/** One schema for the schemas of several levels, which check the same value. */
function together(schemas: readonly JsonSchema[]): JsonSchema {
  if (schemas.length === 1) return schemas[0]!;
  const entries = schemas.map((schema, index) => {
    // Each schema has references to its own definitions.
    const text = JSON.stringify(schema)
      .replaceAll('"$ref":"#', `"$ref":"#/$defs/${index}`);
    return [index, JSON.parse(text)];
  });
  const allOf = schemas.map((_, index) => ({ $ref: `#/$defs/${index}` }));
  return { properties: {}, allOf, $defs: Object.fromEntries(entries) };
}

/** The parts with the schemas that check them together: of a body, those of a type. */
function groupsOf(
  operation: Operation,
): Group[] {
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

const SEGMENTS: JsonSchema = { items: SEGMENT, minItems: 1, maxItems: 3 };

/** The schema of a path, with the segments that have no other schema. */
function withSegments(operation: Operation, schema: JsonSchema): JsonSchema {
  const known = parameterNames(operation, "params");
  const segments: Record<string, JsonSchema> = {};
  for (const segment of operation.route.segments) {
    if (segment.kind === "dynamic") segments[segment.name] = SEGMENT;
    if (segment.kind === "wildcard") segments[WILDCARD] = SEGMENTS;
  }
  const others = Object.entries(segments)
    .filter(([name]) => !known.includes(name));
  return {
    ...schema,
    properties: { ...Object(schema.properties), ...Object.fromEntries(others) },
    required: Object.keys(segments),
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

/** The value of a part as HTTP carries it. */
function inputWith(part: SchemaPart, value: unknown): Partial<Input> {
  return part === "params"
    ? asCaptures(value)
    : { [part]: part === "body" ? value : asCarried(part, value ?? {}) };
}

/** Changes a part of an input; returns the input itself if nothing changes. */
function inPart(part: SchemaPart, edit: Edit): InputEdit {
  return (input) => {
    const value = part === "params" ? asValues(input) : input[part];
    const edited = edit(value);
    if (edited === value || part !== "body" && !isObject(edited)) return input;
    if (part !== "params") return { ...input, ...inputWith(part, edited) };
    // A path has all of its segments, and no others.
    const captures = asCaptures({ ...value as object, ...edited as object });
    const params = Object.keys(input.params)
      .map((name) => [name, captures.params[name]]);
    return { ...input, ...captures, params: Object.fromEntries(params) };
  };
}
