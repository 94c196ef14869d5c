import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { freePort } from "../support/process.ts";
import { CONFIG, Published } from "./published.ts";

const CONSUMER = {
  "main.ts": `
    import { Framework } from "jsr:@bough/framework";
    import { openapi } from "jsr:@bough/framework/openapi";
    import { honoMiddleware } from "jsr:@bough/framework/hono";
    import { secureHeaders } from "npm:hono@4/secure-headers";

    const app = new Framework({
      apiDir: "api",
      middleware: [honoMiddleware(secureHeaders())],
      plugins: [openapi({ info: { title: "Consumer", version: "1.0.0" } })],
    });
    const server = await app.serve({ port: Number("PORT"), hostname: "127.0.0.1", onListen: () => {} });
    const call = async (path, init) => {
      const response = await fetch("http://127.0.0.1:PORT" + path, init);
      return [response.status, (await response.text()).slice(0, 30)];
    };
    console.log(JSON.stringify([
      await call("/api/users/42"),
      await call("/api/notes", { method: "POST", body: "{}", headers: { "content-type": "application/json" } }),
      await call("/openapi.json"),
      (await call("/docs/swagger-ui.css"))[0],
      await call("/docs/start.js"),
      await call("/docs/style.css"),
      (await fetch("http://127.0.0.1:PORT/api/users/1")).headers.get("x-frame-options"),
    ]));
    await server.shutdown();
  `,
  "api/users/[id]/route.ts": `
    import type { FrameworkRequest } from "jsr:@bough/framework";
    export const GET = (request: FrameworkRequest<"/users/[id]">) => Response.json(request.params);
  `,
  "api/notes/route.ts": `
    import type { FrameworkRequest } from "jsr:@bough/framework";
    import { z } from "npm:zod@4";
    export const schema = { post: { body: z.object({ text: z.string() }) } };
    export const POST = (request: FrameworkRequest<typeof schema.post>) =>
      Response.json(request.validated.body.text);
  `,
};

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

// Slow: it publishes the package, and runs its processes, 12 CPU seconds.
const published = await Published.create();
Deno.test.afterAll(() => published[Symbol.asyncDispose]());

Deno.test("the published package works in an empty folder", async () => {
  const files = published.registry.files("@bough/framework", CONFIG.version);
  assert(files.includes("/src/openapi/page/viewer.ts"), files.join("\n"));
  assertEquals(
    files.filter((path) =>
      !/^\/(?:src\/|mod|README|LICENSE|CHANGELOG|deno)/.test(path)
    ),
    [],
    "nothing else is published",
  );

  const port = String(freePort());
  await using consumer = await TestFolder.create(
    Object.fromEntries(
      Object.entries(CONSUMER).map(([path, text]) => [
        path,
        text.replaceAll("PORT", port),
      ]),
    ),
  );
  const project = join(consumer.path, "made");
  /** The output of a command, which must succeed. */
  const run = async (line: string, folder = consumer.path): Promise<string> => {
    const { code, output } = await published.deno(folder, line.split(" "));
    assertEquals(code, 0, output);
    return output;
  };
  const ran = await run("run --no-prompt --allow-read --allow-net main.ts");
  const line = ran.split("\n").find((text) => text.startsWith("[["));
  const answers = JSON.parse(line!);
  assertEquals(answers, [
    [200, '{"id":"42"}'],
    [400, '{"type":"about:blank","title":'],
    [200, '{"openapi":"3.1.0","info":{"ti'],
    200,
    [200, "/**\n * Starts the documentatio"],
    [200, "/* The styles that the documen"],
    "SAMEORIGIN",
  ]);

  const command = "run -A jsr:@bough/framework/cli";
  assertStringIncludes(await run(`${command} routes`), "/api/users/[id]");
  await run(`${command} check`);

  await run(`${command} new made`);
  assertStringIncludes(await run("task test", project), "16 passed");

  const config = join(project, "deno.json");
  // Slow files run side by side, and another one records on the port of the template.
  const text = (await Deno.readTextFile(config))
    .replaceAll("PORT=8001", `PORT=${freePort()}`);
  await Deno.writeTextFile(config, text);
  await run("task permissions", project);
  assertEquals(await Deno.readTextFile(config), text);

  await run("create --yes jsr:@bough/framework -- created");
  assertEquals(
    await Deno.readTextFile(join(consumer.path, "created/main.ts")),
    await Deno.readTextFile(join(project, "main.ts")),
  );
});

Deno.test({
  name:
    "the published command reads the imports of a project, and the installed one does not",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using project = await TestFolder.create(PROJECT);
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
      `install -g -A -n bough --root ${published.cache} jsr:@bough/framework/cli`,
    );
    assertEquals(installed.code, 0, installed.output);
    const bough = join(published.cache, "bin", "bough");
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
