import { isMethod, type Method, METHODS } from "../method.ts";
import type { Handler } from "../http/request.ts";
import type { MethodSchema, RouteSchema } from "../http/validation/schema.ts";
import { isObject, kindOf } from "./kind.ts";
import {
  checkResponses,
  isStandardSchema,
  NO_SCHEMA,
} from "./response_export.ts";
import type { Report } from "./route_error.ts";

/**
 * Checks the `schema` export of a route file.
 *
 * @param handlers The handlers of the file: a key without one has no effect.
 * @param report Receives what is wrong.
 */
export function checkSchema(
  schema: unknown,
  handlers: ReadonlyMap<Method, Handler>,
  report: Report,
): RouteSchema {
  if (schema === undefined) return {};
  if (!isObject(schema)) {
    report(
      `export "schema" is ${
        kindOf(schema)
      }; it must be an object such as { post: { body: … } }`,
    );
    return {};
  }
  for (const [key, value] of Object.entries(schema)) {
    const method = key.toUpperCase();
    if (!isMethod(method)) {
      report(
        `schema key "${key}" is no method; use ${lowercaseMethods()}`,
      );
    } else if (key !== method.toLowerCase()) {
      report(`schema key "${key}" must be "${key.toLowerCase()}"`);
    } else if (!hasHandler(handlers, method)) {
      report(
        `schema key "${key}" has no handler; export ${method} or remove the key`,
      );
    } else {
      checkMethodSchema(key, value, report);
    }
  }
  return schema as RouteSchema;
}

/** The key `head` may go with the handler `GET`, which also responds to `HEAD`. */
function hasHandler(
  handlers: ReadonlyMap<Method, Handler>,
  method: Method,
): boolean {
  return handlers.has(method) || (method === "HEAD" && handlers.has("GET"));
}

function checkMethodSchema(
  key: string,
  value: unknown,
  report: Report,
): void {
  if (!isObject(value)) {
    report(
      `schema.${key} is ${
        kindOf(value)
      }; it must be an object with ${quotedMembers()}`,
    );
    return;
  }
  for (const [member, content] of Object.entries(value)) {
    const kind = Object.hasOwn(MEMBERS, member)
      ? MEMBERS[member as keyof MethodSchema]
      : undefined;
    if (kind === undefined) {
      report(
        `schema.${key}.${member} is not known; a schema has ${quotedMembers()}`,
      );
    } else if (member === "response" && isObject(content)) {
      checkResponses(`schema.${key}.response`, content, report);
    } else if (!kind.accepts(content)) {
      report(`schema.${key}.${member} ${kind.fault}`);
    } else if (member === "body" && (key === "get" || key === "head")) {
      // No body ever arrives: RFC 9110, 9.3.1, gives it no meaning there, and neither
      // Deno's server nor `new Request()` lets a request have one.
      report(
        `schema.${key}.body fits no request, since ${key.toUpperCase()} has no body; declare a query, or move it to another method`,
      );
    }
  }
}

/** What a member of a method's schema must be. */
interface MemberKind {
  readonly accepts: (value: unknown) => boolean;
  /** The end of the message if it is not. */
  readonly fault: string;
}

const SCHEMA: MemberKind = {
  accepts: isStandardSchema,
  fault: NO_SCHEMA,
};

const TEXT: MemberKind = {
  accepts: (value) => typeof value === "string",
  fault: "must be a string",
};

const MEMBERS: { readonly [Member in keyof MethodSchema]-?: MemberKind } = {
  params: SCHEMA,
  query: SCHEMA,
  headers: SCHEMA,
  body: SCHEMA,
  response: SCHEMA,
  summary: TEXT,
  description: TEXT,
  tags: {
    accepts: isArrayOfStrings,
    fault: 'must be an array of strings, such as ["books"]',
  },
  operationId: TEXT,
  deprecated: {
    accepts: (value) => typeof value === "boolean",
    fault: "must be true or false",
  },
  security: {
    accepts: (value) =>
      Array.isArray(value) &&
      value.every((requirement) =>
        isObject(requirement) &&
        Object.values(requirement).every(isArrayOfStrings)
      ),
    fault: "must be an array of objects, such as [{ bearer: [] }]",
  },
};

function isArrayOfStrings(value: unknown): boolean {
  return Array.isArray(value) &&
    value.every((each) => typeof each === "string");
}

function lowercaseMethods(): string {
  return METHODS.map((method) => method.toLowerCase()).join(", ");
}

function quotedMembers(): string {
  return Object.keys(MEMBERS).map((member) => `"${member}"`).join(", ");
}
