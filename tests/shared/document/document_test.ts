/** The operations of a document, and its members next to the operations. */
import { assertEquals } from "@std/assert";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import {
  createdFrom,
  documentOf,
  handler,
  parameterLine,
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

Deno.test("one route in zod, Valibot and ArkType has one document", async () => {
  const paths: unknown[] = [];
  for (const [library, post] of Object.entries(LIBRARIES)) {
    const { document, warnings } = await documentOf({
      "books/[id]/route.ts": routeOf({ post }),
    });
    assertEquals(warnings, [], library);
    paths.push(comparable(document.paths));
  }
  const [zod, valibot, arktype] = paths;
  assertEquals(valibot, zod);
  assertEquals(arktype, zod);
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
  assertEquals(parameters!.map(parameterLine), [
    'path userId {"type":"string"} {"description":"Whose file"}',
    'path wildcard {"type":"string"} {"description":"One or more segments, separated by unescaped slashes","x-wildcard":true}',
    'header x-key {"type":"string"}',
    'header x-more? {"type":"string"}',
  ]);
  assertEquals(Object.keys(responses), withOwn("200", "404"));
  assertEquals(responses["200"], {
    description: "OK",
    content: { "text/plain": { schema: { type: "string" } } },
  });
  assertEquals(item.delete!.tags, ["users"]);
  assertEquals(
    item.delete!.operationId,
    "deleteUsersByUserIdFilesByWildcard",
  );
});

Deno.test("a repeated operation id is a warning", async () => {
  const named = routeOf({ get: { operationId: "getIt" } });
  const { warnings } = await createdFrom({
    "a/route.ts": named,
    "b/route.ts": named,
  });
  assertEquals(warnings.map(({ path, message }) => `${path}: ${message}`), [
    'b/route.ts: schema.get.operationId "getIt" is not unique; choose another id',
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

Deno.test("an operation has a unique name of its folders, and the tag of its first folder", async () => {
  const { document, warnings } = await documentOf(Object.fromEntries(
    ["", "[...]/", "(group)/[id]/two words/", "x.y-z/(group)/[id]/", "a-b/"]
      .concat("(group)/1st/[...]/", "a/b/")
      .concat("café {x}/[user-id]/[wildcard]/[...]/")
      .map((folder) => [`${folder}route.ts`, { GET: handler, PUT: handler }]),
  ));
  assertEquals(warnings, []);
  const named = Object.entries(document.paths).map(([path, { get, put }]) =>
    [path, get!.operationId, put!.operationId, ...get!.tags!].join(" ")
  );
  assertEquals(named, [
    "/api getRoot putRoot",
    "/api/1st/{wildcard} get1stByWildcard put1stByWildcard 1st",
    "/api/{wildcard} getByWildcard putByWildcard",
    "/api/{id}/two%20words getByIdTwoWords putByIdTwoWords id",
    "/api/a-b getAB putAB a-b",
    "/api/a/b getAB2 putAB2 a",
    "/api/caf%C3%A9%20%7Bx%7D/{user-id}/{wildcard}/{wildcard_} getCaféXByUser-idByWildcardByWildcard putCaféXByUser-idByWildcardByWildcard café {x}",
    "/api/x.y-z/{id} getXYZById putXYZById x.y-z",
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
  const members = ["deprecated", "x-sunset", "x-deprecated"] as const;
  assertEquals(
    [get, put, post, removed].map((operation) =>
      members.map((name) => operation![name])
    ),
    [
      [true, "2026-12-31", { since: "2026-06-30" }],
      [true, undefined, { use: "/api/b", why: "Too slow" }],
      [true, undefined, undefined],
      [false, undefined, undefined],
    ],
  );
});
