import { assertEquals } from "@std/assert";
import { z } from "zod";
import { faultsOf, GET, moduleOf } from "./exports_support.ts";

Deno.test("checkModule() finds the handlers of all seven methods (behaviour 5.1)", () => {
  const names = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
  const exports = Object.fromEntries(names.map((name) => [name, GET]));
  assertEquals([...moduleOf(exports).handlers.keys()], names);
});

Deno.test("checkModule() ignores other exports (behaviour 5.1)", () => {
  moduleOf({ GET, helper: 1, options: { a: 1 }, head: "x", Schema: {} });
});

Deno.test("checkModule() rejects a file without a handler (behaviour 5.1)", () => {
  assertEquals(faultsOf({ helper: GET }), [
    "no handler is exported; export a function named GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
  ]);
});

Deno.test("checkModule() rejects a handler of another type than a function (behaviour 5.1)", () => {
  for (
    const [value, kind] of [
      [{}, "an object"],
      [[], "[]"],
      ["x", '"x"'],
      [null, "null"],
      [undefined, "undefined"],
      [5, "5"],
      [true, "true"],
      [Symbol(), "Symbol()"],
    ] as const
  ) {
    assertEquals(faultsOf({ GET: value }), [
      `GET must be a function that takes a request and returns a Response, got ${kind}`,
    ]);
  }
});

Deno.test("checkModule() suggests the right name for a misnamed handler (behaviour 5.1)", () => {
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
    // Without a handler, the misnamed export is the only fault, since it explains the other.
    assertEquals(faultsOf({ [name]: GET }).length, 1);
  }
});

Deno.test("checkModule() rejects some names of exports with any value", () => {
  for (const name of ["default", "TRACE", "CONNECT"]) {
    assertEquals(faultsOf({ POST: GET, [name]: 1 }).length, 1, name);
  }
  // Other names may have another meaning.
  moduleOf({ POST: GET, get: 1, trace: 1, connect: {}, Trace: "x" });
});

Deno.test("checkModule() reads config, and rejects wrong values and unknown members", () => {
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
  for (const [config, kind] of [[null, "null"], [[], "[]"]] as const) {
    assertEquals(faultsOf({ GET, config }), [
      `config must be an object with "bodyLimit", "invalidParams", got ${kind}`,
    ]);
  }
  assertEquals(moduleOf({ GET, config: {} }).config, {});
  assertEquals(moduleOf({ GET }).config, {});
  assertEquals(faultsOf({ GET, config: { bodylimit: 1 } }), [
    'config.bodylimit is unknown; did you mean "bodyLimit"? The members are "bodyLimit", "invalidParams"',
  ]);
  for (const invalidParams of [422, "404", true]) {
    assertEquals(faultsOf({ GET, config: { invalidParams } }), [
      `config.invalidParams must be 400 or 404, got ${
        JSON.stringify(invalidParams)
      }`,
    ]);
  }
  assertEquals(faultsOf({ GET, config: 5 }), [
    'config must be an object with "bodyLimit", "invalidParams", got 5',
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

Deno.test("checkModule() rejects misnamed exports of schema and config (behaviour 5.1)", () => {
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
  const pass = () => new Response();
  for (const name of ["middlewares", "Middleware", "midleware"]) {
    for (const value of [pass, [pass], { POST: [pass] }]) {
      assertEquals(faultsOf({ POST: GET, [name]: value }), [
        `export "${name}" has no effect; name it "middleware"`,
      ]);
    }
    moduleOf({ POST: GET, [name]: { post: [pass], POST: 1 } });
  }
  // Next to the right export, these schemas have no effect either.
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

Deno.test("checkModule() ignores similar names of other values (behaviour 5.1)", () => {
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
