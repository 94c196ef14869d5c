import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { Registry } from "./registry.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const CONFIG = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));

/** A project whose route files need the imports of its configuration. */
const PROJECT = {
  "deno.json": JSON.stringify({
    imports: {
      "@bough/framework": `jsr:@bough/framework@^${CONFIG.version}`,
      "zod": CONFIG.imports.zod,
    },
  }),
  "main.ts": `import { Framework } from "@bough/framework";
    import { openapi } from "@bough/framework/openapi";
    export const app = new Framework({
      apiDir: "api",
      plugins: [openapi({ info: { title: "Notes", version: "1.0.0" } })],
    });
    if (import.meta.main) await app.serve();`,
  "api/notes/route.ts": `import { z } from "zod";
    import type { FrameworkRequest } from "@bough/framework";
    export const schema = { post: { body: z.object({ text: z.string() }) } };
    export const POST = (request: FrameworkRequest<typeof schema.post>) =>
      Response.json(request.validated.body.text);`,
};

// Slow: it publishes the package, and runs it from an empty cache, 4 CPU seconds.
Deno.test({
  name:
    "the published command sees the imports of a project, unless it is installed",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using registry = new Registry();
    // Away from the vendor folder, which would be asked before any registry.
    await using source = await TestFolder.create({});
    for (const name of ["mod.ts", "README.md", "LICENSE", "CHANGELOG.md"]) {
      await Deno.copyFile(join(ROOT, name), join(source.path, name));
    }
    await copy(join(ROOT, "src"), join(source.path, "src"));
    const { vendor: _, workspace: __, ...config } = CONFIG;
    await source.write("deno.json", JSON.stringify(config));
    await using cache = await TestFolder.create({});
    await using project = await TestFolder.create(PROJECT);

    async function deno(cwd: string, line: string) {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: line.split(" "),
        cwd,
        env: { NO_COLOR: "1", JSR_URL: registry.url, DENO_DIR: cache.path },
        stdin: "null",
      }).output();
      const decoder = new TextDecoder();
      const shown = decoder.decode(stderr);
      return { code, stdout: decoder.decode(stdout).trim(), shown };
    }

    const published = await deno(
      source.path,
      "publish --token=test --allow-dirty --no-check",
    );
    assertEquals(published.code, 0, published.shown);

    const command = "run -A jsr:@bough/framework/cli";
    const checked = await deno(
      project.path,
      `${command} check main.ts --types`,
    );
    assertEquals(
      checked.stdout,
      'Checked 1 route, 1 handler, 0 middleware files, 3 plugin routes in "main.ts": nothing found',
      checked.shown,
    );
    const printed = await deno(project.path, `${command} openapi main.ts`);
    assertEquals(JSON.parse(printed.stdout).info.title, "Notes");

    const installed = await deno(
      project.path,
      `install -g -A -n bough --root ${cache.path} jsr:@bough/framework/cli`,
    );
    assertEquals(installed.code, 0, installed.shown);
    const { code, stdout } = await new Deno.Command(
      join(cache.path, "bin", "bough"),
      {
        args: ["check"],
        cwd: project.path,
        env: { NO_COLOR: "1", JSR_URL: registry.url, DENO_DIR: cache.path },
        stderr: "null",
      },
    ).output();
    assertEquals(code, 1);
    assertStringIncludes(
      new TextDecoder().decode(stdout),
      'A command installed with "deno install" does not read your project\'s deno.json',
    );
  },
});

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copy(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}
