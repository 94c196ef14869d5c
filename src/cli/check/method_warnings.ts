import { isForm } from "../../core/common/media_type.ts";
import { isObject, quoted } from "../../core/common/values.ts";
import { type Method, schemaKey, UNSAFE_METHODS } from "../../core/methods.ts";
import type { RouteInfo } from "../../core/types/plugin.ts";
import { type JsonSchema, lenientForm } from "../../core/schema/json_schema.ts";
import { describedShape, namedMembers } from "../../core/schema/shape.ts";
import { declarationOf } from "../../core/schema/declaration.ts";
import {
  isStreamedSchema,
  SCHEMA_PARTS,
} from "../../core/schema/check_request.ts";
import type { Warning } from "../../core/start/discover.ts";
import type { EffectiveSchema } from "../../core/types/effective_schema.ts";
import type {
  MethodSchema,
  StandardSchemaV1,
} from "../../core/types/schema.ts";
import { typesOfBody } from "../../shared/document/operation.ts";
import { flatten, objectMembers, typesOf } from "../../shared/flat_schema.ts";
import { createExample } from "../../shared/values/example.ts";
import { warning } from "./rules.ts";
import { outputOf } from "./warnings.ts";

/** A method of a route, with its own schemas and the schemas of all levels. */
interface Operation {
  readonly route: RouteInfo;
  readonly method: Method;
  readonly own: MethodSchema;
  readonly effective: EffectiveSchema;
  /** The place of its schemas in the route file: `schema.patch`. */
  readonly member: string;
}

/** Warns of methods whose clients would get errors or lose data. */
export async function methodWarnings(
  routes: readonly RouteInfo[],
): Promise<Warning[]> {
  const operations = routes.flatMap((route) =>
    route.methods.map((method): Operation => ({
      route,
      method,
      own: route.schema[schemaKey(method)] ?? {},
      effective: route.operations.get(method)!,
      member: `schema.${schemaKey(method)}`,
    }))
  );
  const all = await Promise.all(operations.map(async (operation) => [
    ...streamedWithKey(operation),
    ...readWithoutVersion(operation),
    ...await resetMembers(operation),
    ...optionalCondition(operation),
    ...unsentValues(operation),
  ]));
  // One contract may cover many routes.
  return [
    ...new Map(all.flat().map((each) => [each.path + each.message, each]))
      .values(),
  ];
}

/** Warns of a streamed body below `idempotent()`, which reads the body first. */
function streamedWithKey(operation: Operation): Warning[] {
  const { route, own, effective, member } = operation;
  if (!isStreamedSchema(own.body)) return [];
  const level = effective.parts.headers.find(({ value }) =>
    value["~standard"].vendor === "bough-protect" &&
    names(value, ["idempotency-key"])
  );
  return level === undefined ? [] : [warning(
    "streamed-with-key",
    route.file,
    `${member}.body is a stream, but idempotent() in "${level.file}" reads it first, so a request with a key gets 500 or 413; use idempotent() only for bodies that are not streams`,
  )];
}

/** Warns of a change with `If-Match`, if the `GET` of its route declares no version. */
function readWithoutVersion(operation: Operation): Warning[] {
  const { route, method, effective } = operation;
  const read = route.operations.get("GET");
  const isLive = (read?.events ?? read?.socket) !== undefined;
  const level = effective.parts.headers.find(({ value }) =>
    names(value, ["if-match", "if-unmodified-since"])
  );
  if (
    !UNSAFE_METHODS.has(method) || read === undefined || isLive ||
    level === undefined
  ) return [];
  const hasVersion = [...read.response].some(([status, { value }]) => {
    const { headers } = value;
    return status >= 200 && status < 300 && headers !== undefined &&
      // A schema without a JSON Schema may declare any header.
      (lenientForm(headers, "output") === undefined ||
        names(headers, ["etag", "last-modified"]));
  });
  return hasVersion ? [] : [warning(
    "read-without-version",
    route.file,
    `schema.get declares no ETag, but changes receive a version (see "${level.file}"), so clients may lack it; send an ETag, and declare it in the response headers`,
  )];
}

/** Whether a schema names one of these members. */
function names(schema: StandardSchemaV1, wanted: readonly string[]): boolean {
  const { possible } = namedMembers(schema);
  return wanted.some((name) => possible.has(name));
}

/** The request headers that name a version (RFC 9110, section 13.1). */
const CONDITIONS = [
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-unmodified-since",
];

/** Warns of a declared 428 if no level requires a header that names a version. */
function optionalCondition(
  { route, method, effective, member }: Operation,
): Warning[] {
  const response = effective.response.get(428);
  const forms = effective.parts.headers.map(({ value }) =>
    lenientForm(value, "input")
  );
  if (
    !UNSAFE_METHODS.has(method) || response === undefined ||
    // A schema without a JSON Schema may require any header.
    forms.some((form) => form === undefined || requiresCondition(form, form))
  ) return [];
  const place = response.file === route.file ? member : "contract";
  return [warning(
    "optional-condition",
    response.file,
    `${place}.response has 428, but If-Match is optional, so calls without the header compile, but get 428; require the header, or use preconditions({ required: true })`,
  )];
}

/** Whether headers that match a JSON Schema name a version. */
function requiresCondition(form: unknown, root: JsonSchema): boolean {
  const flat = flatten(form, root);
  if (flat === undefined) return false;
  const { schema, branches } = flat;
  const { needed } = objectMembers(schema);
  // `preconditions()` excludes requests that lack all of these headers.
  const excluded = Object.keys(Object(Object(schema.not).properties));
  return CONDITIONS.some((name) => needed.has(name)) ||
    (excluded.length > 0 &&
      excluded.every((name) => CONDITIONS.includes(name))) ||
    (branches?.every((each) => requiresCondition(each, root)) ?? false);
}

/** Warns of members that no request can send, such as an object in a query. */
function unsentValues({ route, effective, member }: Operation): Warning[] {
  return SCHEMA_PARTS.flatMap((part) =>
    effective.parts[part].flatMap((located) => {
      const { value, file } = located;
      const isJson = part === "body" &&
        !typesOfBody(located, lenientForm(value, "input")).every(isForm);
      const isRepeated = part === "body" || part === "query";
      const names = isJson ? [] : unsentMembers(value, isRepeated);
      const place = file === route.file ? member : "contract";
      return names.length === 0 ? [] : [warning(
        "unsent-member",
        file,
        `${place}.${part} has ${quoted(names, " and ")}, which no ${
          part === "body" ? "form" : "request"
        } can send; accept a string${
          isRepeated ? " or a list of strings" : ""
        }, or use a JSON body`,
      )];
    })
  );
}

/**
 * The members that no request can send.
 *
 * @param isRepeated Whether a name may be repeated, and so may be a list.
 */
function unsentMembers(
  schema: StandardSchemaV1,
  isRepeated: boolean,
): string[] {
  const { objects = [] } = describedShape(schema, "strings") ?? {};
  const names = new Set(objects.flatMap(({ names }) => names));
  return [...names].filter((name) =>
    objects.every((each) => {
      const shape = each.member(name);
      // A file is a string, too.
      return shape !== undefined && !shape.allows("string") &&
        !(isRepeated && shape.allows("strings"));
    })
  );
}

/** Warns of members that a `PATCH` resets to a default if the body omits them. */
async function resetMembers(
  { route, method, own, member }: Operation,
): Promise<Warning[]> {
  const { contents = [] } = declarationOf(own).body ?? {};
  if (method !== "PATCH") return [];
  const schemas = new Set(contents.map(({ schema }) => schema));
  const found = [
    ...new Set((await Promise.all([...schemas].map(membersReset))).flat()),
  ];
  const paths = quoted(found, " and ");
  return found.length === 0 ? [] : [warning(
    "patch-default",
    route.file,
    `${member}.body has a default for ${paths}, so a change of other members resets it; make the member optional, without a default`,
  )];
}

/** The paths of the members that the schema of a change adds if the change omits them. */
async function membersReset(schema: StandardSchemaV1): Promise<string[]> {
  const root = lenientForm(schema, "input");
  if (root === undefined) return [];
  const found: string[] = [];
  for (const { value, omitted } of leastChanges(root, root)) {
    // Zod's JSON Schema requires a member with `.catch()`, but the schema does not.
    for (const name of Object.keys(value)) {
      const { [name]: _, ...others } = value;
      const filled = await outputOf(schema, others);
      if (memberOf(filled?.value, name) !== undefined) found.push(name);
    }
    const output = await outputOf(schema, value);
    const added = omitted.filter(({ path, hasDefault }) =>
      output === undefined
        ? hasDefault
        : path.reduce(memberOf, output.value) !== undefined
    );
    found.push(...added.map(({ path }) => path.join(".")));
  }
  return found;
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name)
    ? value[name]
    : undefined;
}

/** A change without its optional members. */
interface Change {
  readonly value: Readonly<Record<string, unknown>>;
  readonly omitted: readonly {
    readonly path: readonly string[];
    readonly hasDefault: boolean;
  }[];
}

/**
 * A change without optional members, and changes with one member that is itself a change.
 * A list, or an object with required members, is a new value, which may have defaults.
 */
function leastChanges(
  form: unknown,
  root: JsonSchema,
  around?: ReadonlySet<string>,
): Change[] {
  const flat = flatten(form, root, around);
  if (flat === undefined) return [];
  const { schema, branches, followed } = flat;
  if (branches !== undefined) {
    return branches.flatMap((each) => leastChanges(each, root, followed));
  }
  if (!typesOf(schema).includes("object")) return [];
  const { members, needed } = objectMembers(schema);
  const value: Record<string, unknown> = {};
  const omitted: Change["omitted"][number][] = [];
  const nested: Change[] = [];
  for (const [name, member] of members) {
    const changes = leastChanges(member, root, followed)
      .filter(({ value }) => Object.keys(value).length === 0);
    if (needed.has(name)) {
      value[name] = changes[0]?.value ??
        createExample(member as JsonSchema, { root, name });
    } else {
      const { schema = {} } = flatten(member, root, followed) ?? {};
      omitted.push({ path: [name], hasDefault: "default" in schema });
    }
    for (const change of changes) {
      const below = change.omitted.map(({ path, hasDefault }) => (
        { path: [name, ...path], hasDefault }
      ));
      nested.push({ value: { [name]: change.value }, omitted: below });
    }
  }
  const changed = nested.map((change) => (
    { ...change, value: { ...value, ...change.value } }
  ));
  return [{ value, omitted }, ...changed];
}
