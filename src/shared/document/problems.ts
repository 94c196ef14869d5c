import {
  acceptedTypes,
  isStreamedSchema,
  SCHEMA_PARTS,
} from "../../core/schema/check_request.ts";
import { capitalize } from "../../core/common/values.ts";
import { titleOf, type ValidationIssue } from "../../core/errors.ts";
import {
  OWN_ERRORS,
  type OwnErrorName,
  tooLarge,
  wrongType,
} from "../../core/own_errors.ts";
import { isSafe } from "../../core/methods.ts";
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
  readonly description: string;
  readonly detail?: string;
  readonly errors?: readonly ValidationIssue[];
}

/**
 * An error of Bough, its description, and the `detail` of its example: by default, that
 * of the error; `""` if the example has none.
 */
type Row = readonly [
  name: OwnErrorName,
  description: string,
  detail?: string | undefined,
];

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
  const { effective: { socket }, route } = context;
  const problems: Record<string, OwnProblem> = {};
  for (const [name, description, given] of rowsOf(context, takesForms)) {
    const { status, detail }: OwnError = OWN_ERRORS[name];
    const text = {
      description,
      ...given !== "" && { detail: given ?? detail },
    };
    const response = responseOf(context, status, text);
    // Linters require a 2xx response or a default, and a socket has no 2xx response.
    const key = socket && name === "ServerError" ? "default" : status;
    const headers = name === "UpgradeRequired" && { headers: UPGRADE };
    problems[key] = { name, response: { ...response, ...headers } };
  }
  const invalid = route.errors?.invalid ?? 400;
  const { name, ...text } = badRequest(context, parameters);
  const refused = responseOf(context, invalid, text);
  const same = problems[invalid]?.response;
  problems[invalid] = same === undefined
    ? { name, response: refused }
    : { name: undefined, response: mergeResponses(same, refused) };
  return problems;
}

type OwnError = { readonly status: number; readonly detail?: string };

const UPGRADE = {
  upgrade: { required: true, schema: { type: "string", const: "websocket" } },
};

function rowsOf(context: OperationContext, takesForms: boolean): Row[] {
  const { effective: { parts, socket }, method, route } = context;
  const page = "A page of an untrusted origin";
  const rows: (Row | false)[] = [
    // Bough rejects forms from untrusted origins.
    takesForms && !isSafe(method) &&
    ["UntrustedOrigin", `${page} sent the form`],
    ...bodyRows(context),
    ["ServerError", "The server failed", ""],
    socket !== undefined && ["UntrustedPage", `${page} opened the socket`, ""],
    socket !== undefined &&
    ["UpgradeRequired", "The request does not open a WebSocket", ""],
    socket !== undefined && ["Stopping", "The server is stopping", ""],
    route.invalidParams === 404 && parts.params.length > 0 &&
    ["NotFound", "A value in the path is invalid"],
  ];
  return rows.filter((row) => row !== false);
}

/** The problems of a body that no schema finds. */
function bodyRows(
  { schema, body, route: { bodyLimit, bodyTimeout } }: OperationContext,
): (Row | false)[] {
  const accepted = acceptedTypes(schema).join(", ");
  if (isStreamedSchema(schema.body)) {
    const pause = "The body pauses for too long";
    const size = "The body, or a file of it, is too large";
    const type =
      `The body has an unknown encoding or is not ${accepted}, or a file has another type`;
    return [
      ["RequestTimeout", pause, pause],
      ["ContentTooLarge", size, size],
      ["UnsupportedMediaType", type, type],
    ];
  }
  if (body === undefined) return [];
  const time = `The body takes longer than ${bodyTimeout / 1000} s to arrive`;
  const { detail: size = "" } = tooLarge("The body", bodyLimit);
  const type =
    `The body has an unknown encoding, a charset other than UTF-8, or a type other than ${accepted}`;
  const { detail } = wrongType("The body", "application/xml", accepted);
  return [
    bodyTimeout !== Infinity && ["RequestTimeout", time],
    bodyLimit !== Infinity && ["ContentTooLarge", size, size],
    ["UnsupportedMediaType", type, detail],
  ];
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

function responseOf(
  context: OperationContext,
  status: number,
  { description, ...members }: ProblemText,
): DocumentedResponse {
  return { description, ...problemContent(context, status, members) };
}

/** Returns the content of an error response. A problem document has an example. */
export function problemContent(
  context: OperationContext,
  status: number,
  members: Omit<ProblemText, "description"> = {},
): Pick<DocumentedResponse, "content"> {
  const { method, route: { errors }, document: { components } } = context;
  // A response to HEAD has no body.
  if (method === "HEAD") return {};
  if (errors !== undefined) return { content: formatContent(context, errors) };
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
  cookies: { name: "cookies", place: "cookie" },
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
): ProblemText & Pick<OwnProblem, "name"> {
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
  const shared = isOfFolder
    ? "the request is malformed"
    : "the host is malformed, or not served here";
  return {
    name: reasons.length === 0 ? "BadRequest" : undefined,
    description: capitalize(reasons.join(", or ") || shared),
    ...first && exampleOf(first, parameters),
  };
}

/** The members of the example of an invalid part. */
function exampleOf(
  part: SchemaPart,
  parameters: readonly Parameter[],
): Omit<ProblemText, "description"> {
  const named = parameters.find((each) => each.in === PARTS[part].place);
  // A JSON pointer as a URI fragment (RFC 6901, section 6).
  const step = named && pointerStep(named.name);
  const pointer = step === undefined ? "#" : `#/${encodeURIComponent(step)}`;
  return {
    detail: "The request does not fit its schema",
    errors: [{ in: part, pointer, detail: "Invalid value" }],
  };
}

/** Joins names: `path, query or body`. */
const OR = new Intl.ListFormat("en-GB", { type: "disjunction" });
