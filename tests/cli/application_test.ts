/** The commands for an application that a module exports. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { TestFolder } from "../support/application.ts";
import {
  bough,
  call,
  copyFolder,
  copyOf,
  findingsIn,
  fixture,
} from "./support.ts";

const GET = "export const GET = () => new Response();";
const MAIN = await Deno.readTextFile(fixture("invoices/main.ts"));

Deno.test("an application may use another copy of the package than the command", async () => {
  const root = fromFileUrl(new URL("../../", import.meta.url));
  await using folder = await copyOf("invoices", {
    "main.ts": MAIN.replace(
      "@bough/framework/openapi",
      "./copy/src/openapi/mod.ts",
    )
      .replace("@bough/framework", "./copy/mod.ts"),
    "copy/mod.ts": await Deno.readTextFile(`${root}/mod.ts`),
  });
  await copyFolder(`${root}/src`, `${folder.path}/copy/src`);
  const { code, stdout } = await call(folder, "openapi main.ts");
  assertEquals(code, 0);
  assertEquals(JSON.parse(stdout).info.title, "Invoices");
  await folder.write("routes/[x/route.ts", GET);
  for (const command of ["routes", "openapi"]) {
    const { code, stderr } = await call(folder, `${command} main.ts`);
    assertEquals(code, 1);
    assertStringIncludes(stderr, 'folder name "[x" is missing its "]"');
  }
});

Deno.test("bough routes main.ts also lists the routes of plugins, with relative paths", async () => {
  await using folder = await copyOf("invoices", {
    "routes/admin/middleware.ts": `export default (_, next) => next();
      export const contract = { security: [{ bearer: [] }] };`,
    "routes/admin/log/route.ts": GET,
  });
  const { code, stdout } = await call(folder, "routes main.ts --json");
  assertEquals(code, 0);
  const option = "option middleware[0]";
  const routes: Record<string, unknown>[] = JSON.parse(stdout);
  assertEquals(
    routes.map(({ path, file, middleware }) => [path, file, middleware]),
    [
      ["/v1/admin/log", "routes/admin/log/route.ts", [
        option,
        "routes/admin/middleware.ts",
      ]],
      ["/v1/admin/openapi.json", "plugin openapi", [option]],
      ["/v1/users/[id]", "routes/users/[id]/route.ts", [option]],
    ],
  );
  const plugin = "routes main.ts --match=/v1/admin/openapi.json";
  assertStringIncludes((await call(folder, plugin)).stdout, "(plugin openapi)");
  const table = await call(folder, "routes main.ts");
  assertStringIncludes(
    table.stdout,
    " bearer from routes/admin/middleware.ts ",
  );
  const match = await call(folder, "routes main.ts --match=/v1/admin/log");
  for (const { stdout } of [table, match]) {
    assert(!stdout.includes(folder.path), stdout);
  }
});

Deno.test("bough check main.ts warns of plugin routes below a middleware file", async () => {
  await using folder = await copyOf("invoices");
  const { code, stdout } = await call(folder, "check main.ts");
  assertEquals([code, stdout.replaceAll(`${folder.path}/`, "")], [
    1,
    'warning "plugin openapi": route "/v1/admin/openapi.json" is below "routes/admin/middleware.ts", which does not run around plugin routes: this one has option middleware[0]; guard it with the option middleware, or move the route (plugin-route)',
  ]);
  const allowed = await call(folder, "check main.ts --allow=plugin-route");
  assertEquals([allowed.code, allowed.stdout], [
    0,
    'Checked 1 route, 1 handler, 1 middleware file, 1 plugin route in "main.ts": nothing found except 1 allowed warning',
  ]);
});

Deno.test("bough check main.ts finds errors that prevent startup, even of a lazy application", async () => {
  await using folder = await TestFolder.create({
    "main.ts": MAIN.replace("plugins:", "lazy: true, plugins:"),
    "routes/a/route.ts": "export const get = () => new Response();",
    "routes/b/route.ts": "export const = 1;",
    "routes/[x/route.ts": GET,
  });
  const findings = await findingsIn(folder, "main.ts");
  assertEquals(
    findings.map(({ level, rule }) => `${level} ${rule}`),
    ["error folder-name", "error exports", "error import"],
  );
  const { code, stderr } = await call(folder, "routes main.ts");
  assertEquals(code, 1);
  assertStringIncludes(stderr, "Cannot serve");
});

const STARTS = "the module starts a server when imported";

/** Modules that a command rejects, with a part of each message. */
const USELESS: Readonly<
  Record<string, readonly [code: string, reason: string]>
> = {
  "other.ts": [
    "export const server = 1;",
    "the module exports no application; write",
  ],
  "wrong.ts": [
    "export const app = { fetch() {} };",
    'export "app" is not an application; write "export const app = new Framework(…)"',
  ],
  "object.ts": [
    "export default { fetch: () => new Response() };",
    "the module exports no application",
  ],
  "throws.ts": [
    "throw new Error('no database');",
    "the import failed: no database",
  ],
  "syntax.ts": ["export const = 1;", "the import failed:"],
  "serves.ts": [
    MAIN.replace("if (import.meta.main) ", ""),
    `${STARTS}; write: if (import.meta.main) await app.serve()`,
  ],
  "finished.ts": [
    MAIN.replace(
      "if (import.meta.main) await app.serve()",
      "await (await app.serve()).finished",
    ),
    STARTS,
  ],
  "plain.ts": [
    "Deno.serve(() => new Response()); export const app = 1;",
    STARTS,
  ],
};

Deno.test("bough reports why it rejects a module, and starts no server", async () => {
  await using folder = await TestFolder.create({
    ...Object.fromEntries(
      Object.entries(USELESS).map(([name, [code]]) => [name, code]),
    ),
    "void.ts": MAIN.replace("if (import.meta.main) await", "void"),
    "routes/route.ts": GET,
  });
  const { serve } = Deno;
  for (const [name, [, reason]] of Object.entries(USELESS)) {
    for (const command of ["routes", "openapi"]) {
      const outcome = await call(folder, `${command} ${name}`);
      assertEquals([outcome.code, outcome.stdout], [1, ""], name);
      const start = `bough ${command}: Cannot use "${name}": ${reason}`;
      assertEquals(outcome.stderr.slice(0, start.length), start);
    }
    const [finding, ...more] = await findingsIn(folder, name);
    const { level, rule, path, message } = finding!;
    assertEquals([level, rule, path], ["error", "application", name]);
    assertStringIncludes(message, reason);
    assertEquals(more, []);
  }
  assertEquals(Deno.serve, serve);
  // A separate process fails in the same way.
  const { code, stdout, stderr } = await bough(
    folder.path,
    "routes",
    "void.ts",
  );
  assertEquals([code, stdout], [1, ""]);
  assertStringIncludes(stderr, STARTS);
});
