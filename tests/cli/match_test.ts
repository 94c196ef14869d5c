/** `bough routes --match` says what the application does. */
import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { FolderApplication } from "../support/application.ts";
import { KeptConnection } from "../support/kept_connection.ts";
import { boughIn } from "./support.ts";

const CALLS = 400;
const SEEN = `({ pattern, params, wildcardParams }) =>
  Response.json({ route: pattern, params, wildcardParams });`;
const TREE = Object.fromEntries(
  Object.entries({
    "users": ["GET"],
    "users/me": ["POST", "OPTIONS"],
    "users/[id]": ["GET", "DELETE"],
    "users/[id]/posts": ["HEAD"],
    "(group)/files/[...]": ["GET", "PUT"],
  }).map(([folder, methods]) => [
    `${folder}/route.ts`,
    methods.map((name) => `export const ${name} = ${SEEN}`).join("\n"),
  ]),
);

const method = fc.oneof(
  fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
  fc.constantFrom("TRACE", "PROPFIND", "M-SEARCH", "get", "Get", "G3T", "!x"),
);
const segment = fc.constantFrom(
  ...["api", "users", "me", "files", "posts", "42", "..", ".", "", "...", "*"],
  ...["%2e%2e", "%2E", ".%2e", "a%2fb", "..%2f", "a%5Cb", "a\\b", "%75sers"],
  ...["%00", "%ff", "%", "%2520", "%7Ea", "a;b", ":80", "@", "evil.test"],
);
const target = fc.tuple(
  fc.constantFrom("/", "/api/", "/api/users/", "/api/files/", "//", "/\\"),
  fc.array(segment, { maxLength: 5 }),
  fc.constantFrom("", "", "?q=../..", "?/api/users/me"),
).map(([start, segments, query]) => start + segments.join("/") + query);

Deno.test(`bough routes --match says what the application does, for ${CALLS} requests`, async () => {
  await using application = await FolderApplication.create(TREE);
  await using server = await application.serve();
  using connection = new KeptConnection(server.port);
  const { path } = application.folder;
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(method, target, async (method, target) => {
      const request = `${method} ${target}`;
      const { status, body } = await connection.send(
        `${request} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0`,
      );
      const { code, stdout, stderr } = await boughIn(
        path,
        ...["routes", "--json", "--match", request],
      );
      assertEquals(stderr, "");
      const { status: found, route, params, wildcardParams } = JSON.parse(
        stdout,
      );
      assertEquals([found, code], [status, status === 200 ? 0 : 1]);
      statuses.add(status);
      if (status !== 200 || method === "HEAD") return;
      assertEquals(
        { route, params, ...(wildcardParams && { wildcardParams }) },
        JSON.parse(body),
      );
    }),
    {
      numRuns: CALLS,
      examples: [
        ["FOO", "/nope"],
        ["TRACE", "/api/users/.."],
        ["M-SEARCH", "/api/users/42"],
        ["get", "/"],
        ["OPTIONS", "/*"],
        ["OPTIONS", "/api/../*"],
        ["DELETE", "/api/users/../users/./42/posts/.."],
        ["PROPFIND", "/api/users/%ff"],
      ],
    },
  );
  assertEquals([...statuses].sort(), [200, 204, 400, 404, 405, 501]);
});
