import {
  isForm,
  isInRange,
  MULTIPART,
  URLENCODED,
} from "../../core/common/media_type.ts";
import { capitalize, isObject } from "../../core/common/values.ts";
import { type Method, schemaKey } from "../../core/methods.ts";
import type { RouteInfo } from "../../core/types/plugin.ts";
import { compileSegment } from "../../core/routing/pattern.ts";
import {
  type JsonSchema,
  MAX_DEPTH,
  partsOf,
  resolveRoot,
} from "../../core/schema/json_schema.ts";
import { compileForm, OPEN } from "../../core/schema/shape.ts";
import { listsOf, resultAtOnce } from "../../core/schema/run_schema.ts";
import {
  isStreamedSchema,
  type StreamedSchema,
} from "../../core/schema/check_request.ts";
import type { LocatedSchema } from "../../core/types/effective_schema.ts";
import type {
  AccessRule,
  Deprecation,
  SchemaPart,
  StandardSchemaV1,
} from "../../core/types/schema.ts";
import type { DocumentWarning, Operation, Parameter } from "../types.ts";
import {
  defaultOperationId,
  type DocumentContext,
  OperationContext,
} from "./context.ts";
import { JSON_TYPE } from "../wire.ts";
import { freeName, mapKeywords } from "./json_schema.ts";
import {
  mergeParameters,
  namedParameters,
  pathParameters,
  type SeenParams,
} from "./parameters.ts";
import {
  describeResponses,
  socketMessages,
  warnOfHeaders,
} from "./responses.ts";

/** Describes one method of a route, except its `operationId`. */
export function describeOperation(
  route: RouteInfo,
  method: Method,
  document: DocumentContext,
): Omit<Operation, "operationId"> {
  const context = new OperationContext(document, { route, method });
  const { summary, description } = context.schema;
  const { deprecated, security, access, tags } = context.effective;
  const { sunset, ...about }: Deprecation = Object(deprecated?.value);
  const parameters = describeParameters(context);
  const body = requestBody(context);
  const messages = socketMessages(context);
  const responses = describeResponses(context, {
    parameters,
    takesForms: Object.keys(body?.content ?? {}).some((type) =>
      isForm(type) || isInRange("text/plain", type)
    ),
  });
  const undescribed = [...context.undescribed];
  return {
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    tags: tags?.value ?? defaultTags(route),
    ...(deprecated !== undefined && { deprecated: !!deprecated.value }),
    ...(sunset !== undefined && { "x-sunset": sunset }),
    ...(Object.keys(about).length > 0 && { "x-deprecated": about }),
    ...(security !== undefined && { security: security.value }),
    ...(access !== undefined && {
      "x-access": [access.value].flat().map(accessText),
    }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: body }),
    responses,
    ...(messages !== undefined && { "x-socket": messages }),
    ...(undescribed.length > 0 && { "x-undescribed": undescribed }),
  };
}

/** Describes a word, a role or a rule, such as `member customerId of parent`. */
export function accessText(rule: AccessRule): string {
  if (typeof rule === "string") return rule;
  if (typeof rule === "function") return "function";
  return `member ${rule.member}${rule.of === undefined ? "" : " of parent"}`;
}

/** The end of an operation as a sentence or more, in Markdown. */
export function deprecationText(
  { since, sunset, use, why }: Deprecation,
): string {
  return [
    since && `Deprecated since ${since}.`,
    sunset && `May be removed from ${sunset}.`,
    use && `Use [${use}](<${use}>).`,
    why,
  ].filter(Boolean).join(" ");
}

/** The parts whose members are parameters, with the place of these parameters. */
const NAMED = [
  ["query", "query"],
  ["headers", "header"],
  ["cookies", "cookie"],
] as const;

/** Returns the parameters that the route and its contracts declare. */
function describeParameters(context: OperationContext): Parameter[] {
  const parameters = [
    ...pathParameters(context.route.segments, convertAll(context, "params")),
    ...NAMED.flatMap(([part, place]) =>
      convertAll(context, part).flatMap(({ json }) =>
        namedParameters(place, json)
      )
    ),
  ];
  const { components } = context.document;
  const { cookies } = context.effective.parts;
  // The parameters of cookies describe the header.
  const distinct = parameters.filter(({ in: place, name }) =>
    cookies.length === 0 || place !== "header" || name !== "cookie"
  );
  return mergeParameters(distinct.map((parameter) => ({
    ...parameter,
    schema: components.add(parameter.schema, "input"),
  })));
}

/** Converts the schemas of one part of the request to JSON Schema, outermost first. */
export function convertAll(
  context: OperationContext,
  part: Exclude<SchemaPart, "body">,
): SeenParams[] {
  const options = { direction: "input", name: capitalize(part) } as const;
  return context.effective.parts[part].flatMap(
    ({ value, file, paramNames }) => {
      const member = { value: part, file };
      const json = context.convert(member, value, options);
      if (json === undefined) return [];
      if (part === "headers") warnOfHeaders(context, member, json);
      const seen = part === "query" ? withoutLists(json, value) : json;
      return [{ json: seen, names: paramNames }];
    },
  );
}

/** Describes a query in which the lists that may be absent are not required. */
function withoutLists(json: JsonSchema, schema: StandardSchemaV1): JsonSchema {
  const { needed } = listsOf(schema);
  return mapKeywords(json, (part) =>
    Array.isArray(part.required)
      ? {
        ...part,
        required: part.required.filter((name) => !needed.includes(name)),
      }
      : part);
}

function requestBody(context: OperationContext): Operation["requestBody"] {
  const { body, route: { file }, document: { components } } = context;
  if (body === undefined) return undefined;
  const { contents, isTyped, untyped } = body;
  const options = { direction: "input", name: "Body" } as const;
  const member = { value: "body", file };
  const required = !isOptional(untyped.schema);
  if (isTyped) {
    const content = Object.fromEntries(contents.map((each) => {
      const schema = context.describe(member, each.schema, options) ?? {};
      return [each.mediaType, { schema }];
    }));
    return { required, content, "x-declared-types": true };
  }
  const json = context.convert(member, untyped.schema, options);
  const schema = json === undefined ? {} : components.add(json, "input");
  const rest: StreamedSchema["content"] = isStreamedSchema(untyped.schema)
    ? untyped.schema.content
    : {};
  const content = typesOfBody({ value: untyped.schema, file }, json)
    .map((type) => [type, { schema, ...rest[type] }]);
  return { required, content: Object.fromEntries(content) };
}

/** The media types of a body that a schema checks, whose JSON Schema is `json`. */
export function typesOfBody(
  { value, mediaType }: LocatedSchema,
  json: JsonSchema | undefined,
): string[] {
  if (mediaType !== undefined) return [mediaType];
  return isStreamedSchema(value) ? Object.keys(value.content) : bodyTypes(json);
}

/**
 * Returns the media types of a body. A form can contain only strings, files, and lists of
 * these, so the result includes forms only if a string or a list of strings fits each
 * property. A body with a file can only be a multipart form.
 */
export function bodyTypes(json: JsonSchema | undefined): string[] {
  if (json === undefined) return [JSON_TYPE];
  const root = resolveRoot(json);
  const { objects } = compileForm(root);
  const forms = objects.flatMap(({ forms }) => forms.flat());
  if (forms.some((each) => hasFile(each, root))) return [MULTIPART];
  const areTexts = forms.length > 0 &&
    objects.flatMap(({ shapes }) => shapes).every((shape) =>
      shape !== OPEN && (shape.allows("string") || shape.allows("strings"))
    );
  return areTexts ? [JSON_TYPE, URLENCODED, MULTIPART] : [JSON_TYPE];
}

/** Whether a value may be a file, or a list of files. */
function hasFile(form: unknown, root: JsonSchema, depth = 0): boolean {
  // A union may contain itself.
  if (!isObject(form) || depth > MAX_DEPTH) return false;
  const { all, unions } = partsOf(form, root);
  return form.format === "binary" ||
    [form.items, ...all, ...unions.flat()]
      .some((each) => hasFile(each, root, depth + 1));
}

/** Whether a request may omit a part: its schema accepts the value of a missing part. */
export function isOptional(
  schema: StandardSchemaV1,
  missing: unknown = undefined,
): boolean {
  const result = resultAtOnce(schema, missing);
  return result !== undefined && result.issues === undefined;
}

/**
 * Creates a function that returns a unique id for each operation. First collects the
 * ids that routes declare, and warns about duplicates.
 */
export function operationIds(
  routes: readonly RouteInfo[],
  warnings: DocumentWarning[],
): (route: RouteInfo, method: Method) => string {
  const taken = new Set<string>();
  for (const { schema, file: path } of routes) {
    for (const [method, { operationId }] of Object.entries(schema)) {
      if (operationId === undefined) continue;
      if (taken.has(operationId)) {
        const message =
          `schema.${method}.operationId "${operationId}" is not unique; choose another id`;
        warnings.push({ path, message });
      }
      taken.add(operationId);
    }
  }
  return (route, method) =>
    route.schema[schemaKey(method)]?.operationId ??
      freeName(defaultOperationId(route, method), taken);
}

/** The default tag of an operation: the first folder that is part of its URL. */
function defaultTags({ folders }: RouteInfo): readonly string[] {
  for (const name of folders) {
    const segment = compileSegment(name);
    if (segment.kind === "static") return [segment.text];
    if (segment.kind === "dynamic") return [segment.name];
  }
  return [];
}
