/** The applications of the repository, under their recorded permission sets. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { templateFiles } from "../../../src/cli/generate/template.ts";
import { TestFolder } from "../../support/application.ts";
import { DenoProcess, freePort } from "../../support/process.ts";
import { createProject, IMPORTS, setOf } from "./project.ts";

const ROOT = new URL("../../../", import.meta.url);
const BOOKSHOP = fromFileUrl(new URL("examples/bookshop/", ROOT));

// Slow: it records and proves the permissions of all example applications, 52 CPU seconds.
Deno.test("the sets of the examples have all recorded permissions", async () => {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "tools/permissions.ts", "--check"],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  assert(success, decoder.decode(stdout) + decoder.decode(stderr));
});

Deno.test("the bookshop serves under its set, but not under a smaller set", async () => {
  const main = new URL("examples/bookshop/main.ts", ROOT);
  await using folder = await TestFolder.create({
    "main.ts": `import { app } from "${main}";
await app.serve({ hostname: "127.0.0.1", port: 0 });`,
  });
  const listen = "--allow-net=127.0.0.1";
  await using shop = new DenoProcess(folder.path, ["-P=bookshop", listen]);
  await shop.printed("Listening");
  const origin = /http:\/\/[\d.:]+/.exec(shop.output)![0];
  for (
    const [path, status] of [
      ["/api/books", 200],
      ["/api/covers/classics/moby-dick.svg", 200],
      ["/api/covers/none.svg", 404],
      ["/api/health/ready", 200],
      ["/api/orders/1", 404],
      ["/board/board.js", 200],
      ["/openapi.json", 200],
    ] as const
  ) {
    const response = await fetch(origin + path);
    assertEquals([path, response.status], [path, status]);
    await response.body?.cancel();
  }
  const read = `--allow-read=${BOOKSHOP}api,${BOOKSHOP}store`;
  const flags = ["-P=bookshop", read, listen];
  await using smaller = new DenoProcess(folder.path, flags);
  const { output } = await smaller.outcome();
  const file = `${BOOKSHOP}schemas.ts`;
  assertStringIncludes(output, `Requires read access to "${file}"`);
});

Deno.test("the sets of the template equal the recorded sets, and serve the template", async () => {
  const { "deno.json": text, ...files } = templateFiles();
  const { tasks, permissions } = JSON.parse(text!);
  await using folder = await createProject(files);
  const path = join(folder.path, "deno.jsonc");
  const config = JSON.parse(
    (await Deno.readTextFile(path)).replaceAll(/^ *\/\/.*$/gm, ""),
  );
  // A new project finds the command in the registry.
  const own = JSON.stringify(tasks).replaceAll(
    "jsr:@bough/framework/cli",
    IMPORTS["@bough/framework/cli"]!,
  );
  Object.assign(config, { tasks: JSON.parse(own), permissions });
  await folder.write("deno.jsonc", JSON.stringify(config));
  const env = { PORT: `${freePort()}`, STAFF_TOKEN: "change-me" };
  const record = (task: string) =>
    new Deno.Command(Deno.execPath(), {
      args: ["task", "--quiet", task],
      cwd: folder.path,
      env: { ...env, NO_COLOR: "1" },
    }).output();
  const written = await record("permissions");
  const output = new TextDecoder().decode(written.stderr);
  assertEquals(written.code, 0, output);
  const sets = {
    serve: await setOf(folder, "serve"),
    test: await setOf(folder, "test"),
    dev: await setOf(folder, "dev"),
  };
  assertEquals(sets, permissions, output);
  assertEquals((await record("permissions:check")).code, 0);
  await using server = new DenoProcess(folder.path, ["-P=serve"], "main.ts", {
    config: path,
    env: { ...env, STAFF_TOKEN: "secret" },
  });
  await server.printed("Listening");
  const report = await fetch(`http://127.0.0.1:${env.PORT}/api/report`, {
    headers: { authorization: "Bearer secret" },
  });
  assertEquals(await report.json(), { notes: 1 });
});
