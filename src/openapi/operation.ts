import type { RouteInfo } from "../app/plugin.ts";
import type { Method } from "../method.ts";
import { requestBody, takesForms } from "./body.ts";
import { type DocumentContext, OperationContext } from "./context.ts";
import { defaultOperationId, defaultTags } from "./operation_names.ts";
import { namedParameters, pathParameters } from "./parameters.ts";
import { describeResponses, warnOfHeaders } from "./responses.ts";
import type { Operation, Parameter } from "./types.ts";

/** Describes one method of a route, all but its `operationId`. */
export function describeOperation(
  route: RouteInfo,
  method: Method,
  document: DocumentContext,
): Omit<Operation, "operationId"> {
  const hint = defaultOperationId(route, method);
  const context = new OperationContext({ route, method, hint }, document);
  const { summary, description, deprecated, security, tags } = context.schema;
  const parameters = describeParameters(context);
  const body = requestBody(context);
  return {
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    tags: tags ?? defaultTags(route),
    ...(deprecated !== undefined && { deprecated }),
    ...(security !== undefined && { security }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: body }),
    responses: describeResponses(context, {
      parameters,
      takesForms: takesForms(body),
    }),
  };
}

function describeParameters(context: OperationContext): Parameter[] {
  const { route, schema, document: { components } } = context;
  const convert = (part: "params" | "query" | "headers", name: string) =>
    context.convert(part, schema[part], { direction: "input", name });
  const query = convert("query", "Query");
  const headers = convert("headers", "Headers");
  if (headers !== undefined) warnOfHeaders(context, "headers", headers);
  const parameters = [
    ...pathParameters(route.segments, convert("params", "Params")),
    ...(query === undefined ? [] : namedParameters("query", query)),
    ...(headers === undefined ? [] : namedParameters("header", headers)),
  ];
  return parameters.map((parameter) => ({
    ...parameter,
    schema: components.add(parameter.schema, "input"),
  }));
}
