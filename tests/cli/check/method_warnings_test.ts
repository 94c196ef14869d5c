import { content, Framework } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import {
  idempotent,
  memoryStore,
  preconditions,
} from "@bough/framework/protect";
import { file, form } from "@bough/framework/uploads";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { toStandardJsonSchema } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import { methodWarnings } from "../../../src/cli/check/method_warnings.ts";
import { TestFolder } from "../../support/application.ts";
import { boughIn } from "../support.ts";

const IMPORTS = `
  import { Problem } from "@bough/framework/openapi";
  import { idempotent, memoryStore, preconditions } from "@bough/framework/protect";
  import { file, form } from "@bough/framework/uploads";
  import { z } from "zod";
  const text = z.string();`;

const route = (methods: readonly string[], schema: string): string =>
  [
    IMPORTS,
    `export const schema = ${schema};`,
    ...methods.map((each) => `export const ${each} = () => new Response();`),
  ].join("\n");
const guard = (middleware: string): string =>
  `${IMPORTS} export default ${middleware};`;

/** The files of a mistake, the file that the warning names, its rule and its words. */
const PLANTED: readonly {
  readonly files: Readonly<Record<string, string>>;
  readonly rule: string;
  readonly path?: string;
  readonly words: string;
}[] = [
  {
    files: {
      "api/a/middleware.ts": guard("idempotent({ store: memoryStore() })"),
      "api/a/route.ts": route(
        ["POST"],
        "{ post: { body: form({ fields: z.object({ text }), files: {} }) } }",
      ),
    },
    rule: "streamed-with-key",
    words:
      'schema.post.body is a stream, but idempotent() in "api/a/middleware.ts" reads it first',
  },
  {
    files: {
      "api/b/middleware.ts": guard(
        "[preconditions(), idempotent({ store: memoryStore(), required: true })]",
      ),
      "api/b/files/[id]/route.ts": route(
        ["PATCH"],
        "{ patch: { body: form({ fields: z.object({}), files: {} }) } }",
      ),
    },
    rule: "streamed-with-key",
    path: "api/b/files/[id]/route.ts",
    words: 'idempotent() in "api/b/middleware.ts"',
  },
  {
    files: {
      "api/c/middleware.ts": guard("preconditions()"),
      "api/c/route.ts": route(
        ["GET", "PUT"],
        "{ get: { response: z.object({ text }) } }",
      ),
    },
    rule: "read-without-version",
    words: 'schema.get declares no ETag, but changes receive a version (see "',
  },
  {
    files: {
      "api/d/middleware.ts": guard("preconditions({ required: true })"),
      "api/d/route.ts": route(
        ["GET", "PATCH", "DELETE"],
        "{ get: { response: { 200: { body: text, headers: z.object({ vary: text }) } } } }",
      ),
    },
    rule: "read-without-version",
    words: "send an ETag, and declare it",
  },
  {
    files: {
      "api/e/route.ts": route(
        ["PATCH"],
        '{ patch: { body: z.object({ mood: text.default("calm"), text }).partial() } }',
      ),
    },
    rule: "patch-default",
    words: 'schema.patch.body has a default for "mood", so',
  },
  {
    files: {
      "api/f/route.ts": route(
        ["PATCH"],
        `{ patch: { body: z.object({
          text: text.optional(),
          tags: z.array(text).default([]),
          place: z.object({ land: text.default("DE") }).optional(),
        }).refine(({ text }) => text !== "") } }`,
      ),
    },
    rule: "patch-default",
    words: '"tags" and "place.land"',
  },
  {
    files: {
      "api/g/route.ts": route(
        ["PATCH"],
        '{ patch: { headers: z.object({ "if-match": text.optional() }), response: { 428: Problem } } }',
      ),
    },
    rule: "optional-condition",
    words: "schema.patch.response has 428, but If-Match is optional",
  },
  {
    files: {
      "api/h/middleware.ts":
        `${IMPORTS} export const contract = { methods: ["PUT"], response: { 428: Problem } };
        export default (_, next) => next();`,
      "api/h/route.ts": route(["GET", "PUT"], "{}"),
      "api/h/more/route.ts": route(["PUT"], "{}"),
    },
    path: "api/h/middleware.ts",
    rule: "optional-condition",
    words: "contract.response has 428",
  },
  {
    files: {
      "api/i/route.ts": route(
        ["GET"],
        "{ get: { response: z.object({ price: z.number().transform((cents) => `${cents / 100} €`) }) } }",
      ),
    },
    rule: "response-form",
    words: "schema.get.response[200] has different input and output types",
  },
  {
    files: {
      "api/j/middleware.ts":
        `${IMPORTS} export const contract = { response: { 402: text.transform(Number).pipe(z.number()) } };
        export default (_, next) => next();`,
      "api/j/route.ts": route(["GET"], "{ get: { response: text } }"),
      "api/j/more/route.ts": route(["GET"], "{ get: { response: text } }"),
    },
    path: "api/j/middleware.ts",
    rule: "response-form",
    words: "contract.response[402] has different input and output types",
  },
  {
    files: {
      "api/k/middleware.ts":
        `${IMPORTS} export const contract = { query: z.object({ filter: z.object({ a: text }).optional() }) };
        export default (_, next) => next();`,
      "api/k/route.ts": route(["GET"], "{}"),
      "api/k/more/route.ts": route(["GET"], "{}"),
    },
    path: "api/k/middleware.ts",
    rule: "unsent-member",
    words:
      'contract.query has "filter", which no request can send; accept a string or a list of strings',
  },
];

Deno.test("bough check names each planted mistake once, and nothing else", async () => {
  const files = Object.assign({}, ...PLANTED.map(({ files }) => files));
  await using folder = await TestFolder.create(files);
  const { stdout } = await boughIn(folder.path, "check", "--json");
  const findings: Record<"path" | "rule" | "message", string>[] = JSON
    .parse(stdout);
  for (const { files, rule, words, ...rest } of PLANTED) {
    const { path = Object.keys(files).at(-1)! } = rest;
    const found = findings.filter((each) => each.path === path)
      // The document warns of functions, which no library describes.
      .filter((each) => each.rule !== "document");
    assertEquals(found.map((each) => each.rule), [rule], `${path}\n${stdout}`);
    assertStringIncludes(found[0]!.message, words);
  }
  const others = findings.filter(({ rule }) => rule !== "document");
  assertEquals(others.length, PLANTED.length, stdout);
});

/** The warnings about one route of an application, by the rule. */
async function warned(
  schema: Readonly<Record<string, object>>,
  { middleware, methods = [] }: {
    readonly middleware?: unknown;
    readonly methods?: readonly string[];
  } = {},
): Promise<string[]> {
  const names = [...Object.keys(schema), ...methods].map((name) =>
    [name.toUpperCase(), () => new Response()] as const
  );
  const manifest = {
    "route.ts": { schema, ...Object.fromEntries(names) },
    ...(middleware !== undefined &&
      { "middleware.ts": { default: middleware } }),
  };
  const { routes, faults } = await new Framework({ manifest } as never)
    .inspect();
  assertEquals(faults, []);
  return (await methodWarnings(routes)).map(({ rule, message }) =>
    rule === "patch-default"
      ? message.replace(/^.* for (.*), so.*$/, "$1")
      : rule === "unsent-member"
      ? message.replace(/, which no (.*) can send.*$/, ": $1")
      : rule
  );
}

const key = idempotent({ store: memoryStore() });
const upload = form({ fields: z.object({ text: z.string() }), files: {} });
const text = z.string();

Deno.test("idempotent() may be above streams of other methods, and above other bodies", async () => {
  const middleware = key;
  const put = { body: upload };
  assertEquals(await warned({ put }, { middleware }), []);
  const body = z.object({ text });
  const both = { post: { body }, put };
  assertEquals(await warned(both, { middleware }), []);
  assertEquals(await warned({ post: { body: upload } }), []);
  // A handler may read the key itself, after the body.
  const headers = z.object({ "idempotency-key": text.optional() });
  assertEquals(await warned({ post: { body: upload, headers } }), []);
  assertEquals(
    await warned({ post: { body: upload } }, { middleware: [key] }),
    ["streamed-with-key"],
  );
});

Deno.test("preconditions() may be above routes without changes, or without reads", async () => {
  const middleware = preconditions({ required: true });
  const get = { response: { 200: text } };
  const options = { middleware };
  assertEquals(await warned({ post: {} }, options), []);
  assertEquals(await warned({ get, post: {} }, options), []);
  assertEquals(await warned({ put: {}, delete: {} }, options), []);
  const events = { events: { saved: text } };
  assertEquals(await warned({ get: events, put: {} }, options), []);
  for (
    const headers of [
      z.object({ etag: text }),
      z.object({ "last-modified": text.optional() }),
      // A schema without a JSON Schema may have any header.
      v.object({ etag: v.string() }),
    ]
  ) {
    const get = { response: { 200: { body: text, headers } } };
    assertEquals(await warned({ get, put: {} }, options), []);
  }
  assertEquals(await warned({ get, put: {} }, options), [
    "read-without-version",
  ]);
  // The own contract of a method counts, too.
  const headers = z.object({ "if-match": text });
  assertEquals(await warned({ get, patch: { headers } }), [
    "read-without-version",
  ]);
});

Deno.test("a body of PATCH may have members without a default, and new values with defaults", async () => {
  const calm = text.default("calm");
  const patched = (body: unknown) => warned({ patch: { body } } as never);
  assertEquals(
    await patched(z.object({
      version: z.int(),
      text: text.optional(),
      sort: text.optional().meta({ default: "title" }),
      note: text.nullish(),
      place: z.object({ city: text, land: calm }).optional(),
      lines: z.array(z.object({ land: calm })).optional(),
      byName: z.record(text, z.object({ land: calm })).optional(),
    })),
    [],
  );
  assertEquals(await patched(z.array(z.object({ op: calm }))), []);
  assertEquals(await patched(text.default("")), []);
  const same = z.object({ text: text.optional() })
    .transform((body) => ({ ...body, at: Date.now() }));
  assertEquals(await patched(same), []);
  assertEquals(
    await patched(type({ "text?": "string", mood: "string" })),
    [],
  );
  // Valibot omits the default of a partial object.
  const partial = v.partial(v.object({ mood: v.optional(v.string(), "calm") }));
  assertEquals(await patched(toStandardJsonSchema(partial)), []);
  const body = z.object({ mood: calm });
  assertEquals(await warned({ put: { body }, post: { body } }), []);
});

Deno.test("a default in a body of PATCH is found in each library, branch and media type", async () => {
  const calm = text.default("calm");
  const patched = (body: unknown) => warned({ patch: { body } } as never);
  assertEquals(await patched(z.object({ mood: text.prefault("calm") })), [
    '"mood"',
  ]);
  assertEquals(
    await patched(type({ "text?": "string", mood: "string = ''" })),
    [
      '"mood"',
    ],
  );
  const valibot = v.object({ mood: v.optional(v.string(), "calm") });
  assertEquals(await patched(toStandardJsonSchema(valibot)), ['"mood"']);
  assertEquals(
    await patched(z.union([
      z.object({ kind: z.literal("a"), mood: calm }),
      z.strictObject({ kind: z.literal("b"), tone: calm }),
    ])),
    ['"mood" and "tone"'],
  );
  // An envelope.
  assertEquals(await patched(z.object({ note: z.object({ mood: calm }) })), [
    '"note.mood"',
  ]);
  const json = { mediaType: "application/merge-patch+json" };
  assertEquals(await patched({ ...json, schema: z.object({ mood: calm }) }), [
    '"mood"',
  ]);
  // Zod's JSON Schema requires this member, but the schema does not.
  assertEquals(await patched(z.object({ mood: text.catch("") })), ['"mood"']);
  // If the schema rejects the example, the JSON Schema counts.
  const refined = z.object({ mood: calm, text: text.optional() })
    .refine(({ text }) => text !== undefined);
  assertEquals(await patched(refined), ['"mood"']);
  const later = z.object({ mood: calm }).refine(() => Promise.resolve(true));
  assertEquals(await patched(later), ['"mood"']);
});

Deno.test("a declared 428 needs a level that requires a version", async () => {
  const response = { 428: Problem };
  const required = z.object({ "if-match": text });
  const etag = { response: { 200: { headers: z.object({ etag: text }) } } };
  for (
    const headers of [
      required,
      z.object({ "if-unmodified-since": text }),
      z.union([required, z.object({ "if-none-match": text })]),
      // A schema without a JSON Schema may require any header.
      v.object({ "if-match": v.string() }),
    ]
  ) {
    assertEquals(await warned({ put: { headers, response } }), []);
  }
  const middleware = preconditions({ required: true });
  const methods = ["put", "patch", "delete"];
  assertEquals(await warned({ get: etag }, { middleware, methods }), []);
  assertEquals(
    await warned({ put: { response } }, { middleware: preconditions() }),
    ["optional-condition"],
  );
  const either = z.union([required, z.object({ vary: text })]);
  assertEquals(await warned({ put: { headers: either, response } }), [
    "optional-condition",
  ]);
});

Deno.test("a member of a path, a query, headers or a form accepts what a request can send (behaviour 7.1)", async () => {
  const object = z.object({ a: text });
  const photo = z.file();
  assertEquals(
    await warned({
      post: {
        query: z.object({ filter: object.optional(), n: z.array(z.int()) }),
        headers: z.object({ "x-tags": z.array(text) }),
      },
    }),
    [
      'schema.post.query has "n" and "filter": request',
      'schema.post.headers has "x-tags": request',
    ],
  );
  for (
    const body of [
      z.object({ meta: object, photo }),
      z.object({ meta: object, photo: z.array(photo).optional() }),
      form({ fields: z.object({ meta: object }), files: {} }),
      content("application/x-www-form-urlencoded", z.object({ meta: object })),
    ]
  ) {
    assertEquals(await warned({ post: { body } }), [
      'schema.post.body has "meta": form',
    ]);
  }
  const some = {
    text: text.nullable(),
    number: z.coerce.number(),
    pre: z.preprocess(JSON.parse as never, object),
    bool: z.stringbool(),
    codec: z.codec(text, z.number(), { decode: Number, encode: String }),
    union: z.union([z.number(), z.literal("all")]),
    any: z.any(),
    date: z.coerce.date(),
    never: z.never().optional(),
  };
  const query = z.object({
    ...some,
    list: z.array(text).optional(),
    tuple: z.tuple([text], z.coerce.number()),
    set: z.array(text).transform((list) => new Set(list)),
  });
  const headers = z.object(some);
  const files = { photo: file(), more: file({ count: [0, 9] }) };
  for (
    const body of [
      z.object({ object, number: z.number() }),
      query.extend({ photo, more: z.array(photo) }),
      form({ fields: query, files }),
      file(),
      content("multipart/form-data", query),
      content("application/json", z.object({ number: z.number() })),
    ]
  ) assertEquals(await warned({ post: { headers, query, body } }), []);
  for (
    const query of [
      z.union([z.object({ a: z.number() }), object]),
      // Without a JSON Schema, nothing is certain.
      v.object({ a: v.number() }),
      z.record(text, text),
    ]
  ) assertEquals(await warned({ get: { query } }), []);
});
