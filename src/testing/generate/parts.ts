import fc from "fast-check";
import type { Captures } from "../../shared/wire.ts";
import { isObject, messageOf } from "../../core/common/values.ts";
import { SCHEMA_PARTS } from "../../core/schema/check_request.ts";
import { lenientForm } from "../../core/schema/json_schema.ts";
import type { SchemaPart } from "../../plumbing.ts";
import type { LocatedSchema } from "../../openapi/mod.ts";
import { toJsonSchema } from "../../shared/document/json_schema.ts";
import { typesOfBody } from "../../shared/document/operation.ts";
import { WILDCARD } from "../../shared/fill_path.ts";
import { flatten } from "../../shared/flat_schema.ts";
import type { JsonSchema } from "../../openapi/mod.ts";
import { Draw } from "../../shared/values/draw.ts";
import {
  type Edit,
  inTurn,
  setting,
  WRONG,
} from "../../shared/values/edits.ts";
import {
  type ValueOptions,
  type Values,
  valuesOf,
} from "../../shared/values/values.ts";
import { asCarried, stringOf } from "../../shared/wire.ts";
import { declaredTypes, type Operation } from "../operation.ts";
import type { PartGenerators } from "../options.ts";
import type { Input } from "./input.ts";
import { type Make, samplesOf } from "./planned.ts";

/** The sources of inputs in addition to the schemas. */
export interface InputContext extends Pick<ValueOptions, "known" | "created"> {
  /** Values of the path's segments that identify existing resources. */
  readonly captures: readonly Captures[];
  /** The values of the option `generators` for the operation. */
  readonly given: PartGenerators;
}

/** Changes an input at one place; returns the input itself if the place is missing. */
export type InputEdit = (input: Input) => Input;

/** A part with its schemas. */
type Group = readonly [SchemaPart, readonly LocatedSchema[]];

/** Ordinary inputs, and changes to them, which the schemas have not validated yet. */
interface InputValues {
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

/** The values of a part, or those of a body with one media type. */
function valuesOfGroup(
  operation: Operation,
  [part, located]: Group,
  { given: { only, [part]: given }, captures, ...options }: InputContext,
) {
  const [first] = located;
  const types = part === "body"
    ? typesOfBody(first!, lenientForm(first!.value, "input"))
    : [];
  let made: Values | undefined;
  let missing: string | undefined;
  try {
    made = valuesOf(schemaOf(operation, [part, located]), options);
  } catch (error) {
    if (given === undefined) missing = `${part}: ${messageOf(error)}`;
  }
  const known = part === "params" ? captures.map(asValues) : [];
  const own = given ?? (known.length > 0 ? known : undefined);
  const make = own ? makeOf(own) : made?.plain ?? (() => undefined);
  const plain: Make<Partial<Input>> = (draw) => ({
    ...inputWith(part, make(draw)),
    ...part === "body" && { type: types[0]! },
  });
  const edges = setting(Array.isArray(given) ? given : []);
  if (made !== undefined && !(only && given)) {
    const values = located.length > 0 ? [made.plain(new Draw())] : [];
    // Generated values are also sent, such as unknown identifiers.
    if (own) values.push(...samplesOf(made.plain, { count: GENERATED }));
    edges.push(...setting(values), ...made.edits("edges"), () => undefined);
  }
  // Each type is sent at least once, whatever the ordinary inputs are.
  const switches: InputEdit[] = first?.mediaType === undefined
    ? types.slice(1).map((type) => (input) => ({ ...input, type }))
    : [(input) => ({ ...input, ...plain(new Draw(1)) })];
  // If no library converts the schema, its limits are unknown.
  const beyond = located.length === 0 ? [] : made?.edits("beyond") ?? WRONG;
  const within = (edit: Edit) => inPart([part, located], edit);
  return {
    ...{ part, plain, missing },
    edges: [edges.map(within), switches],
    beyond: beyond.map(within),
  };
}

/** The values of a list, or of an arbitrary. */
function makeOf(given: PartGenerators["body"]): Make<unknown> {
  if (Array.isArray(given)) return (draw) => draw.from(given);
  const arbitrary = given as unknown as fc.Arbitrary<unknown>;
  return (draw) =>
    fc.sample(arbitrary, { numRuns: 1, seed: draw.pick(2 ** 31) })[0];
}

/** One schema for the schemas of a part, which may come from several levels. */
function schemaOf(operation: Operation, [part, located]: Group): JsonSchema {
  const schemas = located.map(({ value }) => {
    const json = toJsonSchema(value, { direction: "input", name: part });
    return withoutSpecial(operation, part, json);
  });
  const all = schemas.length === 1 ? schemas[0]! : together(schemas);
  return part === "params" ? withSegments(operation, all) : all;
}

/** One schema for several schemas, which check the same value. */
function together(schemas: readonly JsonSchema[]): JsonSchema {
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
function groupsOf(operation: Operation): Group[] {
  return SCHEMA_PARTS.flatMap((part): Group[] => {
    const located = operation.schema.parts[part];
    if (part === "body" && !operation.hasBody) return [];
    return part === "body" && declaredTypes(operation) !== undefined
      ? located.map((each) => [part, [each]])
      : [[part, located]];
  });
}

/** The number of generated values to send in addition to known or given values. */
const GENERATED = 5;

function asValues({ params, wildcard }: Captures): Record<string, unknown> {
  return { ...params, [WILDCARD]: wildcard };
}

/** Captures from the values of segments, by default of all that have a value. */
function asCaptures(values: unknown, names?: readonly string[]): Captures {
  const { [WILDCARD]: wildcard = [], ...params } = Object(values);
  const entries = (names ?? Object.keys(params))
    .map((name) => [name, stringOf(params[name])]);
  return {
    params: Object.fromEntries(entries),
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
  const { properties } = flatten(schema, schema)?.schema ?? {};
  const segments: Record<string, JsonSchema> = {};
  for (const segment of operation.route.segments) {
    if (segment.kind === "dynamic") segments[segment.name] = SEGMENT;
    if (segment.kind === "wildcard") segments[WILDCARD] = SEGMENTS;
  }
  const others = Object.entries(segments)
    .filter(([name]) => !Object.hasOwn(Object(properties), name));
  return {
    ...schema,
    properties: { ...Object(schema.properties), ...Object.fromEntries(others) },
    required: Object.keys(segments),
  };
}

/** The JSON Schema of a part, without credentials and optional conditions. */
function withoutSpecial(
  operation: Operation,
  part: SchemaPart,
  json: JsonSchema,
): JsonSchema {
  const { properties } = json;
  if (!isObject(properties)) return json;
  const needed = (json.required ?? []) as readonly string[];
  const isKept = (name: string) =>
    !isCredential(operation, part, name) &&
    (part !== "headers" || !CONDITIONAL.test(name) || needed.includes(name));
  const entries = Object.entries(properties).filter(([name]) => isKept(name));
  return {
    ...json,
    properties: Object.fromEntries(entries),
    required: needed.filter(isKept),
  } as JsonSchema;
}

export function isCredential(
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

/**
 * Changes a part of an input, or a body of one media type; returns the input itself if
 * nothing changes.
 */
function inPart([part, [first]]: Group, edit: Edit): InputEdit {
  return (input) => {
    if ((first?.mediaType ?? input.type) !== input.type) return input;
    const value = part === "params" ? asValues(input) : input[part];
    const edited = edit(value);
    if (edited === value || part !== "body" && !isObject(edited)) return input;
    if (part !== "params") return { ...input, ...inputWith(part, edited) };
    // A path has all of its segments, and no others.
    const all = { ...value as object, ...edited as object };
    return { ...input, ...asCaptures(all, Object.keys(input.params)) };
  };
}
