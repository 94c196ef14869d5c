/** Wrong calls of the client and of `respond()`, and the messages of the compiler. */
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import {
  Framework,
  type RouteInfo,
  type StandardSchemaV1,
} from "@bough/framework";
import { resolveRoot } from "../../src/core/schema/json_schema.ts";
import { toJsonSchema } from "../../src/shared/document/json_schema.ts";
import { boughIn } from "../cli/support.ts";
import type { TestFolder } from "../support/application.ts";
import { assertMessages, type Subjects, wrongLines } from "./compiler.ts";

const API = fromFileUrl(
  new URL("../../examples/bookshop/api", import.meta.url),
);

const PRELUDE = `import { createClient } from "@bough/framework/client";
import { respond } from "@bough/framework";
import { z } from "zod";
import type { Routes } from "./api.types.ts";
const api = createClient<Routes>();
const created = { body: z.object({ id: z.number() }), headers: z.object({ location: z.string() }) };
const schema = { post: { response: { 201: created, 202: z.object({ id: z.number() }), 204: {}, 304: { headers: z.object({ etag: z.string() }) } } } };
const headers = { location: "/" };
const found = await api.GET("/books/[bookId]", { params: { bookId: "1" } });
`;

/** Wrong lines, and the first lines of their errors. */
const WRONG = wrongLines(`
await api.POST("/bookz", { body: {} });
  TS2345: Argument of type '"/bookz"' is not assignable to parameter of type '"/books/[bookId]/reviews" | "/books" | "/orders"'.
await api.POST("/books/featured");
  TS2345: Argument of type '"/books/featured"' is not assignable to parameter of type '"/books/[bookId]/reviews" | "/books" | "/orders"'.
await api.FETCH("/books");
  TS2339: Property 'FETCH' does not exist on type 'Client<Routes, undefined>'.
await api.GET("/books/[bookId]", { params: { id: "1" } });
  TS2353: Object literal may only specify known properties, and 'id' does not exist in type '{ readonly bookId: string; }'.
await api.GET("/books", { query: { limit: 5 } });
  TS2322: Type 'number' is not assignable to type 'string'.
await api.GET("/books", { query: { limits: "5" } });
  TS2561: Object literal may only specify known properties, but 'limits' does not exist in type 'AsPrimitives<{ search?: string | undefined; limit?: string | undefined; offset?: string | undefined; }>'. Did you mean to write 'limit'?
await api.POST("/books", { body: { title: "Emma", author: "Austen", cents: "1" } });
  TS2322: Type 'string' is not assignable to type 'number'.
await api.POST("/books", { body: { title: "Emma", cents: 1 } });
  TS2741: Property 'author' is missing in type '{ title: string; cents: number; }' but required in type '{ title: string; author: string; cents: number; }'.
if (found.status === 200) console.log(found.data.name);
  TS2339: Property 'name' does not exist on type '{ id: number; title: string; author: string; cents: number; stock: number; }'.
respond(schema.post, 200, { id: 1 });
  TS2345: Argument of type '200' is not assignable to parameter of type '201 | 202 | 204 | 304'.
respond(schema.post, 202, { id: "1" });
  TS2322: Type 'string' is not assignable to type 'number'.
respond(schema.post, 202, { id: 1, more: 2 });
  TS2353: Object literal may only specify known properties, and 'more' does not exist in type '{ readonly id: number; }'.
respond(schema.post, 201, { id: 1 }, { headers: { etag: headers.location } });
  TS2322: Type '{ etag: string; }' is not assignable to type '{ location: string; } & OtherHeaders'.
respond(schema.post, 201, { id: 1 }, { headers: { location: true } });
  TS2322: Type 'boolean' is not assignable to type 'string'.
respond(schema.post, 201, { id: 1 });
  TS2345: Argument of type '201' is not assignable to parameter of type '201 & MissingHeaders<"location">'.
respond(schema.post, 202);
  TS2345: Argument of type '202' is not assignable to parameter of type '202 & MissingValue'.
respond(schema.post, 204, {}, {});
  TS2345: Argument of type '204' is not assignable to parameter of type '204 & TakesNoValue<"write respond(schema, status, { headers })">'.
respond(schema.post, 304, undefined, { headers: { etag: "1" } });
  TS2345: Argument of type '304' is not assignable to parameter of type '304 & TakesNoValue<"write respond(schema, status, { headers })">'.
respond(schema.post, 304);
  TS2345: Argument of type '304' is not assignable to parameter of type '304 & MissingHeaders<"etag">'.
respond(schema.post, 304, { headers: { age: 1 } });
  TS2322: Type '{ age: number; }' is not assignable to type '{ etag: string; } & OtherHeaders'.
respond(schema.post, 201, { id: "1" }, { headers });
  TS2322: Type 'string' is not assignable to type 'number'.
respond(schema.post, 201, { id: 1, more: 2 }, { headers });
  TS2353: Object literal may only specify known properties, and 'more' does not exist in type '{ readonly id: number; }'.
`);

/** A literal that fits a JSON Schema. */
function sample(schema: Json): string {
  const { type, enum: values, properties, required, items, minimum } =
    resolveRoot(schema) as Json;
  if (values !== undefined) return JSON.stringify(values[0]);
  if (type === "object") {
    const members = Object.entries(properties ?? {})
      .filter(([name]) => required?.includes(name))
      .map(([name, of]) => `${name}: ${sample(of)}`);
    return `{ ${members.join(", ")} }`;
  }
  if (type === "array") return `[${sample(items!)}]`;
  return type === "string" ? '"1"' : String(minimum ?? 1);
}

interface Json {
  readonly [keyword: string]: unknown;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly items?: Json;
  readonly minimum?: number;
}

/** Literals that differ from one that fits in one place each. */
function wrongSamples(schema: Json): string[] {
  const { type, enum: values, properties = {}, required = [], items } =
    resolveRoot(schema) as Json;
  if (values !== undefined) return ['"not in the enumeration"', "null"];
  if (type === "array") {
    return ["{}", ...wrongSamples(items!).map((wrong) => `[${wrong}]`)];
  }
  if (type !== "object") return [type === "string" ? "1" : '"1"', "null"];
  const all = Object.entries(properties);
  const others = (name: string) =>
    all.filter(([other]) => other !== name && required.includes(other))
      .map(([other, of]) => `${other}: ${sample(of)}`);
  const whole = (members: readonly string[]) => `{ ${members.join(", ")} }`;
  return all.flatMap(([name, of]) => [
    ...(required.includes(name) ? [whole(others(name))] : []),
    ...wrongSamples(of).map((wrong) =>
      whole([...others(name), `${name}: ${wrong}`])
    ),
  ]).concat(whole([...others(""), 'unknown: "1"']));
}

/** The right call of a method, and wrong ones. */
function callsOf({ path, schema }: RouteInfo, method: string) {
  const of = schema[method.toLowerCase() as "get"] ?? {};
  const parts = new Map<string, Json>();
  for (const part of ["params", "query", "body"] as const) {
    // No route of these calls declares the media types of its body.
    const schema = of[part] as StandardSchemaV1 | undefined;
    if (schema === undefined) continue;
    const form = toJsonSchema(schema, { direction: "input", name: "Part" });
    parts.set(part, form as Json);
  }
  const url = path.slice(4) || "/";
  if (url.endsWith("[...]")) {
    parts.set("params", {
      type: "object",
      properties: { '"[...]"': { type: "array", items: { type: "string" } } },
      required: ['"[...]"'],
    });
  }
  const call = (options: readonly string[]) =>
    `await api.${method}(${JSON.stringify(url)}, { ${options.join(", ")} });`;
  const right = (without?: string) =>
    [...parts].filter(([part]) => part !== without)
      .map(([part, form]) => `${part}: ${sample(form)}`);
  const wrong = [...parts].flatMap(([part, form]) => [
    ...(sample(form) === "{  }" ? [] : [call(right(part))]),
    ...wrongSamples(form).map((literal) =>
      call([...right(part), `${part}: ${literal}`])
    ),
  ]);
  const undeclared = ["params", "query", "body"].filter((part) =>
    !parts.has(part)
  )
    .map((part) => call([...right(), `${part}: { any: "1" }`]));
  return {
    right: call(right()),
    wrong: [...wrong, ...undeclared, call([...right(), "more: 1"])],
  };
}

/** Every right call of the bookshop, and wrong calls, each of which is an error. */
async function bookshopCalls(): Promise<string[]> {
  const { routes } = await new Framework({ apiDir: API }).inspect();
  const calls = routes.flatMap((route) =>
    route.methods.map((method) => callsOf(route, method))
  );
  const wrong = calls.flatMap(({ wrong }) => wrong);
  assert(wrong.length > 100, `only ${wrong.length} cases`);
  return [
    ...calls.map(({ right }) => right),
    ...wrong.map((code) => `// @ts-expect-error\n${code}`),
  ];
}

async function write(
  folder: TestFolder,
  lines: readonly string[],
): Promise<string[]> {
  await boughIn(folder.path, "types", API, "-o", "api.types.ts");
  await folder.write("calls.ts", PRELUDE + lines.join("\n"));
  return ["calls.ts"];
}

export const REFUSED_CALLS: Subjects = {
  "the first line of a compiler error says what is wrong with a call": {
    write: (folder) => write(folder, WRONG.map(([code]) => code)),
    compare(errors) {
      assertMessages(errors, WRONG);
      // No error names an implementation in the package.
      const text = errors.map(({ text }) => text).join("\n");
      assertEquals(text.match(/TS2793|schema\/respond\.ts/g), null);
    },
  },
  "the client refuses every wrong literal of every operation of the bookshop": {
    write: async (folder) => write(folder, await bookshopCalls()),
  },
};
