import { isMethod, type Method, METHODS } from "../method.ts";
import type { Handler } from "../http/request.ts";
import type { MethodSchema, RouteSchema } from "../http/validation/schema.ts";
import { isObject, kindOf } from "./kind.ts";
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
      checkResponse(key, content, report);
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

/** Checks the schemas of responses by status. */
function checkResponse(
  key: string,
  response: Readonly<Record<string, unknown>>,
  report: Report,
): void {
  if (isStandardSchema(response)) return;
  for (const [status, schema] of Object.entries(response)) {
    if (!/^[2-5]\d\d$/.test(status)) {
      report(
        `schema.${key}.response has the key "${status}"; give a schema, or schemas by status, such as { 200: … }`,
      );
    } else if (!isStandardSchema(schema)) {
      report(`schema.${key}.response[${status}] ${SCHEMA.fault}`);
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
  fault:
    "is no Standard Schema; make it with zod, Valibot, ArkType or the like",
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
    accepts: (value) => isArrayOf("string", value),
    fault: 'must be an array of strings, such as ["books"]',
  },
  operationId: TEXT,
  deprecated: {
    accepts: (value) => typeof value === "boolean",
    fault: "must be true or false",
  },
  security: {
    accepts: (value) =>
      isArrayOf("object", value) &&
      value.every((requirement) =>
        Object.values(requirement as object).every((scopes) =>
          isArrayOf("string", scopes)
        )
      ),
    fault: "must be an array of objects, such as [{ bearer: [] }]",
  },
};

function isArrayOf(
  type: "string" | "object",
  value: unknown,
): value is unknown[] {
  return Array.isArray(value) && value.every((each) => typeof each === type);
}

function isStandardSchema(value: unknown): boolean {
  // A schema may be a function: ArkType's are.
  if (!isObject(value) && typeof value !== "function") return false;
  const standard = (value as Record<string, unknown>)["~standard"];
  return isObject(standard) && typeof standard.validate === "function";
}

function lowercaseMethods(): string {
  return METHODS.map((method) => method.toLowerCase()).join(", ");
}

function quotedMembers(): string {
  return Object.keys(MEMBERS).map((member) => `"${member}"`).join(", ");
}
