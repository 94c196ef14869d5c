/** The types that `bough types --standalone` writes, and those that the compiler finds. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { TestFolder } from "../support/application.ts";
import { type Subjects, writeUses } from "./compiler.ts";

/** Route files in one library: bodies, queries, dates, files, unions, recursion. */
const FIXTURES: Readonly<Record<string, string>> = {
  zod: `import { z } from "npm:zod@^4.2.0";
import { content } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
const Book = z.object({
  id: z.int(), title: z.string(), kind: z.enum(["novel", "play"]), note: z.string().nullable(),
  tags: z.array(z.string()), more: z.record(z.string(), z.number()), at: z.date(), isbn: z.string().optional(),
}).meta({ id: "Book" });
const Tree = z.object({ name: z.string(), get parts() { return z.array(Tree); } });
export const schema = {
  get: {
    params: z.object({ id: z.coerce.number() }),
    query: z.object({ page: z.coerce.number().default(1), tags: z.array(z.string()).optional(), sort: z.enum(["a", "b"]) }),
    headers: z.object({ "x-key": z.string(), "x-odd": z.string().optional() }),
    response: { 200: z.array(Book), 201: Tree, 202: z.string(), 203: content("text/csv"), 206: content("image/*"), 207: content("application/vnd.x+json", Book), 208: [content("application/json", Book), content("text/csv"), content("application/vnd.x+json", Tree)], 204: {}, 404: Problem,
      409: z.discriminatedUnion("type", [z.object({ type: z.literal("a"), n: z.number() }), z.object({ type: z.literal("b") })]), 422: z.tuple([z.string(), z.number()]) },
  },
  post: { body: z.object({ file: z.file(), title: z.string() }), response: z.boolean() },
  put: { body: z.union([z.string(), z.object({ a: z.number(), b: z.object({ c: z.null() }) })]) },
};`,
  valibot: `import * as v from "npm:valibot@^1.2.0";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
const Book = v.object({ id: v.number(), title: v.string(), kind: v.picklist(["novel", "play"]), note: v.nullable(v.string()),
  tags: v.array(v.string()), more: v.record(v.string(), v.number()), at: v.date(), isbn: v.optional(v.string()) });
export const schema = {
  get: {
    params: form(v.object({ id: v.string() })),
    query: form(v.object({ page: v.optional(v.string()), sort: v.picklist(["a", "b"]) })),
    response: { 200: form(v.array(Book)), 202: form(v.string()), 404: form(v.union([v.object({ a: v.number() }), v.object({ b: v.literal("b") })])) },
  },
  post: { body: form(v.object({ title: v.string(), inner: v.object({ n: v.number() }) })), response: form(v.boolean()) },
};`,
  arktype: `import { type } from "npm:arktype@^2.2.9";
const Book = type({ id: "number", title: "string", kind: "'novel' | 'play'", note: "string | null", tags: "string[]", at: "Date", "isbn?": "string" });
export const schema = {
  get: {
    params: type({ id: "string" }),
    query: type({ "page?": "string", sort: "'a' | 'b'" }),
    response: { 200: Book.array(), 202: type("string"), 404: type({ a: "number" }).or({ b: "'b'" }) },
  },
  post: { body: type({ title: "string", inner: { n: "number" } }), response: type("boolean") },
};`,
};

const HANDLERS = ["GET", "POST", "PUT"].map((method) =>
  `\nexport const ${method} = () => new Response();`
).join("");

/** Ignores differences of \`exactOptionalPropertyTypes\`, which other projects rarely set. */
const PRELUDE = `
import type { CallOptions, CallResult, CallSchema, OwnSchema } from "@bough/framework/client";
import type { Routes as Written } from "./types.ts";
import type { Routes as Standalone } from "./standalone.ts";
type Kept = Blob | ReadableStream | Response | AbortSignal;
type Loose<T> = T extends Kept ? T : T extends object
  ? { [K in keyof T]: Record<never, never> extends Pick<T, K> ? Loose<T[K]> | undefined : Loose<T[K]> } : T;
type Same<A, B> = [A] extends [B] ? [B] extends [A] ? true : "differs in standalone.ts" : "differs in types.ts";
`;

/** Calls, by method and path. */
type Calls = readonly (readonly [method: string, path: string])[];

/** Code that compiles if both maps give each call the same types. */
function comparison(calls: Calls): string {
  const lines = calls.map(([method, path], index) => {
    const names = `${JSON.stringify(path)}, "${method}"`;
    const options = (map: string) =>
      `Loose<CallOptions<${
        JSON.stringify(path)
      }, CallSchema<${map}, ${names}>, OwnSchema<${map}, ${names}>>>`;
    const result = (map: string) =>
      `Loose<CallResult<CallSchema<${map}, ${names}>>>`;
    return `export const options${index}: Same<${options("Written")}, ${
      options("Standalone")
    }> = true;
export const result${index}: Same<${result("Written")}, ${
      result("Standalone")
    }> = true;`;
  });
  return PRELUDE + lines.join("\n");
}

/** Writes both maps of an API, and code that compares the types of calls. */
async function writeComparison(
  folder: TestFolder,
  files: Readonly<Record<string, string>>,
  calls: Calls,
): Promise<string[]> {
  await writeUses(folder, files, "");
  await folder.write("compare.ts", comparison(calls));
  return ["compare.ts"];
}

/** The export of a folder's error format. */
function format(schema: string): string {
  return `import { errorFormat } from "@bough/framework";
import { z } from "npm:zod@^4.2.0";
export const errors = errorFormat({
  contentType: "application/json", schema: ${schema}, format: () => null as never,
});`;
}

/** An application whose folders have their own error formats. */
const FORMATS: Readonly<Record<string, string>> = {
  "api/v1/middleware.ts": `${format("z.object({ old: z.string() })")}
export const contract = { headers: z.object({ "x-tenant": z.string() }) };
export default (_: Request, next: () => Promise<Response>) => next();`,
  "api/v1/route.ts": "export const GET = () => new Response();",
  "api/v1/a/[b]/middleware.ts": format("z.array(z.number())"),
  "api/v1/a/[b]/route.ts": `import { Problem } from "@bough/framework/openapi";
export const schema = { get: { response: { 404: Problem } } };
export const GET = () => new Response();`,
  "api/route.ts": "export const GET = () => new Response();",
};

/** Reads the errors of each folder. */
const USE_FORMATS =
  `export async function use(): Promise<[string, number[], number[]]> {
  const outer = await api.GET("/v1", { headers: { "x-tenant": "a" } });
  const inner = await api.GET("/v1/a/[b]", {
    params: { b: "c" },
    headers: { "x-tenant": "a" },
  });
  const plain = await api.GET("/");
  if (outer.status !== 400 || plain.status !== 400) throw outer;
  if (inner.status !== 400 && inner.status !== 404) throw inner;
  const data: unknown = plain.data;
  // @ts-expect-error: the application has no format.
  plain.data.old;
  return [outer.data.old, inner.data, data as number[]];
}
`;

/** An application with contracts, and routes in each library. */
const LIBRARIES: Readonly<Record<string, string>> = {
  "api/middleware.ts": `import { z } from "npm:zod@^4.2.0";
export const contract = { headers: z.object({ "x-tenant": z.string() }), response: { 401: z.object({ why: z.string() }) } };
export default (_: Request, next: () => Promise<Response>) => next();`,
  "api/open/route.ts": "export const GET = () => new Response();",
  ...Object.fromEntries(
    Object.entries(FIXTURES).map(([name, code]) => [
      `api/(group)/${name}/[id]/route.ts`,
      code + HANDLERS,
    ]),
  ),
};

/** An application whose routes share schemas. */
const SHARED: Readonly<Record<string, string>> = {
  "schemas.ts": `import { z } from "npm:zod@^4.2.0";
export const Status = z.object({ state: z.enum(["new", "sent"]) }).meta({ id: "Status" });
export const Order = z.object({ id: z.int(), status: Status, note: z.string().default("") }).meta({ id: "Order" });
export const Page = z.object({ page: z.coerce.number().default(1) }).meta({ id: "Page" });
const Fields = z.object({ a: z.string() });
export const Closed = z.strictObject({ fields: Fields.meta({ id: "Fields" }) });`,
  "api/orders/route.ts":
    `import { Closed, Order, Page, Status } from "../../schemas.ts";
import { z } from "npm:zod@^4.2.0";
export const schema = {
  get: { query: Page, response: { 200: z.array(Order), 206: Page } },
  post: { body: Status, response: z.object({ order: Order, status: Status }) },
  put: { body: Order, response: { 200: Closed, 404: z.array(z.boolean()).meta({ id: "OrdersPut200" }) } },
};${HANDLERS}`,
  "api/other/route.ts": `import { Closed, Status } from "../../schemas.ts";
export const schema = { get: { query: Status, events: { status: Status } }, post: { body: Closed }, put: { body: Closed.shape.fields } };${HANDLERS}`,
  "api/live/route.ts": `import { Status } from "../../schemas.ts";
export const schema = { get: { socket: { receive: Status, send: Status } } };
export const GET = () => new Response();`,
};

/** Each schema with several uses is one type. */
function assertSharedTypes(standalone: string): void {
  const [, map = ""] = standalone.split("export interface Routes");
  const names = [...map.matchAll(/^export type (\w+)/gm)]
    .map(([, name]) => name);
  assertEquals(names.toSorted(), [
    "Fields",
    "Order",
    // Its note may be missing.
    "OrderInput",
    "OrdersPut200",
    "Page",
    // A number there is one that the schema makes of a text.
    "PageInput",
    "Status",
  ]);
  const line = standalone.replaceAll(/\s+/g, " ");
  for (
    const code of [
      "body: Schema<Status>;",
      "receive: Schema<Status>; send: Schema<Status>;",
      "body: Schema<OrderInput>; response: { 200: Schema<{ fields: Fields; }>; 404: Schema<OrdersPut200>;",
    ]
  ) assertStringIncludes(line, code);
}

function methodsOf(...paths: readonly string[]): Calls {
  return paths.flatMap((path) =>
    ["GET", "POST", "PUT"].map((method) => [method, path] as const)
  );
}

export const STANDALONE_TYPES: Subjects = {
  "standalone types have the error formats of folders": {
    write: (folder) => writeUses(folder, FORMATS, USE_FORMATS),
  },
  "standalone types are those of the route files, in every library": {
    async write(folder) {
      const paths = Object.keys(FIXTURES).map((name) => `/${name}/[id]`);
      const calls: Calls = [...methodsOf(...paths), ["GET", "/open"]];
      const right = await writeComparison(folder, LIBRARIES, calls);
      // A difference is an error.
      const text = await Deno.readTextFile(join(folder.path, "standalone.ts"));
      await folder.write(
        "wrong.ts",
        text.replace("title: string", "title: number"),
      );
      await folder.write(
        "compare_wrong.ts",
        comparison(calls).replace("standalone.ts", "wrong.ts"),
      );
      return [...right, "compare_wrong.ts"];
    },
    compare(errors) {
      assert(errors.length > 0, "a difference is not an error");
      for (const { file, text } of errors) {
        assertEquals(file, "compare_wrong.ts", text);
        assertStringIncludes(text, "differs in");
      }
    },
  },
  "a schema that several routes share is one standalone type": {
    async write(folder) {
      const calls = methodsOf("/orders", "/other");
      const files = await writeComparison(folder, SHARED, calls);
      assertSharedTypes(
        await Deno.readTextFile(join(folder.path, "standalone.ts")),
      );
      return files;
    },
  },
};
