import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { bough } from "../cli/support.ts";
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
    export const config = { rawBody: true };
    export async function POST(request) {
      return Response.json([request.validated.body, await request.text()]);
    }`,
  "api/(group)/files/[...]/route.ts":
    `export const GET = ({ wildcardParams }) => Response.json(wildcardParams);`,
};

/** Asks a server for every kind of answer. */
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

/** Serves `main.ts` of a folder until its answers were looked at. */
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
  Deno.test(`a manifest needs no permission but the network's (lazy: ${lazy})`, async () => {
    const port = freePort();
    await using folder = await TestFolder.create({
      ...FILES,
      "main.ts": mainWith(port, `manifest, lazy: ${lazy}`, IMPORT_MANIFEST),
    });
    const options = lazy ? ["--lazy"] : [];
    await bough(folder.path, "build", "-o", "api.manifest.ts", ...options);
    await assertServes(folder.path, port, [`--allow-net=127.0.0.1:${port}`]);
  });
}

Deno.test("one bundled file serves without its sources", async () => {
  const port = freePort();
  await using folder = await TestFolder.create({
    ...FILES,
    "main.ts": mainWith(port, "manifest", IMPORT_MANIFEST),
  });
  await bough(folder.path, "build", "-o", "api.manifest.ts");
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--config", CONFIG, "main.ts", "-o", "bundled.js"],
    cwd: folder.path,
  }).output();
  assert(success, new TextDecoder().decode(stderr));
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

Deno.test("the bundle serves in Node, by a known adapter of node:http", async () => {
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
  await bough(folder.path, "build", "-o", "api.manifest.ts");
  const bundled = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--config", CONFIG, "main.ts", "-o", "bundled.mjs"],
    cwd: folder.path,
  }).output();
  assert(bundled.success, new TextDecoder().decode(bundled.stderr));
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

Deno.test("an import in the user's own module holds every route in Deno's graph", async () => {
  const port = freePort();
  const load = "load: (_dir, path) => import(`./api/${path}`)";
  await using folder = await TestFolder.create({
    ...FILES,
    "main.ts": mainWith(port, `apiDir: "api", ${load}`),
  });
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--config", CONFIG, "main.ts"],
    cwd: folder.path,
  }).output();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout));
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

Deno.test("an import by folder alone leaves the rest to Bough", async () => {
  const port = freePort();
  const load = "load: (dir) => import(`./api/${dir}/route.ts`)";
  await using folder = await TestFolder.create({
    ...FILES,
    "main.ts": mainWith(port, `apiDir: "api", ${load}`),
  });
  await assertServes(folder.path, port, [
    "--allow-read=api",
    `--allow-net=127.0.0.1:${port}`,
  ]);
});

Deno.test("bough new makes a project that passes its own test, and is not made twice", async () => {
  await using folder = await TestFolder.create({ "full/file.txt": "kept" });
  const made = await bough(folder.path, "new", "my project");
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
  await Deno.writeTextFile(join(project, "deno.json"), JSON.stringify(own));
  for (
    const args of [["task", "test"], ["check"], ["fmt", "--check"], ["lint"]]
  ) {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: args[0] === "fmt"
        ? [...args, "api", "dev.ts", "main.ts", "main_test.ts"]
        : args,
      cwd: project,
    }).output();
    const decoder = new TextDecoder();
    assertEquals(code, 0, decoder.decode(stdout) + decoder.decode(stderr));
  }
  assertEquals((await bough(project, "check", "api")).code, 0);

  for (const name of ["my project", "full", "full/file.txt"]) {
    const again = await bough(folder.path, "new", name);
    assertEquals(again.code, 2);
    assertStringIncludes(again.stderr, "is not an empty folder");
  }
  assertEquals(
    await Deno.readTextFile(join(folder.path, "full/file.txt")),
    "kept",
  );
});

Deno.test("new Framework() refuses a manifest that is none, and one beside a folder", async () => {
  const { Framework } = await import("@bough/framework");
  for (
    const [options, message] of [
      [{ manifest: [] }, "manifest must be the default export of a module"],
      [{ manifest: {}, apiDir: "api" }, "replaces apiDir"],
      [{ apiDir: "api", load: "x" }, "load must be a function"],
    ] as const
  ) {
    let error: unknown;
    try {
      new Framework(options as never);
    } catch (thrown) {
      error = thrown;
    }
    assertStringIncludes(String(error), message);
  }
});
