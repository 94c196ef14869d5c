import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Framework } from "@bough/framework";
import { TestFolder } from "../support/application.ts";
import { DenoProcess } from "../support/process.ts";
import { bough } from "../cli/support.ts";

const MAIN = `import { Framework } from "@bough/framework";
export const app = new Framework({ apiDir: "api" });
if (import.meta.main) {
  try {
    await app.start();
    for (const path of Deno.args) {
      const response = await app.fetch(new Request("http://localhost" + path));
      console.log(response.status, await response.text());
    }
  } catch (error) {
    console.log(error.message);
  }
}`;

const GET = "export const GET = () => new Response('fine');";

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

/** The same program with a request, as `main.ts` cannot take arguments. */
const asking = (...paths: string[]) =>
  MAIN.replace("Deno.args", JSON.stringify(paths));

const PAID = {
  "api/middleware.js":
    `export const permissions = { env: ["LOG_LEVEL"] }; export default (_, next) => next();`,
  "api/pdf/route.js": `export const permissions =
    { net: ["api.stripe.com"], env: ["STRIPE_KEY"], read: ["fonts"] }; ${GET}`,
  "api/charge/route.js":
    `export const permissions = { net: ["api.stripe.com"] }; ${GET}`,
  "api/plain/route.js": GET,
};

Deno.test("the start tells all missing permissions together, with flags and routes", async () => {
  assertEquals(
    await start(PAID, []),
    `Cannot serve "api": permissions are missing; run deno with --allow-net=api.stripe.com --allow-env=LOG_LEVEL,STRIPE_KEY
  --allow-env=LOG_LEVEL: "api/middleware.js"
  --allow-net=api.stripe.com: "api/charge/route.js", "api/pdf/route.js"
  --allow-env=STRIPE_KEY: "api/pdf/route.js"`,
  );
  const flags = [
    "--allow-net=api.stripe.com",
    "--allow-env=LOG_LEVEL,STRIPE_KEY",
  ];
  const main = asking("/api/pdf");
  assertEquals(await start({ ...PAID, "main.ts": main }, flags), "200 fine");
  const all = ["--allow-net", "--allow-env"];
  assertEquals(await start({ ...PAID, "main.ts": main }, all), "200 fine");
});

for (
  const [what, contract] of [
    ["nothing else", ""],
    ["a contract of tags", `export const contract = { tags: ["x"] };`],
    [
      "a contract that checks",
      `export const contract = { query: { "~standard": { version: 1, vendor: "v", validate: (value) => ({ value }) } } };`,
    ],
  ] as const
) {
  Deno.test(`a middleware file declares for its folder, with ${what}`, async () => {
    const files = {
      "api/(staff)/middleware.js": `${contract}
export const permissions = { env: ["TOKEN"] };
export const limit = 3;`,
      "api/(staff)/a/route.js": GET,
      "api/b/route.js": GET,
      "main.ts": asking("/api/a", "/api/b"),
    };
    assertEquals(
      await start(files, []),
      `Cannot serve "api": permissions are missing; run deno with --allow-env=TOKEN
  --allow-env=TOKEN: "api/(staff)/middleware.js"`,
    );
    assertEquals(
      await start(files, ["--allow-env=TOKEN"]),
      "200 fine\n200 fine",
    );
  });
}

Deno.test("an import that is refused a permission is told in the same error", async () => {
  const printed = await start({
    ...PAID,
    "api/top/route.js": `Deno.env.get("TOP"); ${GET}`,
  }, ["--allow-net"]);
  assertStringIncludes(
    printed,
    "permissions are missing; run deno with --allow-env=LOG_LEVEL,STRIPE_KEY,TOP",
  );
  assertStringIncludes(printed, '--allow-env=TOP: "api/top/route.js"');
  assertStringIncludes(
    printed,
    'Cannot serve "api/top/route.js": the import',
  );
});

Deno.test("the option permissions is for the whole application", async () => {
  const main = MAIN.replace(
    'apiDir: "api"',
    'apiDir: "api", permissions: { sys: ["hostname"] }',
  );
  const printed = await start({ "main.ts": main, "api/route.js": GET }, []);
  assertStringIncludes(
    printed,
    '--allow-sys=hostname: "option permissions"',
  );
});

Deno.test("a lazy route is a 500 at its first request, and the log names the flag", async () => {
  const main = asking("/api/pdf", "/api/plain")
    .replace('apiDir: "api"', 'apiDir: "api", lazy: true');
  const files = { ...PAID, "main.ts": main };
  const printed = await start(files, ["--allow-env=LOG_LEVEL"]);
  assertStringIncludes(
    printed,
    'Cannot serve "api/pdf/route.js": permissions are missing; run deno with --allow-net=api.stripe.com --allow-env=STRIPE_KEY',
  );
  assert(!printed.includes("api/charge"), printed);
  assertStringIncludes(printed, "500 ");
  assertStringIncludes(printed, "200 fine");
  // Middleware guards routes, and is imported at the start.
  assertStringIncludes(
    await start(files, []),
    'Cannot serve "api": permissions are missing; run deno with --allow-env=LOG_LEVEL',
  );
});

Deno.test("a manifest has the declarations, so that lazy routes are checked at the start", async () => {
  const main = `import manifest from "./api.manifest.ts";\n${
    MAIN.replace('apiDir: "api"', "manifest")
  }`;
  for (const lazy of [[], ["--lazy"]]) {
    await using folder = await TestFolder.create({ ...PAID, "main.ts": main });
    const built = await bough(
      folder.path,
      "build",
      "-o",
      "api.manifest.ts",
      ...lazy,
    );
    assertEquals(built, { code: 0, stdout: "", stderr: "" });
    const text = await Deno.readTextFile(`${folder.path}/api.manifest.ts`);
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
    const { output } = await process.outcome();
    assertStringIncludes(
      output,
      `Cannot serve "the manifest": permissions are missing; run deno with --allow-read=fonts --allow-net=api.stripe.com`,
    );
    assertStringIncludes(
      output,
      '--allow-net=api.stripe.com: "charge/route.js", "pdf/route.js"',
    );
  }
});

Deno.test("a manifest with wrong declarations is refused", async () => {
  const app = new Framework({
    manifest: {
      "route.ts": { GET: () => new Response() },
      permissions: { "route.ts": { net: "a.example" } },
    },
  });
  const { faults } = await app.inspect();
  assertEquals(faults.map(({ path, rule }) => [path, rule]), [
    ["permissions", "manifest"],
  ]);
});

Deno.test("a value that Deno does not take is a fault of its file", async () => {
  const printed = await start({
    "api/route.js":
      `export const permissions = { net: ["https://a.example/"], sys: ["moon"] }; ${GET}`,
  }, []);
  assertStringIncludes(
    printed,
    'Cannot serve "api/route.js": permissions.net has "https://a.example/", which Deno rejects:',
  );
  assertStringIncludes(printed, 'permissions.sys has "moon"');
});

Deno.test("routes() tells what is declared for a route, and inspect() asks for nothing", async () => {
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
  const { permissions } = Deno;
  Object.defineProperty(Deno, "permissions", {
    value: undefined,
    configurable: true,
  });
  try {
    const app = new Framework({
      permissions: { ffi: ["none.so"] },
      manifest: { "route.ts": { GET: () => new Response("fine") } },
    });
    const response = await app.fetch(new Request("http://localhost/api"));
    assertEquals(await response.text(), "fine");
  } finally {
    Object.defineProperty(Deno, "permissions", {
      value: permissions,
      configurable: true,
    });
  }
});

Deno.test("a variable named true is one, and not all", async () => {
  const printed = await start({
    "api/a/route.js": `export const permissions = { env: true }; ${GET}`,
    "api/b/route.js": `export const permissions = { env: ["true"] }; ${GET}`,
  }, []);
  assertStringIncludes(printed, '--allow-env: "api/a/route.js"');
  assertStringIncludes(printed, '--allow-env=true: "api/b/route.js"');
});

Deno.test("each permission is asked for once, however many routes want it", async () => {
  const { permissions } = Deno;
  const asked: unknown[] = [];
  Object.defineProperty(Deno, "permissions", {
    value: {
      querySync: (descriptor: unknown) => {
        asked.push(descriptor);
        return { state: "granted" };
      },
    },
    configurable: true,
  });
  try {
    const route = {
      GET: () => new Response(),
      permissions: { net: ["api.example.com"], env: ["KEY"] },
    };
    const names = Array.from({ length: 50 }, (_, id) => `r${id}/route.ts`);
    const manifest = Object.fromEntries(names.map((name) => [name, route]));
    await new Framework({ manifest }).start();
    assertEquals(asked, [
      { name: "net", host: "api.example.com" },
      { name: "env", variable: "KEY" },
    ]);
  } finally {
    Object.defineProperty(Deno, "permissions", {
      value: permissions,
      configurable: true,
    });
  }
});
