/** The plugin `files()` (behaviour 8.12 and 10.5). */
import { Framework, type FrameworkOptions } from "@bough/framework";
import { files, type FilesOptions } from "@bough/framework/files";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { toFileUrl } from "@std/path";
import { CapturedLog, TestFolder } from "../support/application.ts";

const FILES = {
  "index.html": "home",
  "app.js": "script",
  "app.js.br": "brotli",
  "app.js.gz": "gzip",
  "assets/a-1.css": "style",
  "docs/index.html": "docs",
  "empty/other.txt": "other",
  "users": "hidden by a route",
};
const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

type Row = readonly [
  request: string,
  expected: string | number,
  headers?: Readonly<Record<string, string>>,
];

/** Sends requests such as `"HEAD /a"`; a string is a body with 200. */
async function assertRows(
  rows: readonly Row[],
  options: Partial<FilesOptions> = {},
  { plugins = [], ...others }: Partial<FrameworkOptions> = {},
): Promise<void> {
  await using folder = await TestFolder.create(FILES);
  const app = new Framework({
    manifest: { "users/route.ts": { GET: () => new Response("route") } },
    plugins: [files({ dir: folder.path, ...options }), ...plugins],
    ...others,
  } as FrameworkOptions);
  for (const [request, expected, headers = {}] of rows) {
    const [method, path] = request.split(" ") as [string, string];
    const response = await app.fetch(
      new Request(`http://localhost${path}`, { method, headers }),
    );
    const body = await response.text();
    const seen = response.status === 200 ? body : response.status;
    assertEquals(seen, expected, request);
  }
}

Deno.test("routes, the prefix and other plugins come before files", async () => {
  const other = {
    name: "other",
    routes: () => [{
      path: "/app.js",
      handlers: { GET: () => new Response("other") },
    }],
  };
  await assertRows(
    [
      ["GET /api/users", "route"],
      ["GET /users", "hidden by a route"],
      ["GET /app.js", "other"],
      ["GET /%61pi/unknown", 404, HTML],
      ["GET /api", 404, HTML],
      ["GET /apis", "home", HTML],
    ],
    { fallback: "index.html" },
    { plugins: [other] },
  );
  await assertRows(
    [
      ["GET /users", "route"],
      ["GET /app.js", "script"],
      ["POST /users", 405],
      ["GET /unknown", "not found"],
    ],
    {},
    { apiPrefix: "", onNotFound: () => new Response("not found") },
  );
});

Deno.test("a folder serves its index, and files have the methods of a GET", async () => {
  const rows: readonly Row[] = [
    ["GET /", "home"],
    ["HEAD /", ""],
    ["GET /docs/", "docs"],
    ["GET /docs", 308],
    ["GET /empty/", 404],
    ["GET /app.js/", 404],
    ["OPTIONS /app.js", 204],
    ["POST /app.js", 405],
    ["POST /unknown", 404],
  ];
  await assertRows(rows);
  const below = rows.map(([request, ...rest]): Row => [
    request.replace("/", "/a/b/"),
    ...rest,
  ]);
  await assertRows([...below, ["GET /a/b", 308], ["GET /app.js", 404]], {
    at: "/a/b/",
  });
});

Deno.test("the fallback is for pages alone", async () => {
  await assertRows([
    ["GET /deep/link", "home", HTML],
    ["HEAD /deep/link", "", HTML],
    ["GET /deep/link", 404],
    ["GET /deep/link", 404, { accept: "*/*" }],
    ["GET /deep/link", 404, { accept: "text/html;q=0, */*" }],
    ["GET /assets/old.js", 404, { accept: "*/*" }],
    ["POST /deep/link", 404, HTML],
  ], { fallback: "index.html" });
});

Deno.test("headers say what caches may keep, and which coding was sent", async () => {
  await using folder = await TestFolder.create(FILES);
  const app = new Framework({
    manifest: {},
    plugins: [files({
      dir: folder.path,
      immutable: ["assets"],
      headers: (path) =>
        path.endsWith(".html") ? { "x-policy": path, "vary": "x" } : {},
    })],
  });
  const headersOf = async (path: string, coding = "") => {
    const { headers, body } = await app.fetch(
      new Request(`http://localhost${path}`, {
        headers: { "accept-encoding": coding },
      }),
    );
    await body?.cancel();
    return ["cache-control", "content-encoding", "content-type", "vary"]
      .map((name) => headers.get(name)).concat(headers.get("x-policy") ?? []);
  };
  const lasting = "public, max-age=31536000, immutable";
  const script = "text/javascript; charset=UTF-8";
  for (
    const [path, coding, ...expected] of [
      [
        "/",
        "br",
        "no-cache",
        null,
        "text/html; charset=UTF-8",
        "x",
        "index.html",
      ],
      [
        "/assets/a-1.css",
        "",
        lasting,
        null,
        "text/css; charset=UTF-8",
        "accept-encoding",
      ],
      ["/app.js", "gzip, br", "no-cache", "br", script, "accept-encoding"],
      [
        "/app.js",
        "gzip, br;q=0",
        "no-cache",
        "gzip",
        script,
        "accept-encoding",
      ],
      ["/app.js", "identity", "no-cache", null, script, "accept-encoding"],
      [
        "/app.js.br",
        "br",
        "no-cache",
        null,
        "application/octet-stream",
        "accept-encoding",
      ],
    ] as const
  ) {
    assertEquals(await headersOf(path, coding), [...expected], path + coding);
  }
});

Deno.test("a missing folder causes a warning, and a wrong option an error", async () => {
  using log = new CapturedLog();
  await using folder = await TestFolder.create({});
  const app = new Framework({
    manifest: {},
    plugins: [files({ dir: `${folder.path}/none` })],
  });
  const response = await app.fetch(new Request("http://localhost/a"));
  assertEquals(response.status, 404);
  assertStringIncludes(log.lines.join(), "does not exist");
  for (
    const options of [{}, { dir: new URL("http://a/") }, {
      dir: "a",
      at: "app",
    }, {
      dir: "a",
      root: "b",
    }]
  ) {
    assertThrows(
      () => files(options as FilesOptions),
      TypeError,
      "serve files",
    );
  }
});
