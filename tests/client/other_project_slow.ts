/** A project of another repository, with npm, tsc and Vite, and only the types. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import config from "../../deno.json" with { type: "json" };
import { boughIn } from "../cli/support.ts";
import { TestFolder } from "../support/application.ts";
import { BOOKSHOP } from "./support.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

const MAIN = `import { createClient } from "@bough/framework/client";
import type { Routes } from "./bookshop.types";

const bookshop = createClient<Routes>({ baseUrl: "https://shop.example/api" });

export async function titles(search: string): Promise<string[]> {
  const found = await bookshop.GET("/books", { query: { search } });
  return found.status === 200 ? found.data.map(({ title }) => title) : [];
}
document.title = (await titles("emma")).join();
`;

const OPTIONS = {
  target: "esnext",
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["esnext", "dom", "dom.iterable"],
  strict: true,
  types: [],
};

/** Runs a program of npm in a folder, and returns its exit code and output. */
async function run(
  folder: TestFolder,
  ...args: readonly string[]
): Promise<{ code: number; output: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: folder.path,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, output: decoder.decode(stdout) + decoder.decode(stderr) };
}

// Slow: it runs npm, tsc three times and Vite, 9 CPU seconds.
Deno.test("a project of npm is checked by tsc, and bundled by Vite", async () => {
  await using folder = await TestFolder.create({
    "package.json": JSON.stringify({
      type: "module",
      dependencies: {
        "openapi-fetch": config.imports["openapi-fetch"].split("@").at(-1),
        "typescript": "^5.9.3",
        "vite": "8.3.4",
      },
    }),
    "tsconfig.json": JSON.stringify({
      compilerOptions: { ...OPTIONS, noEmit: true },
      include: ["main.ts"],
    }),
    // For npm, the registry converts the entry point into JavaScript and types.
    "package/tsconfig.json": JSON.stringify({
      compilerOptions: {
        ...OPTIONS,
        declaration: true,
        rewriteRelativeImportExtensions: true,
        rootDir: ROOT,
        outDir: "../node_modules/@bough/framework",
        paths: { "openapi-fetch": ["../node_modules/openapi-fetch"] },
      },
      files: [join(ROOT, "src/client/mod.ts")],
    }),
    "index.html": '<script type="module" src="/main.ts"></script>',
    "main.ts": MAIN,
    "wrong.ts": MAIN.replace("title }", "titel }"),
  });
  const api = fromFileUrl(new URL("api", BOOKSHOP));
  await boughIn(
    folder.path,
    "types",
    api,
    "--standalone",
    "-o",
    "bookshop.types.ts",
  );
  const installed = await run(folder, "install", "--quiet");
  assertEquals(installed.code, 0, installed.output);
  const tsc = (...args: readonly string[]) =>
    run(folder, "run", "-A", "npm:typescript/tsc", ...args);

  await tsc("-p", "package");
  await folder.write(
    "node_modules/@bough/framework/package.json",
    JSON.stringify({
      name: "@bough/framework",
      type: "module",
      exports: { "./client": "./src/client/mod.js" },
    }),
  );
  assertEquals(await tsc(), { code: 0, output: "" });
  const wrong = await tsc(
    "--noEmit",
    "--skipLibCheck",
    "--moduleResolution",
    "bundler",
    "--module",
    "esnext",
    "--target",
    "esnext",
    "--strict",
    "wrong.ts",
  );
  assertStringIncludes(wrong.output, "Property 'titel' does not exist on type");

  const built = await run(folder, "run", "-A", "npm:vite", "build");
  assertEquals(built.code, 0, built.output);
  const assets = join(folder.path, "dist/assets");
  const [script] = [...Deno.readDirSync(assets)];
  const text = Deno.readTextFileSync(join(assets, script!.name));
  assertStringIncludes(text, "https://shop.example/api");
  assert(!/\bDeno\b/.test(text));
});
