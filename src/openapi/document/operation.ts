import { type Method, schemaKey } from "../../methods.ts";
import type { RouteInfo } from "../../options/plugin.ts";
import { compileSegment } from "../../routing/pattern.ts";
import type {
  DocumentWarning,
  JsonSchema,
  Operation,
  Parameter,
} from "../types.ts";
import { requestBody, takesForms } from "./body.ts";
import {
  capitalize,
  type DocumentContext,
  OperationContext,
} from "./context.ts";
import { socketMessages } from "./live.ts";
import {
  mergeParameters,
  namedParameters,
  pathParameters,
} from "./parameters.ts";
import { describeResponses, warnOfHeaders } from "./responses.ts";

/** Describes one method of a route, all but its `operationId`. */
export function describeOperation(
  route: RouteInfo,
  method: Method,
  document: DocumentContext,
): Omit<Operation, "operationId"> {
  const hint = defaultOperationId(route, method);
  const context = new OperationContext({ route, method, hint }, document);
  const { summary, description } = context.schema;
  const { deprecated, security, tags } = context.effective;
  const parameters = describeParameters(context);
  const body = requestBody(context);
  const messages = socketMessages(context);
  return {
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    tags: tags?.value ?? defaultTags(route),
    ...(deprecated !== undefined && { deprecated: deprecated.value }),
    ...(security !== undefined && { security: security.value }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: body }),
    responses: describeResponses(context, {
      parameters,
      takesForms: takesForms(body),
    }),
    ...(messages !== undefined && { "x-socket": messages }),
  };
}

/** The parameters that the route declares, and the contracts around it. */
function describeParameters(context: OperationContext): Parameter[] {
  const { route, effective: { parts }, document: { components } } = context;
  const params = parts.params.flatMap(({ value, file, paramNames }) => {
    const json = context.convert({ value: "params", file }, value, {
      direction: "input",
      name: "Params",
    });
    return json === undefined ? [] : [{ json, names: paramNames }];
  });
  const parameters = [
    ...pathParameters(route.segments, params),
    ...convertAll(context, "query", "Query").flatMap((json) =>
      namedParameters("query", json)
    ),
    ...convertAll(context, "headers", "Headers").flatMap((json) =>
      namedParameters("header", json)
    ),
  ];
  return mergeParameters(parameters.map((parameter) => ({
    ...parameter,
    schema: components.add(parameter.schema, "input"),
  })));
}

/** The JSON forms of a part, outermost first. */
function convertAll(
  context: OperationContext,
  part: "query" | "headers",
  name: string,
): JsonSchema[] {
  return context.effective.parts[part].flatMap(({ value, file }) => {
    const member = { value: part, file };
    const json = context.convert(member, value, { direction: "input", name });
    if (json === undefined) return [];
    if (part === "headers") warnOfHeaders(context, member, json);
    return [json];
  });
}

/** Gives each operation an id of its own. */
export class OperationIds {
  readonly #taken = new Set<string>();

  /** Notes the ids that routes give themselves, and warns of one given twice. */
  constructor(routes: readonly RouteInfo[], warnings: DocumentWarning[]) {
    for (const { schema, file } of routes) {
      for (const [method, { operationId }] of Object.entries(schema)) {
        if (operationId === undefined) continue;
        if (this.#taken.has(operationId)) {
          warnings.push({
            path: file,
            message:
              `schema.${method}.operationId "${operationId}" is used by another operation, too; choose a unique one`,
          });
        }
        this.#taken.add(operationId);
      }
    }
  }

  /** The id of one method of a route. */
  of(route: RouteInfo, method: Method): string {
    const key = schemaKey(method);
    const given = route.schema[key]?.operationId;
    if (given !== undefined) return given;
    const wanted = defaultOperationId(route, method);
    let id = wanted;
    for (let count = 2; this.#taken.has(id); count++) id = `${wanted}${count}`;
    this.#taken.add(id);
    return id;
  }
}

/** The default id of an operation: `getUsersByIdPosts` for `GET users/[id]/posts`. */
export function defaultOperationId(
  { folders }: Pick<RouteInfo, "folders">,
  method: Method,
): string {
  const words = folders.flatMap((name) => {
    const segment = compileSegment(name);
    if (segment.kind === "group") return [];
    if (segment.kind === "dynamic") return ["by", segment.name];
    if (segment.kind === "wildcard") return ["by", "wildcard"];
    return name.split(/[^\p{L}\p{N}]+/u);
  });
  const name = words.length === 0 ? ["root"] : words;
  return method.toLowerCase() + name.map(capitalize).join("");
}

/** The default tag of an operation: the first folder that is part of its URL. */
export function defaultTags({ folders }: RouteInfo): readonly string[] {
  for (const name of folders) {
    const segment = compileSegment(name);
    if (segment.kind === "static") return [segment.text];
    if (segment.kind === "dynamic") return [segment.name];
  }
  return [];
}
