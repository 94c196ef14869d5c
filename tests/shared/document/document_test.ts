/** The operations of a document, and its members next to the operations. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";
import {
  createdFrom,
  documentOf,
  handler,
  routeOf,
  withOwn,
} from "../../openapi/support.ts";

/** The schema of one method, in three libraries. */
const LIBRARIES = {
  zod: {
    params: z.object({ id: z.string().regex(/^\d+$/) }),
    query: z.object({
      page: z.string().optional(),
      tag: z.array(z.string()).optional(),
    }),
    headers: z.object({ "x-key": z.string().min(3) }),
    body: z.looseObject({
      title: z.string().min(1),
      cents: z.number().min(0),
      kind: z.enum(["new", "used"]),
    }),
    response: { 201: z.looseObject({ id: z.number() }) },
  },
  valibot: {
    params: form(v.object({ id: v.pipe(v.string(), v.regex(/^\d+$/)) })),
    query: form(
      v.object({
        page: v.optional(v.string()),
        tag: v.optional(v.array(v.string())),
      }),
    ),
    headers: form(v.object({ "x-key": v.pipe(v.string(), v.minLength(3)) })),
    body: form(v.looseObject({
      title: v.pipe(v.string(), v.minLength(1)),
      cents: v.pipe(v.number(), v.minValue(0)),
      kind: v.picklist(["new", "used"]),
    })),
    response: { 201: form(v.looseObject({ id: v.number() })) },
  },
  arktype: {
    params: type({ id: /^\d+$/ }),
    query: type({ "page?": "string", "tag?": "string[]" }),
    headers: type({ "x-key": "string >= 3" }),
    body: type({
      title: "string >= 1",
      cents: "number >= 0",
      kind: "'new' | 'used'",
    }),
    response: { 201: type({ id: "number" }) },
  },
};

/** A part of a document without the differences between libraries. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(comparable).sort((a, b) =>
      JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
    );
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    // Without the empty schema, other members are allowed, too.
    .filter(([key, inner]) =>
      !(key === "additionalProperties" && JSON.stringify(inner) === "{}") &&
      // An enum of strings needs no type.
      !(key === "type" && "enum" in value)
    )
    .map(([key, inner]) => [key, comparable(inner)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => a < b ? -1 : 1));
}

Deno.test("one route in zod, Valibot and ArkType has one validation and one document", async () => {
  const outcomes = [];
  for (const [library, post] of Object.entries(LIBRARIES)) {
    const files = {
      "books/[id]/route.ts": {
        schema: { post },
        POST: ({ validated }: { validated: unknown }) =>
          Response.json(validated, { status: 201 }),
      },
    };
    const { document, warnings } = await documentOf(files);
    assertEquals(warnings, [], library);
    const application = TestApplication.of(files);
    const send = async (target: string, key: string, body: unknown) => {
      const response = await application.fetch(target, {
        method: "POST",
        headers: { "x-key": key, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const answer = await response.json();
      const { errors } = answer;
      return {
        status: response.status,
        // Each library has its own messages, and its own form of other headers.
        answer: errors?.map((error: { in: string; pointer: string }) =>
          `${error.in} ${error.pointer}`
        ).sort() ?? { ...answer, headers: answer.headers["x-key"] },
      };
    };
    const book = { title: "Emma", cents: 5, kind: "new" };
    outcomes.push({
      paths: comparable(document.paths),
      good: await send("/api/books/7?page=2&tag=a", "abc", book),
      bad: await send("/api/books/x?page=1&page=2", "a", {
        ...book,
        title: "",
        kind: "old",
      }),
      missing: await send("/api/books/7", "abc", {}),
    });
  }
  const [zod, ...others] = outcomes;
  assertEquals(zod!.good.status, 201);
  assertEquals(zod!.bad.answer, [
    "body #/kind",
    "body #/title",
    "headers #/x-key",
    "params #/id",
    "query #/page",
  ]);
  for (const other of others) assertEquals(other, zod);
});

Deno.test("an operation has the members, parameters and responses of its method", async () => {
  const { document } = await documentOf({
    "users/[userId]/files/[...]/route.ts": {
      schema: {
        get: {
          summary: "Reads a file",
          description: "All of **it**.",
          tags: ["files"],
          operationId: "readFile",
          deprecated: true,
          security: [{ bearer: [] }, {}],
          params: z.object({ userId: z.string().describe("Whose file") }),
          headers: z.object({
            "x-key": z.string(),
            accept: z.string(),
            "x-more": z.string().optional(),
          }),
          response: { 200: z.string(), 404: z.object({ why: z.string() }) },
        },
      },
      GET: handler,
      DELETE: handler,
    },
  }, { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } });
  const item = document.paths["/api/users/{userId}/files/{wildcard}"]!;
  assertEquals(Object.keys(item), ["get", "delete"]);
  const { parameters, responses, ...operation } = item.get!;
  assertEquals(operation, {
    operationId: "readFile",
    summary: "Reads a file",
    description: "All of **it**.",
    tags: ["files"],
    deprecated: true,
    security: [{ bearer: [] }, {}],
  });
  const schema = { type: "string" };
  assertEquals(parameters, [
    {
      name: "userId",
      in: "path",
      required: true,
      description: "Whose file",
      schema,
    },
    {
      name: "wildcard",
      in: "path",
      required: true,
      schema,
      description: "One or more segments, separated by unescaped slashes",
      "x-wildcard": true,
    },
    { name: "x-key", in: "header", required: true, schema },
    { name: "x-more", in: "header", required: false, schema },
  ]);
  assertEquals(Object.keys(responses), withOwn("200", "404"));
  assertEquals(responses["200"], {
    description: "OK",
    content: { "text/plain": { schema } },
  });
  assertEquals(item.delete!.tags, ["users"]);
  assertEquals(
    item.delete!.operationId,
    "deleteUsersByUserIdFilesByWildcard",
  );
});

Deno.test("operation ids are unique; a warning reports a repeated id", async () => {
  const { document, warnings } = await documentOf({
    "a-b/route.ts": { GET: handler },
    "a/b/route.ts": { GET: handler },
  });
  assertEquals(
    Object.values(document.paths).map(({ get }) => get!.operationId),
    ["getAB", "getAB2"],
  );
  assertEquals(warnings, []);

  const named = routeOf({ get: { operationId: "getIt" } });
  const created = await createdFrom({
    "a/route.ts": named,
    "b/route.ts": named,
  });
  assertEquals(created.warnings.length, 1);
  const { path, message } = created.warnings[0]!;
  assertStringIncludes(path, "b/route.ts");
  assertStringIncludes(
    message,
    'schema.get.operationId "getIt" is not unique; choose another id',
  );
});

Deno.test("unusual folder names become valid paths", async () => {
  const { document } = await documentOf({
    "café {x}/[user-id]/[wildcard]/[...]/route.ts": { GET: handler },
    "(group)/route.ts": { GET: handler },
  });
  assertEquals(Object.keys(document.paths), [
    "/api",
    "/api/caf%C3%A9%20%7Bx%7D/{user-id}/{wildcard}/{wildcard_}",
  ]);
});

Deno.test("the document has the options of openapi(), and no other members", async () => {
  const options = {
    servers: [{ url: "https://api.example.com" }],
    security: [{ bearer: [] }],
    tags: [{ name: "books", description: "All of them" }],
  };
  const securitySchemes = { bearer: { type: "http", scheme: "bearer" } };
  const { document } = await documentOf({}, { ...options, securitySchemes });
  const { servers, security, tags, components } = document;
  assertEquals<unknown>({ servers, security, tags }, options);
  assertEquals(components.securitySchemes, securitySchemes);

  const { document: bare } = await documentOf({});
  assertEquals(Object.keys(bare), ["openapi", "info", "paths", "components"]);
  assertEquals(Object.keys(bare.components), ["schemas", "responses"]);
});

Deno.test("an operation is named after its folders, and its tag is the first folder in the URL", async () => {
  const { document } = await documentOf({
    "route.ts": { GET: handler, DELETE: handler },
    "[...]/route.ts": { GET: handler },
    "(group)/[id]/two words/route.ts": { GET: handler },
    "x.y-z/(group)/[id]/route.ts": { GET: handler },
    "(group)/1st/[...]/route.ts": { GET: handler },
  });
  const named = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map(({ operationId, tags }) => [operationId, tags])
  );
  assertEquals(named, [
    ["getRoot", []],
    ["deleteRoot", []],
    ["get1stByWildcard", ["1st"]],
    ["getByWildcard", []],
    ["getByIdTwoWords", ["id"]],
    ["getXYZById", ["x.y-z"]],
  ]);
});

Deno.test("a deprecated operation has its dates, its replacement and the reason (behaviour 5.5)", async () => {
  const { document } = await documentOf({
    "a/middleware.ts": {
      contract: { deprecated: { since: "2026-06-30", sunset: "2026-12-31" } },
    },
    "a/route.ts": {
      ...routeOf({
        put: { deprecated: { use: "/api/b", why: "Too slow" } },
        post: { deprecated: {} },
        delete: { deprecated: false },
      }),
      GET: handler,
    },
  });
  const { get, put, post, delete: removed } = document.paths["/api/a"]!;
  assertEquals(
    [get, put, post, removed].map((operation) =>
      Object.fromEntries(
        Object.entries(operation!).filter(([name]) =>
          /deprecated|sunset/.test(name)
        ),
      )
    ),
    [
      {
        deprecated: true,
        "x-sunset": "2026-12-31",
        "x-deprecated": { since: "2026-06-30" },
      },
      {
        deprecated: true,
        "x-deprecated": { use: "/api/b", why: "Too slow" },
      },
      { deprecated: true },
      { deprecated: false },
    ],
  );
});
