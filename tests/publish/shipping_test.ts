import {
  assert,
  assertEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { Framework } from "@bough/framework";
import { fromFileUrl, join } from "@std/path";
import { boughIn } from "../cli/support.ts";
import { TestFolder } from "../support/application.ts";
import { DenoProcess, freePort } from "../support/process.ts";

const CONFIG = fromFileUrl(new URL("../../deno.json", import.meta.url));

const FILES = {
  "api/middleware.ts": `
    export default async (_request, next) => {
      const response = await next();
      response.headers.set("x-through", "middleware");
      return response;
    };`,
  "api/route.ts": `export const GET = () => new Response("root");`,
  "api/users/[id]/route.ts": `
    export function GET({ params }) { return Response.json(params); }
    export async function POST(request) { return Response.json(await request.json()); }`,
  "api/notes/route.ts": `
    import { z } from "zod";
    export const schema = { post: { body: z.object({ text: z.string() }) } };
    export async function POST(request) {
      return Response.json([request.validated.body, await request.text()]);
    }`,
  "api/search/route.ts": `
    import { z } from "zod";
    const page = z.coerce.number();
    const query = z.union([
      z.object({ tag: z.array(z.string()), page }),
      z.object({ tag: z.array(z.string()), at: z.string() }),
    ]);
    export const schema = {
      get: { query, response: { 200: z.object({ tag: z.array(z.string()) }) } },
      post: { body: z.object({ tag: z.array(z.string()) }) },
    };
    export function GET({ validated }) {
      return Response.json({ tag: validated.query.tag });
    }
    export function POST({ validated }) { return Response.json(validated.body); }`,
  "api/(group)/files/[...]/route.ts":
    `export const GET = ({ wildcardParams }) => Response.json(wildcardParams);`,
};

/** Runs Deno in a folder, and returns its standard output. It must succeed. */
async function deno(folder: string, args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: folder,
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) =>
    new TextDecoder().decode(bytes)
  );
  assert(success, `${out}${err}`);
  return out!;
}

/** Sends requests with every kind of response to a server. */
async function assertAnswers(port: number): Promise<void> {
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    const text = await response.text();
    return [response.status, response.headers.get("x-through"), text];
  };
  const through = "middleware";
  const json = { "content-type": "application/json" };
  const post = (body: string) => ({ method: "POST", headers: json, body });
  assertEquals(await call("/api"), [200, through, "root"]);
  assertEquals(await call("/api/users/4%202"), [200, through, '{"id":"4 2"}']);
  assertEquals(await call("/api/users/1", post("[1]")), [200, through, "[1]"]);
  assertEquals(await call("/api/files/a/b"), [200, through, '["a","b"]']);
  assertEquals(await call("/api/notes", post('{"text":"x"}')), [
    200,
    through,
    '[{"text":"x"},"{\\"text\\":\\"x\\"}"]',
  ]);
  assertEquals((await call("/api/notes", post("{}")))[0], 400);
  assertEquals(await call("/api/search?tag=a&tag=b&page=1"), [
    200,
    through,
    '{"tag":["a","b"]}',
  ]);
  const gzip = new Blob(['{"text":"x"}']).stream()
    .pipeThrough(new CompressionStream("gzip"));
  const packed = {
    method: "POST",
    headers: { ...json, "content-encoding": "gzip" },
    body: await new Response(gzip).bytes(),
  };
  assertEquals((await call("/api/notes", packed))[0], 200);
  const form = (origin: string) => ({
    method: "POST",
    headers: { origin },
    body: new URLSearchParams("tag=a&tag=b"),
  });
  assertEquals(await call("/api/search", form(`http://127.0.0.1:${port}`)), [
    200,
    through,
    '{"tag":["a","b"]}',
  ]);
  assertEquals((await call("/api/search", form("http://a.example")))[0], 403);
  assertEquals((await call("/api/users/1", post("{")))[0], 400);
  assertEquals((await call("/api/files"))[0], 404);
  assertEquals((await call("/api/files/a%2Fb"))[0], 400);
  assertEquals((await call("/api", { method: "DELETE" }))[0], 405);
  assertEquals((await call("/api", { method: "OPTIONS" }))[0], 204);
  const head = await call("/api/users/1", { method: "HEAD" });
  assertEquals(head, [200, through, ""]);
  const large = post(JSON.stringify("x".repeat(2_000_000)));
  assertEquals((await call("/api/users/1", large))[0], 413);
}

/** Serves `main.ts` of a folder, and checks its responses. */
async function assertServes(
  folder: string,
  port: number,
  flags: readonly string[],
  main = "main.ts",
): Promise<void> {
  await using process = new DenoProcess(folder, flags, main);
  await process.printed("Listening");
  await assertAnswers(port);
}

function mainWith(port: number, options: string, head = ""): string {
  return `${head}
import { Framework } from "@bough/framework";
const app = new Framework({ ${options} });
await app.serve({ port: ${port}, hostname: "127.0.0.1" });
`;
}

const IMPORT_MANIFEST = 'import manifest from "./api.manifest.ts";';

for (const lazy of [false, true]) {
  Deno.test(`a manifest needs only permission for the network (lazy: ${lazy})`, async () => {
    const port = freePort();
    await using folder = await TestFolder.create({
      ...FILES,
      "main.ts": mainWith(port, `manifest, lazy: ${lazy}`, IMPORT_MANIFEST),
    });
    const options = lazy ? ["--lazy"] : [];
    await boughIn(folder.path, "build", "-o", "api.manifest.ts", ...options);
    await assertServes(folder.path, port, [`--allow-net=127.0.0.1:${port}`]);
  });
}

Deno.test("one bundled file serves without its sources", async () => {
  const port = freePort();
  await using folder = await TestFolder.create({
    ...FILES,
    "main.ts": mainWith(port, "manifest", IMPORT_MANIFEST),
  });
  await boughIn(folder.path, "build", "-o", "api.manifest.ts");
  const args = ["bundle", "--config", CONFIG, "main.ts", "-o", "bundled.js"];
  await deno(folder.path, args);
  await using alone = await TestFolder.create({
    "bundled.js": await Deno.readTextFile(join(folder.path, "bundled.js")),
  });
  await assertServes(
    alone.path,
    port,
    [`--allow-net=127.0.0.1:${port}`],
    "bundled.js",
  );
});

Deno.test("the bundle serves in Node, with an adapter of node:http", async () => {
  const port = freePort();
  await using folder = await TestFolder.create({
    ...FILES,
    "main.ts": `
      import { createServer } from "node:http";
      import { createRequestListener } from "npm:@remix-run/node-fetch-server@0.14.2";
      import { Framework } from "@bough/framework";
      ${IMPORT_MANIFEST}
      const app = new Framework({ manifest });
      createServer(createRequestListener((request) => app.fetch(request)))
        .listen(${port}, "127.0.0.1", () => console.log("Listening"));
    `,
  });
  await boughIn(folder.path, "build", "-o", "api.manifest.ts");
  const args = ["bundle", "--config", CONFIG, "main.ts", "-o", "bundled.mjs"];
  await deno(folder.path, args);
  const node = new Deno.Command("node", {
    args: ["bundled.mjs"],
    cwd: folder.path,
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  try {
    const reader = node.stdout.getReader();
    const { value } = await reader.read();
    assertStringIncludes(new TextDecoder().decode(value), "Listening");
    await assertAnswers(port);
    await reader.cancel();
  } finally {
    node.kill();
    await node.status;
  }
});

Deno.test("Deno's graph has every route that load imports", async () => {
  const port = freePort();
  const load = "load: (_dir, path) => import(`./api/${path}`)";
  await using folder = await TestFolder.create({
    ...FILES,
    "main.ts": mainWith(port, `apiDir: "api", ${load}`),
  });
  const args = ["info", "--json", "--config", CONFIG, "main.ts"];
  const { modules } = JSON.parse(await deno(folder.path, args));
  const known = modules.map(({ specifier }: { specifier: string }) =>
    decodeURI(specifier)
  );
  for (const path of Object.keys(FILES)) {
    assert(known.some((url: string) => url.endsWith(`/${path}`)), path);
  }
  await assertServes(folder.path, port, [
    "--allow-read=api",
    `--allow-net=127.0.0.1:${port}`,
  ]);
});

Deno.test("load may import some files, and Bough imports the others", async () => {
  const port = freePort();
  const load =
    "load: (dir, path) => path.endsWith('/route.ts') ? import(`./api/${dir}/route.ts`) : undefined";
  await using folder = await TestFolder.create({
    ...FILES,
    "main.ts": mainWith(port, `apiDir: "api", ${load}`),
  });
  await assertServes(folder.path, port, [
    "--allow-read=api",
    `--allow-net=127.0.0.1:${port}`,
  ]);
});

Deno.test("bough new makes a project that passes its tests, and only in an empty folder", async () => {
  await using folder = await TestFolder.create({ "full/file.txt": "kept" });
  const made = await boughIn(folder.path, "new", "my project");
  assertEquals(made.code, 0);
  assertStringIncludes(made.stdout, 'cd "my project"');
  const project = join(folder.path, "my project");

  // The package stands in for its published self; so do those of jsr.io.
  const config = JSON.parse(await Deno.readTextFile(CONFIG));
  const own = JSON.parse(await Deno.readTextFile(join(project, "deno.json")));
  assertStringIncludes(own.imports["@bough/framework"], config.version);
  const root = fromFileUrl(new URL("../../", import.meta.url));
  own.imports = {
    ...config.imports,
    "#types": own.imports["#types"],
    ...Object.fromEntries(
      Object.entries<string>(config.exports).map(([name, path]) => [
        join("@bough/framework", name),
        join(root, path),
      ]),
    ),
  };
  own.vendor = true;
  await Deno.symlink(join(root, "vendor"), join(project, "vendor"));
  await Deno.writeTextFile(
    join(project, "deno.json"),
    JSON.stringify(own, null, 2) + "\n",
  );
  // `tests/type_check/` checks the types of the project.
  for (
    const args of [
      ["task", "test", "--no-check"],
      ["fmt", "--check"],
      ["lint"],
    ]
  ) await deno(project, args);
  assertEquals((await boughIn(project, "check", "api")).code, 0);

  for (const name of ["my project", "full", "full/file.txt"]) {
    const again = await boughIn(folder.path, "new", name);
    assertEquals(again.code, 2);
    assertStringIncludes(again.stderr, "is not an empty folder");
  }
  assertEquals(
    await Deno.readTextFile(join(folder.path, "full/file.txt")),
    "kept",
  );
});

Deno.test("new Framework() rejects a wrong manifest or load, and a manifest with a folder", () => {
  for (
    const [options, message] of [
      [{ manifest: [] }, "manifest must be the default export of a module"],
      [{ manifest: {}, apiDir: "api" }, "replaces apiDir"],
      [{ apiDir: "api", load: "x" }, "load must be a function"],
    ] as const
  ) {
    assertThrows(() => new Framework(options as never), TypeError, message);
  }
});
