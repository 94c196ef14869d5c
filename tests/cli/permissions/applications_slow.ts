/** The applications of the repository, under their recorded permission sets. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { templateFiles } from "../../../src/cli/generate/template.ts";
import { TestFolder } from "../../support/application.ts";
import { DenoProcess } from "../../support/process.ts";
import { Traffic } from "../../instruments/soak/traffic.ts";
import { createProject, recordTests } from "./project.ts";

const ROOT = new URL("../../../", import.meta.url);
const BOOKSHOP = fromFileUrl(new URL("examples/bookshop/", ROOT));

// Slow: it records and proves the permissions of all example applications, 52 CPU seconds.
Deno.test("the sets of the examples and of the soak test equal the recorded sets", async () => {
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
  const sets = JSON.parse(text!).permissions;
  await using folder = await createProject(files);
  const learned = async (...args: string[]) =>
    await recordTests(
      folder,
      "--listen=env",
      "--write=serve,test,dev",
      ...args,
    );
  const written = await learned();
  assertEquals(written.code, 0, written.stderr);
  const config = join(folder.path, "deno.jsonc");
  const source = await Deno.readTextFile(config);
  const { serve, test, dev } =
    JSON.parse(source.replaceAll(/^ *\/\/.*$/gm, "")).permissions;
  assertEquals({ serve, test }, { serve: sets.serve, test: sets.test });
  // The file to write is an entry of the template itself.
  assertEquals({ write: sets.dev.write, ...dev }, sets.dev);
  assertEquals((await learned("--check")).code, 0);

  for (const name of ["main_test.ts", "contract_test.ts"]) {
    await using test = new DenoProcess(folder.path, ["-P=test"], name, {
      command: "test",
      config,
    });
    const outcome = await test.outcome();
    assertEquals(outcome.code, 0, outcome.output);
  }
  await using server = new DenoProcess(folder.path, ["-P=serve"], "main.ts", {
    config,
    env: { PORT: "0", HOST: "127.0.0.1", STAFF_TOKEN: "secret" },
  });
  await server.printed("/\n");
  const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(server.output)!;
  const response = await fetch(`${origin}/api/health`);
  assertEquals(await response.json(), { healthy: true });
  const report = await fetch(`${origin}/api/report`, {
    headers: { authorization: "Bearer secret" },
  });
  assertEquals(await report.json(), { notes: 1 });
});
