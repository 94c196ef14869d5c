import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { z } from "zod";
import { diffDocuments } from "@bough/framework/diff";
import { createDocument } from "@bough/framework/openapi";
import { form } from "@bough/framework/uploads";
import { TestApplication, type TestModule } from "../support/application.ts";

/** A schema, and JSON values that its document describes. */
interface Described {
  readonly schema: unknown;
  readonly values: readonly unknown[];
}

const a = z.string();
const b = z.int();
const long = { a: "abcdefgh" };

const BODIES: readonly Described[] = [
  { schema: z.object({ a }), values: [long, { a: "" }] },
  {
    schema: z.object({ a, b: b.optional() }),
    values: [long, { a: "", b: 3 }, { a: "", b: -3 }],
  },
  { schema: z.object({ a, b }), values: [{ a: "", b: 3 }] },
  { schema: z.object({ a: a.max(4) }), values: [{ a: "abcd" }] },
  { schema: z.object({ a: a.min(1) }), values: [long] },
  { schema: z.strictObject({ a }), values: [long] },
  { schema: z.union([z.object({ a }), b]), values: [long, 3] },
  {
    schema: z.object({ a: z.enum(["x", "y"]) }),
    values: [{ a: "x" }, { a: "y" }],
  },
  { schema: z.object({ a: z.enum(["x", "y", "z"]) }), values: [{ a: "z" }] },
  { schema: z.unknown(), values: [long, 3, null, [], "text"] },
  { schema: z.array(a), values: [[], ["a"]] },
  { schema: z.array(a).min(1), values: [["a", "b"]] },
  { schema: z.record(a, b), values: [{ b: 3 }, {}] },
  { schema: form({ fields: z.object({ a }), files: {} }), values: [] },
  {
    schema: z.discriminatedUnion("k", [
      z.object({ k: z.literal("x"), a }),
      z.object({ k: z.literal("y"), b }),
    ]),
    values: [{ k: "x", a: "" }, { k: "y", b: 3 }],
  },
  {
    schema: z.object({ k: z.enum(["x", "y"]), a: a.optional() }),
    values: [{ k: "x", a: "" }, { k: "y" }],
  },
];

/** Queries; each value is a query string. */
const QUERIES: readonly Described[] = [
  { schema: undefined, values: [""] },
  { schema: z.object({ q: a.optional() }), values: ["", "?q=abcdefgh"] },
  { schema: z.object({ q: a }), values: ["?q=abcdefgh", "?q="] },
  { schema: z.object({ q: a.max(4).optional() }), values: ["", "?q=abc"] },
  { schema: z.object({ q: z.coerce.number() }), values: ["?q=3", "?q=-0.5"] },
  { schema: z.object({ q: z.coerce.number().min(0) }), values: ["?q=3"] },
  { schema: z.strictObject({ q: a.optional() }), values: ["", "?q=x"] },
];

/** Parameters; each value is a segment. */
const PARAMS: readonly Described[] = [
  { schema: undefined, values: ["me", "42", "abcdefgh"] },
  { schema: a, values: ["me", "a", "42"] },
  { schema: a.max(4), values: ["me", "abcd", "42"] },
  { schema: z.coerce.number(), values: ["42", "0.5"] },
  { schema: z.coerce.number().int().min(1), values: ["42", "7"] },
  { schema: z.enum(["me", "you"]), values: ["me", "you"] },
];

const PATHS = [
  ...["users/[name]", "users/me", "users/42", "users/[name]/posts"],
  ...["users/me/posts", "[kind]/about", "files/[...]", "files/[id]", "files/a"],
  ...["files/a/[part]", "users/about", "users"],
];

const METHODS = ["GET", "HEAD", "POST", "PUT", "OPTIONS"] as const;

/** One method of a route. */
interface Shape {
  readonly body: Described;
  readonly query: Described;
  readonly param: Described;
  readonly response: Described;
  readonly status: number;
}

type App = Readonly<Record<string, Readonly<Record<string, Shape>>>>;

const shape: fc.Arbitrary<Shape> = fc.record({
  body: fc.constantFrom(...BODIES),
  query: fc.constantFrom(...QUERIES),
  param: fc.constantFrom(...PARAMS),
  // Only requests have forms.
  response: fc.constantFrom(
    ...BODIES.filter(({ values }) => values.length > 0),
  ),
  status: fc.constantFrom(200, 200, 200, 201),
});
const methods = fc.dictionary(fc.constantFrom(...METHODS), shape, {
  minKeys: 1,
  maxKeys: 3,
  noNullPrototype: true,
});
const app: fc.Arbitrary<App> = fc.dictionary(
  fc.constantFrom(...PATHS),
  methods,
  { minKeys: 2, maxKeys: 6, noNullPrototype: true },
);

/** Replaces or removes a route, a method, or a part of a method. */
const edit = fc.record({
  part: fc.constantFrom(
    ...["body", "query", "param", "response", "route", "method"] as const,
  ),
  path: fc.nat(),
  method: fc.nat(),
  isRemoved: fc.boolean(),
  other: fc.constantFrom(...PATHS),
  shape,
});

/** Two versions of an application, which have most methods in common. */
const pairs = fc.tuple(app, fc.array(edit, { minLength: 1, maxLength: 3 })).map(
  ([before, edits]): readonly [App, App] => {
    const after: Record<string, Record<string, Shape>> = Object.fromEntries(
      Object.entries(before).map(([path, methods]) => [path, { ...methods }]),
    );
    for (const { part, isRemoved, other, shape, ...at } of edits) {
      const paths = Object.keys(after);
      const path = paths[at.path % paths.length]!;
      const methods = Object.keys(after[path]!);
      const method = methods[at.method % methods.length]!;
      if (part === "route") {
        if (isRemoved && paths.length > 1) delete after[path];
        else after[other] = { [METHODS[at.method % METHODS.length]!]: shape };
      } else if (part === "method") {
        if (methods.length > 1) delete after[path]![method];
      } else {
        after[path]![method] = {
          ...after[path]![method]!,
          [part]: shape[part],
        };
      }
    }
    return [before, after];
  },
);

/** Creates an application. Its handlers respond with each value in turn. */
function create(app: App): TestApplication {
  return TestApplication.of(Object.fromEntries(
    Object.entries(app).map(([path, methods]) => {
      const handlers: Record<string, unknown> = {};
      const schema: Record<string, unknown> = {};
      for (const [method, shape] of Object.entries(methods)) {
        const { values, schema: response } = shape.response;
        let count = 0;
        const init = { status: shape.status, headers: { route: path } };
        handlers[method] = () =>
          method === "HEAD" || method === "OPTIONS"
            ? new Response(null, init)
            : Response.json(values[count++ % values.length], init);
        const hasBody = method === "POST" || method === "PUT";
        const isEmpty = method === "HEAD" || method === "OPTIONS";
        const [, name] = /\[(\w+)\]/.exec(path) ?? [];
        const query = shape.query.schema;
        const param = shape.param.schema as z.ZodType | undefined;
        schema[method.toLowerCase()] = {
          ...hasBody && { body: shape.body.schema },
          ...query !== undefined && { query },
          ...name !== undefined && param !== undefined &&
            { params: z.object({ [name]: param }) },
          response: {
            [shape.status]: isEmpty ? {} : response,
          },
        };
      }
      return [`${path}/route.ts`, { ...handlers, schema } as TestModule];
    }),
  ));
}

/** The requests of a method that fit its document. */
function* requestsOf(
  path: string,
  [method, shape]: readonly [string, Shape],
): Generator<Request> {
  const hasBody = method === "POST" || method === "PUT";
  const bodies = hasBody ? shape.body.values : [undefined];
  const params = path.includes("[") ? shape.param.values : [""];
  for (const param of path.includes("[...]") ? ["a", "b/c", "a/42"] : params) {
    const target = path.replace(/\[[\w.]+\]/, String(param));
    for (const query of shape.query.values) {
      for (const body of bodies) {
        yield new Request(`http://localhost/api/${target}${query}`, {
          method,
          ...body !== undefined && {
            body: JSON.stringify(body),
            headers: { "content-type": "application/json" },
          },
        });
      }
    }
  }
}

// Slow: it sends the requests of hundreds of applications to their next versions.
Deno.test("of 300 pairs of applications, an old request of an unchanged operation keeps working", async () => {
  const wrong: string[] = [];
  let sent = 0;
  let unchanged = 0;
  for (const [first, second] of fc.sample(pairs, { numRuns: 300, seed: 42 })) {
    const [old, now] = [create(first), create(second)];
    const info = { title: "", version: "" };
    const [before, after] = await Promise.all(
      [old, now].map(async ({ app }) =>
        createDocument(await app.routes(), { info }).document
      ),
    );
    const changes = await diffDocuments(before!, after!);
    const changed = new Set(changes.map(({ operation }) => operation));
    for (const [path, methods] of Object.entries(first)) {
      for (const entry of Object.entries(methods)) {
        const [method, shape] = entry;
        const template = path.replace("[...]", "{wildcard}")
          .replace(/\[(\w+)\]/, "{$1}");
        if (changed.has(`${method} /api/${template}`)) continue;
        unchanged++;
        for (const request of requestsOf(path, entry)) {
          const given = await old.app.fetch(request.clone());
          const expected = await given.text();
          // Another route of the old application may take the URL.
          if (given.headers.get("route") !== path) continue;
          sent++;
          for (let round = 0; round < 3; round++) {
            const response = await now.app.fetch(request.clone());
            const text = await response.text();
            const isEmpty = method === "HEAD" || method === "OPTIONS";
            const schema = shape.response.schema as z.ZodType;
            const fits = response.status === shape.status
              ? isEmpty || schema.safeParse(JSON.parse(text)).success
              : isEmpty && response.status === 204;
            if (!fits) {
              wrong.push(
                `${method} ${request.url} ${expected}: ${response.status} ${text}`,
              );
            }
          }
        }
      }
    }
  }
  assertEquals([...new Set(wrong)], []);
  assert(unchanged > 500, `${unchanged} operations`);
  assert(sent > 1_000, `${sent} requests`);
});
