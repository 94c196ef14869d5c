import { content } from "@bough/framework";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { checkModule } from "../../src/exports/route_module.ts";

const GET = () => new Response();

function faultsOf(exports: Record<string, unknown>): string[] {
  const faults: string[] = [];
  checkModule(exports, (reason) => faults.push(reason));
  return faults;
}

function moduleOf(exports: Record<string, unknown>) {
  const module = checkModule(exports, (reason) => assert(false, reason));
  assert(module !== undefined);
  return module;
}

Deno.test("checkModule() finds the handlers of all seven methods (behaviour 5.1)", () => {
  const names = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
  const exports = Object.fromEntries(names.map((name) => [name, GET]));
  assertEquals([...moduleOf(exports).handlers.keys()], names);
});

Deno.test("checkModule() leaves other exports alone (behaviour 5.1)", () => {
  moduleOf({ GET, helper: 1, options: { a: 1 }, head: "x", Schema: {} });
});

Deno.test("checkModule() refuses a file without a handler (behaviour 5.1)", () => {
  assertEquals(faultsOf({ helper: GET }), [
    "no handler is exported; export a function named GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
  ]);
});

Deno.test("checkModule() refuses a handler that is no function (behaviour 5.1)", () => {
  for (
    const [value, kind] of [
      [{}, "an object"],
      [[], "an array"],
      ["x", "a string"],
      [null, "null"],
      [undefined, "undefined"],
      [5, "a number"],
      [true, "a boolean"],
      [Symbol(), "a symbol"],
    ] as const
  ) {
    assertEquals(faultsOf({ GET: value }), [
      `export "GET" is ${kind}; it must be a function that takes a request and returns a Response`,
    ]);
  }
});

Deno.test("checkModule() hints at the right name for a likely slip (behaviour 5.1)", () => {
  for (
    const [name, hint] of [
      ["get", 'name it "GET", in uppercase'],
      ["Get", 'name it "GET", in uppercase'],
      ["delete", 'name it "DELETE", in uppercase'],
      [
        "default",
        'export handlers by the name of their method, such as "GET"',
      ],
      ["TRACE", "routes handle GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"],
      ["CONNECT", "routes handle GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"],
      ["trace", "routes handle GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"],
      ["Connect", "routes handle GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"],
    ] as const
  ) {
    assertEquals(faultsOf({ POST: GET, [name]: GET }), [
      `export "${name}" is not a handler: ${hint}`,
    ]);
    // Alone, the slip is the only fault: it explains the missing handler.
    assertEquals(faultsOf({ [name]: GET }).length, 1);
  }
});

Deno.test("checkModule() takes some slips for slips whatever they hold", () => {
  for (const name of ["default", "TRACE", "CONNECT"]) {
    assertEquals(faultsOf({ POST: GET, [name]: 1 }).length, 1, name);
  }
  // Other names may be somebody's own.
  moduleOf({ POST: GET, get: 1, trace: 1, connect: {}, Trace: "x" });
});

Deno.test("checkModule() accepts schemas of every library (behaviour 5.2)", () => {
  const callable = Object.assign(() => {}, {
    "~standard": {
      version: 1 as const,
      vendor: "x",
      validate: () => ({ value: 1 }),
    },
  });
  const schema = {
    get: { params: z.object({}) },
    head: { params: z.object({}) },
    post: { body: callable, response: callable },
    put: { response: z.string() },
    delete: {},
  };
  assertEquals(
    moduleOf({ GET, POST: GET, PUT: GET, DELETE: GET, schema }).schema,
    schema,
  );
});

Deno.test("checkModule() refuses a malformed schema, naming key and fix (behaviour 5.2)", () => {
  const body = z.object({});
  for (
    const [schema, fault] of [
      [[], 'export "schema" is an array; it must be an object such as'],
      [body.parse, 'export "schema" is a function; it must be an object'],
      [
        { fetch: { body } },
        'schema key "fetch" is not a method; use get, head, post, put, patch, delete, options',
      ],
      [{ GET: {} }, 'schema key "GET" must be "get"'],
      [{ Get: {} }, 'schema key "Get" must be "get"'],
      [
        { trace: {} },
        'schema key "trace" is not a method; use get, head, post,',
      ],
      [null, 'export "schema" is null; it must be an object such as'],
      ["x", 'export "schema" is a string; it must be an object such as'],
      [{ get: null }, "schema.get is null; it must be an object with"],
      [{ get: [] }, "schema.get is an array; it must be an object with"],
      [
        { post: { body } },
        'schema key "post" has no handler; export POST or remove the key',
      ],
      [
        { get: body.parse },
        'schema.get is a function; it must be an object with "params", "query",',
      ],
      [
        { get: { parms: body } },
        'schema.get.parms is unknown; a schema has "params", "query", "headers", "body", "response", ',
      ],
      [
        { get: { params: { id: "string" } } },
        "schema.get.params is not a Standard Schema; create it with a library such as zod, Valibot or ArkType",
      ],
      [
        { get: { toString: body } },
        "schema.get.toString is unknown; a schema has",
      ],
      [
        { get: { ["__proto__"]: body } },
        "schema.get.__proto__ is unknown; a schema has",
      ],
      [{ get: { params: undefined } }, "schema.get.params is not a Standard"],
      [{ get: { params: null } }, "schema.get.params is not a Standard Schema"],
      [{ get: { params: [] } }, "schema.get.params is not a Standard Schema"],
      [{ get: { body: GET } }, "schema.get.body is not a Standard Schema"],
      [{ get: { body: { "~standard": null } } }, "schema.get.body is not a"],
      [{ get: { body: { "~standard": {} } } }, "schema.get.body is not a"],
      [
        { get: { headers: { "~standard": { validate: true } } } },
        "schema.get.headers is not a Standard Schema",
      ],
      [{ get: { query: {} } }, "schema.get.query is not a Standard Schema"],
      [
        { get: { response: 200 } },
        "schema.get.response is not a Standard Schema",
      ],
      [
        { get: { response: { ok: body } } },
        'schema.get.response has the key "ok"; declare a schema, or schemas by status',
      ],
      ...["199", "1200", "2000", "600", "20", "x200", "20x"].map((status) =>
        [
          { get: { response: { [status]: body } } },
          `schema.get.response has the key "${status}"; declare a schema, or`,
        ] as const
      ),
      [
        { get: { response: { 200: "Book" } } },
        "schema.get.response[200] is not a Standard Schema",
      ],
      ...([
        [
          null,
          "200] is not a Standard Schema; create it with a library such as zod, Valibot or ArkType, or describe the response: { body: ..., headers: ... }, or {} for no body",
        ],
        [[], "200] is not a Standard Schema"],
        [GET, "200] is not a Standard Schema"],
        [undefined, "200] is not a Standard Schema"],
        [
          { boddy: body },
          '200].boddy is unknown; a response has "body", "headers", "description"',
        ],
        [{ title: body }, '200].title is unknown; a response has "body"'],
        [{ toString: body }, "200].toString is unknown"],
        [
          { body: "Book" },
          '200].body is not a Standard Schema; create it with a library such as zod, Valibot or ArkType, or with content("application/pdf")',
        ],
        [{ body: undefined }, "200].body is not a Standard Schema"],
        [{ body: { body } }, "200].body is not a Standard Schema"],
        [{ headers: "location" }, "200].headers is not a Standard Schema"],
        [
          { headers: content("text/csv") },
          "200].headers is not a Standard Schema",
        ],
        [
          { headers: { location: body } },
          "200].headers is an object of schemas; make it one schema, such as z.object({ ... })",
        ],
        [{ description: 1 }, "200].description must be a string"],
        [
          { mediaType: 5 },
          '200].mediaType is a number; create it with content("application/pdf")',
        ],
        [
          { mediaType: "pdf" },
          '200].mediaType is "pdf"; create it with content("application/pdf")',
        ],
        [
          { body: { mediaType: "a/b c" } },
          '200].body.mediaType is "a/b c"; create it',
        ],
        [
          { mediaType: "a/b", schema: {} },
          "200].schema is not a Standard Schema",
        ],
      ] as const).map(([response, fault]) =>
        [
          { get: { response: { 200: response } } },
          `schema.get.response[${fault}`,
        ] as const
      ),
      [
        { get: { response: content("text/csv") } },
        "schema.get.response is content(); declare it by status, such as { 200: content(...) }",
      ],
      ...[204, 205, 304].flatMap((status) =>
        [
          [
            { get: { response: { [status]: { body } } } },
            `schema.get.response[${status}].body has no effect, since responses with this status have no body; remove it`,
          ],
          [
            { get: { response: { [status]: content("text/csv") } } },
            `schema.get.response[${status}] has no effect, since responses with this status have no body; remove it`,
          ],
        ] as const
      ),
      [
        { get: { response: { 700: {} } } },
        'schema.get.response has the key "700"; declare a schema, or schemas by status (200 to 599), such as { 200: ... }',
      ],
      [
        { get: { response: { default: {} } } },
        'schema.get.response has the key "default"',
      ],
      ...[[null], [[]], [undefined], ["bearer"], [() => {}]].map((security) =>
        [
          { get: { security } },
          "schema.get.security must be an array of objects, such as [{ bearer",
        ] as const
      ),
      [{ get: { summary: 1 } }, "schema.get.summary must be a string"],
      [{ get: { description: null } }, "schema.get.description must be a"],
      [{ get: { operationId: {} } }, "schema.get.operationId must be a string"],
      [{ get: { tags: "books" } }, "schema.get.tags must be an array of"],
      [{ get: { tags: ["a", 1] } }, "schema.get.tags must be an array of"],
      ...[null, "", "admin", "Owner", {}, [], [""], ["owner", 1]].map((
        access,
      ) =>
        [
          { get: { access } },
          'schema.get.access must be "owner", "shared" or "public", or a list of these words and of roles, such as ["owner", "admin"]',
        ] as const
      ),
      [{ get: { security: {} } }, "schema.get.security must be an array of"],
      [{ get: { security: ["a"] } }, "schema.get.security must be an array"],
      [
        { get: { security: [{ bearer: [] }, { bearer: [1] }] } },
        "schema.get.security must be an array of objects, such as [{ bearer",
      ],
      [
        { get: { security: [{ a: ["x"], b: "y" }] } },
        "schema.get.security must be an array of objects, such as [{ bearer",
      ],
      [{ get: { deprecated: "yes" } }, "schema.get.deprecated must be true or"],
      [
        { get: { security: [{ bearer: "" }] } },
        "schema.get.security must be an array of objects, such as [{ bearer",
      ],
    ] as const
  ) {
    const faults = faultsOf({ GET, schema });
    assertEquals(faults.length, 1, JSON.stringify(faults));
    assert(faults[0]!.startsWith(fault), faults[0]);
  }
});

Deno.test("checkModule() accepts what documents a method", () => {
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
      access: ["a"],
    },
  };
  assertEquals(moduleOf({ GET, schema }).schema, schema);
});

Deno.test("checkModule() reads config.bodyLimit and refuses the rest", () => {
  for (const bodyLimit of [0, 50_000_000, Infinity]) {
    assertEquals(moduleOf({ GET, config: { bodyLimit } }).config, {
      bodyLimit,
    });
  }
  assertEquals(faultsOf({ GET, config: { bodyLimit: "1mb" } }), [
    'config.bodyLimit must be a whole number of bytes, 0 or more, got "1mb"',
  ]);
  for (const bodyLimit of [-1, 1.5, NaN, -Infinity, null, undefined]) {
    assertEquals(faultsOf({ GET, config: { bodyLimit } }), [
      `config.bodyLimit must be a whole number of bytes, 0 or more, got ${bodyLimit}`,
    ]);
  }
  for (const [config, kind] of [[null, "null"], [[], "an array"]] as const) {
    assertEquals(faultsOf({ GET, config }), [
      `export "config" is ${kind}; it must be an object such as { bodyLimit: 50_000_000 }`,
    ]);
  }
  assertEquals(moduleOf({ GET, config: {} }).config, {});
  assertEquals(moduleOf({ GET }).config, {});
  assertEquals(faultsOf({ GET, config: { bodylimit: 1 } }), [
    'config.bodylimit is unknown; config has "bodyLimit" and "rawBody"',
  ]);
  assertEquals(moduleOf({ GET, config: { rawBody: true } }).config, {
    rawBody: true,
  });
  assertEquals(faultsOf({ GET, config: { rawBody: "yes" } }), [
    'config.rawBody must be true or false, got "yes"',
  ]);
  assertEquals(faultsOf({ GET, config: 5 }), [
    'export "config" is a number; it must be an object such as { bodyLimit: 50_000_000 }',
  ]);
});

Deno.test("checkModule() reports all faults of a file together (behaviour 2.7)", () => {
  assertEquals(
    faultsOf({
      get: GET,
      POST: 1,
      schema: { put: {}, post: { boddy: 1 } },
      config: { x: 1 },
    }).length,
    5,
  );
});

Deno.test("checkModule() refuses slips of schema and config (behaviour 5.1)", () => {
  const schema = { post: { body: z.object({}) } };
  const config = { bodyLimit: 1 };
  for (
    const name of [
      "schemas",
      "Schema",
      "SCHEMA",
      "_schema",
      "schema_",
      "shema",
      "scheme",
      "shcema",
    ]
  ) {
    assertEquals(faultsOf({ POST: GET, [name]: schema }), [
      `export "${name}" has no effect; name it "schema"`,
    ]);
  }
  for (const name of ["configs", "Config", "CONFIG", "confg", "conifg"]) {
    assertEquals(faultsOf({ POST: GET, [name]: config }), [
      `export "${name}" has no effect; name it "config"`,
    ]);
  }
  // Beside the right one, too: these schemas would check nothing.
  const get = { get: { query: z.object({}) } };
  assertEquals(faultsOf({ GET, POST: GET, schema: get, schemas: schema }), [
    'export "schemas" has no effect; name it "schema"',
  ]);
  // Without its methods, and with methods in uppercase.
  assertEquals(
    faultsOf({ POST: GET, schemas: { body: z.object({}) } }).length,
    1,
  );
  assertEquals(faultsOf({ POST: GET, Schema: { POST: {} } }).length, 1);
});

Deno.test("checkModule() leaves alone what is somebody's own (behaviour 5.1)", () => {
  const body = z.object({});
  const schema = { post: { body } };
  moduleOf({ POST: GET, schemas: { user: body } });
  moduleOf({ POST: GET, schemas: { post: body } });
  moduleOf({ POST: GET, schemas: [schema], Schema: body, Schemas: "x" });
  moduleOf({ POST: GET, schemaOf: schema, postSchema: schema });
  moduleOf({ POST: GET, schema, schemas: schema });
  moduleOf({ POST: GET, schema, schemas: { body, query: body } });
  moduleOf({ POST: GET, configs: { port: 1 }, Config: null, Schema: null });
});

Deno.test("checkModule() refuses a body schema where there is no body (behaviour 5.2)", () => {
  const body = z.object({}).optional();
  for (const key of ["get", "head"]) {
    assertEquals(faultsOf({ GET, schema: { [key]: { body } } }), [
      `schema.${key}.body matches no request, since ${key.toUpperCase()} has no body; declare a query, or move the schema to another method`,
    ]);
  }
  moduleOf({
    DELETE: GET,
    OPTIONS: GET,
    schema: { delete: { body }, options: { body } },
  });
});

Deno.test("checkModule() keeps a method to one kind of response (behaviour 11.1)", () => {
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
