import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { inspector, type InspectorOptions } from "@bough/framework/dev";
import { fromFileUrl } from "@std/path";
import {
  CapturedLog,
  TestApplication,
  TestFolder,
  type TestModule,
  TestServer,
} from "../support/application.ts";
import { FakePermissions } from "../support/permissions.ts";
import { DenoProcess } from "../support/process.ts";
import { CapturedOutput, InspectedServer } from "./inspector/support.ts";

const FILES: Readonly<Record<string, TestModule>> = {
  "hello/route.ts": { GET: () => new Response("Hello!") },
};

const appOf = (files = FILES) => TestApplication.of(files).app;

/** Expects that the inspector, or the server with it, throws. */
async function assertRefused(
  work: () => Promise<unknown>,
  reason: string,
): Promise<void> {
  const message = `Cannot inspect the application: ${reason}`;
  const error = await assertRejects(work, TypeError);
  assertEquals(error.message, message);
}

Deno.test("inspector() rejects options that it does not know or accept", async () => {
  const rows: readonly (readonly [unknown, string])[] = [
    [
      { paths: "/x" },
      'option "paths" is unknown; did you mean "path"? The options are "path", "editor", "secrets"',
    ],
    ...["_bough", "/", "/a/", "/a/..", "/[id]"].map((path) =>
      [
        { path },
        `path must be a path such as "/_bough", got "${path}"`,
      ] as const
    ),
    [
      { editor: "vscode://file" },
      'editor must be a URL with {file}, such as "vscode://file/{file}:{line}:{column}", got "vscode://file"',
    ],
    [
      { secrets: "iban" },
      'secrets must be an array of strings, got "iban"; write ["iban"]',
    ],
    [null, "options must be an object, got null"],
  ];
  for (const [options, reason] of rows) {
    const inspect = () => inspector(appOf(), options as InspectorOptions);
    await assertRefused(inspect, reason);
  }
});

Deno.test("inspector() comes before anything that starts the application, and once", async () => {
  const app = appOf();
  await app.start();
  await assertRefused(
    () => inspector(app),
    "it has started; call inspector(app) before printRouteChanges(app) and app.serve()",
  );
  const other = appOf();
  await inspector(other);
  await assertRefused(
    () => inspector(other),
    "it has an inspector; call inspector() once",
  );
});

Deno.test("app.serve() rejects a route at or below the path of the inspector", async () => {
  for (const path of ["/api", "/api/hello"]) {
    const app = appOf();
    await inspector(app, { path });
    await assertRefused(
      () => TestServer.start(app),
      `"hello/route.ts" serves "/api/hello", where the inspector is; pass another path, as in inspector(app, { path: "/_inspector" })`,
    );
  }
  await using _server = await InspectedServer.of(appOf(), {
    path: "/api/hell",
  });
});

Deno.test("the inspector works and prints its URL on each loopback address", async () => {
  for (const hostname of ["127.0.0.1", "localhost", "::1"]) {
    using output = new CapturedOutput();
    const app = appOf();
    await inspector(app, { path: "/dev/look" });
    await using server = await TestServer.start(app, { hostname });
    const { addr } = server.server;
    const host = addr.hostname === "::1" ? "[::1]" : "127.0.0.1";
    const url = `http://${host}:${addr.port}/dev/look`;
    assertEquals(output.lines, [`[bough] inspector: ${url}`]);
    const page = await fetch(url);
    assertEquals(page.status, 200);
    assertStringIncludes(await page.text(), 'href="/dev/look/page.css"');
  }
});

Deno.test("a server that other machines can reach works without the inspector", async () => {
  using output = new CapturedOutput();
  using log = new CapturedLog();
  const app = appOf();
  await inspector(app);
  await using server = await TestServer.start(app, { hostname: "0.0.0.0" });
  assertEquals(output.lines, []);
  assertEquals(log.lines, [
    `[bough] the inspector is off, since other machines can reach http://0.0.0.0:${server.port}; use app.serve({ hostname: "127.0.0.1" }), and unset the variable HOST if env is true`,
  ]);
  const page = await fetch(server.url("/_bough"));
  assertEquals([page.status, (await page.json()).title], [404, "Not Found"]);
  assertEquals(
    await (await fetch(server.url("/api/hello"))).text(),
    "Hello!",
  );
  // A second server of the same application has its own address.
  await using local = await TestServer.start(app);
  const { requests } = await (await fetch(local.url("/_bough/api/requests")))
    .json();
  assertEquals(requests, []);
});

const refusedFor = (place: string) =>
  `the inspector is for development, but this is ${place}; call inspector() in a dev.ts that is not deployed`;

Deno.test("inspector() refuses Deno Deploy and compiled programs, and reads a variable only with the permission", async () => {
  const { build } = Deno;
  Deno.env.set("DENO_DEPLOYMENT_ID", "abc");
  const deploy = refusedFor("Deno Deploy, which sets DENO_DEPLOYMENT_ID");
  try {
    await assertRefused(() => inspector(appOf()), deploy);
    using permissions = new FakePermissions([]);
    await inspector(appOf());
    assertEquals(permissions.queried, [
      { name: "env", variable: "DENO_DEPLOYMENT_ID" },
    ]);
    const value = { ...build, standalone: true };
    Object.defineProperty(Deno, "build", { value, configurable: true });
    const compiled = refusedFor("a compiled program");
    await assertRefused(() => inspector(appOf()), compiled);
  } finally {
    Deno.env.delete("DENO_DEPLOYMENT_ID");
    Object.defineProperty(Deno, "build", { value: build, configurable: true });
  }
});

Deno.test("a look at the inspector keeps exitOnUncaughtError", async () => {
  await using folder = await TestFolder.create({
    "main.ts": `
      import { Framework } from "@bough/framework";
      import { inspector } from "@bough/framework/dev";
      const GET = () => {
        setTimeout(() => { throw new Error("too late") });
        return new Response();
      };
      const app = new Framework({
        manifest: { "late/route.ts": { GET } },
        exitOnUncaughtError: true,
      });
      await inspector(app);
      const { addr } = await app.serve({ hostname: "127.0.0.1", port: 0 });
      for (const path of ["/_bough", "/api/late"]) {
        await (await fetch("http://127.0.0.1:" + addr.port + path)).text();
      }
    `,
  });
  await using process = new DenoProcess(folder.path, ["-A"]);
  const { code, output } = await process.outcome();
  assertEquals(code, 1);
  assertStringIncludes(output, "error: Uncaught Error: too late");
});

Deno.test("inspector() refuses a bundle", async () => {
  const config = fromFileUrl(new URL("../../deno.json", import.meta.url));
  await using folder = await TestFolder.create({
    "dev.ts": `import { Framework } from "@bough/framework";
      import { inspector } from "@bough/framework/dev";
      const GET = () => new Response();
      await inspector(new Framework({ manifest: { "route.ts": { GET } } }));`,
  });
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--config", config, "dev.ts", "-o", "dist/dev.js"],
    cwd: folder.path,
    stdout: "null",
    stderr: "null",
  }).output();
  assertEquals(success, true);
  await using process = new DenoProcess(folder.path, ["-A"], "dist/dev.js");
  const { code, output } = await process.outcome();
  assertEquals(code, 1);
  assertStringIncludes(
    output,
    "TypeError: Cannot inspect the application: the inspector is for development, but this is a bundle",
  );
});
