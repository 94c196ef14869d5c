import {
  absent,
  anyOf,
  BOOLEAN,
  type Form,
  FUNCTION,
  listOf,
  matching,
  NAME,
  object,
  oneOf,
  recordOf,
  SCHEMA,
  STRING,
  STRINGS,
} from "../common/forms.ts";
import {
  isRange,
  kindOfType,
  MEDIA_TYPE,
  mediaType,
  normalType,
} from "../common/media_type.ts";
import { BODYLESS } from "../common/response.ts";
import { isObject, isStandardSchema } from "../common/values.ts";
import type { Report } from "../common/faults.ts";
import { mayHaveBody, type Method, METHODS, schemaKey } from "../methods.ts";
import { isStreamedSchema } from "../schema/check_request.ts";
import { isContent } from "../schema/declaration.ts";
import type { FolderContract } from "../types/contract.ts";
import type {
  Deprecation,
  MethodSchema,
  StandardSchemaV1,
} from "../types/schema.ts";

const CONTENT_EXAMPLE = 'content("application/json", schema)';

/** Creates the form of `content()`. */
function contentOf(mediaType: Form, schema: Form): Form {
  const members = { mediaType: { ...mediaType, isRequired: true }, schema };
  return {
    ...object(members, `must be ${CONTENT_EXAMPLE}`),
    accepts: isContent,
    isOpen: true,
    allowsUndefined: true,
  };
}

/** Creates the form of a list of `content()`, whose media types must differ. */
function contentsOf(content: Form): Form {
  const check = (
    contents: readonly unknown[],
    path: string,
    report: Report,
  ) => {
    const types = contents.map((each) => String(Object(each).mediaType));
    const normal = types.map(normalType);
    for (const [index, type] of types.entries()) {
      if (normal.indexOf(normal[index]!) === index) continue;
      report(`${path}[${index}] declares "${type}" again; remove it`);
    }
  };
  return { ...listOf(content, `must be [${CONTENT_EXAMPLE}]`, 1), check };
}

const MEDIA = matching(
  MEDIA_TYPE,
  'must be a media type, as in content("application/pdf")',
);
const CONTENT = contentOf(MEDIA, SCHEMA);
const RESPONSE_CONTENTS = contentsOf(contentOf(
  {
    // `respond()` sends one of the types.
    accepts: (type) => MEDIA.accepts(type) && !isRange(type as string),
    expected: 'must be a media type without "*"',
  },
  SCHEMA,
));

const RESPONSE_BODIES = [SCHEMA, CONTENT, RESPONSE_CONTENTS];
const RESPONSE = anyOf(
  'must be a Standard Schema, content("application/pdf"), a list of content(), or { body, headers, description }',
  ...RESPONSE_BODIES,
  object({
    body: anyOf(
      'must be a Standard Schema, content("application/pdf"), or a list of content()',
      ...RESPONSE_BODIES,
    ),
    headers: SCHEMA,
    description: STRING,
  }),
);

const NO_BODY = absent("responses with this status have no body", "remove it");
const BODYLESS_RESPONSE = anyOf(
  "must be { headers, description }, since responses with this status have no body",
  SCHEMA,
  {
    ...object({ body: NO_BODY, headers: SCHEMA, description: STRING }),
    accepts: (value) => isObject(value) && !isContent(value),
  },
);

const RESPONSES: Form = {
  accepts: (value) =>
    isObject(value) && !isContent(value) && !isStandardSchema(value),
  expected:
    'must be responses by status, such as { 200: content("application/pdf") }',
  names: matching(/^[2-5]\d\d$/, "must be a status from 200 to 599"),
  others: (status) =>
    BODYLESS.has(Number(status)) ? BODYLESS_RESPONSE : RESPONSE,
};

const REQUEST_CONTENT = contentOf(
  {
    accepts: (type) =>
      typeof type === "string" && type === mediaType(type) &&
      MEDIA_TYPE.test(type) && kindOfType(type) !== undefined,
    expected:
      'must be JSON, a form or text, in lowercase and without parameters, such as "text/csv"',
    remedy: "for another body, declare file() or form()",
  },
  {
    accepts: (schema) =>
      isStandardSchema(schema) &&
      !isStreamedSchema(schema as StandardSchemaV1),
    expected: "must be a Standard Schema of the value",
    remedy: "for a stream, declare file() or form() as the body",
    isRequired: true,
  },
);

const DATE: Form = {
  accepts: (value) =>
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/
      .test(value) &&
    new Date(value).toJSON() !== null &&
    // The parser takes "2026-02-30" for March 2.
    new Date(value.slice(0, 10)).getUTCDate() === Number(value.slice(8, 10)),
  expected: 'must be a date, such as "2026-12-31" or "2026-12-31T12:00Z"',
};

const DEPRECATION: Form = {
  ...object({
    since: DATE,
    sunset: DATE,
    // No characters that end the link in the header, such as ">".
    use: matching(
      /^(?:https?:\/\/[!#-.0-;=?-~]|\/(?!\/))[!#-;=?-~]*$/,
      'must be a path or URL in ASCII without spaces, such as "/api/v2/books"',
    ),
    why: STRING,
  }),
  allowsUndefined: true,
  check({ since, sunset }: Deprecation, path, report) {
    if (Date.parse(String(sunset)) < Date.parse(String(since))) {
      report(`${path}.sunset must not be before "since"; correct the dates`);
    }
  },
};

const ACCESS_RULE = {
  ...object({ member: { ...NAME, isRequired: true }, of: oneOf("parent") }),
  allowsUndefined: true,
};

/** The form of security requirements. */
export const SECURITY = listOf(
  recordOf(STRINGS, "must be an object, such as { bearer: [] }"),
  "must be an array of objects, such as [{ bearer: [] }]",
);

/** The members of a method's schema, and of a contract. */
const SHARED = {
  params: SCHEMA,
  query: SCHEMA,
  headers: SCHEMA,
  cookies: SCHEMA,
};

/** The members that describe the operation. */
const DESCRIPTION = {
  tags: STRINGS,
  deprecated: anyOf(
    'must be true or false, or an object such as { since: "2026-06-30", sunset: "2026-12-31" }',
    BOOLEAN,
    DEPRECATION,
  ),
  security: SECURITY,
  access: anyOf(
    'must be "owner", "shared", "public", a rule such as { member: "customerId" } or { member: "customerId", of: "parent" }, a function, or a list of these and of roles, such as ["owner", "admin"]',
    oneOf("owner", "shared", "public"),
    FUNCTION,
    ACCESS_RULE,
    listOf(
      anyOf(
        "must be a role, a rule or a function",
        NAME,
        FUNCTION,
        ACCESS_RULE,
      ),
      "",
      1,
    ),
  ),
  mcp: anyOf(
    "must be true or false, or an object with a name, a title and a description",
    BOOLEAN,
    object({
      name: matching(
        /^[\w.-]{1,128}$/,
        "must be 1 to 128 characters of A-Z a-z 0-9 _ . -",
      ),
      title: STRING,
      description: STRING,
    }),
  ),
};

const METHOD: Record<keyof MethodSchema, Form> = {
  ...SHARED,
  body: anyOf(
    `must be a Standard Schema, ${CONTENT_EXAMPLE}, or a list of content()`,
    SCHEMA,
    REQUEST_CONTENT,
    contentsOf(REQUEST_CONTENT),
  ),
  response: anyOf(
    'must be a Standard Schema, or responses by status, such as { 200: content("application/pdf") }',
    SCHEMA,
    RESPONSES,
  ),
  events: {
    ...recordOf(
      SCHEMA,
      "must be an object with a Standard Schema for each event, such as { status: z.object({ ... }) }",
    ),
    // A line break would end the name in the event stream (HTML, 9.2.5).
    names: matching(/^[^\r\n]+$/, "must be one line"),
  },
  socket: object({ receive: SCHEMA, send: SCHEMA }),
  summary: STRING,
  description: STRING,
  operationId: STRING,
  sendUndeclared: BOOLEAN,
  ...DESCRIPTION,
};

/** The form of a contract. */
export const CONTRACT: Form = object(
  {
    ...SHARED,
    response: RESPONSES,
    ...DESCRIPTION,
    methods: {
      ...listOf(
        oneOf(...METHODS.filter((method) => method !== "HEAD")),
        'must be a list of methods, such as ["GET", "POST"]',
        1,
      ),
      remedy: '"GET" includes HEAD',
    },
  } satisfies Record<keyof FolderContract, Form>,
);

/** Creates the form of a method's schema. */
function methodForm(method: Method): Form {
  const members: Record<string, Form> = { ...METHOD };
  if (!mayHaveBody(method)) {
    members.body = absent(
      `${method} has no body`,
      "declare a query, or move the schema to another method",
    );
  }
  // RFC 6455, 4.1.
  if (method !== "GET") {
    members.socket = absent(
      "sockets open only with GET",
      "move the member to schema.get",
    );
  }
  return {
    ...object(
      members,
      `must be the schemas of ${method}, such as { params: ... }`,
    ),
    accepts: (value) => isObject(value) && !isStandardSchema(value),
    hidesValue: true,
    ...(method === "QUERY" && {
      remedy: "a query string belongs to a method, as in schema.get.query",
    }),
    check: checkKinds,
  };
}

/** Reports a method with two kinds of response. */
function checkKinds(schema: MethodSchema, path: string, report: Report): void {
  const [first, second] = (["response", "events", "socket"] as const)
    .filter((member) => schema[member] !== undefined);
  if (second === undefined) return;
  report(
    `${path} has "${first}" and "${second}", which exclude each other; remove one of them`,
  );
}

/** The form of the export `schema` of a route file. */
export const SCHEMAS: Form = object(
  Object.fromEntries(
    METHODS.map((method) => [schemaKey(method), methodForm(method)]),
  ),
  "must be an object such as { post: { body: ... } }",
);
