import type { MethodSchema } from "../http/validation/schema.ts";
import { isObject, kindOf } from "./kind.ts";
import {
  checkResponses,
  isStandardSchema,
  NO_SCHEMA,
} from "./response_export.ts";
import type { Report } from "./route_error.ts";

/** What is checked, for messages: `schema.get`, a schema, with these members. */
export interface Checked {
  readonly where: string;
  readonly kind: "schema" | "contract";
  /** The names of its members; those of a method's schema by default. */
  readonly known?: readonly (keyof MethodSchema)[];
}

/**
 * Checks the members of an object that describes requests and responses.
 *
 * @param report Receives what is wrong.
 */
export function checkMembers(
  value: unknown,
  { where, kind, known = ALL }: Checked,
  report: Report,
): void {
  if (!isObject(value)) {
    report(
      `${where} is ${kindOf(value)}; it must be an object with ${list(known)}`,
    );
    return;
  }
  for (const member of Object.keys(value)) {
    const content = value[member];
    if (!isOneOf(known, member)) {
      report(`${where}.${member} is not known; a ${kind} has ${list(known)}`);
    } else if (member === "response" && isObject(content)) {
      checkResponses(`${where}.response`, content, report);
    } else if (!MEMBERS[member].accepts(content)) {
      report(`${where}.${member} ${MEMBERS[member].fault}`);
    }
  }
}

function isOneOf<Name extends string>(
  names: readonly Name[],
  text: string,
): text is Name {
  return (names as readonly string[]).includes(text);
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
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
  events: {
    accepts: (value) => isObject(value) && Object.entries(value).every(isEvent),
    fault:
      "must be an object with a Standard Schema for each event, such as { status: z.object({ ... }) }",
  },
  socket: {
    accepts: (value) =>
      isObject(value) &&
      Object.entries(value).every(([name, schema]) =>
        (name === "receive" || name === "send") && isStandardSchema(schema)
      ),
    fault: 'must be an object with Standard Schemas, "receive" and "send"',
  },
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

/** A line break in a name would end the name on the wire (HTML, 9.2.5). */
function isEvent([name, schema]: readonly [string, unknown]): boolean {
  return /^[^\r\n]+$/.test(name) && isStandardSchema(schema);
}

function isArrayOfStrings(value: unknown): boolean {
  return Array.isArray(value) &&
    value.every((each) => typeof each === "string");
}

const ALL = Object.keys(MEMBERS) as (keyof MethodSchema)[];
