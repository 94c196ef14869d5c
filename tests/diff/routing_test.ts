import { assertEquals } from "@std/assert";
import { z } from "zod";
import {
  changesBetween,
  route,
  type Routes,
  type Rows,
  testRows,
} from "./documents.ts";

const named = route({ get: { response: z.object({ name: z.string() }) } });
const get = route({ get: {} });
const put = route({ put: {} });

const numeric = route({
  get: { params: z.object({ id: z.coerce.number() }) },
});

const ROWS: Rows<Routes> = {
  "a folder next to a parameter takes the URLs of its methods": [
    { "users/[name]/route.ts": get },
    { "users/[name]/route.ts": get, "users/me/route.ts": put },
    'breaking GET /api/users/{name}: "/api/users/me" has a route of its own, without GET',
  ],
  "a folder next to a parameter may have the same method": [
    { "users/[name]/route.ts": named },
    { "users/[name]/route.ts": named, "users/me/route.ts": named },
  ],
  "a folder next to a parameter may not respond in another way": [
    { "users/[name]/route.ts": named },
    {
      "users/[name]/route.ts": named,
      "users/me/route.ts": route({
        get: { response: z.object({ id: z.int() }) },
      }),
    },
    'breaking GET /api/users/{name} 200 body#/name: at "/api/users/me": "name" may be missing',
  ],
  "a folder next to a parameter that refuses its name takes no URL": [
    {
      "users/[id]/route.ts": numeric,
    },
    {
      "users/[id]/route.ts": numeric,
      "users/me/route.ts": put,
    },
  ],
  "a number next to a numeric parameter takes its URL": [
    {
      "users/[id]/route.ts": numeric,
    },
    {
      "users/[id]/route.ts": numeric,
      "users/42/route.ts": put,
    },
    'breaking GET /api/users/{id}: "/api/users/42" has a route of its own, without GET',
  ],
  "a folder that hid these URLs before is no change": [
    { "users/[name]/route.ts": get, "users/me/route.ts": put },
    {
      "users/[name]/route.ts": get,
      "users/me/route.ts": put,
      "users/me/a/route.ts": put,
    },
  ],
  "a folder next to a wildcard takes its URLs": [
    { "files/[...]/route.ts": get },
    { "files/[...]/route.ts": get, "files/a/[id]/route.ts": put },
    'breaking GET /api/files/{wildcard}: "/api/files/a/*" has a route of its own, without GET',
  ],
  "a parameter that another folder precedes takes its URLs": [
    { "[lang]/about/route.ts": get },
    { "[lang]/about/route.ts": get, "docs/[...]/route.ts": put },
    'breaking GET /api/{lang}/about: "/api/docs/about" has a route of its own, without GET',
  ],
  "a folder may become a parameter": [
    { "users/me/route.ts": named },
    { "users/[name]/route.ts": named },
  ],
  "a folder may become a wildcard": [
    { "users/me/route.ts": named },
    { "users/[...]/route.ts": named },
  ],
  "a folder may not become a parameter that refuses its name": [
    { "users/me/route.ts": get },
    {
      "users/[id]/route.ts": numeric,
    },
    'breaking GET /api/users/me params#/id: "type" ["string"] became ["number"]',
  ],
  "a folder with a number may become a numeric parameter": [
    { "users/42/route.ts": get },
    {
      "users/[id]/route.ts": numeric,
    },
  ],
  "a folder may not become a parameter without its method": [
    { "users/me/route.ts": put },
    { "users/[name]/route.ts": get },
    "breaking PUT /api/users/me: the operation was removed",
  ],
  "a parameter may not become a folder": [
    { "users/[name]/route.ts": get },
    { "users/me/route.ts": get },
    "breaking GET /api/users/{name}: the operation was removed",
  ],
  "a wildcard may not become a parameter": [
    { "files/[...]/route.ts": get },
    { "files/[id]/route.ts": get },
    'breaking GET /api/files/{wildcard}: operationId "getFilesByWildcard" became "getFilesById"',
    'breaking GET /api/files/{wildcard} params#/wildcard: "wildcard" became "id"',
    "breaking GET /api/files/{wildcard} params: only one segment is accepted",
  ],
  "a wildcard may not become two parameters": [
    { "files/[...]/route.ts": get },
    { "files/[id]/route.ts": get, "files/[id]/[part]/route.ts": get },
    'breaking GET /api/files/{wildcard}: operationId "getFilesByWildcard" became "getFilesById"',
    'breaking GET /api/files/{wildcard} params#/wildcard: "wildcard" became "id"',
    "breaking GET /api/files/{wildcard} params: only 2 segments are accepted",
  ],
  "a parameter and a wildcard of one folder are compared separately": [
    { "files/[id]/route.ts": named, "files/[...]/route.ts": get },
    { "files/[id]/route.ts": get, "files/[...]/route.ts": get },
    'breaking GET /api/files/{id} 200 application/json: "200 application/json" was removed',
  ],
  "a HEAD of its own may go if GET serves it": [
    { "route.ts": route({ get: {}, head: {} }) },
    { "route.ts": get },
  ],
  "a HEAD of its own may not go if GET refuses its query": [
    { "route.ts": route({ get: {}, head: {} }) },
    { "route.ts": route({ get: { query: z.object({ a: z.string() }) } }) },
    'breaking GET /api query#/a: "a" became required',
    'breaking HEAD /api query#/a: "a" became required',
  ],
  "a HEAD of its own may not go without a GET": [
    { "route.ts": route({ put: {}, head: {} }) },
    { "route.ts": put },
    "breaking HEAD /api: the operation was removed",
  ],
  "an OPTIONS of its own may go": [
    { "route.ts": route({ get: {}, options: {} }) },
    { "route.ts": get },
  ],
  "an OPTIONS with a body may not go": [
    { "route.ts": route({ get: {}, options: { response: z.int() } }) },
    { "route.ts": get },
    'breaking OPTIONS /api 200 application/json: "200 application/json" was removed',
  ],
};

Deno.test("paths that take the URLs of a parameter are one unknown change beyond the limit", async () => {
  const users = { "users/[name]/route.ts": get };
  const others = Array.from(
    { length: 60 },
    (_, index) => [`users/u${index}/route.ts`, put] as const,
  );
  const changes = await changesBetween(users, {
    ...users,
    ...Object.fromEntries(others),
  });
  assertEquals(changes.length, 50);
  assertEquals(
    changes.at(-1),
    "unknown GET /api/users/{name}: other paths may serve these URLs, too; only the first 50 are compared",
  );
});

testRows(ROWS, (before, after) => changesBetween(before, after));
