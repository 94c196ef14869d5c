import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join, relative } from "@std/path";
import { Framework } from "@bough/framework";
import { checkContracts } from "@bough/framework/testing";
import { walk } from "@std/fs/walk";
import { app } from "./main.ts";

const PUBLIC = new URL("./public/", import.meta.url);
const STYLE = await Deno.readTextFile(new URL("style.css", PUBLIC));

interface GetOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly of?: Framework;
}

/** Requests an unchanged path; `fetch` would resolve its dots. */
async function get(
  path: string,
  { method = "GET", headers = {}, of = app }: GetOptions = {},
): Promise<Response> {
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using server = await of.serve(options);
  using connection = await Deno.connect({
    hostname: "127.0.0.1",
    port: server.addr.port,
  });
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "Host: localhost",
    "Connection: close",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const text = new TextEncoder().encode(lines.join("\r\n") + "\r\n\r\n");
  const writer = connection.writable.getWriter();
  await writer.write(text);
  writer.releaseLock();
  const received = await new Response(connection.readable).text();
  const [head, ...body] = received.split("\r\n\r\n");
  const [status, ...fields] = head!.split("\r\n");
  return new Response(body.join("\r\n\r\n") || null, {
    status: Number(status!.split(" ")[1]),
    headers: fields.map((field) => field.split(": ") as [string, string]),
  });
}

Deno.test("files have their types, at the root and below", async () => {
  for (
    const [path, type, text] of [
      ["/style.css", "text/css; charset=UTF-8", /^h1 /],
      ["/", "text/html; charset=UTF-8", /Hello!/],
      ["/docs/", "text/html; charset=UTF-8", /Docs/],
      ["/docs/index.html", "text/html; charset=UTF-8", /Docs/],
    ] as const
  ) {
    const response = await get(path);
    assertEquals(response.status, 200, path);
    assertEquals(response.headers.get("content-type"), type);
    assertEquals(response.headers.get("x-content-type-options"), "nosniff");
    assertMatch(await response.text(), text);
  }
});

Deno.test("the path of a folder redirects to the path with a slash", async () => {
  for (const path of ["/docs", "//docs", "/%64ocs?x=1"]) {
    const response = await get(path);
    assertEquals(response.status, 308);
    const location = response.headers.get("location")!;
    const target = new URL(location, `http://localhost${path}`);
    assertEquals(target.host, "localhost");
    assertMatch(target.pathname, /^\/+(?:d|%64)ocs\/$/);
    assertEquals((await get(target.pathname)).status, 200);
  }
});

Deno.test("the recipe works below a folder and a prefix, and passes contract tests", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await copyTo(folder);
    const below = join(folder, "api", "site");
    await Deno.rename(join(folder, "api"), join(folder, "site"));
    await Deno.mkdir(join(folder, "api"));
    await Deno.rename(join(folder, "site"), below);
    const route = join(below, "[...]", "route.ts");
    const code = await Deno.readTextFile(route);
    const moved = code.replace("../../folder.ts", "../../../folder.ts");
    await Deno.writeTextFile(route, moved);
    await Deno.writeTextFile(
      join(below, "middleware.ts"),
      `export const contract = { response: { 401: {} } };
export default (_request, next) => next();`,
    );
    const copy = new Framework({ apiDir: join(folder, "api") });
    const response = await get("/api/site/docs", { of: copy });
    assertEquals(response.headers.get("location"), "./docs/");
    const { failures } = await checkContracts(copy, { seed: 7, runs: 20 });
    assertEquals(failures, []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("HEAD gets only headers", async () => {
  const response = await get("/style.css", { method: "HEAD" });
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("content-length"), String(STYLE.length));
  assertEquals(await response.text(), "");
});

Deno.test("a browser that has the file gets 304", async () => {
  const { headers } = await get("/style.css");
  assertEquals(headers.get("cache-control"), "no-cache");
  const tag = headers.get("etag")!;
  const same = await get("/style.css", { headers: { "If-None-Match": tag } });
  assertEquals([same.status, await same.text()], [304, ""]);
  const since = headers.get("last-modified")!;
  assertEquals(
    (await get("/style.css", { headers: { "If-Modified-Since": since } }))
      .status,
    304,
  );
  assertEquals(
    (await get("/style.css", { headers: { "If-None-Match": '"other"' } }))
      .status,
    200,
  );
  const long = { "If-None-Match": `"x"${" ".repeat(60_000)}"y"` };
  assertEquals((await get("/style.css", { headers: long })).status, 431);
});

Deno.test("a client can request a part of a file", async () => {
  const part = await get("/style.css", { headers: { Range: "bytes=5-9" } });
  assertEquals(part.status, 206);
  assertEquals(part.headers.get("content-range"), `bytes 5-9/${STYLE.length}`);
  assertEquals(await part.text(), STYLE.slice(5, 10));
  const last = await get("/style.css", { headers: { Range: "bytes=-3" } });
  assertEquals(await last.text(), STYLE.slice(-3));
  const beyond = await get("/style.css", {
    headers: { Range: `bytes=${STYLE.length}-` },
  });
  assertEquals(beyond.status, 416);
  assertEquals(beyond.headers.get("content-range"), `bytes */${STYLE.length}`);
  // The client has a part of another version.
  const resumed = { "Range": "bytes=5-9", "If-Range": '"other"' };
  const whole = await get("/style.css", { headers: resumed });
  assertEquals([whole.status, await whole.text()], [200, STYLE]);
});

Deno.test("a path outside the folder gets 400 or 404", async () => {
  for (
    const path of [
      "/../main.ts",
      "/%2e%2e/main.ts",
      "/docs/../../main.ts",
      "/..%2Fmain.ts",
      "/..%5Cmain.ts",
      "/docs/%2e%2e/%2e%2e/main.ts",
      "//etc/passwd",
      "/main.ts",
      "/style.css/below",
      "/style.css%00.html",
      `/${"x".repeat(300)}`,
    ]
  ) {
    const { status } = await get(path);
    assertEquals([400, 404].includes(status), true, `${path}: ${status}`);
  }
});

Deno.test("dotfiles and links that lead out of the folder get 404", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await copyTo(folder);
    await Deno.writeTextFile(join(folder, "public", ".env"), "SECRET=1");
    await Deno.symlink("../api/route.ts", join(folder, "public", "out.txt"));
    await Deno.symlink("style.css", join(folder, "public", "in.css"));
    const copy = new Framework({ apiDir: join(folder, "api"), apiPrefix: "" });
    assertEquals((await get("/.env", { of: copy })).status, 404);
    assertEquals((await get("/out.txt", { of: copy })).status, 404);
    assertEquals((await get("/in.css", { of: copy })).status, 200);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Copies the recipe, so that a test may write into its folder. */
async function copyTo(folder: string): Promise<void> {
  const recipe = fromFileUrl(new URL(".", import.meta.url));
  for await (const { path, isDirectory } of walk(recipe)) {
    const target = join(folder, relative(recipe, path));
    if (isDirectory) await Deno.mkdir(target, { recursive: true });
    else await Deno.copyFile(path, target);
  }
}

Deno.test("PUT gets 405", async () => {
  const response = await get("/style.css", { method: "PUT" });
  assertEquals(response.status, 405);
  assertEquals(response.headers.get("allow"), "GET, HEAD, OPTIONS");
});
