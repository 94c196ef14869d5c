import { assertEquals } from "@std/assert";
import { call, fixture } from "./support.ts";

const GET = `export const GET = () => new Response("x");`;
const FOLDER = fixture("users");

/** Requests, with the exit code and the printed lines of each. */
const EXPLAINED: readonly (readonly [string, number, readonly string[]])[] = [
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
    const outcome = await call(FOLDER, "routes --match", request);
    assertEquals(outcome, { code, stdout: lines.join("\n"), stderr: "" });
  }
  // Without middleware.
  const alone = { "api/route.ts": GET };
  assertEquals(await call(alone, "routes --match=/api"), {
    code: 0,
    stdout: "GET /api reaches /api (api/route.ts)",
    stderr: "",
  });
});

Deno.test("bough routes --match --json prints the explanation as JSON, with the same exit code", async () => {
  const match = async (request: string) => {
    const { code, stdout } = await call(
      FOLDER,
      "routes --json --match",
      request,
    );
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
  for (
    const [request, status, reason] of [
      ["GET /other", 404, "no route matches the path"],
      ["GET /%GG", 400, "A percent escape in the path is malformed"],
    ] as const
  ) {
    const found = await match(request);
    assertEquals(found, { code: 1, status, reason, otherCandidates: [] });
  }
});

Deno.test("bough routes --match prints all routes that match, and the five closest others", async () => {
  const others = ["a", "b", "c", "d", "e", "f", "g"].map((name) =>
    `x/${name}/deep`
  );
  const matching = ["x/[id]", "x/[...]", "[one]/[two]"];
  const all = [...others, ...matching, "y", "[one]/[two]/[three]"];
  const files = all.map((folder) => [`api/${folder}/route.ts`, GET]);
  const line = "routes --json --match=/api/x/1";
  const { stdout } = await call(Object.fromEntries(files), line);
  const { route, otherCandidates } = JSON.parse(stdout);
  assertEquals(
    [route, ...otherCandidates.map(({ route }: { route: string }) => route)],
    [...matching, "[one]/[two]/[three]", ...others.slice(0, 4)]
      .map((path) => `/api/${path}`),
  );
});
