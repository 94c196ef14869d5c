import { READ_TYPES } from "../../core/body/parse.ts";
import { requestContents } from "../../core/schema/responses.ts";
import { isStreamedSchema, SCHEMA_PARTS } from "../../core/schema/validate.ts";
import { capitalize } from "../../core/common/values.ts";
import {
  InvalidRequest,
  titleOf,
  type ValidationIssue,
} from "../../core/errors.ts";
import {
  OWN_ERRORS,
  type OwnErrorName,
  tooLarge,
  wrongType,
} from "../../core/own_errors.ts";
import { UNSAFE_METHODS } from "../../core/methods.ts";
import { pointerStep } from "../../core/schema/json_schema.ts";
import type { SchemaPart } from "../../core/types/schema.ts";
import type { DocumentedResponse, Parameter } from "../types.ts";
import type { OperationContext } from "./context.ts";
import { formatContent } from "./error_format.ts";
import { problemSchema } from "../../core/schema/problem.ts";

/** A problem with which Bough itself responds, before or after the handler runs. */
export interface OwnProblem {
  /** The name of the component, if operations can share the problem. */
  readonly name: string | undefined;
  readonly response: DocumentedResponse;
}

/** The description of a problem, with `detail` and `errors` of its example. */
interface ProblemText {
  readonly name: string | undefined;
  readonly description: string;
  readonly detail?: string;
  readonly errors?: readonly ValidationIssue[];
}

/** The parts of an operation that determine its problems. */
export interface ProblemOptions {
  readonly parameters: readonly Parameter[];
  /** Whether the body may be a form. */
  readonly takesForms: boolean;
}

/** Returns the problems with which Bough itself responds, by status. */
export function ownProblems(
  context: OperationContext,
  { parameters, takesForms }: ProblemOptions,
): Record<string, OwnProblem> {
  const { schema, effective, route } = context;
  const { bodyLimit, bodyTimeout, errors, invalidParams } = route;
  const problem = (
    name: OwnErrorName,
    description: string,
    detail?: string,
  ): OwnProblem => {
    const members = { name, ...(detail !== undefined && { detail }) };
    const { status } = OWN_ERRORS[name];
    const content = problemContent(context, status, members);
    return { name, response: { description, ...content } };
  };
  const problems: Record<string, OwnProblem> = {};
  // Bough rejects forms from untrusted origins.
  if (takesForms && UNSAFE_METHODS.has(context.method)) {
    problems[403] = problem(
      "UntrustedOrigin",
      "A page of an untrusted origin sent the form",
      OWN_ERRORS.UntrustedOrigin.detail,
    );
  }
  if (isStreamedSchema(schema.body)) {
    const accepted = Object.keys(schema.body.content).join(", ");
    const limited = [
      ["RequestTimeout", "The body pauses for too long"],
      ["ContentTooLarge", "The body, or a file of it, is too large"],
      [
        "UnsupportedMediaType",
        `The body has an unknown encoding or is not ${accepted}, or a file has another type`,
      ],
    ] as const;
    for (const [name, description] of limited) {
      const { status } = OWN_ERRORS[name];
      problems[status] = problem(name, description, description);
    }
  } else if (schema.body !== undefined) {
    if (bodyTimeout !== Infinity) {
      problems[408] = problem(
        "RequestTimeout",
        `The body takes longer than ${bodyTimeout / 1000} s to arrive`,
        OWN_ERRORS.RequestTimeout.detail,
      );
    }
    if (bodyLimit !== Infinity) {
      const { detail } = tooLarge("The body", bodyLimit);
      problems[413] = problem("ContentTooLarge", detail!, detail);
    }
    const accepted = requestContents(schema.body)
      ?.map(({ mediaType }) => mediaType).join(", ") ?? READ_TYPES;
    problems[415] = problem(
      "UnsupportedMediaType",
      `The body has an unknown encoding, or a type other than ${accepted}`,
      wrongType("The body", "application/xml", accepted).detail,
    );
  }
  const failed = problem("ServerError", "The server failed");
  if (effective.socket === undefined) problems[500] = failed;
  else {
    // Linters require a 2xx response or a default, and a socket has no 2xx response.
    problems.default = failed;
    const upgrade = problem(
      "UpgradeRequired",
      "The request does not open a WebSocket",
    );
    const websocket = { type: "string", const: "websocket" };
    const headers = { upgrade: { required: true, schema: websocket } };
    problems[403] = problem(
      "UntrustedPage",
      "A page of an untrusted origin opened the socket",
    );
    problems[426] = { ...upgrade, response: { ...upgrade.response, headers } };
    problems[503] = problem("Stopping", "The server is stopping");
  }
  if (invalidParams === 404 && effective.parts.params.length > 0) {
    const { detail } = OWN_ERRORS.NotFound;
    problems[404] = problem(
      "NotFound",
      "A value in the path is invalid",
      detail,
    );
  }
  const invalid = errors?.invalid ?? 400;
  const { name, description, ...members } = badRequest(context, parameters);
  const content = problemContent(context, invalid, { name, ...members });
  const refused = { name, response: { description, ...content } };
  const same = problems[invalid];
  problems[invalid] = same === undefined ? refused : {
    name: undefined,
    response: mergeResponses(same.response, refused.response),
  };
  return problems;
}

/**
 * Merges two responses with one status. If both responses have the same media type,
 * keeps the content of the first response.
 */
export function mergeResponses(
  first: DocumentedResponse,
  second: DocumentedResponse | undefined,
): DocumentedResponse {
  if (second === undefined) return first;
  const { description, content } = second;
  return {
    ...first,
    description: `${first.description}; or: ${description}`,
    ...(content !== undefined && {
      content: { ...content, ...first.content },
    }),
  };
}

/** Returns the content of an error response, with an example. */
export function problemContent(
  context: OperationContext,
  status: number,
  { name, ...members }: Partial<Omit<ProblemText, "description">> = {},
): Pick<DocumentedResponse, "content"> {
  const { method, route: { errors }, document: { components } } = context;
  // A response to HEAD has no body.
  if (method === "HEAD") return {};
  if (errors !== undefined) {
    const { detail, errors: issues } = members;
    const error = issues === undefined
      ? { status, detail }
      : new InvalidRequest(detail!, {}, issues);
    return { content: formatContent(context, errors, { name, error }) };
  }
  const schema = components.add(problemSchema(), "output");
  const example = {
    type: "about:blank",
    title: titleOf(status),
    status,
    ...members,
  };
  return { content: { "application/problem+json": { schema, example } } };
}

/** The name of each part of a request in a description, and in a parameter. */
const PARTS: Readonly<Record<SchemaPart, { name: string; place: string }>> = {
  params: { name: "path", place: "path" },
  query: { name: "query", place: "query" },
  headers: { name: "headers", place: "header" },
  body: { name: "body", place: "body" },
};

/**
 * Describes the problem of an invalid request. The host or the path of any request may
 * be malformed. The response to such a request has the format of the application, not
 * the format of a folder.
 */
function badRequest(
  {
    effective: { parts, events, socket },
    route: { segments, errorsFile, invalidParams },
  }: OperationContext,
  parameters: readonly Parameter[],
): ProblemText {
  const checked = SCHEMA_PARTS.filter((part) =>
    parts[part].length > 0 && (part !== "params" || invalidParams === 400)
  );
  const [first] = checked;
  const isOfFolder = errorsFile !== undefined && errorsFile !== "option errors";
  const hasCaptures = segments.some(({ kind }) => kind !== "static");
  const names = OR.format(checked.map((part) => PARTS[part].name));
  const reasons = [
    first && `the request does not fit the schema of its ${names}`,
    hasCaptures && first !== "params" && !isOfFolder &&
    "the path cannot be decoded",
    events && "`Last-Event-ID` is not the id of an event",
    socket && "the handshake is malformed",
  ].filter((reason) => typeof reason === "string");
  const isShared = reasons.length === 0;
  if (isShared) {
    reasons.push(
      isOfFolder
        ? "the request is malformed"
        : "the host is malformed, or not served here",
    );
  }
  const description = capitalize(reasons.join(", or "));
  if (first === undefined) {
    return { name: isShared ? "BadRequest" : undefined, description };
  }
  const named = parameters.find(({ in: place }) =>
    place === PARTS[first].place
  );
  // A JSON pointer as a URI fragment (RFC 6901, section 6).
  const step = named && pointerStep(named.name);
  const pointer = step === undefined ? "#" : `#/${encodeURIComponent(step)}`;
  return {
    name: undefined,
    description,
    detail: "The request does not fit its schema",
    errors: [{ in: first, pointer, detail: "Invalid value" }],
  };
}

/** Joins names: `path, query or body`. */
const OR = new Intl.ListFormat("en-GB", { type: "disjunction" });
