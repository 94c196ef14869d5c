import {
  BOOLEAN,
  findOptionFault,
  isArrayOf,
  type OptionKind,
  type OptionTable,
  STRING,
  STRINGS,
} from "../common/option_table.ts";
import {
  isObject,
  isStandardSchema,
  kindOf,
  quoted,
} from "../common/values.ts";
import type { Report } from "../common/faults.ts";
import { isMethod, type Method, METHODS, resolveMethod } from "../methods.ts";
import type { FolderContract } from "../types/contract.ts";
import type { Handler } from "../types/request.ts";
import type {
  Deprecation,
  MethodSchema,
  RouteSchema,
} from "../types/schema.ts";
import {
  checkBody,
  checkContents,
  checkResponses,
  isDeclared,
  NO_SCHEMA,
} from "./content_export.ts";

/**
 * Checks the `schema` export of a route file.
 *
 * @param handlers The handlers of the file. Each key of the schema needs a handler.
 */
export function checkSchema(
  schema: unknown,
  handlers: ReadonlyMap<Method, Handler>,
  report: Report,
): RouteSchema {
  if (schema === undefined) return {};
  if (!isObject(schema)) {
    const found = `export "schema" is ${kindOf(schema)}`;
    report(`${found}; it must be an object such as { post: { body: ... } }`);
    return {};
  }
  for (const key of Object.keys(schema)) {
    const value = schema[key];
    const method = key.toUpperCase();
    if (!isMethod(method)) {
      const methods = METHODS.map((method) => method.toLowerCase()).join(", ");
      report(`schema key "${key}" is not a method; use ${methods}`);
    } else if (key !== method.toLowerCase()) {
      report(`schema key "${key}" must be "${key.toLowerCase()}"`);
    } else if (!("handler" in resolveMethod([...handlers.keys()], method))) {
      report(
        `schema key "${key}" has no handler; export ${method} or remove the key`,
      );
    } else {
      checkMembers(value, { where: `schema.${key}` }, report);
      if (!isObject(value)) continue;
      checkBodyless(key, value, report);
      checkLive(key, value, report);
    }
  }
  return schema as RouteSchema;
}

/**
 * Reports a schema of the body of `GET` or `HEAD`. RFC 9110, 9.3.1, does not define
 * such a body; Deno's server and `new Request()` exclude such bodies.
 */
function checkBodyless(
  key: string,
  { body }: Record<string, unknown>,
  report: Report,
): void {
  if (key !== "get" && key !== "head") return;
  if (!isStandardSchema(body) && !isDeclared(body)) return;
  report(
    `schema.${key}.body matches no request, since ${key.toUpperCase()} has no body; declare a query, or move the schema to another method`,
  );
}

/**
 * Reports methods with two kinds of response. Also reports sockets of methods other
 * than GET, since a socket opens only with GET (RFC 6455, 4.1).
 */
function checkLive(
  key: string,
  value: Record<string, unknown>,
  report: Report,
): void {
  const [first, second] = (["response", "events", "socket"] as const)
    .filter((member) => value[member] !== undefined);
  if (second !== undefined) {
    report(
      `schema.${key} has "${first}" and "${second}", which exclude each other; remove one of them`,
    );
  }
  if (value.socket !== undefined && key !== "get") {
    report(
      `schema.${key}.socket opens only with GET; move the member to schema.get`,
    );
  }
}

/**
 * Checks the members of an object that describes requests and responses.
 *
 * @param options The location of the object, `schema.get` or `contract`, and the names
 * of its members; by default, the names in a method's schema.
 */
export function checkMembers(
  value: unknown,
  { where, known = ALL }: {
    readonly where: string;
    readonly known?: readonly Member[];
  },
  report: Report,
): void {
  if (!isObject(value)) {
    report(
      `${where} is ${kindOf(value)}; it must be an object with ${
        quoted(known)
      }`,
    );
    return;
  }
  for (const member of Object.keys(value)) {
    const content = value[member];
    const name = known.find((name) => name === member);
    if (name === undefined) {
      const kind = known === ALL ? "schema" : "contract";
      report(`${where}.${member} is unknown; a ${kind} has ${quoted(known)}`);
    } else if (
      member === "response" && (isObject(content) || Array.isArray(content))
    ) {
      checkResponses(`${where}.response`, content, report);
    } else if (member === "body" && isDeclared(content)) {
      checkContents(`${where}.body`, content, checkBody, report);
    } else if (member === "deprecated" && isObject(content)) {
      checkEnd(`${where}.deprecated`, content, report);
    } else if (!MEMBERS[name].accepts(content)) {
      const role = member === "access" && isName(content)
        ? `; write the role "${content}" as [${JSON.stringify(content)}]`
        : "";
      report(`${where}.${member} ${MEMBERS[name].expected}${role}`);
    }
  }
}

/** Checks the object `deprecated` of a method's schema or of a contract. */
function checkEnd(member: string, value: Deprecation, report: Report): void {
  const fault = findOptionFault(value, DEPRECATION);
  const { since, sunset } = value;
  if (fault !== undefined) {
    report(`${member} has an error: ${fault}`);
  } else if (Date.parse(sunset!) < Date.parse(since!)) {
    report(`${member}.sunset must not be before "since"; correct the dates`);
  }
}

const DATE: OptionKind = {
  accepts: (value) =>
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/
      .test(value) &&
    new Date(value).toJSON() !== null &&
    // The parser takes "2026-02-30" for March 2.
    new Date(value.slice(0, 10)).getUTCDate() === Number(value.slice(8, 10)),
  expected: 'must be a date, such as "2026-12-31" or "2026-12-31T12:00Z"',
  shown: true,
};

const DEPRECATION: OptionTable<keyof Deprecation> = {
  since: DATE,
  sunset: DATE,
  use: {
    accepts: (value) =>
      typeof value === "string" &&
      // No characters that end the link in the header, such as ">".
      /^(?:https?:\/\/[!#-.0-;=?-~]|\/(?!\/))[!#-;=?-~]*$/.test(value),
    expected:
      'must be a path or URL in ASCII without spaces, such as "/api/v2/books"',
    shown: true,
  },
  why: STRING,
};

const SCHEMA: OptionKind = { accepts: isStandardSchema, expected: NO_SCHEMA };

const STATES: OptionKind = {
  accepts: (value) =>
    isArrayOf(
      value,
      (state) => isObject(state) && typeof state.find === "function",
    ),
  expected: "must be an array of RequestState objects, such as [user]",
};

type Member = keyof MethodSchema | keyof FolderContract;

const MEMBERS: OptionTable<Member> = {
  params: SCHEMA,
  query: SCHEMA,
  headers: SCHEMA,
  body: SCHEMA,
  response: SCHEMA,
  events: {
    // A line break would end the name in the event stream (HTML, 9.2.5).
    accepts: (value) =>
      isObject(value) &&
      Object.entries(value).every(([name, schema]) =>
        /^[^\r\n]+$/.test(name) && isStandardSchema(schema)
      ),
    expected:
      "must be an object with a Standard Schema for each event, such as { status: z.object({ ... }) }",
  },
  socket: {
    accepts: (value) =>
      isObject(value) &&
      Object.entries(value).every(([name, schema]) =>
        (name === "receive" || name === "send") && isStandardSchema(schema)
      ),
    expected: 'must be an object with Standard Schemas, "receive" and "send"',
  },
  summary: STRING,
  description: STRING,
  tags: {
    accepts: STRINGS.accepts,
    expected: 'must be an array of strings, such as ["books"]',
  },
  operationId: STRING,
  deprecated: {
    accepts: BOOLEAN.accepts,
    expected:
      'must be true or false, or an object such as { since: "2026-06-30", sunset: "2026-12-31" }',
  },
  security: {
    accepts: (value) =>
      isArrayOf(
        value,
        (requirement) =>
          isObject(requirement) &&
          Object.values(requirement).every(STRINGS.accepts),
      ),
    expected: "must be an array of objects, such as [{ bearer: [] }]",
  },
  access: {
    accepts: (value) =>
      ["owner", "shared", "public"].includes(value as string) ||
      isAccessRule(value) ||
      isArrayOf(value, (each) => isAccessRule(each) || isName(each)) &&
        (value as unknown[]).length > 0,
    expected:
      'must be "owner", "shared", "public", a rule such as { member: "customerId" } or { member: "customerId", of: "parent" }, a function, or a list of these and of roles, such as ["owner", "admin"]',
  },
  needs: STATES,
  provides: STATES,
  sendUndeclared: BOOLEAN,
  mcp: {
    accepts: (value) =>
      typeof value === "boolean" ||
      isObject(value) && Object.entries(value).every(([name, text]) =>
          typeof text === "string" &&
          (name === "name"
            ? /^[\w.-]{1,128}$/.test(text)
            : name === "title" || name === "description")
        ),
    expected:
      'must be true or false, or an object with "name" (1 to 128 of A-Z a-z 0-9 _ . -), "title" and "description"',
  },
  methods: {
    accepts: (value) =>
      isArrayOf(
        value,
        (method) => METHODS.some((each) => each === method && each !== "HEAD"),
      ) && (value as unknown[]).length > 0,
    expected:
      'must be a list of methods, such as ["GET", "POST"]; "GET" includes HEAD',
  },
};

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isAccessRule(value: unknown): boolean {
  if (typeof value === "function") return true;
  if (!isObject(value)) return false;
  const { member, of, ...others } = value;
  return isName(member) && (of === undefined || of === "parent") &&
    Object.keys(others).length === 0;
}

const ALL = (Object.keys(MEMBERS) as Member[])
  .filter((name) => name !== "provides" && name !== "methods");
