/** The parameters of an operation. */
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { documentOf, parameterLine, routeOf } from "../../openapi/support.ts";

const text = z.string();
const digits = text.regex(/^\d+$/);
const union = z.union([z.object({ a: text }), z.object({ b: text })]);
const ROOT = "route.ts";
/** A path whose parameters have the names of members that all objects have. */
const NAMES = "[toString]/[constructor]/[__proto__]/[hasOwnProperty]/route.ts";

/** An object with a text that may be missing, and a member that is impossible. */
const part = (name: string) =>
  z.object({ [name]: text.describe(name), never: z.never().optional() });
const both = (a: string, b: string) => part(a).and(part(b).partial());

/** A schema that contains itself. */
function recursive() {
  const Part = z.object({
    id: text,
    get not() {
      return Part.optional();
    },
  });
  return Part;
}

/** Route files, the schema of GET, and its parameters as lines. */
const ROWS: Readonly<
  Record<string, readonly [file: string, get: object, ...lines: string[]]>
> = {
  // Without `style` and `explode`, a query has `style: form, explode: true` (OpenAPI
  // 3.1, 4.8.12.2).
  "a list in a query repeats its name, and is required only if it has items": [
    ROOT,
    {
      query: z.object({
        tag: z.array(text).optional(),
        all: z.array(text),
        id: z.array(text).min(1),
      }).meta({ id: "Lists" }),
    },
    'query tag? {"type":"array","items":{"type":"string"}}',
    'query all? {"type":"array","items":{"type":"string"}}',
    'query id {"minItems":1,"type":"array","items":{"type":"string"}}',
  ],
  "a parameter without a schema may have any name": [
    NAMES,
    { params: z.looseObject({}) },
    'path toString {"type":"string"}',
    'path constructor {"type":"string"}',
    'path __proto__ {"type":"string"}',
    'path hasOwnProperty {"type":"string"}',
  ],
  "a parameter with a schema may have any name": [
    NAMES,
    {
      params: z.object({ toString: digits }),
      query: z.object({ constructor: digits }),
    },
    'path toString {"type":"string","pattern":"^\\\\d+$"}',
    'path constructor {"type":"string"}',
    'path __proto__ {"type":"string"}',
    'path hasOwnProperty {"type":"string"}',
    'query constructor {"type":"string","pattern":"^\\\\d+$"}',
  ],
  "a string that a schema converts to a date is a date": [
    ROOT,
    { query: z.object({ since: z.coerce.date().optional() }) },
    'query since? {"type":"string","format":"date-time"}',
  ],
  "headers that OpenAPI describes elsewhere are omitted": [
    ROOT,
    {
      query: z.object({ accept: text, authorization: text }),
      headers: z.object({
        accept: text,
        "content-type": text,
        authorization: text,
        "x-a": text,
      }),
    },
    'query accept {"type":"string"}',
    'query authorization {"type":"string"}',
    'header x-a {"type":"string"}',
  ],
  "a union of queries is one parameter, and a union of headers none": [
    ROOT,
    { query: union, headers: union },
    'query query? {"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]}]} {"style":"form","explode":true}',
  ],
  "a query with an id has one parameter for each member": [
    ROOT,
    {
      query: z.object({ a: text.describe("An a"), b: text.optional() })
        .meta({ id: "Query" }),
    },
    'query a {"type":"string"} {"description":"An a"}',
    'query b? {"type":"string"}',
  ],
  "an intersection has the parameters of both schemas, without impossible members":
    [
      "[id]/route.ts",
      {
        params: z.object({ id: digits }).and(z.object({})),
        query: both("a", "b"),
        headers: both("x-a", "x-b").and(
          z.object({ "x-c": text.meta({ deprecated: true }) }),
        ),
      },
      'path id {"type":"string","pattern":"^\\\\d+$"}',
      'query a {"type":"string"} {"description":"a"}',
      'query b? {"type":"string"} {"description":"b"}',
      'header x-a {"type":"string"} {"description":"x-a"}',
      'header x-b? {"type":"string"} {"description":"x-b"}',
      'header x-c {"type":"string"} {"deprecated":true}',
    ],
  "a parameter that both schemas of an intersection describe must fit both": [
    ROOT,
    {
      query: z.object({ a: text.max(3), b: digits, c: z.never() })
        .and(z.object({ a: digits, b: digits, c: digits })),
    },
    'query a {"allOf":[{"type":"string","maxLength":3},{"type":"string","pattern":"^\\\\d+$"}]}',
    'query b {"type":"string","pattern":"^\\\\d+$"}',
  ],
  "recursive parameters are named after their place": [
    "trees/[id]/[not]/route.ts",
    { params: recursive(), query: recursive(), headers: recursive() },
    'path id {"type":"string"}',
    'path not {"$ref":"#/components/schemas/getTreesByIdByNotParams"}',
    'query id {"type":"string"}',
    'query not? {"$ref":"#/components/schemas/getTreesByIdByNotQuery"}',
    'header id {"type":"string"}',
    'header not? {"$ref":"#/components/schemas/getTreesByIdByNotHeaders"}',
  ],
};

for (const [name, [file, get, ...expected]] of Object.entries(ROWS)) {
  Deno.test(name, async () => {
    const { document, warnings } = await documentOf({
      [file]: routeOf({ get }),
    });
    const [item] = Object.values(document.paths);
    assertEquals([item!.get!.parameters!.map(parameterLine), warnings.length], [
      expected,
      name.includes("headers none") ? 1 : 0,
    ]);
  });
}
