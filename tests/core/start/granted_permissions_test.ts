import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { Framework, RouteError } from "@bough/framework";
import type { CommonOptions } from "@bough/framework/types";
import { z } from "zod";
import { boughIn } from "../../cli/support.ts";
import {
  CapturedLog,
  TestApplication,
  TestFolder,
  type TestModule,
} from "../../support/application.ts";
import { FakePermissions } from "../../support/permissions.ts";
import { DenoProcess } from "../../support/process.ts";

const MAIN = `import { Framework } from "@bough/framework";
export const app = new Framework({ apiDir: "api" });
if (import.meta.main) {
  try {
    const response = await app.fetch(new Request("http://localhost/api/pdf"));
    console.log(response.status, await response.text());
  } catch (error) {
    console.log(error.message);
  }
}`;

const GET = "export const GET = () => new Response('fine');";

const PAID = {
  "api/middleware.js":
    `export const permissions = { env: ["LOG_LEVEL"] }; export default (_, next) => next();`,
  "api/pdf/route.js": `export const permissions =
    { net: ["api.stripe.com"], env: ["STRIPE_KEY"], read: ["fonts"] }; ${GET}`,
  "api/charge/route.js":
    `export const permissions = { net: ["api.stripe.com"] }; ${GET}`,
  "api/plain/route.js": GET,
};

/** Starts an application with some permissions, and returns what it prints. */
async function start(
  files: Record<string, string>,
  flags: readonly string[],
): Promise<string> {
  await using folder = await TestFolder.create({ "main.ts": MAIN, ...files });
  await using process = new DenoProcess(folder.path, [
    "--allow-read=.",
    ...flags,
  ]);
  const { code, output } = await process.outcome();
  assertEquals(code, 0, output);
  return output.trim();
}

const OPEN: TestModule = { GET: () => new Response("fine") };

/** The error of an application that starts without a permission. */
async function errorOf(
  files: Readonly<Record<string, TestModule>>,
  options?: CommonOptions,
): Promise<string> {
  using _permissions = new FakePermissions([]);
  const { app } = TestApplication.of(files, options);
  return (await assertRejects(() => app.start(), RouteError)).message;
}

Deno.test("startup reports all missing permissions together, with flags and routes (behaviour 9.9)", async () => {
  assertEquals(
    await start(PAID, []),
    `Cannot serve "api": permissions are missing; add them to the permission set with bough permissions, or run deno with --allow-net=api.stripe.com --allow-env=LOG_LEVEL,STRIPE_KEY
  --allow-env=LOG_LEVEL: "api/middleware.js"
  --allow-net=api.stripe.com: "api/charge/route.js", "api/pdf/route.js"
  --allow-env=STRIPE_KEY: "api/pdf/route.js"`,
  );
  const flags = [
    "--allow-net=api.stripe.com",
    "--allow-env=LOG_LEVEL,STRIPE_KEY",
  ];
  assertEquals(await start(PAID, flags), "200 fine");
});

Deno.test("a middleware file declares permissions for its folder, with and without a contract (behaviour 9.9)", async () => {
  for (
    const contract of [
      undefined,
      { tags: ["x"] },
      { query: z.object({}) },
    ]
  ) {
    const files = {
      "(staff)/middleware.ts": {
        ...(contract && { contract }),
        permissions: { env: ["TOKEN"] },
        limit: 3,
      },
      "(staff)/a/route.ts": OPEN,
      "b/route.ts": OPEN,
    };
    assertEquals(
      await errorOf(files),
      `Cannot serve "the manifest": permissions are missing; add them to the permission set with bough permissions, or run deno with --allow-env=TOKEN
  --allow-env=TOKEN: "(staff)/middleware.ts"`,
    );
    using _permissions = new FakePermissions(["TOKEN"]);
    const application = TestApplication.of(files);
    for (const path of ["/api/a", "/api/b"]) {
      const response = await application.fetch(path);
      assertEquals(await response.text(), "fine");
    }
  }
});

Deno.test("the same error reports an import without its permission, and a value that Deno rejects", async () => {
  const printed = await start({
    ...PAID,
    "api/top/route.js": `Deno.env.get("TOP"); ${GET}`,
    // Deno checks a value only if it does not grant all permissions of its kind.
    "api/wrong/route.js":
      `export const permissions = { net: ["https://a.example/"], sys: ["moon"] }; ${GET}`,
  }, []);
  for (
    const message of [
      "permissions are missing; add them to the permission set with bough permissions, or run deno with --allow-net=api.stripe.com --allow-env=LOG_LEVEL,STRIPE_KEY",
      'Cannot serve "api/top/route.js": the import failed: Requires env access to "TOP"',
      'Cannot serve "api/wrong/route.js": permissions.net has "https://a.example/", which Deno rejects:',
      'permissions.sys has "moon"',
    ]
  ) assertStringIncludes(printed, message);
});

Deno.test("Bough responds with 500 to a lazy route without its permission, and the log names the flag", async () => {
  const files = {
    "middleware.ts": { permissions: { env: ["LOG_LEVEL"] } },
    "pdf/route.ts": {
      ...OPEN,
      permissions: { net: ["api.stripe.com"], env: ["STRIPE_KEY"] },
    },
    "charge/route.ts": { ...OPEN, permissions: { net: ["api.stripe.com"] } },
    "plain/route.ts": OPEN,
  };
  {
    using log = new CapturedLog();
    using _permissions = new FakePermissions(["LOG_LEVEL"]);
    const application = TestApplication.of(files, { lazy: true });
    assertEquals((await application.fetch("/api/pdf")).status, 500);
    const response = await application.fetch("/api/plain");
    assertEquals(await response.text(), "fine");
    assertEquals(log.lines.length, 1);
    assertStringIncludes(
      log.lines[0]!,
      'Cannot serve "pdf/route.ts": permissions are missing; add them to the permission set with bough permissions, or run deno with --allow-net=api.stripe.com --allow-env=STRIPE_KEY',
    );
    assert(!log.lines[0]!.includes("charge"), log.lines[0]);
  }
  // Middleware guards routes, so startup imports it.
  assertStringIncludes(
    await errorOf(files, { lazy: true }),
    'Cannot serve "the manifest": permissions are missing; add them to the permission set with bough permissions, or run deno with --allow-env=LOG_LEVEL',
  );
});

Deno.test("a manifest has the declarations, so startup checks lazy routes (behaviour 9.9)", async () => {
  const main = `import manifest from "./api.manifest.ts";\n${
    MAIN.replace('apiDir: "api"', "manifest")
  }`;
  await using folder = await TestFolder.create({ ...PAID, "main.ts": main });
  const output = "api.manifest.ts";
  const built = await boughIn(folder.path, "build", "-o", output, "--lazy");
  assertEquals(built, { code: 0, stdout: "", stderr: "" });
  const text = await Deno.readTextFile(`${folder.path}/${output}`);
  assertStringIncludes(
    text,
    `  permissions: {
    "charge/route.js": {"net":["api.stripe.com"]},
    "middleware.js": {"env":["LOG_LEVEL"]},
    "pdf/route.js": {"net":["api.stripe.com"],"env":["STRIPE_KEY"],"read":["fonts"]},
  },
`,
  );
  await using process = new DenoProcess(folder.path, ["--allow-env"]);
  const { output: printed } = await process.outcome();
  assertStringIncludes(
    printed,
    `Cannot serve "the manifest": permissions are missing; add them to the permission set with bough permissions, or run deno with --allow-read=fonts --allow-net=api.stripe.com`,
  );
  assertStringIncludes(
    printed,
    '--allow-net=api.stripe.com: "charge/route.js", "pdf/route.js"',
  );
});

Deno.test("routes() lists the declarations of a route, and inspect() asks for nothing", async () => {
  const app = new Framework({
    permissions: { sys: ["hostname"] },
    manifest: {
      "middleware.ts": {
        default: (_: unknown, next: () => unknown) => next(),
        permissions: { env: ["A"] },
      },
      "a/route.ts": {
        GET: () => new Response(),
        permissions: { ffi: ["none.so"] },
      },
      "b/route.ts": { GET: () => new Response(), permissions: {} },
    },
  });
  const { faults, routes } = await app.inspect();
  assertEquals(faults, []);
  const around = [
    { file: "option permissions", permissions: { sys: ["hostname"] } },
    { file: "middleware.ts", permissions: { env: ["A"] } },
  ];
  assertEquals(routes.map(({ permissions }) => permissions), [
    [...around, { file: "a/route.ts", permissions: { ffi: ["none.so"] } }],
    around,
  ]);
});

Deno.test("a host without Deno's permissions asks for nothing", async () => {
  using _permissions = new FakePermissions(undefined);
  const application = TestApplication.of({ "route.ts": OPEN }, {
    permissions: { ffi: ["none.so"] },
  });
  const response = await application.fetch("/api");
  assertEquals(await response.text(), "fine");
});

Deno.test("the error names each declaration by its flag and file (behaviour 9.9)", async () => {
  const url = new URL("data/a%20b", "file:///srv/");
  const message = await errorOf({
    "a/route.ts": { ...OPEN, permissions: { read: [url], env: true } },
    "b/route.ts": { ...OPEN, permissions: { read: [url.href] } },
    "c/route.ts": { ...OPEN, permissions: { env: ["true"] } },
  }, { permissions: { sys: ["hostname"] } });
  const path = Deno.build.os === "windows" ? "" : "/srv/data/a b";
  for (
    const line of [
      '--allow-sys=hostname: "option permissions"',
      '--allow-env: "a/route.ts"',
      '--allow-env=true: "c/route.ts"',
      `${path}": "a/route.ts", "b/route.ts"`,
    ]
  ) assertStringIncludes(message, line);
});

Deno.test("Bough asks for each permission once, however many routes need it (behaviour 9.9)", async () => {
  const declared = {
    read: ["data"],
    write: ["data"],
    net: ["*.example.com"],
    env: ["KEY", "AWS_*"],
    run: ["git"],
    sys: ["hostname"],
    ffi: ["lib.so"],
    import: true,
  };
  using permissions = new FakePermissions(Object.keys(declared));
  const names = Array.from({ length: 50 }, (_, id) => `r${id}/route.ts`);
  const files = Object.fromEntries(
    names.map((name) => [name, { ...OPEN, permissions: declared }]),
  );
  await TestApplication.of(files).app.start();
  assertEquals<unknown>(permissions.queried, [
    { name: "read", path: "data" },
    { name: "write", path: "data" },
    { name: "net", host: "any-host.example.com" },
    { name: "env", variable: "KEY" },
    { name: "env", variable: "AWS_*" },
    { name: "run", command: "git" },
    { name: "sys", kind: "hostname" },
    { name: "ffi", path: "lib.so" },
    { name: "import" },
  ]);
});
