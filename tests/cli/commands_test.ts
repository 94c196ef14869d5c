import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { bough, boughIn, fixture } from "./support.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const ZOD = `import { z } from "npm:zod@^4.2.0";`;
const GET = `export const GET = () => new Response("x");`;

Deno.test("bough prints its help, and exits with 2 after wrong calls", async () => {
  const help = await bough(ROOT, "--help");
  assertEquals(help.code, 0);
  for (const name of ["routes", "check", "build", "openapi", "new"]) {
    assertStringIncludes(help.stdout, `\n  ${name}`);
    const own = await boughIn(ROOT, name, "--help");
    assertEquals(own.code, 0);
    assertStringIncludes(own.stdout, `Usage: bough ${name}`);
  }
  for (
    const [args, message] of [
      [[], undefined],
      [["nope"], 'unknown command "nope"'],
      [["routes", "--nope"], 'unknown option "--nope"'],
      [["routes", "a", "b"], 'unexpected argument "b"'],
      [["routes", "examples/minimal/api", "--match", "x"], "--match must be"],
      [["routes", "--match"], "--match needs a value"],
      [["check", "--prefix=[x]"], "apiPrefix must have static segments"],
      [
        ["openapi", "--prefix=a?b"],
        'without escapes, such as "api/v1", got "a?b"',
      ],
      [["build", "--check"], "--check has no file to compare"],
      [["new"], "name the folder to create"],
    ] as const
  ) {
    const { code, stderr } = await boughIn(ROOT, ...args);
    assertEquals(code, 2, args.join(" "));
    if (message !== undefined) assertStringIncludes(stderr, message);
  }
});

Deno.test("bough routes lists the routes in matching order", async () => {
  const { code, stdout } = await bough(fixture("users"), "routes");
  assertEquals(code, 0);
  const [head, ...lines] = stdout.split("\n");
  assertMatch(head!, /^METHODS +URL +FILE +MIDDLEWARE +SCHEMA$/);
  const rows = lines.map((line) => line.split(/ {2,}/));
  assertEquals(rows.map((cells) => cells.slice(0, 3)), [
    ["GET POST", "/api", "api/route.ts"],
    ["GET", "/api/a", "api/a/route.ts"],
    ["GET", "/api/a/b", "api/a/b/route.ts"],
    // Sorted by the whole path, this route would precede the one above.
    ["GET", "/api/a-b", "api/a-b/route.ts"],
    ["GET", "/api/files/css/main", "api/files/css/main/route.ts"],
    ["GET", "/api/files/[...]", "api/files/[...]/route.ts"],
    ["POST", "/api/forms", "api/forms/route.ts"],
    ["GET PUT", "/api/users/me", "api/users/me/route.ts"],
    ["GET PUT", "/api/users/[id]", "api/users/[id]/route.ts"],
    ["GET", "/api/users/[user]/posts", "api/users/[user]/posts/route.ts"],
    ["GET", "/api/users/[...]", "api/users/[...]/route.ts"],
  ]);
  assertEquals(rows[8]!.slice(3), [
    "api/middleware.ts > api/users/middleware.ts",
    "get: params query headers response; put: body",
  ]);

  const json = await boughIn(
    fixture("users"),
    ...["routes", "--json", "--prefix=v1"],
  );
  assertEquals(json.stderr, "");
  const listed = JSON.parse(json.stdout);
  assertEquals(json.stdout, JSON.stringify(listed, null, 2));
  assertEquals(
    listed.map(({ path }: { path: string }) => path),
    rows.map(([, url]) => url!.replace("/api", "/v1")),
  );
  const file = "api/users/[id]/route.ts";
  assertEquals(listed[8], {
    methods: ["GET", "PUT"],
    path: "/v1/users/[id]",
    file,
    middleware: ["api/middleware.ts", "api/users/middleware.ts"],
    schema: { get: ["params", "query", "headers", "response"], put: ["body"] },
    operations: {
      get: {
        params: [file],
        query: [file],
        headers: [file],
        response: { 200: file },
      },
      put: { body: [file] },
    },
    permissions: [],
  });
});

Deno.test("bough check finds nothing in the examples", async () => {
  const recipes = [...Deno.readDirSync(join(ROOT, "examples/recipes"))]
    .map(({ name }) => `recipes/${name}`);
  for (
    const example of ["bookshop", "cluster", "minimal", "realworld", ...recipes]
  ) {
    const outcome = await boughIn(ROOT, "check", `examples/${example}/api`);
    assertEquals([outcome.code, outcome.stderr], [0, ""], outcome.stdout);
    assertMatch(
      outcome.stdout,
      /^Checked \d+ routes?, \d+ handlers?, \d+ middleware files? in "examples\/[\w\/]+\/api": nothing found$/m,
    );
  }
});

/** A tree with one fault of each kind, and a part of the message of each. */
const PLANTED: Readonly<Record<string, readonly [string, string]>> = {
  "api/[[id]]/route.ts": [
    GET,
    "is an optional segment, which Bough does not support",
  ],
  "api/[...]/more/route.ts": [GET, "must be the last segment"],
  "api/twice/[a]/[a]/route.ts": [GET, 'parameter "a" is used twice'],
  "api/same/[a]/route.ts": [GET, "would serve the same URLs"],
  "api/same/[b]/route.ts": [GET, ""],
  "api/none/route.ts": ["export const x = 1;", "no handler is exported"],
  "api/slip/route.ts": ["export function get() {}", 'name it "GET"'],
  "api/broken/route.ts": ["export const = 1;", "the import failed"],
  "api/throws/route.ts": ["throw new Error('down');", "the import failed"],
  "api/schema/route.ts": [
    `${GET} export const schema = { get: { query: {} } };`,
    "schema.get.query must be a Standard Schema",
  ],
  "api/config/route.ts": [
    `${GET} export const config = { bodyLimit: "1mb" };`,
    "config.bodyLimit must be a whole number of bytes",
  ],
  "api/guard/middleware.ts": [
    "export const a = 1;",
    "the default export is missing",
  ],
};

/** A tree that starts, but has likely mistakes. */
const UNWISE: Readonly<Record<string, readonly [string, string]>> = {
  "api/date/route.ts": [
    `${ZOD} export const schema = { get: { query: z.object({ d: z.date() }) } }; ${GET}`,
    'schema.get.query has a part of type "date"',
  ],
  "api/reads/route.ts": [
    `${ZOD}
      const body = z.object({});
      export const schema = { post: { body } };
      export function POST() { return new Response(); }`,
    "",
  ],
  "api/people/[id]/route.ts": [
    `${ZOD} export const schema = { get: { params: z.object({ userId: z.string() }) } }; ${GET}`,
    'schema.get.params has "userId", but the path "/api/people/[id]" captures "id"',
  ],
};

Deno.test("bough check finds each planted fault", async () => {
  const files = Object.entries(PLANTED).map(([path, [code]]) => [path, code]);
  await using folder = await TestFolder.create(Object.fromEntries(files));
  const { code, stdout } = await boughIn(folder.path, "check", "--json");
  assertEquals(code, 1);
  const findings: { level: string; path: string; message: string }[] = JSON
    .parse(stdout).filter(({ level }: { level: string }) => level === "error");
  for (const [path, [, message]] of Object.entries(PLANTED)) {
    if (message === "") continue;
    const about = path.endsWith("x.ts") ? "api/open[" : path;
    assert(
      findings.some((each) =>
        each.path === about && each.message.includes(message)
      ),
      `${path}: ${message}\n${stdout}`,
    );
  }
  const planted = Object.values(PLANTED)
    .filter(([, message]) => message !== "");
  assertEquals(findings.length, planted.length);
});

Deno.test("bough check warns of likely mistakes only", async () => {
  const files = Object.entries(UNWISE).map(([path, [code]]) => [path, code]);
  await using folder = await TestFolder.create(Object.fromEntries(files));
  const { code, stdout } = await boughIn(folder.path, "check");
  assertEquals(code, 1);
  const lines = stdout.split("\n");
  for (const [path, [, message]] of Object.entries(UNWISE)) {
    const about = lines.filter((line) => line.startsWith(`warning "${path}"`));
    assertEquals(about.length, message === "" ? 0 : 1, `${path}\n${stdout}`);
    assertStringIncludes(about.join("\n"), message);
  }
  assertEquals(lines.length, 2);
});

Deno.test("commands accept an empty folder, spaces, Unicode, and a folder elsewhere", async () => {
  await using folder = await TestFolder.create({
    "my api ü/a b/é[1.ts": "",
    "my api ü/a b/route.ts": GET,
    "my api ü/x#%?y/route.ts": GET,
    "elsewhere/keep": "",
  });
  await Deno.mkdir(join(folder.path, "empty"));
  for (const name of ["routes", "check", "build", "openapi"]) {
    const { code } = await boughIn(folder.path, name, "empty");
    assertEquals(code, name === "check" ? 1 : 0, name);
    const missing = await boughIn(folder.path, name, "missing");
    assertEquals(missing.code, 1, name);
    assertStringIncludes(
      missing.stdout + missing.stderr,
      "the folder does not exist",
    );
  }
  const elsewhere = join(folder.path, "elsewhere");
  const listed = await boughIn(elsewhere, "routes", "../my api ü/");
  assertEquals(listed.code, 0);
  assertStringIncludes(listed.stdout, "/api/a b");
  assertEquals((await boughIn(elsewhere, "check", "../my api ü")).code, 0);

  const args = ["build", "../my api ü", "-o", "a.manifest.ts"] as const;
  assertEquals(await boughIn(elsewhere, ...args), {
    code: 0,
    stdout: "",
    stderr: "",
  });
  const { default: manifest } = await import(
    `file://${elsewhere}/a.manifest.ts`
  );
  assertEquals(Object.keys(manifest), ["a b/route.ts", "x#%?y/route.ts"]);
  assertEquals(typeof manifest["x#%?y/route.ts"].GET, "function");
});

Deno.test("bough openapi prints the document of a folder", async () => {
  const { code, stdout } = await boughIn(
    ROOT,
    "openapi",
    "examples/bookshop/api",
    "--title=Bough Books",
    "--version=1.0.0",
  );
  assertEquals(code, 0);
  const golden = JSON.parse(
    await Deno.readTextFile(join(ROOT, "tests/openapi/bookshop.openapi.json")),
  );
  // The options of its plugin are not part of the folder.
  const { servers: _, security: __, tags: ___, ...document } = golden;
  delete document.components.securitySchemes;
  document.info = { title: "Bough Books", version: "1.0.0" };
  assertEquals(JSON.parse(stdout), document);
});
