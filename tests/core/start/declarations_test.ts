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
const NOT_A_SCHEMA = " must be a Standard Schema";
const ACCESS =
  '.access must be "owner", "shared", "public", a rule such as { member: "customerId" } or { member: "customerId", of: "parent" }, a function, or a list of these and of roles, such as ["owner", "admin"]';

type Faults = readonly (readonly [value: unknown, fault: string])[];

/** Wrong values of the export `schema`. */
const WRONG_SCHEMAS: Faults = [
  [[], "schema must be an object such as { post: { body: ... } }, got []"],
  [body.parse, "schema must be an object such as { post: { body: ... } }, got"],
  [null, "schema must be an object such as { post: { body: ... } }, got null"],
  ["x", 'schema must be an object such as { post: { body: ... } }, got "x"'],
  [undefined, "schema must be an object such as"],
  [
    { fetch: { body } },
    'schema.fetch is unknown; the members are "get", "head", "post", "put", "patch", "delete", "options"',
  ],
  [{ GET: {} }, 'schema.GET is unknown; did you mean "get"?'],
  [{ Get: {} }, 'schema.Get is unknown; did you mean "get"?'],
  [{ trace: {} }, 'schema.trace is unknown; the members are "get", "head",'],
  [
    { post: { body } },
    "schema.post has no handler; export POST or remove the key",
  ],
];

/** Wrong values of `schema.get`. */
const WRONG_METHODS: Faults = [
  [null, ' must be an object with "params", "query",'],
  [[], " must be an object with"],
  [body.parse, ' must be an object with "params", "query",'],
  [
    { parms: body },
    '.parms is unknown; did you mean "params"? The members are "params", "query", "headers", "body", "response", ',
  ],
  [
    { params: { id: "string" } },
    ".params must be a Standard Schema, such as z.object({ ... }), got an object",
  ],
  [{ toString: body }, ".toString is unknown; the members are"],
  [{ ["__proto__"]: body }, ".__proto__ is unknown; the members are"],
  [{ params: undefined }, `.params${NOT_A_SCHEMA}`],
  [{ params: null }, `.params${NOT_A_SCHEMA}`],
  [{ params: [] }, `.params${NOT_A_SCHEMA}`],
  [{ headers: { "~standard": { validate: true } } }, `.headers${NOT_A_SCHEMA}`],
  [{ query: {} }, `.query${NOT_A_SCHEMA}`],
  [{ response: 200 }, `.response${NOT_A_SCHEMA}`],
  [{ sendUndeclared: 1 }, ".sendUndeclared must be true or false"],
  [
    { response: { ok: body } },
    '.response has the key "ok", which must be a status from 200 to 599',
  ],
  ...["199", "1200", "2000", "600", "20", "x200", "20x"].map((status) =>
    [
      { response: { [status]: body } },
      `.response has the key "${status}", which must be a status from 200 to`,
    ] as const
  ),
  [
    { response: { 700: {} } },
    '.response has the key "700", which must be a status from 200 to 599',
  ],
  [{ response: { default: {} } }, '.response has the key "default"'],
  [
    { response: content("text/csv") },
    '.response must be a Standard Schema, or responses by status, such as { 200: content("application/pdf") }',
  ],
  [
    { response: [content("text/csv")] },
    '.response must be a Standard Schema, or responses by status, such as { 200: content("application/pdf") }',
  ],
  ...[204, 205, 304].flatMap((status) =>
    ([
      [".body must be absent", { body }],
      [" must be { headers, description }", content("text/csv")],
    ] as const).map(([fault, response]) =>
      [
        { response: { [status]: response } },
        `.response[${status}]${fault}, since responses with this status have no body`,
      ] as const
    )
  ),
  ...([
    [null, ""],
    [[null], "[0]"],
    [[[]], "[0]"],
    [[undefined], "[0]"],
    [["bearer"], "[0]"],
    [[() => {}], "[0]"],
    [{}, ""],
    [["a"], "[0]"],
    [[{ bearer: [] }, { bearer: [1] }], "[1].bearer[0]"],
    [[{ a: ["x"], b: "y" }], "[0].b"],
    [[{ bearer: "" }], "[0].bearer"],
  ] as const).map(([security, path]) =>
    [{ security }, `.security${path} must be`] as const
  ),
  [{ summary: 1 }, ".summary must be a string"],
  [{ description: null }, ".description must be a"],
  [{ operationId: {} }, ".operationId must be a string"],
  [{ tags: "books" }, ".tags must be an array of"],
  [{ tags: ["a", 1] }, ".tags[1] must be a string, got 1"],
  ...[null, "", "admin", "Owner", []].map((access) =>
    [{ access }, ACCESS] as const
  ),
  [{ access: "admin" }, `${ACCESS}, got "admin"; write ["admin"]`],
  [{ access: {} }, ".access.member must be a non-empty string, got undefined"],
  [{ access: [""] }, ".access[0] must be a role, a rule or a function"],
  [{ access: ["owner", 1] }, ".access[1] must be a role, a rule or a function"],
  [{ access: { member: "" } }, ".access.member must be a non-empty string"],
  [{ access: { member: "a", of: "child" } }, '.access.of must be "parent"'],
  [{ access: [{ member: "a", is: 1 }] }, ".access[0].is is unknown"],
  [{ deprecated: "yes" }, ".deprecated must be true or"],
];

/** Wrong values of `schema.get.response[200]`. */
const WRONG_RESPONSES: Faults = [
  ["Book", NOT_A_SCHEMA],
  [
    null,
    `${NOT_A_SCHEMA}, content("application/pdf"), a list of content(), or { body, headers, description }, got null`,
  ],
  [[], NOT_A_SCHEMA],
  [
    [content("a/b"), body],
    '[1] must be content("application/json", schema), got an object',
  ],
  [
    { body: [content("image/*")] },
    '.body[0].mediaType must be a media type without "*", got "image/*"',
  ],
  [
    [content("text/csv"), content("Text/CSV;charset=utf-8", body)],
    '[1] declares "Text/CSV;charset=utf-8" again; remove it',
  ],
  [[{ mediaType: 5 }], '[0].mediaType must be a media type without "*", got 5'],
  [GET, NOT_A_SCHEMA],
  [undefined, NOT_A_SCHEMA],
  [
    { boddy: body },
    '.boddy is unknown; did you mean "body"? The members are "body", "headers", "description"',
  ],
  [{ title: body }, '.title is unknown; the members are "body"'],
  [{ toString: body }, ".toString is unknown"],
  [
    { body: "Book" },
    `.body${NOT_A_SCHEMA}, content("application/pdf"), or a list of content(), got "Book"`,
  ],
  [{ body: undefined }, `.body${NOT_A_SCHEMA}`],
  [{ body: { body } }, `.body${NOT_A_SCHEMA}`],
  [{ headers: "location" }, `.headers${NOT_A_SCHEMA}`],
  [{ headers: content("text/csv") }, `.headers${NOT_A_SCHEMA}`],
  [
    { headers: { location: body } },
    `.headers${NOT_A_SCHEMA}, such as z.object({ ... }), got an object`,
  ],
  [{ description: 1 }, ".description must be a string"],
  [
    { mediaType: 5 },
    '.mediaType must be a media type, as in content("application/pdf"), got 5',
  ],
  [
    { mediaType: "pdf" },
    '.mediaType must be a media type, as in content("application/pdf"), got "pdf"',
  ],
  [
    { body: { mediaType: "a/b c" } },
    ".body.mediaType must be a media type",
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

const NOT_JSON =
  '.mediaType must be JSON, a form or text, in lowercase and without parameters, such as "text/csv"';

/** Wrong values of `schema.post.body`. */
const WRONG_BODIES: Faults = [
  [GET, NOT_A_SCHEMA],
  [{ "~standard": null }, NOT_A_SCHEMA],
  [{ "~standard": {} }, NOT_A_SCHEMA],
  [[], NOT_A_SCHEMA],
  [[body], '[0] must be content("application/json", schema), got an object'],
  [[{ mediaType: 5, schema: body }], `[0]${NOT_JSON}, got 5`],
  [{ mediaType: 5, schema: body }, `${NOT_JSON}, got 5`],
  [content("text/csv"), `.schema${NOT_A_SCHEMA} of the value, got undefined`],
  [
    { mediaType: "text/csv", schema: "Book" },
    `.schema${NOT_A_SCHEMA} of the value, got "Book"`,
  ],
  [
    content("image/png", body),
    `${NOT_JSON}, got "image/png"; for another body, declare file() or form()`,
  ],
  [
    content("application/json", file()),
    `.schema${NOT_A_SCHEMA} of the value, got an object; for a stream, declare file() or form() as the body`,
  ],
  ...[
    "text/event-stream",
    "application/*",
    "*/*",
    "multipart/*",
    "image/*+xml",
    "Text/CSV",
    "text/csv;a=b",
    "text/*;a=b",
    "text/p*",
    "*/csv",
  ].map((mediaType): Faults[number] => [
    { mediaType, schema: body },
    `${NOT_JSON}, got "${mediaType}"`,
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
      `schema.${key}.body must be absent, since ${key.toUpperCase()} has no body; declare a query, or move the schema to another method`,
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
      'schema.get.events has the key "a\nb", which must be one line',
    ]],
    [{ socket: { send: data, message: data } }, [
      'schema.get.socket.message is unknown; the members are "receive", "send"',
    ]],
    [{ events: { done: data } }, []],
    [{ socket: { send: data, receive: data } }, []],
  ];
  for (const [schema, faults] of cases) {
    assertEquals(faultsOf({ GET, schema: { get: schema } }), faults);
  }
  assertEquals(faultsOf({ POST: GET, schema: { post: { socket: {} } } }), [
    "schema.post.socket must be absent, since sockets open only with GET; move the member to schema.get",
  ]);
});
