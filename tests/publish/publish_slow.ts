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
      await call("/docs/swagger-ui.css"),
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

// Slow: it publishes the package, and runs eight processes with it, 10 CPU seconds.
Deno.test("the package is published, and used from an empty folder as published", async () => {
  await using published = await Published.create();
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
  const ran = await published.deno(consumer.path, [
    "run",
    "--no-prompt",
    "--allow-read",
    "--allow-net",
    "main.ts",
  ]);
  assertEquals(ran.code, 0, ran.output);
  const line = ran.output.split("\n").find((text) => text.startsWith("[["));
  const answers = JSON.parse(line!);
  assertEquals(answers[0], [200, '{"id":"42"}']);
  assertEquals(answers[1][0], 400);
  assertEquals(answers[2], [200, '{"openapi":"3.1.0","info":{"ti']);
  assertEquals(answers[3][0], 200);
  assertEquals(answers[4], [200, "/**\n * Starts the documentatio"]);
  assertEquals(answers[5], [200, "/* The styles that the documen"]);
  assertEquals(answers[6], "SAMEORIGIN");

  const command = "jsr:@bough/framework/cli";
  const listed = await published.deno(consumer.path, [
    "run",
    "-A",
    command,
    "routes",
  ]);
  assertEquals(listed.code, 0, listed.output);
  assertStringIncludes(listed.output, "/api/users/[id]");
  const checked = await published.deno(consumer.path, [
    "run",
    "-A",
    command,
    "check",
  ]);
  assertEquals(checked.code, 0, checked.output);

  const made = await published.deno(consumer.path, [
    "run",
    "-A",
    command,
    "new",
    "made",
  ]);
  assertEquals(made.code, 0, made.output);
  const tested = await published.deno(join(consumer.path, "made"), [
    "task",
    "test",
  ]);
  assertEquals(tested.code, 0, tested.output);
  assertStringIncludes(tested.output, "16 passed");

  const config = join(consumer.path, "made/deno.json");
  const text = await Deno.readTextFile(config);
  const learned = await published.deno(join(consumer.path, "made"), [
    "task",
    "permissions",
  ]);
  assertEquals(learned.code, 0, learned.output);
  assertEquals(await Deno.readTextFile(config), text);

  const created = await published.deno(consumer.path, [
    "create",
    "--yes",
    "jsr:@bough/framework",
    "--",
    "created",
  ]);
  assertEquals(created.code, 0, created.output);
  assertEquals(
    await Deno.readTextFile(join(consumer.path, "created/main.ts")),
    await Deno.readTextFile(join(consumer.path, "made/main.ts")),
  );
});
