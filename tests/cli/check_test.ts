import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { findingsOf } from "../../src/cli/check/findings.ts";
import { FolderApplication, TestFolder } from "../support/application.ts";
import { FakePermissions } from "../support/permissions.ts";
import { call, findingsIn, fixture } from "./support.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const ZOD = `import { z } from "npm:zod@^4.2.0";`;
const GET = "export const GET = () => new Response();";
const OPEN =
  `export const schema = { get: { security: [{ key: [] }] } };\n${GET}`;
const ALLOWED = `// bough-allow unguarded: the proxy checks the key\n${OPEN}`;

/** A route with a schema of `GET`. */
const withSchema = (get: string) =>
  `${ZOD} export const schema = { get: ${get} }; ${GET}`;
const withParam = (name: string) =>
  withSchema(`{ params: z.object({ ${name}: z.string() }) }`);

/** Each rule of the findings about a folder or its files, with the path below `api/`. */
async function rulesIn(
  place: Parameters<typeof call>[0],
  options?: string,
): Promise<string[]> {
  const findings = await findingsIn(place, options);
  return findings.map(({ rule, path }) =>
    `${rule} ${path.replace("api/", "")}`
  );
}

Deno.test("bough check prints errors before warnings, and exits with 1", async () => {
  await using folder = await TestFolder.create({
    "api/files/routes.ts": GET,
    "api/[x/route.ts": GET,
  });
  const findings = [
    {
      level: "error",
      rule: "folder-name",
      path: "api/[x/route.ts",
      message:
        'folder name "[x" is missing its "]"; use "name", "[name]", "[...]" or "(group)"',
    },
    {
      level: "warning",
      rule: "route-name",
      path: "api/files/routes.ts",
      message:
        'this is not a route file; to make it a route file, name it "route" with ".ts", ".tsx", ".js" or ".jsx"',
    },
  ];
  const lines = findings.map(({ level, rule, path, message }) =>
    `${level} "${path}": ${message} (${rule})`
  );
  const stdout = lines.join("\n");
  assertEquals(await call(folder, "check"), { code: 1, stdout, stderr: "" });
  const json = await call(folder, "check --json");
  assertEquals([json.code, JSON.parse(json.stdout)], [1, findings]);
  assertEquals(await call(folder, "check missing"), {
    code: 1,
    stdout:
      'error "missing": the folder does not exist; set apiDir to the folder of your routes (it is relative to the working directory) (api-dir)',
    stderr: "",
  });
});

/** A tree with one fault of each kind, with its rule and a part of its message. */
const PLANTED: Readonly<Record<string, readonly [string, string, string]>> = {
  "[[id]]/route.ts": [GET, "folder-name", "an optional segment"],
  "same/[a]/route.ts": [GET, "same-url", "would serve the same URLs"],
  "none/route.ts": ["export const x = 1;", "exports", "no handler is exported"],
  "broken/route.ts": ["export const = 1;", "import", "the import failed"],
  "config/route.ts": [
    `${GET} export const config = { bodyLimit: "1mb" };`,
    "exports",
    "config.bodyLimit must be a whole number of bytes",
  ],
  "guard/middleware.ts": [
    "export const a = 1;",
    "exports",
    "the default export is missing",
  ],
};

Deno.test("bough check finds each planted fault", async () => {
  const files = Object.entries(PLANTED)
    .map(([path, [code]]) => [`api/${path}`, code]);
  const findings = await findingsIn({
    ...Object.fromEntries(files),
    "api/same/[b]/route.ts": GET,
  });
  const errors = findings.filter(({ level }) => level === "error");
  for (const { path, rule, message } of errors) {
    const [, expected, part] = PLANTED[path.replace("api/", "")]!;
    assertEquals(rule, expected, path);
    assertStringIncludes(message, part);
  }
  assertEquals(errors.length, Object.keys(PLANTED).length);
});

Deno.test("bough check exits with 1 for a warning, and with 0 without findings", async () => {
  const wrong = { "api/[id]/route.ts": withParam("key") };
  const { code, stdout } = await call(wrong, "check --prefix v1");
  assertEquals(code, 1);
  assertMatch(
    stdout,
    /^warning "api\/\[id\]\/route\.ts": .*"\/v1\/\[id\]".* \(unknown-param\)$/,
  );
  await using folder = await TestFolder.create({
    "api/[id]/route.ts": withParam("id"),
    // The folder of a mounted handler needs no route of its own.
    "api/auth/[...]/route.ts": GET,
  });
  const summary = "2 routes, 2 handlers, 0 middleware files";
  assertEquals(await call(folder, "check"), {
    code: 0,
    stdout: `Checked ${summary} in "api": nothing found`,
    stderr: "",
  });
  const json = await call(folder, "check --json");
  assertEquals([json.code, json.stdout], [0, "[]"]);
});

Deno.test("bough check warns of schemas that the document lacks, in matching order", async () => {
  const { stdout } = await call({
    "api/a-b/[...]/route.ts": withParam("id"),
    "api/a/b/[...]/route.ts": withParam("id"),
    "api/date/route.ts": withSchema("{ query: z.object({ d: z.date() }) }"),
    "api/events/route.ts": withSchema("{ events: { tick: z.bigint() } }"),
    // A handler may leave its body unread.
    "api/reads/route.ts": `${ZOD}
      export const schema = { post: { body: z.object({}) } };
      export const POST = () => new Response();`,
  }, "check");
  const lines = stdout.split("\n");
  assertEquals(
    lines.map((line) => line.split('"')[1]),
    ["a/b/[...]", "a-b/[...]", "date", "events"]
      .map((folder) => `api/${folder}/route.ts`),
  );
  assertEquals(
    lines.slice(2).map((line) => line.split(": ")[1]!.split(",")[0]),
    [
      'schema.get.query has a part of type "date"',
      'schema.get.events["tick"] has no JSON Schema',
    ],
  );
});

Deno.test("bough check finds nothing in the examples", async () => {
  const places = ["bookshop", "cluster", "minimal", "realworld"]
    .map((name) => `${name}/api`);
  for (const place of [...places, "bookshop/main.ts"]) {
    const outcome = await call(ROOT, `check examples/${place}`);
    assertEquals([outcome.code, outcome.stderr], [0, ""], outcome.stdout);
    assertMatch(
      outcome.stdout,
      /^Checked \d+ routes?, \d+ handlers?, \d+ middleware files?(?:, \d+ plugin routes?)? in "examples\/[\w\/.]+": nothing found$/m,
    );
  }
});

Deno.test("a comment allows the warnings of a rule in its file", async () => {
  const summary = "1 route, 1 handler, 0 middleware files";
  assertEquals(await call({ "api/a/route.ts": ALLOWED }, "check"), {
    code: 0,
    stdout:
      `Checked ${summary} in "api": nothing found except 1 allowed warning`,
    stderr: "",
  });
  assertEquals(
    await rulesIn({
      "api/a/route.ts": ALLOWED,
      "api/b/route.ts": OPEN,
      "api/c/route.ts": ALLOWED.replace("unguarded", "unguarded-method"),
      "api/d/route.ts": `/* Write "${ALLOWED.replace("\n", '" */\n')}`,
      "api/e/route.ts": ALLOWED.replace(/:.*/, ""),
      "api/routes.ts": "// bough-allow route-name: a list for the menu\n",
    }),
    ["b", "c", "d", "e"].map((name) => `unguarded ${name}/route.ts`),
  );
});

Deno.test("the option --allow allows the warnings of rules in all files, and of folders", async () => {
  const files = { "api/a/route.ts": OPEN, "api/:id/route.ts": GET };
  const both = "--allow=unguarded,folder-notation";
  assertEquals(await rulesIn(files, both), []);
  assertEquals(await rulesIn(files, both.replace(",", " --allow ")), []);
  assertEquals(await rulesIn(files, "--allow=folder-notation"), [
    "unguarded a/route.ts",
  ]);
});

Deno.test("errors cannot be allowed", async () => {
  const code = "// bough-allow exports: later\nexport const get = () => {};";
  const files = { "api/route.ts": code };
  assertEquals((await rulesIn(files))[0], "exports route.ts");
  for (const rule of ["exports", "constructor", "nope"]) {
    const { code, stdout, stderr } = await call(files, `check --allow=${rule}`);
    assertEquals([code, stdout], [2, ""]);
    assertStringIncludes(
      stderr,
      `--allow has "${rule}", which is not the rule of a warning; the rules are cookie-header, document, `,
    );
  }
});

Deno.test("the check reads no file for which Deno would prompt", async () => {
  await using application = await FolderApplication.create({
    "a/route.ts": ALLOWED,
  });
  const inspection = await application.app.inspect();
  assertEquals((await findingsOf(inspection)).warnings, []);
  using _permissions = new FakePermissions([]);
  const { warnings } = await findingsOf(inspection);
  assertEquals(warnings.map(({ rule }) => rule), ["unguarded"]);
});

const ROUTELESS = {
  "api/README.md": "",
  "guarded/middleware.ts": "export default (_, next) => next();",
  "main.ts": `import { Framework } from "@bough/framework";
    const plugin = {
      name: "docs",
      routes: () => [{ path: "/docs", handlers: { GET: () => new Response() } }],
    };
    export const app = new Framework({ apiDir: "api", plugins: [plugin] });`,
  "manifest.ts": `import { Framework } from "@bough/framework";
    export const app = new Framework({ manifest: {} });`,
};

Deno.test("bough check fails without a route (behaviour 9.2)", async () => {
  for (
    const [argument, path] of [
      ["api", "api"],
      ["guarded", "guarded"],
      ["main.ts", "api"],
      ["manifest.ts", "the manifest"],
    ] as const
  ) {
    const { code, stdout } = await call(ROUTELESS, `check ${argument}`);
    assertEquals(code, 1, argument);
    assertStringIncludes(stdout, `warning "${path}": `);
    assertStringIncludes(stdout, "(no-routes)");
    const line = `check ${argument} --allow=no-routes`;
    assertEquals((await call(ROUTELESS, line)).code, 0, argument);
  }
  const { code, stderr } = await call(ROUTELESS, "routes");
  assertEquals(code, 0);
  assertStringIncludes(stderr, `Warning: "api": `);
});

Deno.test("bough check and bough routes print a sunset that has passed, without a finding (behaviour 5.5)", async () => {
  const folder = fixture("deprecated");
  const passed = "GET /api/v1/books has passed its sunset, 2020-01-31";
  const { code, stdout } = await call(folder, "check");
  const [first, second] = stdout.split("\n");
  assertEquals([code, first], [0, passed]);
  assertMatch(second!, /: nothing found$/);
  assertEquals(await findingsIn(folder), []);
  const routes = await call(folder, "routes");
  assertEquals(routes.stdout.split("\n").at(-1), passed);
  const json = await call(folder, "routes --json");
  const [{ operations }] = JSON.parse(json.stdout);
  assertEquals([operations.get.deprecated, operations.delete.deprecated], [
    { value: { sunset: "2020-01-31" }, file: "api/v1/middleware.ts" },
    { value: true, file: "api/v1/books/route.ts" },
  ]);
});
