import { STATUS_TEXT, type StatusCode } from "@std/http/status";
import { isJson, mediaType } from "../../common/media_type.ts";
import type { Placed } from "../../schema/effective_schema.ts";
import {
  BODYLESS,
  type DeclaredResponse,
  declaredResponses,
} from "../../schema/responses.ts";
import type { StandardSchemaV1 } from "../../types/schema.ts";
import type {
  DocumentedResponse,
  JsonSchema,
  MediaTypes,
  Operation,
} from "../types.ts";
import type { OperationContext } from "./context.ts";
import { liveResponses } from "./live.ts";
import { propertyNames, responseHeaders } from "./parameters.ts";
import { Problem } from "./problem_schema.ts";
import {
  type OwnProblem,
  ownProblems,
  problemContent,
  type ProblemOptions,
} from "./problems.ts";

/** Describes the responses of an operation: those it declares, and Bough's own. */
export function describeResponses(
  context: OperationContext,
  options: ProblemOptions,
): Operation["responses"] {
  const problems = ownProblems(context, options);
  const live = liveResponses(context);
  const responses: Record<string, DocumentedResponse> = {};
  if (Object.keys(live).length === 0 && !declaresSuccess(context)) {
    responses[200] = { description: "OK" };
  }
  for (const [status, { value, file }] of context.effective.response) {
    const response = declaredResponses({ [status]: value }).get(status)!;
    responses[status] = merge(
      describe(context, { value: status, file }, response),
      problems[status],
    );
  }
  Object.assign(responses, live);
  const { shared } = context.document;
  const own = Object.entries(problems)
    .filter(([status]) => !(status in responses))
    .map(([status, { name, response }]) => [
      status,
      // The responses to HEAD have no body, so they differ from those of all others.
      name === undefined || context.method === "HEAD"
        ? response
        : shared.add(name, response),
    ]);
  return { ...responses, ...Object.fromEntries(own) };
}

/**
 * Whether it is said what comes of a request that succeeds. A redirect counts where the
 * route declares it: that of a folder, say to a login, is no success.
 */
function declaresSuccess(
  { effective: { response }, route }: OperationContext,
): boolean {
  return [...response].some(([status, { file }]) =>
    status < (file === route.file ? 400 : 300)
  );
}

function describe(
  context: OperationContext,
  { value: status, file }: Placed<number>,
  { mediaType, body, headers, description }: DeclaredResponse,
): DocumentedResponse {
  const member = { value: `response[${status}].headers`, file };
  const json = context.convert(member, headers, {
    direction: "output",
    name: `${status}Headers`,
  });
  if (json !== undefined) warnOfHeaders(context, member, json);
  const { components } = context.document;
  return {
    description: description ?? STATUS_TEXT[status as StatusCode] ??
      `Status ${status}`,
    ...(json !== undefined && {
      headers: Object.fromEntries(
        Object.entries(responseHeaders(json)).map(([name, header]) => [
          name,
          { ...header, schema: components.add(header.schema, "output") },
        ]),
      ),
    }),
    ...contentOf(context, { value: status, file }, { mediaType, body }),
  };
}

function contentOf(
  context: OperationContext,
  { value: status, file }: Placed<number>,
  { mediaType, body }: Pick<DeclaredResponse, "mediaType" | "body">,
): { content?: MediaTypes } {
  if (BODYLESS.has(status) || context.method === "HEAD") return {};
  if (body === undefined) {
    return mediaType === undefined
      ? {}
      : { content: { [mediaType]: { schema: schemaOfType(mediaType) } } };
  }
  if (isProblem(body)) return problemContent(context, status);
  const member = { value: `response[${status}]`, file };
  const json = context.convert(member, body, {
    direction: "output",
    name: String(status),
  });
  const schema = json && context.document.components.add(json, "output");
  return {
    content: { [mediaType ?? "application/json"]: { schema: schema ?? {} } },
  };
}

/** Whether a schema is `Problem`, of whichever copy of this package. */
function isProblem(schema: StandardSchemaV1): boolean {
  return schema["~standard"].vendor === Problem["~standard"].vendor;
}

/** The schema of a body that is known by its media type alone. */
function schemaOfType(declared: string): JsonSchema {
  const type = mediaType(declared);
  if (isJson(type)) return {};
  return type.startsWith("text/")
    ? { type: "string" }
    : { type: "string", format: "binary" };
}

/** Warns of a schema of headers that does not tell their names in lowercase. */
export function warnOfHeaders(
  context: OperationContext,
  member: Placed<string>,
  json: JsonSchema,
): void {
  const names = propertyNames(json);
  if (names === undefined) {
    context.warn(member, "is no object schema, so its headers are left out");
  }
  for (const name of names ?? []) {
    if (name === name.toLowerCase()) continue;
    context.warn(
      member,
      `names "${name}", which is never found; write it in lowercase`,
    );
  }
}

/** A declared response, and what Bough itself may send with the same status. */
function merge(
  declared: DocumentedResponse,
  own: OwnProblem | undefined,
): DocumentedResponse {
  if (own === undefined) return declared;
  const { description, content } = own.response;
  return {
    ...declared,
    description: `${declared.description}; or: ${description}`,
    ...(content !== undefined && {
      content: { ...content, ...declared.content },
    }),
  };
}
