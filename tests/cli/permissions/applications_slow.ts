/** The applications of the repository, under their recorded permission sets. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { templateFiles } from "../../../src/cli/generate/template.ts";
import { TestFolder } from "../../support/application.ts";
import { DenoProcess, freePort } from "../../support/process.ts";
import { Traffic } from "../../instruments/soak/traffic.ts";
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
  await using folder = await TestFolder.create({
    "main.ts": `import { app } from "${new URL(
      "examples/bookshop/main.ts",
      ROOT,
    )}";
await app.serve({ hostname: "127.0.0.1", port: 0 });`,
  });
  const listen = "--allow-net=127.0.0.1";
  await using shop = new DenoProcess(folder.path, ["-P=bookshop", listen]);
  await shop.printed("Listening");
  const origin = /http:\/\/[\d.:]+/.exec(shop.output)![0];
  for (
    const [path, status] of [
      ["/api", 200],
      ["/api/books", 200],
      ["/api/authors", 200],
      ["/api/covers", 200],
      ["/api/covers/emma.svg", 200],
      ["/api/covers/classics/moby-dick.svg", 200],
      ["/api/covers/none.svg", 404],
      ["/api/health/ready", 200],
      ["/api/orders/1", 404],
      ["/api/orders/events", 401],
      ["/board", 200],
      ["/board/board.js", 200],
      ["/openapi.json", 200],
    ] as const
  ) {
    const response = await fetch(origin + path);
    assertEquals([path, response.status], [path, status]);
    await response.body?.cancel();
  }
  await using smaller = new DenoProcess(folder.path, [
    "-P=bookshop",
    `--allow-read=${BOOKSHOP}api,${BOOKSHOP}store`,
    listen,
  ]);
  const { output } = await smaller.outcome();
  assertStringIncludes(
    output,
    `Requires read access to "${BOOKSHOP}schemas.ts"`,
  );
});

Deno.test("RealWorld serves under its set", async () => {
  await using folder = await TestFolder.create({
    "main.ts": `import { createApp } from "${new URL(
      "examples/realworld/main.ts",
      ROOT,
    )}";
await createApp().serve({ hostname: "127.0.0.1", port: 0 });`,
  });
  await using server = new DenoProcess(folder.path, [
    "-P=realworld",
    "--allow-net=127.0.0.1",
  ]);
  await server.printed("Listening");
  const origin = /http:\/\/[\d.:]+/.exec(server.output)![0];
  const user = { username: "ada", email: "ada@mail.com", password: "secret" };
  const headers = new Headers({ "content-type": "application/json" });
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(origin + path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  const added = await send("POST", "/api/users", { user });
  assertEquals(added.status, 201, added.text);
  const { token } = JSON.parse(added.text).user;
  headers.set("authorization", `Token ${token}`);
  const article = { title: "One", description: "One", body: "One" };
  for (
    const [method, path, status, body] of [
      ["POST", "/api/users/login", 200, { user }],
      ["POST", "/api/articles", 201, { article }],
      ["POST", "/api/articles/one/comments", 200, { comment: article }],
      ["GET", "/api/articles", 200],
      ["GET", "/openapi.json", 200],
    ] as const
  ) {
    const response = await send(method, path, body);
    assertEquals([path, response.status], [path, status], response.text);
  }
});

Deno.test("the soak application serves under its set", async () => {
  await using server = new DenoProcess(
    fromFileUrl(new URL("tests/instruments/soak/", ROOT)),
    ["-P=soak", "--v8-flags=--expose-gc"],
    "server.ts",
  );
  await server.printed("listens on port");
  const port = Number(/port (\d+)/.exec(server.output)![1]);
  const traffic = new Traffic(port, Date.now());
  await traffic.run(4, 2_000);
  assertEquals(traffic.wrong, []);
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
