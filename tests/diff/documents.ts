import { assertEquals } from "@std/assert";
import { type Change, diffDocuments } from "@bough/framework/diff";
import {
  createDocument,
  type DocumentOptions,
  type JsonSchema,
  type OpenApiDocument,
} from "@bough/framework/openapi";
import { TestApplication, type TestModule } from "../support/application.ts";

/** A schema, and the components to which it refers. */
type Schema = JsonSchema | boolean;
type Components = Readonly<Record<string, Schema>>;

/** The parts of an operation that a schema can describe. */
export type Part = "request" | "response" | "query" | "headers" | "header";

/** A document with one operation, of which a part has a schema. */
export function documentWith(
  schema: Schema,
  { part = "request", components = {} }: {
    readonly part?: Part;
    readonly components?: Components;
  } = {},
): OpenApiDocument {
  const described = { required: true, schema: schema as JsonSchema };
  const content = { "application/json": { schema: schema as JsonSchema } };
  const place = part === "query" ? "query" : "header";
  const post = {
    operationId: "post",
    ...(part === "request" && { requestBody: { required: true, content } }),
    ...(/query|headers/.test(part) && {
      parameters: [{ name: "a", in: place, ...described } as const],
    }),
    responses: {
      ...(part === "response" && { 200: { description: "", content } }),
      ...(part === "header" && {
        200: { description: "", headers: { a: described } },
      }),
    },
  };
  return {
    openapi: "3.1.0",
    info: { title: "", version: "" },
    paths: { "/": { post } },
    components: {
      schemas: components as Record<string, JsonSchema>,
      responses: {},
    },
  };
}

/** The route files of an application, by path below its folder. */
export type Routes = Readonly<Record<string, TestModule>>;

/** A route file whose methods respond with an empty body. */
export function route(schema: Readonly<Record<string, unknown>>): TestModule {
  const handlers = Object.keys(schema)
    .map((method) => [method.toUpperCase(), () => new Response()]);
  return { schema, ...Object.fromEntries(handlers) };
}

/** The document of an application in memory. */
export async function documentOf(
  routes: Routes,
  options: Partial<DocumentOptions> = {},
): Promise<OpenApiDocument> {
  const { app } = TestApplication.of(routes);
  const info = { title: "", version: "1" };
  return createDocument(await app.routes(), { info, ...options }).document;
}

/** The changes between two applications in memory. */
export async function changesBetween(
  before: Routes,
  after: Routes,
  options?: Partial<DocumentOptions>,
): Promise<string[]> {
  return linesOf(
    await diffDocuments(
      await documentOf(before, options),
      await documentOf(after, options),
    ),
  );
}

/** Two versions by the name of a test, and the changes from the first to the second. */
export type Rows<T> = Readonly<
  Record<string, readonly [before: T, after: T, ...changes: readonly string[]]>
>;

/** Declares a test for each row; the second version has no change from itself. */
export function testRows<T>(
  rows: Rows<T>,
  changes: (before: T, after: T) => Promise<readonly string[]>,
): void {
  for (const [name, [before, after, ...expected]] of Object.entries(rows)) {
    Deno.test(name, async () => {
      assertEquals(await changes(before, after), expected);
      assertEquals(await changes(after, after), []);
    });
  }
}

export function linesOf(changes: readonly Change[]): string[] {
  return changes.map(({ verdict, operation, place, message }) =>
    `${verdict} ${operation} ${place}: ${message}`.replace(" :", ":")
  );
}
