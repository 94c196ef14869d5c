import { assertEquals, assertRejects } from "@std/assert";
import { Framework, RouteError } from "@bough/framework";
import { printRouteChanges } from "@bough/framework/dev";
import {
  CapturedLog,
  TestApplication,
  TestFolder,
} from "../support/application.ts";
import { FakePermissions } from "../support/permissions.ts";
import { statusAt } from "../core/server/support.ts";
import { DenoProcess, freePort } from "../support/process.ts";
import { until, within } from "../support/until.ts";

const QUIET = {
  memory: { getItem: () => null, setItem: () => {} },
  print: () => {},
};

const GET = "export const GET = () => new Response('x');";

Deno.test("printRouteChanges() prints new and removed routes since the last start", async () => {
  await using folder = await TestFolder.create({
    "api/a/route.js": GET,
    "api/b/route.js": GET,
  });
  const kept = new Map<string, string>();
  const lines: string[] = [];
  const options = {
    memory: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    },
    print: (line: string) =>
      void lines.push(line.replaceAll(folder.path + "/", "")),
  };
  const start = () =>
    printRouteChanges(
      new Framework({ apiDir: `${folder.path}/api` }),
      options,
    );
  await start();
  await start();
  await Deno.remove(`${folder.path}/api/b`, { recursive: true });
  await folder.write("api/c/[id]/route.js", `${GET} export const PUT = GET;`);
  await start();
  assertEquals(lines, [
    "[bough] routes: 2, handlers: 2",
    "[bough] - GET /api/b (api/b/route.js)",
    "[bough] + GET /api/c/[id] (api/c/[id]/route.js)",
    "[bough] + PUT /api/c/[id] (api/c/[id]/route.js)",
  ]);
});

/** The line after an error that reports a missing permission. */
const HINT =
  "[bough] a permission is missing; declare it, then run deno task permissions, or bough permissions";

Deno.test("after printRouteChanges(), the log of a denied access names the command that adds it", async () => {
  const denied = new Deno.errors.NotCapable('Requires env access to "KEY"');
  const thrown: Readonly<Record<string, readonly [Error, ...lines: string[]]>> =
    {
      denied: [denied, 'NotCapable: Requires env access to "KEY"', HINT],
      caused: [
        new Error("no key", { cause: denied }),
        "Error: no key",
        HINT,
      ],
      other: [
        new Error("no key: Requires env access"),
        "Error: no key: Requires env access",
      ],
    };
  const application = TestApplication.of({
    "[name]/route.ts": {
      GET: ({ params }) => Promise.reject(thrown[params.name!]![0]),
    },
  });
  for (let start = 0; start < 2; start++) {
    await printRouteChanges(application.app, QUIET);
  }
  for (const [name, [, error, ...hints]] of Object.entries(thrown)) {
    using log = new CapturedLog();
    assertEquals((await application.fetch(`/api/${name}`)).status, 500);
    assertEquals(log.lines.map((line) => line.split("\n")[0]), [
      `[bough] GET /api/[name] ([name]/route.ts) failed: ${error}`,
      ...hints,
    ]);
  }
});

Deno.test("printRouteChanges() names the command that adds a missing permission, and rejects", async () => {
  using log = new CapturedLog();
  using _permissions = new FakePermissions([]);
  const { app } = TestApplication.of({
    "route.ts": { GET: () => new Response(), permissions: { env: ["KEY"] } },
  });
  await assertRejects(
    () => printRouteChanges(app, QUIET),
    RouteError,
    "permissions are missing; add them to the permission set with bough permissions, or run deno with --allow-env=KEY",
  );
  assertEquals(log.lines, [HINT]);
});

const WATCHED = ["--allow-read", "--allow-net", "--watch=api"];

/** A program that calls a function of this module before it serves. */
const devOf = (call: string, port: number) =>
  `import { Framework } from "@bough/framework";
  import { ${call} } from "@bough/framework/dev";
  const app = new Framework({ apiDir: "api" });
  await ${call}(app);
  await app.serve({ port: ${port}, hostname: "127.0.0.1" });
  console.log("served");`;

Deno.test("a watched application restarts after changes in folders, and prints them", async () => {
  const port = freePort();
  await using folder = await TestFolder.create({
    "api/a/route.ts": GET,
    "dev.ts": devOf("printRouteChanges", port),
  });
  await using process = new DenoProcess(folder.path, WATCHED, "dev.ts");
  const status = () => statusAt(port, "/api/new/7");
  await process.printed("routes: 1, handlers: 1");
  await process.printed("served\n");
  assertEquals(await status(), 404);

  await actUntil(
    process,
    "[bough] + GET /api/new/[id] (api/new/[id]/route.ts)",
    () => folder.write("api/new/[id]/route.ts", GET),
  );
  await until(async () => await status() === 200, 60_000);
  await actUntil(
    process,
    "[bough] + PUT /api/a (api/a/route.ts)",
    () => folder.write("api/a/route.ts", `${GET} export const PUT = GET;`),
  );
  await actUntil(
    process,
    "[bough] - GET /api/new/[id] (api/new/[id]/route.ts)",
    async () => {
      await Deno.remove(`${folder.path}/api/new`, { recursive: true }).catch(
        () => folder.write("api/noticed.txt", String(Date.now())),
      );
    },
  );
  await until(async () => await status() === 404, 60_000);
});

for (
  const [call, signal, code, line] of [
    ["printRouteChanges", "SIGINT", 130, "[bough] routes: 1, handlers: 1"],
    [
      "inspector",
      "SIGTERM",
      143,
      "[bough] inspector: http://127.0.0.1:0/_bough",
    ],
  ] as const
) {
  Deno.test({
    name:
      `after ${call}(), ${signal} ends the watcher in silence (behaviour 9.5)`,
    ignore: Deno.build.os === "windows",
    async fn() {
      await using folder = await TestFolder.create({
        "api/route.ts": GET,
        "dev.ts": devOf(call, freePort()),
      });
      await using process = new DenoProcess(folder.path, WATCHED, "dev.ts");
      await process.printed("served\n");
      process.kill(signal);
      const outcome = await within(process.outcome());
      assertEquals(outcome.code, code);
      // Standard output and standard error arrive in any order.
      const lines = outcome.output.replaceAll(/:\d+/g, ":0").trim().split("\n");
      const started = "Watcher Process started.";
      const listening = "Listening on http://127.0.0.1:0/";
      assertEquals(lines.sort(), [started, listening, line, "served"].sort());
    },
  });
}

/** Acts until a process prints a string, since Deno may not watch the files yet. */
async function actUntil(
  process: DenoProcess,
  text: string,
  act: () => Promise<void>,
): Promise<void> {
  let acted = -Infinity;
  await until(async () => {
    if (performance.now() > acted + 2_000) {
      acted = performance.now();
      await act();
    }
    return process.output.includes(text);
  }, 60_000);
}
