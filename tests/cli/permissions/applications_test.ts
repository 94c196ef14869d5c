/** The applications of the repository run under the sets that were written for them. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { Declarations, reportLacks } from "../../../src/app/permissions.ts";
import { templateFiles } from "../../../src/cli/template.ts";
import { Faults } from "../../../src/routes/route_error.ts";
import { TestApplication, TestFolder } from "../../support/application.ts";
import { DenoProcess } from "../../support/process.ts";
import { Traffic } from "../../soak/traffic.ts";
import { bough, boughIn } from "../support.ts";
import { createProject, testOf } from "./project.ts";

const ROOT = new URL("../../../", import.meta.url);
const BOOKSHOP = fromFileUrl(new URL("examples/bookshop/", ROOT));

Deno.test("the sets of the bookshop and the soak test are those that are learned", async () => {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "tools/permissions.ts", "--check"],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  assert(success, decoder.decode(stdout) + decoder.decode(stderr));
});

Deno.test("the bookshop serves under its set, and not under a smaller one", async () => {
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
  assertStringIncludes(output, `needs read access to "${BOOKSHOP}schemas.ts"`);
});

Deno.test("the soak application is under load under its set", async () => {
  await using server = new DenoProcess(
    fromFileUrl(new URL("tests/soak/", ROOT)),
    ["-P=soak", "--v8-flags=--expose-gc"],
    "server.ts",
  );
  await server.printed("listens on port");
  const port = Number(/port (\d+)/.exec(server.output)![1]);
  const traffic = new Traffic(port, Date.now());
  await traffic.run(4, 2_000);
  assertEquals(traffic.wrong, []);
});

Deno.test("the template runs under the set that is written for it", async () => {
  const { "deno.json": _, ...files } = templateFiles();
  await using folder = await createProject(files);
  const { code, stderr } = await boughIn(
    folder.path,
    "permissions",
    "main.ts",
    "--from=deno test --no-check -A main_test.ts",
    "--write=serve",
    "--listen=0.0.0.0:8000",
  );
  assertEquals(code, 0, stderr);
  const config = join(folder.path, "deno.jsonc");
  assertStringIncludes(
    (await Deno.readTextFile(config)).replaceAll(/\s/g, ""),
    '"serve":{"read":["./api"],"net":["0.0.0.0:8000"]}',
  );
  await using test = new DenoProcess(
    folder.path,
    ["-P=serve"],
    "main_test.ts",
    { command: "test", config },
  );
  const outcome = await test.outcome();
  assertEquals(outcome.code, 0, outcome.output);
});

Deno.test("to learn from tests takes less than twice their time", async () => {
  await using folder = await createProject({
    "api/route.js": `export const GET = async () => {
  for (let i = 0; i < 10; i++) Deno.env.get("NAME" + i);
  await Deno.readTextFile("main.ts");
  return new Response("fine");
};`,
    "main_test.ts": `${testOf("/api")}
Deno.test("many requests", async () => {
  for (let count = 0; count < 500; count++) {
    await app.fetch(new Request("http://localhost/api"));
    await new Promise((go) => setTimeout(go, 5));
  }
});`,
  });
  const plain = performance.now();
  await using process = new DenoProcess(folder.path, ["-A"], "main_test.ts", {
    command: "test",
    config: join(folder.path, "deno.jsonc"),
  });
  assertEquals((await process.outcome()).code, 0);
  const learning = performance.now();
  const { code, stderr } = await bough(
    folder.path,
    "permissions",
    "main.ts",
    "--from=deno test --no-check -A main_test.ts",
  );
  const end = performance.now();
  assertEquals(code, 0, stderr);
  assert(
    end - learning < 2 * (learning - plain),
    `${end - learning} ms, and ${learning - plain} ms without`,
  );
});

Deno.test("to check 1,000 declarations takes less than 5 % of the start", async () => {
  const names = Array.from({ length: 1_000 }, (_, id) => `r${id}`);
  await using application = await TestApplication.create(
    Object.fromEntries(names.map((name) => [
      `${name}/route.js`,
      "export const GET = () => new Response();",
    ])),
  );
  const begin = performance.now();
  await application.app.start();
  const start = performance.now() - begin;

  const checks = Array.from({ length: 10 }, () => {
    const before = performance.now();
    const declarations = new Declarations({});
    const faults = new Faults();
    for (const name of names) {
      declarations.add(`api/${name}/route.js`, {
        net: ["api.example.com", "db.example.com:5432"],
        env: ["KEY", "OTHER_*"],
      }, faults);
    }
    reportLacks(declarations.all, faults, "api");
    return performance.now() - before;
  });
  const check = Math.min(...checks);
  assert(check < 0.05 * start, `${check} ms of ${start} ms`);
});
