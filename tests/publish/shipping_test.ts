import { assert, assertEquals, assertStringIncludes } from "@std/assert";
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

const JSON_TYPE = { "content-type": "application/json" };

function post(body: BodyInit, headers = {}): RequestInit {
  return { method: "POST", headers: { ...JSON_TYPE, ...headers }, body };
}

function form(origin: string): RequestInit {
  const body = new URLSearchParams("tag=a&tag=b");
  return { method: "POST", headers: { origin }, body };
}

/** Sends requests with every kind of response to a server. */
async function assertAnswers(port: number): Promise<void> {
  const origin = `http://127.0.0.1:${port}`;
  const gzip = new Blob(['{"text":"x"}']).stream()
    .pipeThrough(new CompressionStream("gzip"));
  const packed = await new Response(gzip).bytes();
  const note = '[{"text":"x"},"{\\"text\\":\\"x\\"}"]';
  const tags = '{"tag":["a","b"]}';
  const large = JSON.stringify("x".repeat(2_000_000));
  for (
    const [path, init, status, text] of [
      ["/api", {}, 200, "root"],
      ["/api/users/4%202", {}, 200, '{"id":"4 2"}'],
      ["/api/users/1", { method: "HEAD" }, 200, ""],
      ["/api/users/1", post("[1]"), 200, "[1]"],
      ["/api/users/1", post("{"), 400],
      ["/api/users/1", post(large), 413],
      ["/api/files/a/b", {}, 200, '["a","b"]'],
      ["/api/files", {}, 404],
      ["/api/files/a%2Fb", {}, 400],
      ["/api/notes", post('{"text":"x"}'), 200, note],
      ["/api/notes", post(packed, { "content-encoding": "gzip" }), 200],
      ["/api/notes", post("{}"), 400],
      ["/api/search?tag=a&tag=b&page=1", {}, 200, tags],
      ["/api/search", form(origin), 200, tags],
      ["/api/search", form("http://a.example"), 403],
      ["/api", { method: "DELETE" }, 405],
      ["/api", { method: "OPTIONS" }, 204],
    ] satisfies [string, RequestInit, number, string?][]
  ) {
    const response = await fetch(origin + path, init);
    const { headers } = response;
    const seen = [response.status, headers.get("x-through")];
    const body = await response.text();
    assertEquals(
      text === undefined ? seen[0] : [...seen, body],
      text === undefined ? status : [status, "middleware", text],
      `${init.method ?? "GET"} ${path}`,
    );
  }
}

/** Serves `main.ts` of a folder, and checks its responses. */
async function assertServes(
  folder: string,
  port: number,
  { main = "main.ts", flags = [] as string[] } = {},
): Promise<void> {
  const all = [`--allow-net=127.0.0.1:${port}`, ...flags];
  await using process = new DenoProcess(folder, all, main);
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

/** An application with a manifest. */
async function withManifest(
  main: string,
  ...options: readonly string[]
): Promise<TestFolder> {
  const folder = await TestFolder.create({ ...FILES, "main.ts": main });
  await boughIn(folder.path, "build", "-o", "api.manifest.ts", ...options);
  return folder;
}

/** Bundles the program of a folder into one file. */
async function bundle(folder: TestFolder, output: string): Promise<void> {
  const args = ["bundle", "--config", CONFIG, "main.ts", "-o", output];
  await deno(folder.path, args);
}

for (const lazy of [false, true]) {
  Deno.test(`a manifest needs only permission for the network (lazy: ${lazy})`, async () => {
    const port = freePort();
    const main = mainWith(port, `manifest, lazy: ${lazy}`, IMPORT_MANIFEST);
    await using folder = await withManifest(main, ...(lazy ? ["--lazy"] : []));
    await assertServes(folder.path, port);
  });
}

Deno.test("one bundled file serves without its sources", async () => {
  const port = freePort();
  const main = mainWith(port, "manifest", IMPORT_MANIFEST);
  await using folder = await withManifest(main);
  await bundle(folder, "bundled.js");
  await using alone = await TestFolder.create({
    "bundled.js": await Deno.readTextFile(join(folder.path, "bundled.js")),
  });
  await assertServes(alone.path, port, { main: "bundled.js" });
});

Deno.test("the bundle serves in Node, with an adapter of node:http", async () => {
  const port = freePort();
  await using folder = await withManifest(`
    import { createServer } from "node:http";
    import { createRequestListener } from "npm:@remix-run/node-fetch-server@0.14.2";
    import { Framework } from "@bough/framework";
    ${IMPORT_MANIFEST}
    const app = new Framework({ manifest });
    createServer(createRequestListener((request) => app.fetch(request)))
      .listen(${port}, "127.0.0.1", () => console.log("Listening"));
  `);
  await bundle(folder, "bundled.mjs");
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

const ALL = "(_dir, path) => import(`./api/${path}`)";
const ONLY_ROUTES =
  "(dir, path) => path.endsWith('/route.ts') ? import(`./api/${dir}/route.ts`) : undefined";

for (
  const [name, load, known] of [
    ["load imports all files, which Deno's graph has", ALL, FILES],
    ["load imports some files, and Bough the others", ONLY_ROUTES, {}],
  ] as const
) {
  Deno.test(name, async () => {
    const port = freePort();
    await using folder = await TestFolder.create({
      ...FILES,
      "main.ts": mainWith(port, `apiDir: "api", load: ${load}`),
    });
    const args = ["info", "--json", "--config", CONFIG, "main.ts"];
    const graph = decodeURI(await deno(folder.path, args));
    for (const path of Object.keys(known)) {
      assertStringIncludes(graph, `${folder.path}/${path}"`);
    }
    await assertServes(folder.path, port, { flags: ["--allow-read=api"] });
  });
}

Deno.test("bough new makes a project that passes its tests", async () => {
  await using folder = await TestFolder.create({});
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
});
