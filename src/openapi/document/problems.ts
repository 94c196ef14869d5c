import { STATUS_TEXT, type StatusCode } from "@std/http/status";
import { READ_TYPES } from "../../body/parse.ts";
import { SCHEMA_PARTS } from "../../schema/validate.ts";
import type { SchemaPart } from "../../types/schema.ts";
import type { DocumentedResponse, Parameter } from "../types.ts";
import type { OperationContext } from "./context.ts";
import { problemSchema } from "./problem_schema.ts";

/** A problem that Bough itself responds with, before the handler runs or after it. */
export interface OwnProblem {
  /** Its name, where other operations have the same. */
  readonly name?: string;
  /** The response. */
  readonly response: DocumentedResponse;
}

/** What of an operation decides which problems it has. */
export interface ProblemOptions {
  /** Its parameters. */
  readonly parameters: readonly Parameter[];
  /** Whether its body may be a form. */
  readonly takesForms: boolean;
}

/** The methods whose forms are refused if they come from another origin. */
const UNSAFE = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** The problems that Bough itself responds with, by status. */
export function ownProblems(
  context: OperationContext,
  { parameters, takesForms }: ProblemOptions,
): Record<string, OwnProblem> {
  const { method, schema, effective, route: { bodyLimit, bodyTimeout } } =
    context;
  const response = (
    status: number,
    description: string,
    members: object = {},
  ): DocumentedResponse => ({
    description,
    ...problemContent(context, status, members),
  });
  const { description, members, isShared } = badRequestOf(context, parameters);
  const problems: Record<string, OwnProblem> = {
    400: {
      ...(isShared && { name: "BadRequest" }),
      response: response(400, description, members),
    },
  };
  if (takesForms && UNSAFE.has(method)) {
    problems[403] = {
      name: "UntrustedOrigin",
      response: response(403, "A page of an untrusted origin sent the form", {
        detail:
          "The body was sent by a page of another origin, which is not trusted here",
      }),
    };
  }
  if (schema.body !== undefined) {
    if (bodyTimeout !== Infinity) {
      problems[408] = {
        name: "RequestTimeout",
        response: response(
          408,
          `The body takes longer than ${bodyTimeout / 1000} s to arrive`,
          { detail: "The body took too long to arrive" },
        ),
      };
    }
    if (bodyLimit !== Infinity) {
      const detail = `The body is larger than ${bodyLimit} bytes`;
      problems[413] = {
        name: "ContentTooLarge",
        response: response(413, detail, { detail }),
      };
    }
    problems[415] = {
      name: "UnsupportedMediaType",
      response: response(
        415,
        `The body is compressed, or of a type other than ${READ_TYPES} and \`*/*+json\``,
        {
          detail:
            `The body is "application/xml"; this route reads ${READ_TYPES}`,
        },
      ),
    };
  }
  const isSocket = effective.socket !== undefined;
  if (isSocket) {
    problems[403] = {
      name: "UntrustedPage",
      response: response(
        403,
        "A page of an untrusted origin opened the socket",
      ),
    };
    problems[426] = {
      name: "UpgradeRequired",
      response: {
        ...response(426, "The request does not open a WebSocket"),
        headers: {
          upgrade: {
            required: true,
            schema: { type: "string", const: "websocket" },
          },
        },
      },
    };
    problems[503] = {
      name: "Stopping",
      response: response(503, "The server is stopping"),
    };
  }
  // A socket has no 2xx, and tools want one, or a default.
  problems[isSocket ? "default" : 500] = {
    name: "ServerError",
    response: response(500, "The server failed"),
  };
  return problems;
}

/** The content of a problem document, with an example of the right status. */
export function problemContent(
  { method, document: { components } }: OperationContext,
  status: number,
  members: object = {},
): Pick<DocumentedResponse, "content"> {
  // The response to HEAD has no body, whatever its status.
  if (method === "HEAD") return {};
  const schema = components.add(problemSchema(), "output");
  const title = STATUS_TEXT[status as StatusCode] ?? "Error";
  const example = { type: "about:blank", title, status, ...members };
  return { content: { "application/problem+json": { schema, example } } };
}

/** What each part of a request is called in a description, and in a parameter. */
const PARTS: Readonly<Record<SchemaPart, { name: string; place: string }>> = {
  params: { name: "path", place: "path" },
  query: { name: "query", place: "query" },
  headers: { name: "headers", place: "header" },
  body: { name: "body", place: "body" },
};

/** When a request is a 400: its host always may be one that is not served. */
function badRequestOf(
  { effective: { parts, events, socket }, route: { segments } }:
    OperationContext,
  parameters: readonly Parameter[],
): { description: string; members: object; isShared: boolean } {
  const checked = SCHEMA_PARTS.filter((part) => parts[part].length > 0);
  const [first] = checked;
  const hasCaptures = segments.some(({ kind }) => kind !== "static");
  const names = checked.map((part) => PARTS[part].name);
  const reasons = [
    ...(first === undefined
      ? []
      : [`the request does not fit the schema of its ${either(names)}`]),
    ...(hasCaptures && first !== "params"
      ? ["the path cannot be decoded"]
      : []),
    ...(events === undefined ? [] : ["`Last-Event-ID` is no id of an event"]),
    ...(socket === undefined ? [] : ["the handshake is malformed"]),
  ];
  const isShared = reasons.length === 0;
  if (isShared) reasons.push("the host is malformed, or not served here");
  const place = first && PARTS[first].place;
  const named = parameters.find((parameter) => parameter.in === place);
  return {
    description: capitalize(reasons.join(", or ")),
    isShared,
    members: first === undefined ? {} : {
      detail: "The request does not fit the schema of its route",
      errors: [{
        in: first,
        pointer: named === undefined ? "#" : `#/${pointerStep(named.name)}`,
        detail: "Invalid value",
      }],
    },
  };
}

function either(names: readonly string[]): string {
  return names.length === 1
    ? names[0]!
    : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/** A name in a JSON pointer that is a URI fragment (RFC 6901, section 6). */
function pointerStep(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
