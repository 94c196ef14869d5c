import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { TypePrinter } from "../../../src/cli/generate/type_text.ts";
import { call } from "../support.ts";
import { BOOKSHOP } from "../../client/support.ts";

const ZOD = `import { z } from "npm:zod@^4.2.0";`;
const GET = "export const GET = () => new Response();";

/** The standalone types of files, in one line. */
async function typesOf(files: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = await call(files, "types --standalone");
  assertEquals([code, stderr], [0, ""]);
  return stdout.replaceAll(/\s+/g, " ");
}

Deno.test("standalone types import nothing", async () => {
  const api = fromFileUrl(new URL("api", BOOKSHOP));
  const { stdout } = await call({}, "types --standalone", api);
  assert(!/\bimport\b/.test(stdout), stdout);
  // A project may have the option "noUnusedLocals".
  assert(!/^(?:interface|type) /m.test(stdout), stdout);
  assertEquals((await call({}, "types --standalone", api)).stdout, stdout);
});

Deno.test("a method in standalone types has only the members of its schema", async () => {
  const types = await typesOf({
    "api/route.ts": `export const schema = {
        get: { summary: "All" },
        put: { tags: ["a"], response: { 204: {} } },
        post: {},
      };
      ${GET} export const PUT = GET; export const POST = GET;`,
  });
  // The client allows any query and any body where a schema has no member.
  assertStringIncludes(
    types,
    " schema: { get: { summary: string; }; put: { response: { 204: {}; }; }; };",
  );
});

Deno.test("standalone types merge the contracts of each method with its schema", async () => {
  const types = await typesOf({
    "wait.ts": `${ZOD}
      export const wait = Object.assign((_, next) => next(), { contracts: [
        { response: { 429: z.object({ wait: z.number() }) } },
        { methods: ["POST"], headers: z.object({ "x-key": z.string() }) },
      ] });`,
    "api/middleware.ts": 'export { wait as default } from "../wait.ts";',
    "api/route.ts": `${ZOD} ${GET} export const POST = GET;
      export const schema = { post: { headers: z.object({ "x-id": z.string() }) } };`,
    "api/own/route.ts": `import { wait } from "../../wait.ts";
      ${GET} export const POST = GET; export const middleware = { GET: [wait] };`,
  });
  const response = "response: { 429: Schema<{ wait: number; }>; }";
  const key = `StringSchema<{ "x-key": string; }>`;
  const open = "query: AnyQuery; body: Schema<unknown>";
  for (
    const post of [
      `headers: ${key} & StringSchema<{ "x-id": string; }>`,
      `${open}; headers: ${key}`,
    ]
  ) {
    assertStringIncludes(
      types,
      `schema: { get: { ${open}; ${response}; }; post: { ${post}; ${response}; }; };`,
    );
  }
});

Deno.test("standalone types have the declared types of bodies", async () => {
  const types = await typesOf({
    "api/route.ts": `${ZOD} import { content } from "@bough/framework";
      const body = [
        content("text/csv", z.string()),
        content("application/a+json", z.object({ a: z.string() })),
      ];
      export const schema = { post: { body }, put: { body: body[0] } };
      export const POST = () => new Response(); export const PUT = POST;`,
  });
  assertStringIncludes(
    types,
    `post: { body: [Content<"text/csv", Schema<string>>, Content<"application/a+json", Schema<{ a: string; }>>]; }; put: { body: [Content<"text/csv", Schema<string>>]; };`,
  );
});

Deno.test("standalone types require one of the headers that name a version", async () => {
  const types = await typesOf({
    "api/middleware.ts":
      `import { preconditions } from "@bough/framework/protect";
      export default preconditions({ required: true });`,
    "api/route.ts": "export const PUT = () => new Response();",
  });
  const headers =
    /"if-match"\?: string; [^}]*"if-none-match"\?: string; \}\) & \(\{ "if-match": unknown \} \| \{ "if-none-match": unknown \}\)/;
  assert(headers.test(types), types);
});

Deno.test("standalone types have events and sockets", async () => {
  const files = {
    "api/route.ts": `${ZOD} ${GET} export const schema = { get: {
    events: { status: z.object({ id: z.int() }) },
  } };`,
    "api/chat/route.ts": `${ZOD} ${GET} export const schema = { get: {
    socket: { receive: z.string(), send: z.boolean() },
  } };`,
  };
  const types = await typesOf(files);
  assertStringIncludes(types, "events: { status: Schema<{ id: number; }>; }");
  const socket = "receive: Schema<string>; send: Schema<boolean>;";
  assertStringIncludes(types, `socket: { ${socket} }`);
});

Deno.test("schemas of other libraries have types, too", () => {
  const types: readonly (readonly [schema: object, type: string])[] = [
    [{ type: "array", items: { enum: [] } }, "Array<never>"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ type: ["integer", "number"] }, "number"],
    [{ type: [] }, "never"],
    [{ type: "string; export type X = 1" }, "unknown"],
    [{ anyOf: [{ type: "string" }, { type: "file" }] }, "unknown"],
    [{ $ref: "" }, "_"],
  ];
  for (const [schema, type] of types) {
    const found = new TypePrinter([""], []).type(schema);
    assertEquals(found, type, JSON.stringify(schema));
  }
});
