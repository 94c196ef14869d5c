/** The plugin `files()` (behaviour 8.12 and 10.5). */
import { Framework, type FrameworkOptions } from "@bough/framework";
import { files, type FilesOptions } from "@bough/framework/files";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
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
  "style.css": "a folder is no neighbour",
  "style.css.br/a.txt": "a",
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
  await folder.link({ "current.css": "assets/a-1.css" });
  const app = new Framework({
    manifest: {},
    plugins: [files({
      dir: folder.path,
      immutable: ["assets"],
      headers: (path) => path === "index.html" ? { vary: "x" } : {},
    })],
  });
  const names = ["cache-control", "content-encoding", "content-type", "vary"];
  for (
    const [path, coding, expected] of [
      ["/", "br", "no-cache|-|text/html|x, accept-encoding"],
      ["/app.js", "gzip, br", "no-cache|br|text/javascript|accept-encoding"],
      [
        "/app.js",
        "gzip, br;q=0",
        "no-cache|gzip|text/javascript|accept-encoding",
      ],
      ["/app.js", "identity", "no-cache|-|text/javascript|accept-encoding"],
      ["/app.js", "", "no-cache|-|text/javascript|accept-encoding"],
      [
        "/app.js.br",
        "br",
        "no-cache|-|application/octet-stream|accept-encoding",
      ],
      ["/style.css", "br", "no-cache|-|text/css|accept-encoding"],
      // The link may lead to another file tomorrow.
      ["/current.css", "", "no-cache|-|text/css|accept-encoding"],
      [
        "/assets/a-1.css",
        "",
        "public, max-age=31536000, immutable|-|text/css|accept-encoding",
      ],
    ] as const
  ) {
    const headers = { "accept-encoding": coding };
    const response = await app.fetch(
      new Request(`http://localhost${path}`, { headers }),
    );
    await response.body?.cancel();
    const seen = names.map((name) => response.headers.get(name) ?? "-");
    assertEquals(
      seen.join("|").replace("; charset=UTF-8", ""),
      expected,
      path + coding,
    );
  }
});

Deno.test("a file that disappears during a request is missing", async () => {
  await using folder = await TestFolder.create({});
  const app = new Framework({
    manifest: {},
    plugins: [files({ dir: folder.path })],
  });
  const path = `${folder.path}/a.txt`;
  const statuses = new Set<number>();
  for (let count = 0; count < 100; count++) {
    await Deno.writeTextFile(path, "a");
    const sent = app.fetch(new Request("http://localhost/a.txt"));
    await Deno.remove(path);
    const response = await sent;
    await response.text().catch(() => {});
    statuses.add(response.status);
  }
  assertEquals(
    [...statuses].filter((each) => each !== 200 && each !== 404),
    [],
  );
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
    }, { dir: "a", immutable: ["/assets"] }]
  ) {
    assertThrows(
      () => files(options as FilesOptions),
      TypeError,
      "serve files",
    );
  }
});
