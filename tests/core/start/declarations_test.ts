import { content } from "@bough/framework";
import { file } from "@bough/framework/uploads";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { schemaOf } from "../../support/schema_of.ts";
import { faultsOf, GET, moduleOf } from "./exports_support.ts";

const body = z.object({});
const NOT_A_SCHEMA = " must be a Standard Schema";
const ACCESS =
  '.access must be "owner", "shared", "public", a rule such as { member: "customerId" } or { member: "customerId", of: "parent" }, a function, or a list of these and of roles, such as ["owner", "admin"]';

/** Wrong values by the beginning of the error that each causes. */
type Wrong = Readonly<Record<string, readonly unknown[]>>;

/** Asserts that each value causes one error. */
function assertFaults(
  wrong: Wrong,
  exportsOf: (value: unknown) => Record<string, unknown>,
): void {
  for (const [fault, values] of Object.entries(wrong)) {
    for (const value of values) {
      const faults = faultsOf(exportsOf(value));
      assertEquals(faults.length, 1, `${fault}: ${JSON.stringify(faults)}`);
      assertEquals(faults[0]!.slice(0, fault.length), fault);
    }
  }
}

const NO_MEDIA = [content("text/csv"), [content("text/csv")]];
const NO_BODY = [204, 205, 304];
const STATUSES = ["199", "1200", "2000", "600", "20", "x200", "20x", "default"];

/** Wrong values of the export `schema`. */
const WRONG_SCHEMAS: Wrong = {
  "schema must be an object such as { post: { body: ... } }, got []": [[]],
  "schema must be an object such as { post: { body: ... } }, got": [body.parse],
  "schema must be an object such as { post: { body: ... } }, got null": [null],
  'schema must be an object such as { post: { body: ... } }, got "x"': ["x"],
  "schema must be an object such as": [undefined],
  'schema.fetch is unknown; the members are "get", "head", "query", "post", "put", "patch", "delete", "options"':
    [{ fetch: { body } }],
  'schema.GET is unknown; did you mean "get"?': [{ GET: {} }],
  'schema.Get is unknown; did you mean "get"?': [{ Get: {} }],
  'schema.trace is unknown; the members are "get", "head",': [{ trace: {} }],
  "schema.post has no handler; export POST or remove the key": [
    { post: { body } },
  ],
};

/** Wrong values of `schema.get`. */
const WRONG_METHODS: Wrong = {
  " must be the schemas of GET, such as { params: ... }": [
    null,
    [],
    body.parse,
  ],
  '.parms is unknown; did you mean "params"? The members are "params", "query", "headers", "cookies", "body", "response", ':
    [{ parms: body }],
  ".params must be a Standard Schema, such as z.object({ ... }), got an object":
    [{ params: { id: "string" } }],
  ".toString is unknown; the members are": [{ toString: body }],
  ".__proto__ is unknown; the members are": [{ ["__proto__"]: body }],
  [`.params${NOT_A_SCHEMA}`]: [undefined, null, []]
    .map((params) => ({ params })),
  [`.headers${NOT_A_SCHEMA}`]: [{
    headers: { "~standard": { validate: true } },
  }],
  [`.query${NOT_A_SCHEMA}`]: [{ query: {} }],
  [`.response${NOT_A_SCHEMA}`]: [{ response: 200 }],
  ".sendUndeclared must be true or false": [{ sendUndeclared: 1 }],
  ...Object.fromEntries(
    [...STATUSES, "ok", "700"].map((status) => [
      `.response has the key "${status}", which must be a status from 200 to 599`,
      [{ response: { [status]: body } }, { response: { [status]: {} } }],
    ]),
  ),
  '.response must be a Standard Schema, or responses by status, such as { 200: content("application/pdf") }':
    NO_MEDIA.map((response) => ({ response })),
  ...Object.fromEntries(NO_BODY.flatMap((status) => {
    const why = ", since responses with this status have no body";
    return [
      [`.response[${status}].body must be absent${why}`, [
        { response: { [status]: { body } } },
      ]],
      [`.response[${status}] must be { headers, description }${why}`, [
        { response: { [status]: content("text/csv") } },
      ]],
    ];
  })),
  ".security must be": [null, {}].map((security) => ({ security })),
  ".security[0] must be": [null, [], undefined, "bearer", () => {}, "a"]
    .map((each) => ({ security: [each] })),
  ".security[1].bearer[0] must be": [
    { security: [{ bearer: [] }, { bearer: [1] }] },
  ],
  ".security[0].b must be": [{ security: [{ a: ["x"], b: "y" }] }],
  ".security[0].bearer must be": [{ security: [{ bearer: "" }] }],
  ".summary must be a string": [{ summary: 1 }],
  ".description must be a": [{ description: null }],
  ".operationId must be a string": [{ operationId: {} }],
  ".tags must be an array of": [{ tags: "books" }],
  ".tags[1] must be a string, got 1": [{ tags: ["a", 1] }],
  [ACCESS]: [null, "", "admin", "Owner", []].map((access) => ({ access })),
  [`${ACCESS}, got "admin"; write ["admin"]`]: [{ access: "admin" }],
  ".access.member must be a non-empty string, got undefined": [{ access: {} }],
  ".access[0] must be a role, a rule or a function": [{ access: [""] }],
  ".access[1] must be a role, a rule or a function": [{ access: ["owner", 1] }],
  ".access.member must be a non-empty string": [{ access: { member: "" } }],
  '.access.of must be "parent"': [{ access: { member: "a", of: "child" } }],
  ".access[0].is is unknown": [{ access: [{ member: "a", is: 1 }] }],
  ".deprecated must be true or": [{ deprecated: "yes" }],
};

/** Wrong values of `schema.get.response[200]`. */
const WRONG_RESPONSES: Wrong = {
  [NOT_A_SCHEMA]: ["Book", [], GET, undefined],
  [`${NOT_A_SCHEMA}, content("application/pdf"), a list of content(), or { body, headers, description }, got null`]:
    [null],
  '[1] must be content("application/json", schema), got an object': [
    [content("a/b"), body],
  ],
  '.body[0].mediaType must be a media type without "*", got "image/*"': [
    { body: [content("image/*")] },
  ],
  '[1] declares "Text/CSV;charset=utf-8" again; remove it': [
    [content("text/csv"), content("Text/CSV;charset=utf-8", body)],
  ],
  '[0].mediaType must be a media type without "*", got 5': [[{ mediaType: 5 }]],
  '.boddy is unknown; did you mean "body"? The members are "body", "headers", "description"':
    [{ boddy: body }],
  '.title is unknown; the members are "body"': [{ title: body }],
  ".toString is unknown": [{ toString: body }],
  [`.body${NOT_A_SCHEMA}, content("application/pdf"), or a list of content(), got "Book"`]:
    [{ body: "Book" }],
  [`.body${NOT_A_SCHEMA}`]: [{ body: undefined }, { body: { body } }],
  [`.headers${NOT_A_SCHEMA}`]: ["location", content("text/csv")]
    .map((headers) => ({ headers })),
  [`.headers${NOT_A_SCHEMA}, such as z.object({ ... }), got an object`]: [
    { headers: { location: body } },
  ],
  ".description must be a string": [{ description: 1 }],
  '.mediaType must be a media type, as in content("application/pdf"), got 5': [
    { mediaType: 5 },
  ],
  '.mediaType must be a media type, as in content("application/pdf"), got "pdf"':
    [{ mediaType: "pdf" }],
  ".body.mediaType must be a media type": [{ body: { mediaType: "a/b c" } }],
  [`.schema${NOT_A_SCHEMA}`]: [{ mediaType: "a/b", schema: {} }],
};

Deno.test("checkModule() rejects a malformed schema with its key and a fix (behaviour 5.2)", () => {
  const prefixed = (prefix: string, wrong: Wrong): Wrong =>
    Object.fromEntries(
      Object.entries(wrong).map(([fault, values]) => [prefix + fault, values]),
    );
  assertFaults(WRONG_SCHEMAS, (schema) => ({ GET, schema }));
  assertFaults(
    prefixed("schema.get", WRONG_METHODS),
    (get) => ({ GET, schema: { get } }),
  );
  assertFaults(
    prefixed("schema.get.response[200]", WRONG_RESPONSES),
    (response) => ({ GET, schema: { get: { response: { 200: response } } } }),
  );
});

Deno.test("checkModule() accepts schemas of every library, and everything that documents a method (behaviour 5.2)", () => {
  const callable = Object.assign(() => {}, schemaOf());
  const schema = {
    post: { body: callable, response: callable },
    put: { response: z.string() },
    patch: { sendUndeclared: false },
    delete: {},
    get: {
      params: z.object({}),
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
  const methods = { POST: GET, PUT: GET, PATCH: GET, DELETE: GET };
  assertEquals(moduleOf({ GET, ...methods, schema }).schema, schema);
});

const NOT_JSON =
  '.mediaType must be JSON, a form or text, in lowercase and without parameters, such as "text/csv"';

const FAULT = "schema.post.body";

/** Wrong values of `schema.post.body`. */
const WRONG_BODIES: Wrong = {
  [`${FAULT}${NOT_A_SCHEMA}`]: [
    ...[GET, [], { "~standard": null }, { "~standard": {} }],
  ],
  [`${FAULT}[0] must be content("application/json", schema), got an object`]: [
    [body],
  ],
  [`${FAULT}[0]${NOT_JSON}, got 5`]: [[{ mediaType: 5, schema: body }]],
  [`${FAULT}${NOT_JSON}, got 5`]: [{ mediaType: 5, schema: body }],
  [`${FAULT}.schema${NOT_A_SCHEMA} of the value, got undefined`]: [
    content("text/csv"),
  ],
  [`${FAULT}.schema${NOT_A_SCHEMA} of the value, got "Book"`]: [
    { mediaType: "text/csv", schema: "Book" },
  ],
  [`${FAULT}${NOT_JSON}, got "image/png"; for another body, declare file() or form()`]:
    [content("image/png", body)],
  [`${FAULT}.schema${NOT_A_SCHEMA} of the value, got an object; for a stream, declare file() or form() as the body`]:
    [content("application/json", file())],
  ...Object.fromEntries(
    [
      ...["text/event-stream", "application/*", "*/*", "multipart/*"],
      ...["image/*+xml", "Text/CSV", "text/csv;a=b", "text/*;a=b"],
      ...["text/p*", "*/csv"],
    ].map((mediaType) => [
      `${FAULT}${NOT_JSON}, got "${mediaType}"`,
      [{ mediaType, schema: body }],
    ]),
  ),
  ...Object.fromEntries(
    ["text/*", "text/csv"].map((type) => [
      `${FAULT}[1] declares "${type}" again; remove it`,
      [[content(type, body), content(type, body)]],
    ]),
  ),
};

Deno.test("checkModule() rejects content() that no body can have (behaviour 7.2)", () => {
  assertFaults(
    WRONG_BODIES,
    (body) => ({ POST: GET, schema: { post: { body } } }),
  );
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
