import { assertEquals } from "@std/assert";
import { z } from "zod";
import { METHODS } from "../../../src/core/methods.ts";
import { faultsOf, GET, moduleOf } from "./exports_support.ts";

const ALL = METHODS.join(", ");
const body = z.object({});
const schema = { post: { body } };
const pass = () => new Response();

Deno.test("checkModule() finds the handlers of all seven methods, and ignores other exports (behaviour 5.1)", () => {
  const exports = Object.fromEntries(METHODS.map((name) => [name, GET]));
  assertEquals([...moduleOf(exports).handlers.keys()], METHODS);
  for (
    const others of [
      { helper: 1, options: { a: 1 }, head: "x", Schema: {} },
      // Similar names of other values.
      { get: 1, trace: 1, connect: {}, Trace: "x" },
      { Permissions: { admin: ["write"] }, permission: {} },
      { schemas: { user: body } },
      { schemas: { post: body } },
      { schemas: [schema], Schema: body, Schemas: "x" },
      { schemaOf: schema, postSchema: schema },
      { schema, schemas: schema },
      { schema, schemas: { body, query: body } },
      { configs: { port: 1 }, Config: null, Schema: null },
      ...["middlewares", "Middleware", "midleware"].map((name) => ({
        [name]: { post: [pass], POST: 1 },
      })),
    ]
  ) moduleOf({ POST: GET, ...others });
});

Deno.test("checkModule() reads config", () => {
  for (
    const config of [
      {},
      ...[0, 50_000_000, Infinity].map((bodyLimit) => ({ bodyLimit })),
    ]
  ) assertEquals(moduleOf({ GET, config }).config, config);
  assertEquals(moduleOf({ GET }).config, {});
});

/** Names of an export that has no effect, by its right name, with values of it. */
const MISNAMED: Readonly<
  Record<string, readonly [names: string, ...values: unknown[]]>
> = {
  schema: [
    "schemas Schema SCHEMA _schema schema_ shema scheme shcema",
    schema,
    // Without its methods, and with methods in uppercase.
    { body },
    { POST: {} },
  ],
  config: ["configs Config CONFIG confg conifg", { bodyLimit: 1 }],
  permissions: [
    "permission Permissions",
    { net: ["a.example"] },
    { env: true },
  ],
  middleware: [
    "middlewares Middleware midleware",
    pass,
    [pass],
    { POST: [pass] },
  ],
};

/** Exports besides a handler for `POST`, by the error that they cause. */
const WRONG: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  ...Object.fromEntries(
    ([[{}, "an object"], [[], "[]"], ["x", '"x"'], [Symbol(), "Symbol()"]] as [
      unknown,
      string,
    ][]).concat([null, undefined, 5, true].map((value) => [value, `${value}`]))
      .map(([value, kind]) => [
        `GET must be a function that takes a request and returns a Response, got ${kind}`,
        [{ GET: value }],
      ]),
  ),
  ...Object.fromEntries(["get", "Get", "delete"].map((name) => [
    `export "${name}" is not a handler: name it "${name.toUpperCase()}", in uppercase`,
    [{ [name]: GET }],
  ])),
  ...Object.fromEntries(["TRACE", "CONNECT", "trace", "Connect"].map((name) => [
    `export "${name}" is not a handler: routes handle ${ALL}`,
    // The names in uppercase have no other meaning.
    [GET, ...name === name.toUpperCase() ? [1] : []]
      .map((value) => ({ [name]: value })),
  ])),
  'export "default" is not a handler: export handlers by the name of their method, such as "GET"':
    [{ default: GET }, { default: 1 }],
  'config.bodyLimit must be a whole number of bytes, 0 or more, got "1mb"': [
    { config: { bodyLimit: "1mb" } },
  ],
  ...Object.fromEntries(
    [-1, 1.5, NaN, -Infinity, null, undefined].map((bodyLimit) => [
      `config.bodyLimit must be a whole number of bytes, 0 or more, got ${bodyLimit}`,
      [{ config: { bodyLimit } }],
    ]),
  ),
  ...Object.fromEntries(
    ([[null, "null"], [[], "[]"], [5, "5"]] as const).map(([config, kind]) => [
      `config must be an object with "bodyLimit", "invalidParams", got ${kind}`,
      [{ config }],
    ]),
  ),
  'config.bodylimit is unknown; did you mean "bodyLimit"? The members are "bodyLimit", "invalidParams"':
    [{ config: { bodylimit: 1 } }],
  ...Object.fromEntries([422, "404", true].map((invalidParams) => [
    `config.invalidParams must be 400 or 404, got ${
      JSON.stringify(invalidParams)
    }`,
    [{ config: { invalidParams } }],
  ])),
  ...Object.fromEntries(
    Object.entries(MISNAMED).flatMap(([right, [names, ...values]]) =>
      names.split(" ").map((name) => [
        `export "${name}" has no effect; name it "${right}"`,
        values.map((value) => ({ [name]: value })),
      ])
    ),
  ),
};

Deno.test("checkModule() rejects wrong exports, and suggests the right name of a misnamed one (behaviour 5.1)", () => {
  for (const [fault, all] of Object.entries(WRONG)) {
    for (const exports of all) {
      assertEquals(faultsOf({ POST: GET, ...exports }), [fault]);
    }
  }
  // Next to the right export, these schemas have no effect either.
  const get = { get: { query: z.object({}) } };
  assertEquals(faultsOf({ GET, POST: GET, schema: get, schemas: schema }), [
    'export "schemas" has no effect; name it "schema"',
  ]);
});

Deno.test("checkModule() rejects a file without a handler (behaviour 5.1)", () => {
  assertEquals(faultsOf({ helper: GET }), [
    `no handler is exported; export a function named ${ALL}`,
  ]);
  // A misnamed handler explains the other fault.
  for (const name of ["get", "default", "TRACE", "trace"]) {
    assertEquals(faultsOf({ [name]: GET }).length, 1, name);
  }
});

Deno.test("checkModule() reports all faults of a file together (behaviour 2.7)", () => {
  const schema = { put: {}, post: { boddy: 1 } };
  const config = { x: 1 };
  assertEquals(faultsOf({ get: GET, POST: 1, schema, config }).length, 5);
});
