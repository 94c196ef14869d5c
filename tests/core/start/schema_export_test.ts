import { content } from "@bough/framework";
import { file } from "@bough/framework/uploads";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { schemaOf } from "../../support/schema_of.ts";
import { faultsOf, GET, moduleOf } from "./exports_support.ts";

Deno.test("checkModule() accepts schemas of every library (behaviour 5.2)", () => {
  const callable = Object.assign(() => {}, schemaOf());
  const schema = {
    get: { params: z.object({}) },
    head: { params: z.object({}) },
    post: { body: callable, response: callable },
    put: { response: z.string() },
    patch: { sendUndeclared: false },
    delete: {},
  };
  const methods = { PUT: GET, PATCH: GET, DELETE: GET };
  assertEquals(
    moduleOf({ GET, POST: GET, ...methods, schema }).schema,
    schema,
  );
});

const body = z.object({});
const NOT_A_SCHEMA = " is not a Standard Schema";
const SECURITY =
  ".security must be an array of objects, such as [{ bearer: [] }]";
const ACCESS =
  '.access must be "owner", "shared", "public", a rule such as { member: "customerId" } or { member: "customerId", of: "parent" }, a function, or a list of these and of roles, such as ["owner", "admin"]';

type Faults = readonly (readonly [value: unknown, fault: string])[];

/** Wrong values of the export `schema`. */
const WRONG_SCHEMAS: Faults = [
  [[], 'export "schema" is an array; it must be an object such as'],
  [body.parse, 'export "schema" is a function; it must be an object'],
  [null, 'export "schema" is null; it must be an object such as'],
  ["x", 'export "schema" is a string; it must be an object such as'],
  [
    { fetch: { body } },
    'schema key "fetch" is not a method; use get, head, post, put, patch, delete, options',
  ],
  [{ GET: {} }, 'schema key "GET" must be "get"'],
  [{ Get: {} }, 'schema key "Get" must be "get"'],
  [{ trace: {} }, 'schema key "trace" is not a method; use get, head, post,'],
  [
    { post: { body } },
    'schema key "post" has no handler; export POST or remove the key',
  ],
];

/** Wrong values of `schema.get`. */
const WRONG_METHODS: Faults = [
  [null, " is null; it must be an object with"],
  [[], " is an array; it must be an object with"],
  [body.parse, ' is a function; it must be an object with "params", "query",'],
  [
    { parms: body },
    '.parms is unknown; a schema has "params", "query", "headers", "body", "response", ',
  ],
  [
    { params: { id: "string" } },
    ".params is not a Standard Schema; create it with a library such as zod, Valibot or ArkType",
  ],
  [{ toString: body }, ".toString is unknown; a schema has"],
  [{ ["__proto__"]: body }, ".__proto__ is unknown; a schema has"],
  [{ params: undefined }, ".params is not a Standard"],
  [{ params: null }, `.params${NOT_A_SCHEMA}`],
  [{ params: [] }, `.params${NOT_A_SCHEMA}`],
  [{ body: GET }, `.body${NOT_A_SCHEMA}`],
  [{ body: { "~standard": null } }, ".body is not a"],
  [{ body: { "~standard": {} } }, ".body is not a"],
  [{ headers: { "~standard": { validate: true } } }, `.headers${NOT_A_SCHEMA}`],
  [{ query: {} }, `.query${NOT_A_SCHEMA}`],
  [{ response: 200 }, `.response${NOT_A_SCHEMA}`],
  [{ sendUndeclared: 1 }, ".sendUndeclared must be true or false"],
  [
    { response: { ok: body } },
    '.response has the key "ok"; declare a schema, or schemas by status',
  ],
  ...["199", "1200", "2000", "600", "20", "x200", "20x"].map((status) =>
    [
      { response: { [status]: body } },
      `.response has the key "${status}"; declare a schema, or`,
    ] as const
  ),
  [
    { response: { 700: {} } },
    '.response has the key "700"; declare a schema, or schemas by status (200 to 599), such as { 200: ... }',
  ],
  [{ response: { default: {} } }, '.response has the key "default"'],
  [
    { response: content("text/csv") },
    ".response is content(); declare it by status, such as { 200: content(...) }",
  ],
  [
    { response: [content("text/csv")] },
    ".response is a list; declare it by status, such as { 200: content(...) }",
  ],
  ...[204, 205, 304].flatMap((status) =>
    ([[".body", { body }], ["", content("text/csv")]] as const).map((
      [member, response],
    ) =>
      [
        { response: { [status]: response } },
        `.response[${status}]${member} has no effect, since responses with this status have no body; remove it`,
      ] as const
    )
  ),
  ...[
    null,
    [null],
    [[]],
    [undefined],
    ["bearer"],
    [() => {}],
    {},
    ["a"],
    [{ bearer: [] }, { bearer: [1] }],
    [{ a: ["x"], b: "y" }],
    [{ bearer: "" }],
  ].map((security) => [{ security }, SECURITY] as const),
  [{ summary: 1 }, ".summary must be a string"],
  [{ description: null }, ".description must be a"],
  [{ operationId: {} }, ".operationId must be a string"],
  [{ tags: "books" }, ".tags must be an array of"],
  [{ tags: ["a", 1] }, ".tags must be an array of"],
  ...[null, "", "admin", "Owner", {}, [], [""], ["owner", 1]].map((access) =>
    [{ access }, ACCESS] as const
  ),
  [{ access: "admin" }, `${ACCESS}; write the role "admin" as ["admin"]`],
  [{ access: { member: "" } }, ACCESS],
  [{ access: { member: "a", of: "child" } }, ACCESS],
  [{ access: [{ member: "a", is: 1 }] }, ACCESS],
  [{ deprecated: "yes" }, ".deprecated must be true or"],
];

/** Wrong values of `schema.get.response[200]`. */
const WRONG_RESPONSES: Faults = [
  ["Book", NOT_A_SCHEMA],
  [
    null,
    `${NOT_A_SCHEMA}; create it with a library such as zod, Valibot or ArkType, or describe the response: { body: ..., headers: ... }, or {} for no body`,
  ],
  [[], ' is an empty list; add content("application/json", schema)'],
  [
    [content("a/b"), body],
    '[1] is not content(); name its media type, such as content("application/json", schema)',
  ],
  [
    { body: [content("image/*")] },
    '.body[0] is the range "image/*"; list exact media types',
  ],
  [
    [content("text/csv"), content("Text/CSV;charset=utf-8", body)],
    '[1] declares "Text/CSV;charset=utf-8" again; remove it',
  ],
  [[{ mediaType: 5 }], "[0].mediaType is a number; create it with"],
  [GET, NOT_A_SCHEMA],
  [undefined, NOT_A_SCHEMA],
  [
    { boddy: body },
    '.boddy is unknown; a response has "body", "headers", "description"',
  ],
  [{ title: body }, '.title is unknown; a response has "body"'],
  [{ toString: body }, ".toString is unknown"],
  [
    { body: "Book" },
    `.body${NOT_A_SCHEMA}; create it with a library such as zod, Valibot or ArkType, or with content("application/pdf")`,
  ],
  [{ body: undefined }, `.body${NOT_A_SCHEMA}`],
  [{ body: { body } }, `.body${NOT_A_SCHEMA}`],
  [{ headers: "location" }, `.headers${NOT_A_SCHEMA}`],
  [{ headers: content("text/csv") }, `.headers${NOT_A_SCHEMA}`],
  [
    { headers: { location: body } },
    ".headers is an object of schemas; make it one schema, such as z.object({ ... })",
  ],
  [{ description: 1 }, ".description must be a string"],
  [
    { mediaType: 5 },
    '.mediaType is a number; create it with content("application/pdf")',
  ],
  [
    { mediaType: "pdf" },
    '.mediaType is "pdf"; create it with content("application/pdf")',
  ],
  [
    { body: { mediaType: "a/b c" } },
    '.body.mediaType is "a/b c"; create it',
  ],
  [{ mediaType: "a/b", schema: {} }, `.schema${NOT_A_SCHEMA}`],
];

Deno.test("checkModule() rejects a malformed schema with its key and a fix (behaviour 5.2)", () => {
  const cases: Faults = [
    ...WRONG_SCHEMAS,
    ...WRONG_METHODS.map(([get, fault]) =>
      [{ get }, `schema.get${fault}`] as const
    ),
    ...WRONG_RESPONSES.map(([response, fault]) =>
      [
        { get: { response: { 200: response } } },
        `schema.get.response[200]${fault}`,
      ] as const
    ),
  ];
  for (const [schema, fault] of cases) {
    const faults = faultsOf({ GET, schema });
    assertEquals(faults.length, 1, JSON.stringify(faults));
    assert(faults[0]!.startsWith(fault), faults[0]);
  }
});

Deno.test("checkModule() accepts everything that documents a method", () => {
  const schema = {
    get: {
      query: z.object({}),
      headers: z.object({}),
      response: {
        200: z.object({}),
        201: { body: z.object({}), headers: z.object({}), description: "" },
        202: {},
        203: content("application/pdf"),
        204: { headers: z.object({}) },
        206: { body: content("text/csv", z.string()) },
        207: { body: { mediaType: "image/*", schema: undefined } },
        208: [content("text/csv"), content("text/csv;header=present")],
        226: { body: [content("text/csv")] },
        404: z.object({}),
        599: z.string(),
      },
      summary: "Gets it",
      description: "Gets **it**",
      tags: ["books"],
      operationId: "getIt",
      deprecated: true,
      security: [{ bearer: [], oauth: ["read", "write"] }, {}],
      access: "owner",
    },
    head: {
      response: z.string(),
      tags: [],
      security: [],
      deprecated: false,
      access: [
        "a",
        { member: "b" },
        { member: "c", of: "parent" as const },
        () => true,
      ],
    },
  };
  assertEquals(moduleOf({ GET, schema }).schema, schema);
});

/** Wrong values of `schema.post.body`. */
const WRONG_BODIES: Faults = [
  [[], ' is an empty list; add content("application/json", schema)'],
  [[body], "[0] is not content(); name its media type, such as content("],
  [[{ mediaType: 5 }], "[0].mediaType is a number; create it with content("],
  [{ mediaType: 5 }, ".mediaType is a number; create it with content("],
  [content("text/csv"), ' of type "text/csv" has no Standard Schema; write'],
  [
    { mediaType: "text/csv", schema: "Book" },
    ' of type "text/csv" has no Standard Schema',
  ],
  [
    content("image/png", body),
    ' of type "image/png" must be JSON, a form or text with a schema of its value; for other bodies and streams, declare file({ types: ["image/png"] }) or form() as the body',
  ],
  [content("text/event-stream", body), ' of type "text/event-stream" must be'],
  [content("application/json", file()), ' of type "application/json" must be'],
  [content("application/*", body), ' of type "application/*" must be JSON'],
  [content("*/*", body), ' of type "*/*" must be JSON'],
  [content("multipart/*", body), ' of type "multipart/*" must be JSON'],
  [content("image/*+xml", body), ' of type "image/*+xml" must be JSON'],
  ...["Text/CSV", "text/csv;a=b", "text/*;a=b", "text/p*", "*/csv"]
    .map((type): Faults[number] => [
      { mediaType: type, schema: body },
      ` of type "${type}" must be a type or a range in lowercase without parameters, such as "text/csv" or "application/*+json"`,
    ]),
  [
    [content("text/*", body), content("text/*", body)],
    '[1] declares "text/*" again; remove it',
  ],
  [
    [content("text/csv", body), content("text/csv", body)],
    '[1] declares "text/csv" again; remove it',
  ],
];

Deno.test("checkModule() rejects content() that no body can have (behaviour 7.2)", () => {
  for (const [body, fault] of WRONG_BODIES) {
    const faults = faultsOf({ POST: GET, schema: { post: { body } } });
    assertEquals(faults.length, 1, JSON.stringify(faults));
    assert(faults[0]!.startsWith(`schema.post.body${fault}`), faults[0]);
  }
});

Deno.test("checkModule() rejects a body schema for a method without a body (behaviour 5.2)", () => {
  const body = z.object({}).optional();
  for (const key of ["get", "head"]) {
    assertEquals(faultsOf({ GET, schema: { [key]: { body } } }), [
      `schema.${key}.body matches no request, since ${key.toUpperCase()} has no body; declare a query, or move the schema to another method`,
    ]);
  }
  const declared = { body: content("text/csv", body) };
  assertEquals(faultsOf({ GET, schema: { get: declared } }).length, 1);
  moduleOf({
    DELETE: GET,
    OPTIONS: GET,
    schema: { delete: { body }, options: { body } },
  });
});

Deno.test("checkModule() allows one kind of response for each method (behaviour 11.1)", () => {
  const data = z.object({});
  const cases: [object, string[]][] = [
    [{ events: {}, response: data }, [
      'schema.get has "response" and "events", which exclude each other; remove one of them',
    ]],
    [{ events: {}, socket: {} }, [
      'schema.get has "events" and "socket", which exclude each other; remove one of them',
    ]],
    [{ events: { "a\nb": data } }, [
      "schema.get.events must be an object with a Standard Schema for each event, such as { status: z.object({ ... }) }",
    ]],
    [{ socket: { send: data, message: data } }, [
      'schema.get.socket must be an object with Standard Schemas, "receive" and "send"',
    ]],
    [{ events: { done: data } }, []],
    [{ socket: { send: data, receive: data } }, []],
  ];
  for (const [schema, faults] of cases) {
    assertEquals(faultsOf({ GET, schema: { get: schema } }), faults);
  }
  assertEquals(faultsOf({ POST: GET, schema: { post: { socket: {} } } }), [
    "schema.post.socket opens only with GET; move the member to schema.get",
  ]);
});
