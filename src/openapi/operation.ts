import type { RouteInfo } from "../app/plugin.ts";
import type { Method } from "../method.ts";
import { requestBody, takesForms } from "./body.ts";
import { type DocumentContext, OperationContext } from "./context.ts";
import { defaultOperationId, defaultTags } from "./operation_names.ts";
import { socketMessages } from "./live.ts";
import { mergeParameters } from "./merge_parameters.ts";
import { namedParameters, pathParameters } from "./parameters.ts";
import { describeResponses, warnOfHeaders } from "./responses.ts";
import type { JsonSchema, Operation, Parameter } from "./types.ts";

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
