import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { bough, boughIn } from "./support.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const ZOD = `import { z } from "npm:zod@^4.1.13";`;
const GET = `export const GET = () => new Response("x");`;

Deno.test("bough tells how it is called, and refuses the rest with 2", async () => {
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
      [["check", "--prefix=[x]"], 'apiPrefix "[x]" has a bracket'],
      [["openapi", "--prefix=a?b"], 'apiPrefix "a?b" has "a?b"'],
      [["build", "--check"], "--check has no file to compare"],
      [["new"], "name the folder to create"],
    ] as const
  ) {
    const { code, stderr } = await boughIn(ROOT, ...args);
    assertEquals(code, 2, args.join(" "));
    if (message !== undefined) assertStringIncludes(stderr, message);
  }
});

const TREE = {
  "api/middleware.ts": "export default (_, next) => next();",
  "api/users/me/route.ts": GET,
  "api/users/[id]/route.ts": `${ZOD}
    export const schema = { get: { params: z.object({ id: z.string() }) } };
    ${GET}`,
  "api/users/[user]/posts/route.ts": GET,
  "api/users/[...]/route.ts": GET,
  "api/route.ts": `${GET} export const POST = GET;`,
};

Deno.test("bough routes lists the routes in matching order", async () => {
  await using folder = await TestFolder.create(TREE);
  const { code, stdout } = await bough(folder.path, "routes");
  assertEquals(code, 0);
  const [head, ...lines] = stdout.split("\n");
  assertMatch(head!, /^METHODS +URL +FILE +MIDDLEWARE +SCHEMA$/);
  assertEquals(lines.map((line) => line.split(/ {2,}/).slice(0, 3)), [
    ["GET POST", "/api", "api/route.ts"],
    ["GET", "/api/users/me", "api/users/me/route.ts"],
    ["GET", "/api/users/[id]", "api/users/[id]/route.ts"],
    ["GET", "/api/users/[user]/posts", "api/users/[user]/posts/route.ts"],
    ["GET", "/api/users/[...]", "api/users/[...]/route.ts"],
  ]);
  assertStringIncludes(lines[2]!, "api/middleware.ts  get: params");

  const json = await bough(folder.path, "routes", "--json", "--prefix=v1");
  assertEquals(JSON.parse(json.stdout)[2], {
    methods: ["GET"],
    path: "/v1/users/[id]",
    file: "api/users/[id]/route.ts",
    middleware: ["api/middleware.ts"],
    schema: { get: ["params"] },
    operations: { get: { params: ["api/users/[id]/route.ts"] } },
    permissions: [],
  });
});

Deno.test("bough routes --match tells which route wins, and why others lose", async () => {
  await using folder = await TestFolder.create(TREE);
  const match = async (request: string) =>
    await boughIn(folder.path, "routes", "--match", request);
  const me = await match("GET /api/users/me");
  assertEquals(me.code, 0);
  assertEquals(me.stdout.split("\n"), [
    "GET /api/users/me reaches /api/users/me (api/users/me/route.ts)",
    "  through api/middleware.ts",
    '  /api/users/[id] also matches, but "me" precedes [id] in segment 3',
    '  /api/users/[...] also matches, but "me" precedes [...] in segment 3',
    '  /api/users/[user]/posts expects "posts" in segment 4, but the path ends there',
  ]);
  const user = await match("/api/users/42/posts?x=1");
  assertStringIncludes(user.stdout, 'params.user = "42"');
  assertStringIncludes(
    user.stdout,
    '/api/users/me expects "me" in segment 3, but the path has "42"',
  );
  assertStringIncludes(
    user.stdout,
    '/api/users/[id] ends before segment 4, "posts"',
  );
  const deep = await match("GET /api/users/1/2/3");
  assertStringIncludes(deep.stdout, 'wildcardParams = ["1","2","3"]');
  for (
    const [request, code, text] of [
      [
        "DELETE /api",
        1,
        "405: the route has no handler for DELETE, only for GET, POST",
      ],
      ["HEAD /api", 0, "200: GET handles HEAD"],
      ["PURGE /api", 1, '501: method "PURGE" is not supported'],
      ["GET /nothing", 1, "gets 404: no route matches the path"],
      ["GET /api/%GG", 1, "gets 400: A percent escape in the path"],
    ] as const
  ) {
    const outcome = await match(request);
    assertEquals(outcome.code, code, request);
    assertStringIncludes(outcome.stdout, text);
  }
});

Deno.test("bough check finds nothing in the good examples", async () => {
  for (const example of ["bookshop", "cluster", "minimal"]) {
    const outcome = await bough(ROOT, "check", `examples/${example}/api`);
    assertEquals([outcome.code, outcome.stderr], [0, ""], outcome.stdout);
    assertMatch(
      outcome.stdout,
      /^Checked \d+ routes?, \d+ handlers?, \d+ middleware files? in "examples\/\w+\/api": nothing found$/,
    );
  }
});

/** A tree with one fault of every kind, and what `check` says of each. */
const PLANTED: Readonly<Record<string, readonly [string, string]>> = {
  "api/[[id]]/route.ts": [
    GET,
    "is an optional segment, which Bough does not support",
  ],
  "api/open[/x.ts": ["", 'is missing its "]"'],
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
    "schema.get.query is not a Standard Schema",
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

/** What does not stop the start. */
const UNWISE: Readonly<Record<string, readonly [string, string]>> = {
  "api/both/[id]/deep/route.ts": [GET, ""],
  "api/both/[...]/route.ts": [GET, '"[...]" is next to a dynamic folder'],
  "api/both/route.ts": [GET, ""],
  "api/files/[...]/route.ts": [GET, '"/api/files" itself gets 404'],
  [`api/${"café".normalize("NFD")}/route.ts`]: [GET, "is not in Unicode NFC"],
  "api/date/route.ts": [
    `${ZOD} export const schema = { get: { query: z.object({ d: z.date() }) } }; ${GET}`,
    "schema.get.query has no JSON Schema",
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
    'schema.get.params has "userId", but the path "/api/people/[id]" captures "id", so every request gets 400',
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
  const told = Object.values(PLANTED).filter(([, message]) => message !== "");
  assertEquals(findings.length, told.length);
});

Deno.test("bough check warns of what is unwise, and of nothing else", async () => {
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
  assertEquals(lines.length, 5);
});

Deno.test("the commands take an empty folder, spaces, Unicode and another place", async () => {
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

Deno.test("bough build --check fails when the manifest is out of date", async () => {
  await using folder = await TestFolder.create({ "api/a/route.ts": GET });
  const build = async (...more: string[]) =>
    (await boughIn(folder.path, "build", "-o", "api.manifest.ts", ...more))
      .code;
  assertEquals(await build("--check"), 1, "there is none yet");
  assertEquals(await build(), 0);
  assertEquals(await build("--check"), 0);
  assertEquals(await build("--check", "--lazy"), 1);
  await folder.write("api/b/route.ts", GET);
  assertEquals(await build("--check"), 1);
  const text = await Deno.readTextFile(join(folder.path, "api.manifest.ts"));
  assertEquals(text.includes("b/route.ts"), false, "it wrote nothing");
  await folder.write("api/[x/route.ts", GET);
  assertEquals(await build(), 1);
});

Deno.test("bough openapi prints the document", async () => {
  const { code, stdout } = await boughIn(
    ROOT,
    "openapi",
    "examples/bookshop/api",
    "--title=Bough Books",
    "--api-version=1.0.0",
  );
  assertEquals(code, 0);
  const golden = JSON.parse(
    await Deno.readTextFile(join(ROOT, "tests/openapi/bookshop.openapi.json")),
  );
  // What its plugin is told stands in no folder.
  const { servers: _, security: __, tags: ___, ...document } = golden;
  delete document.components.securitySchemes;
  document.info = { title: "Bough Books", version: "1.0.0" };
  assertEquals(JSON.parse(stdout), document);
});
