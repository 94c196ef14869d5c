import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { bough, boughIn, copyFolder, copyOf, fixture } from "./support.ts";

const GET = "export const GET = () => new Response();";
const GUARD = "export default (_, next) => next();";
const MAIN = await Deno.readTextFile(fixture("invoices/main.ts"));

Deno.test("bough openapi main.ts prints the document that the application serves", async () => {
  await using folder = await copyOf("invoices");
  const { code, stdout, stderr } = await boughIn(
    folder.path,
    "openapi",
    "main.ts",
  );
  assertEquals(code, 0, stderr);
  const { app } = await import(`file://${folder.path}/main.ts`);
  const served = await app.fetch(
    new Request("http://localhost/v1/admin/openapi.json"),
  );
  const document = JSON.parse(stdout);
  assertEquals(document, await served.json());
  assertEquals(document.info.title, "Invoices");
  assertEquals(Object.keys(document.paths), ["/v1/users/{id}"]);

  const other = await boughIn(
    folder.path,
    "openapi",
    "./main.ts",
    "--title=Bills",
    "--version=3.1",
  );
  assertEquals(JSON.parse(other.stdout), {
    ...document,
    info: { ...document.info, title: "Bills", version: "3.1" },
  });
});

Deno.test("bough openapi main.ts accepts a default export, and an application without the plugin", async () => {
  await using folder = await TestFolder.create({
    "main.js": `import { Framework } from "@bough/framework";
      export default new Framework({ apiDir: new URL("./api/", import.meta.url) });`,
    "api/route.ts": GET,
  });
  const { code, stdout } = await boughIn(folder.path, "openapi", "main.js");
  assertEquals(code, 0);
  const { info, paths } = JSON.parse(stdout);
  assertEquals(info, { title: "API", version: "0.0.0" });
  assertEquals(Object.keys(paths), ["/api"]);
});

Deno.test("an application may use another copy of the package than the command", async () => {
  const root = fromFileUrl(new URL("../../", import.meta.url));
  await using folder = await copyOf("invoices", {
    "main.ts": MAIN.replaceAll(
      /"@bough\/framework(\/openapi)?"/g,
      (_, entryPoint) =>
        entryPoint === undefined
          ? '"./copy/mod.ts"'
          : '"./copy/src/openapi/mod.ts"',
    ),
    "copy/mod.ts": await Deno.readTextFile(`${root}/mod.ts`),
  });
  await copyFolder(`${root}/src`, `${folder.path}/copy/src`);
  const { code, stdout } = await boughIn(folder.path, "openapi", "main.ts");
  assertEquals(code, 0);
  assertEquals(JSON.parse(stdout).info.title, "Invoices");
  await folder.write("routes/[x/route.ts", GET);
  for (const command of ["routes", "openapi"]) {
    const { code, stderr } = await boughIn(folder.path, command, "main.ts");
    assertEquals(code, 1);
    assertStringIncludes(stderr, 'folder name "[x" is missing its "]"');
  }
});

Deno.test("bough routes main.ts also lists the routes of plugins", async () => {
  await using folder = await copyOf("invoices");
  const { code, stdout } = await boughIn(
    folder.path,
    "routes",
    "main.ts",
    "--json",
  );
  assertEquals(code, 0);
  assertEquals(
    JSON.parse(stdout).map((
      { path, file, middleware }: Record<string, unknown>,
    ) => [path, String(file).replace(`${folder.path}/`, ""), middleware]),
    [
      ["/v1/admin/openapi.json", "plugin openapi", ["option middleware[0]"]],
      ["/v1/users/[id]", "routes/users/[id]/route.ts", [
        "option middleware[0]",
      ]],
    ],
  );
  const match = await boughIn(
    folder.path,
    "routes",
    "main.ts",
    "--match=/v1/admin/openapi.json",
  );
  assertStringIncludes(match.stdout, "(plugin openapi)");
});

Deno.test("bough routes main.ts prints paths relative to the working directory", async () => {
  const contract =
    "export const contract = { tags: ['a'], security: [{ bearer: [] }] };";
  await using folder = await copyOf("invoices", {
    "routes/admin/middleware.ts": `${GUARD} ${contract}`,
    "routes/admin/log/route.ts": GET,
  });
  const { stdout } = await boughIn(folder.path, "routes", "main.ts");
  assert(!stdout.includes(folder.path), stdout);
  assertStringIncludes(stdout, " bearer from routes/admin/middleware.ts ");
  const match = ["--match", "GET /v1/admin/log"];
  const matched = await boughIn(folder.path, "routes", "main.ts", ...match);
  assert(!matched.stdout.includes(folder.path), matched.stdout);
});

const BELOW =
  'route "/v1/admin/openapi.json" is below "routes/admin/middleware.ts", which does not run around plugin routes: this one has option middleware[0]; guard it with the option middleware, or move the route';

Deno.test("bough check main.ts warns of plugin routes below a middleware file", async () => {
  await using folder = await copyOf("invoices");
  const { code, stdout } = await boughIn(folder.path, "check", "main.ts");
  assertEquals(code, 1);
  assertEquals(
    stdout.replaceAll(`${folder.path}/`, ""),
    `warning "plugin openapi": ${BELOW} (plugin-route)`,
  );
  const args = ["check", "main.ts", "--allow=plugin-route"];
  const allowed = await boughIn(folder.path, ...args);
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
  const { code, stdout } = await boughIn(
    folder.path,
    "check",
    "main.ts",
    "--json",
  );
  assertEquals(code, 1);
  assertEquals(
    JSON.parse(stdout).map(({ level, rule }: Record<string, string>) =>
      `${level} ${rule}`
    ),
    ["error folder-name", "error exports", "error import"],
  );
  const routes = await boughIn(folder.path, "routes", "main.ts");
  assertEquals(routes.code, 1);
  assertStringIncludes(routes.stderr, "Cannot serve");
});

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
    "the module starts a server when imported; write: if (import.meta.main) await app.serve()",
  ],
  "finished.ts": [
    MAIN.replace(
      "if (import.meta.main) await app.serve()",
      "await (await app.serve()).finished",
    ),
    "the module starts a server when imported",
  ],
  "plain.ts": [
    "Deno.serve(() => new Response()); export const app = 1;",
    "the module starts a server when imported",
  ],
};

Deno.test("bough reports why it rejects a module, and starts no server", async () => {
  await using folder = await TestFolder.create(
    Object.fromEntries([
      ...Object.entries(USELESS).map(([name, [code]]) => [name, code]),
      ["routes/route.ts", GET],
    ]),
  );
  const { serve } = Deno;
  for (const [name, [, reason]] of Object.entries(USELESS)) {
    for (const command of ["routes", "openapi"]) {
      const { code, stdout, stderr } = await boughIn(
        folder.path,
        command,
        name,
      );
      assertEquals([code, stdout], [1, ""], name);
      assertStringIncludes(
        stderr,
        `bough ${command}: Cannot use "${name}": `,
      );
      assertStringIncludes(stderr, reason);
    }
    const { code, stdout } = await boughIn(
      folder.path,
      "check",
      name,
      "--json",
    );
    assertEquals(code, 1);
    const [finding, ...more] = JSON.parse(stdout);
    assertEquals(more, []);
    assertEquals(
      [finding.level, finding.rule, finding.path],
      ["error", "application", name],
    );
    assertStringIncludes(finding.message, reason);
  }
  assertEquals(Deno.serve, serve);
});

Deno.test("a module that starts a server fails in a separate process, too", async () => {
  await using folder = await TestFolder.create({
    "main.ts": MAIN.replace("if (import.meta.main) await", "void"),
    "routes/route.ts": GET,
  });
  const { code, stdout, stderr } = await bough(
    folder.path,
    "routes",
    "main.ts",
  );
  assertEquals([code, stdout], [1, ""]);
  assertStringIncludes(stderr, "the module starts a server when imported");
});

Deno.test("bough rejects options that a module excludes", async () => {
  await using folder = await copyOf("invoices");
  for (
    const [args, reason] of [
      [["routes", "missing.ts"], 'file "missing.ts" does not exist'],
      [["check", "main.ts", "--prefix=v2"], "--prefix needs a folder"],
      [["build", "main.ts"], 'name the folder of the routes, not "main.ts"'],
    ] as const
  ) {
    const { code, stderr } = await boughIn(folder.path, ...args);
    assertEquals(code, 2, args.join(" "));
    assertStringIncludes(stderr, reason);
  }
});

Deno.test("bough check examines the plugins of the bookshop", async () => {
  const root = fromFileUrl(new URL("../../", import.meta.url));
  const { code, stdout } = await boughIn(
    root,
    "check",
    "examples/bookshop/main.ts",
  );
  assertEquals(code, 0, stdout);
  assertStringIncludes(stdout, "plugin routes");
});
