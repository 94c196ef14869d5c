import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { CONFIG, Published } from "./published.ts";

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
    "the published command reads the imports of a project, and the installed one does not",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using published = await Published.create();
    await using project = await TestFolder.create(PROJECT);
    const { cache } = published;
    const deno = (line: string) =>
      published.deno(project.path, line.split(" "));

    const command = "run -A jsr:@bough/framework/cli";
    const checked = await deno(`${command} check main.ts`);
    assertEquals(
      checked.stdout.trim(),
      'Checked 1 route, 1 handler, 0 middleware files, 3 plugin routes in "main.ts": nothing found',
      checked.output,
    );
    const printed = await deno(`${command} openapi main.ts`);
    assertEquals(JSON.parse(printed.stdout).info.title, "Notes");

    const offline = "run --cached-only jsr:@bough/framework/cli";
    const page = await deno(`${offline} docs log`);
    assert(page.stdout.startsWith("# Access log: "), page.output);

    const installed = await deno(
      `install -g -A -n bough --root ${cache} jsr:@bough/framework/cli`,
    );
    assertEquals(installed.code, 0, installed.output);
    const bough = join(cache, "bin", "bough");
    const { code, stdout } = await published.deno(
      project.path,
      ["check"],
      bough,
    );
    assertEquals(code, 1);
    // An installed command does not read the deno.json of a project.
    assertStringIncludes(stdout, "not a dependency");
  },
});
