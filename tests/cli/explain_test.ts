import { assertEquals } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { boughIn, fixture } from "./support.ts";

const GET = `export const GET = () => new Response("x");`;
const FOLDER = fixture("users");

/** Requests, with the exit code and the printed lines of each. */
const EXPLAINED: readonly (readonly [string, number, readonly string[]])[] = [
  ["GET /api", 0, [
    "GET /api reaches /api (api/route.ts)",
    "  through api/middleware.ts",
  ]],
  ["/api", 0, [
    "GET /api reaches /api (api/route.ts)",
    "  through api/middleware.ts",
  ]],
  ["  GET   /api?a=b ", 0, [
    "GET /api?a=b reaches /api (api/route.ts)",
    "  through api/middleware.ts",
  ]],
  ["HEAD /api", 0, [
    "HEAD /api reaches /api (api/route.ts)",
    "  200: GET handles HEAD",
    "  through api/middleware.ts",
  ]],
  ["OPTIONS /api", 1, [
    "OPTIONS /api reaches /api (api/route.ts)",
    "  204: Bough responds automatically",
    "  through api/middleware.ts",
  ]],
  ["PUT /api", 1, [
    "PUT /api reaches /api (api/route.ts)",
    "  405: the route has no handler for PUT, only for GET, POST",
    "  through api/middleware.ts",
  ]],
  ["HEAD /api/forms", 1, [
    "HEAD /api/forms reaches /api/forms (api/forms/route.ts)",
    "  405: the route has no handler for HEAD, only for POST",
    "  through api/middleware.ts",
  ]],
  ["get /api", 1, [
    "get /api reaches /api (api/route.ts)",
    '  501: method "get" is not supported',
    "  through api/middleware.ts",
  ]],
  ["GET /api/users/me", 0, [
    "GET /api/users/me reaches /api/users/me (api/users/me/route.ts)",
    "  through api/middleware.ts > api/users/middleware.ts",
    '  /api/users/[id] also matches, but "me" precedes [id] in segment 3',
    '  /api/users/[...] also matches, but "me" precedes [...] in segment 3',
    '  /api/users/[user]/posts expects "posts" in segment 4, but the path ends there',
  ]],
  ["GET /api/users/a%22b/posts", 0, [
    "GET /api/users/a%22b/posts reaches /api/users/[user]/posts (api/users/[user]/posts/route.ts)",
    '  params.user = "a\\"b"',
    "  through api/middleware.ts > api/users/middleware.ts",
    "  /api/users/[...] also matches, but [user] precedes [...] in segment 3",
    '  /api/users/[id] ends before segment 4, "posts"',
    '  /api/users/me expects "me" in segment 3, but the path has "a"b"',
  ]],
  ["GET /api/users/me/posts/3", 0, [
    "GET /api/users/me/posts/3 reaches /api/users/[...] (api/users/[...]/route.ts)",
    '  wildcardParams = ["me","posts","3"]',
    "  through api/middleware.ts > api/users/middleware.ts",
    '  /api/users/[user]/posts ends before segment 5, "3"',
    '  /api/users/me ends before segment 4, "posts"',
    '  /api/users/[id] ends before segment 4, "posts"',
  ]],
  ["GET /api/files", 1, [
    "GET /api/files gets 404: no route matches the path",
    '  /api/files/css/main expects "css" in segment 3, but the path ends there',
    "  /api/files/[...] expects [...] in segment 3, but the path ends there",
  ]],
  ["/api/users/42/posts?x=1", 0, [
    "GET /api/users/42/posts?x=1 reaches /api/users/[user]/posts (api/users/[user]/posts/route.ts)",
    '  params.user = "42"',
    "  through api/middleware.ts > api/users/middleware.ts",
    "  /api/users/[...] also matches, but [user] precedes [...] in segment 3",
    '  /api/users/[id] ends before segment 4, "posts"',
    '  /api/users/me expects "me" in segment 3, but the path has "42"',
  ]],
  ["DELETE /api", 1, [
    "DELETE /api reaches /api (api/route.ts)",
    "  405: the route has no handler for DELETE, only for GET, POST",
    "  through api/middleware.ts",
  ]],
  ["PURGE /api", 1, [
    "PURGE /api reaches /api (api/route.ts)",
    '  501: method "PURGE" is not supported',
    "  through api/middleware.ts",
  ]],
  ["GET /api/user/42", 1, [
    "GET /api/user/42 gets 404: no route matches the path",
    '  /api/users/me expects "users" in segment 2, but the path has "user"',
    '  /api/users/[id] expects "users" in segment 2, but the path has "user"',
    '  /api/users/[user]/posts expects "users" in segment 2, but the path has "user"',
    '  /api/users/[...] expects "users" in segment 2, but the path has "user"',
  ]],
  ["GET /other", 1, ["GET /other gets 404: no route matches the path"]],
  ["GET /api/%GG", 1, [
    "GET /api/%GG gets 400: A percent escape in the path is malformed",
  ]],
  ["GET /api/files/a%2Fb", 1, [
    "GET /api/files/a%2Fb gets 400: A wildcard segment contains an encoded path separator",
  ]],
];

Deno.test("bough routes --match explains each request", async () => {
  for (const [request, code, lines] of EXPLAINED) {
    const outcome = await boughIn(FOLDER, "routes", "--match", request);
    assertEquals(outcome.stdout.split("\n"), lines, request);
    assertEquals([outcome.code, outcome.stderr], [code, ""], request);
  }
});

Deno.test("bough routes --match omits middleware if there is none", async () => {
  await using folder = await TestFolder.create({ "api/route.ts": GET });
  assertEquals(await boughIn(folder.path, "routes", "--match=/api"), {
    code: 0,
    stdout: "GET /api reaches /api (api/route.ts)",
    stderr: "",
  });
});

Deno.test("bough routes --match --json prints the explanation as JSON, with the same exit code", async () => {
  const match = async (request: string) => {
    const args = ["routes", "--json", "--match", request] as const;
    const { code, stdout } = await boughIn(FOLDER, ...args);
    return { code, ...JSON.parse(stdout) };
  };
  assertEquals(await match("GET /api/users/7/posts"), {
    code: 0,
    status: 200,
    route: "/api/users/[user]/posts",
    file: "api/users/[user]/posts/route.ts",
    params: { user: "7" },
    middleware: ["api/middleware.ts", "api/users/middleware.ts"],
    otherCandidates: [
      {
        route: "/api/users/[...]",
        why: "also matches, but [user] precedes [...] in segment 3",
      },
      { route: "/api/users/[id]", why: 'ends before segment 4, "posts"' },
      {
        route: "/api/users/me",
        why: 'expects "me" in segment 3, but the path has "7"',
      },
    ],
  });
  const { code, status, wildcardParams } = await match("PUT /api/files/a/b");
  assertEquals([code, status, wildcardParams], [1, 405, ["a", "b"]]);
  assertEquals(await match("GET /other"), {
    code: 1,
    status: 404,
    reason: "no route matches the path",
    otherCandidates: [],
  });
  assertEquals(await match("GET /%GG"), {
    code: 1,
    status: 400,
    reason: "A percent escape in the path is malformed",
    otherCandidates: [],
  });
});

Deno.test("bough routes --match prints all routes that match, and the five closest others", async () => {
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  await using folder = await TestFolder.create({
    ...Object.fromEntries(
      names.map((name) => [`api/x/${name}/deep/route.ts`, GET]),
    ),
    "api/x/[id]/route.ts": GET,
    "api/x/[...]/route.ts": GET,
    "api/y/route.ts": GET,
    "api/[one]/[two]/route.ts": GET,
    "api/[one]/[two]/[three]/route.ts": GET,
  });
  const { stdout } = await boughIn(
    folder.path,
    "routes",
    "--json",
    "--match=/api/x/1",
  );
  const { route, otherCandidates } = JSON.parse(stdout);
  assertEquals(
    [route, ...otherCandidates.map(({ route }: { route: string }) => route)],
    [
      "/api/x/[id]",
      "/api/x/[...]",
      "/api/[one]/[two]",
      "/api/[one]/[two]/[three]",
      "/api/x/a/deep",
      "/api/x/b/deep",
      "/api/x/c/deep",
      "/api/x/d/deep",
    ],
  );
});

Deno.test("bough routes --match rejects values that are not requests", async () => {
  for (
    const request of ["x", "GET", "GET api", "GET /a b", "(GET) /", "@ /a"]
  ) {
    const outcome = await boughIn(FOLDER, "routes", "--match", request);
    assertEquals([outcome.code, outcome.stdout], [2, ""], request);
    assertEquals(
      outcome.stderr.split("\n")[0],
      `bough routes: --match must be a method and a path, such as "GET /api/users/42", got "${request}"`,
    );
  }
});
