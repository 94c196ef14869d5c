import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { fromFileUrl } from "@std/path";
import {
  bough,
  boughIn,
  boughWith,
  COMMAND,
  runProgram,
} from "../cli/support.ts";
import { TestFolder } from "../support/application.ts";
import { ChangedFolder, documentOf } from "./support.ts";

/** The source of a route file with a `POST` whose body has a schema. */
function post(body: string): string {
  return `
    import { z } from "zod";
    export const schema = { post: { body: ${body} } };
    export const POST = () => new Response();
  `;
}

const BEFORE = {
  "api/notes/route.ts": post("z.object({ text: z.string().max(9) })"),
  "api/notes/[id]/route.ts": "export const GET = () => new Response();",
};
const AFTER = {
  "api/notes/route.ts": post("z.object({ text: z.string().max(5) })"),
};
const UNCHANGED = { code: 0, stdout: "No change breaks a client", stderr: "" };
const VERSION = "is not an OpenAPI document of version 3.1 or 3.2";
const NOT_COMPARED = /Cannot compare with ".*": /;
const PACKAGE = fromFileUrl(new URL("../../", import.meta.url));

Deno.test("bough diff groups the changes by operation, with a request and a test", async () => {
  await using folder = await ChangedFolder.create(BEFORE, AFTER);
  const { code, stdout, stderr } = await folder.diff();
  assertEquals([code, stderr], [1, ""]);
  assertEquals(
    stdout,
    `POST /api/notes (api/notes/route.ts)
  breaking body#/text: "maxLength" 9 became 5 (request-narrowed; all clients)
    remedy: accept the old values, or add a new operation
    curl -i -X POST -H 'content-type: application/json' --data-raw '{"text":"Text a"}' 'http://localhost:8000/api/notes'
    Deno.test("POST /api/notes accepts the earlier body#/text", async () => {
      const response = await app.fetch(new Request("http://localhost/api/notes", { method: "POST", headers: { "content-type": "application/json" }, body: "{\\"text\\":\\"Text a\\"}" }));
      assert(![400, 401, 403, 422].includes(response.status));
      await response.body?.cancel();
    });

GET /api/notes/{id}
  breaking: the operation was removed (operation-removed; all clients)
    remedy: keep the operation, and declare "deprecated" with a "sunset" date; remove it after this date

2 breaking, 0 unknown`,
  );
});

Deno.test("bough diff --json has the file, the value and the request of each change", async () => {
  await using folder = await ChangedFolder.create(BEFORE, AFTER);
  const { code, stdout } = await folder.diff("--json");
  assertEquals(code, 1);
  const { changes: [first, second], stale } = JSON.parse(stdout);
  assertEquals(first, {
    verdict: "breaking",
    rule: "request-narrowed",
    operation: "POST /api/notes",
    place: "body#/text",
    message: '"maxLength" 9 became 5',
    remedy: "accept the old values, or add a new operation",
    clients: "all",
    value: { text: "Text a" },
    request: {
      method: "POST",
      target: "/api/notes",
      headers: { "content-type": "application/json" },
      body: '{"text":"Text a"}',
    },
    file: "api/notes/route.ts",
  });
  assertEquals([second.rule, second.file], ["operation-removed", undefined]);
  assertEquals(stale, []);
});

Deno.test("bough diff --format=github prints an annotation for each change", async () => {
  await using folder = await ChangedFolder.create({
    "api/a,b: 5%/route.ts": post("z.object({ a: z.string().max(9) })"),
    "api/route.ts": post("z.object({ a: z.string() })"),
  }, {
    "api/a,b: 5%/route.ts": post("z.object({ a: z.string().max(5) })"),
    "api/route.ts": post(
      "z.object({ a: z.string() }).meta({ not: { const: 1 } })",
    ),
  });
  const { code, stdout } = await folder.diff("--format=github");
  assertEquals(code, 1);
  assertEquals(stdout.split("\n"), [
    '::warning file=api/route.ts,title=request-narrowed::POST /api body#: the keyword "not" is not compared: nothing became {"const":1}; accept the old values, or add a new operation',
    '::error file=api/a%2Cb%3A 5%25/route.ts,title=request-narrowed::POST /api/a%252Cb%253A%25205%2525 body#/a: "maxLength" 9 became 5; accept the old values, or add a new operation',
  ]);
});

Deno.test("the request of a change has variables for the credentials of the operation", async () => {
  const guard = (max: number) => ({
    "api/middleware.ts": `
      export const contract = { security: [{ bearer: [] }] };
      export default (_, next) => next();`,
    "api/notes/[id]/route.ts": `
      import { z } from "zod";
      const query = z.object({ tag: z.string().max(${max}), page: z.string() });
      export const schema = { get: { query } };
      export const GET = () => new Response();`,
  });
  await using folder = await ChangedFolder.create(guard(9), guard(3));
  const { stdout } = await folder.diff();
  assertStringIncludes(
    stdout,
    `curl -i -H "authorization: $AUTHORIZATION" 'http://localhost:8000/api/notes/Id?tag=Text&page=Page'`,
  );
  assertStringIncludes(stdout, "{ headers: { ...as } }");
});

Deno.test("--at is the date for which bough diff judges a removed operation", async () => {
  await using folder = await ChangedFolder.create(AFTER, AFTER);
  const get = {
    operationId: "old",
    deprecated: true,
    "x-sunset": "2030-06-01",
  };
  const paths = { "/api/old": { get }, "/b": null };
  await folder.write("api.json", JSON.stringify({ openapi: "3.1.0", paths }));
  const { code, stdout } = await folder.diff("--at=2030-05-31");
  assertEquals(code, 1);
  assertStringIncludes(
    stdout,
    "the operation was removed before its sunset on 2030-06-01",
  );
  assertEquals((await folder.diff("--at=2030-06-01")).code, 0);
});

Deno.test("--against names a file, a URL, or a file of another commit", async () => {
  await using folder = await ChangedFolder.create(BEFORE, AFTER);
  const document = await Deno.readTextFile(`${folder.path}/api.json`);
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    ({ url }) =>
      url.endsWith("/openapi.json")
        ? new Response(document)
        : new Response("no", { status: 503 }),
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  await git(folder.path, "init", "-q", "-b", "main");
  await git(folder.path, "add", "api.json");
  await git(folder.path, "commit", "-q", "-m", "first");
  await Deno.remove(`${folder.path}/api.json`);
  for (
    const place of [
      `${origin}/openapi.json`,
      "main:api.json",
      "HEAD:./api.json",
    ]
  ) {
    const { code, stdout } = await folder.diff(`--against=${place}`);
    assertEquals(code, 1, place);
    assertStringIncludes(stdout, "2 breaking, 0 unknown", place);
  }
  await assertMisuse(
    folder,
    [`--against=${origin}/gone`],
    "responded with 503",
  );
  await assertMisuse(folder, ["--against=main:none.json"], "none.json");
});

/** A document whose only operation has a malformed member. */
const malformed = (member: string) =>
  `{ "openapi": "3.1.0", "paths": { "/api": { "post": { "operationId": "x", ${member} } } } }`;

/** Files of documents, and the message about them. */
const DOCUMENTS: Readonly<
  Record<string, readonly [document: string, message: string | RegExp]>
> = {
  "text.json": ["openapi: 3.1.0", "Unexpected token"],
  "null.json": ["null", VERSION],
  "old.json": ['{ "openapi": "3.0.3", "paths": {} }', VERSION],
  "swagger.json": ['{ "swagger": "2.0" }', VERSION],
  "empty.json": ['{ "openapi": "3.1.0" }', VERSION],
  "parameters.json": [malformed('"parameters": {}'), NOT_COMPARED],
  "security.json": [malformed('"security": "bearer"'), NOT_COMPARED],
  // Optimized code would compare 3,000 levels.
  "deep.json": [
    malformed(`"inner": ${'{"inner":'.repeat(1e5)}0${"}".repeat(1e5)}`),
    NOT_COMPARED,
  ],
};

Deno.test("bough diff explains misuse", async () => {
  await using folder = await ChangedFolder.create(BEFORE, {
    ...AFTER,
    "api/route.ts": post("z.unknown()"),
    "failing.ts": "throw new Error('no')",
    "wrong/route.ts": "export const get = 1;",
  });
  for (const [name, [text, message]] of Object.entries(DOCUMENTS)) {
    await folder.write(name, text);
    await assertMisuse(folder, [`--against=${name}`], message);
  }
  for (
    const [args, message] of [
      ["none", "the folder does not exist"],
      ["none.ts", 'file "none.ts" does not'],
      ["failing.ts", "the import failed: no"],
      ["wrong", "wrong/route.ts"],
      ["--against=none.json", "the file does not exist"],
      ["--against=api", "Cannot read"],
      ["--against=http://127.0.0.1:1/api.json", "Cannot read"],
      ["--against=--output=x:y", "the file does not exist"],
      ["--at=tomorrow", "--at must be a date"],
      ["--at=2030-13-01", "--at must be a date"],
      ["--at=2030-02-30", "--at must be a date"],
      ["--at=2029-02-29", "--at must be a date"],
      ["--at=2030-06-01T12:00Z", "--at must be a date"],
      ["--format=xml", "--format must be github"],
      ["--accepted=none.json", '"none.json" does not exist'],
      [
        "--accepted=api",
        /^bough diff: Cannot read "api": .*; or name another file with --accepted$/m,
      ],
      [
        "--accepted=none/a.json --accept=fine",
        /^bough diff: Cannot write "none\/a\.json": .*--accepted$/m,
      ],
    ] as const
  ) await assertMisuse(folder, args.split(" "), message);
  const { code, stderr } = await boughIn(folder.path, "diff");
  assertEquals(code, 2);
  assertStringIncludes(stderr, "add --against=<file, URL or ref:path>");
  assertEquals((await boughIn(folder.path, "routes", "none")).code, 1);
});

Deno.test("without a permission, bough diff prints no stack", async () => {
  await using folder = await ChangedFolder.create(BEFORE, AFTER);
  for (
    const [permissions, arg, message] of [
      [
        [`--allow-read=${PACKAGE}`],
        "--against=api.json",
        'Cannot read "accepted_changes.json": Requires read access',
      ],
      [
        ["--allow-read", "--allow-env"],
        "--accept=fine",
        'Cannot write "accepted_changes.json": Requires write access',
      ],
      [
        ["--allow-read", "--allow-env"],
        "--against=main:api.json",
        'Cannot read "main:api.json": Requires run access to "git"',
      ],
    ] as const
  ) {
    const { code, stderr } = await runProgram(
      folder.path,
      ...["--no-prompt", ...permissions, COMMAND, "diff"],
      ...["--against=api.json", arg],
    );
    assertEquals(code, 2, message);
    assertStringIncludes(stderr, message);
    assertEquals(stderr.includes("    at "), false, message);
  }
});

Deno.test("without git, bough diff rejects a file of another commit", async () => {
  await using folder = await ChangedFolder.create(BEFORE, AFTER);
  const args = ["diff", "--against=main:api.json"];
  const env = { PATH: folder.path };
  const { code, stderr } = await boughWith(env, folder.path, ...args);
  assertEquals(code, 2);
  assertStringIncludes(stderr, "install git");
});

Deno.test("only bough diff loads the validator of JSON Schema", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "src/cli/mod.ts"],
  }).output();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as {
    modules: {
      specifier: string;
      dependencies?: { isDynamic?: boolean; code?: { specifier: string } }[];
    }[];
  };
  const known = new Map(modules.map((each) => [each.specifier, each]));
  const reached = new Set(
    [...known.keys()].filter((each) => each.endsWith("src/cli/mod.ts")),
  );
  for (const each of reached) {
    for (const { isDynamic, code } of known.get(each)?.dependencies ?? []) {
      if (!isDynamic && code) reached.add(code.specifier);
    }
  }
  assert(reached.size > 30);
  assertEquals([...reached].filter((each) => /ajv|\/diff\/mod/.test(each)), []);
});

Deno.test("bough diff runs as a program, and compares versions 3.1 and 3.2", async () => {
  await using folder = await TestFolder.create({
    "api/route.ts": `
      import { z } from "zod";
      export const schema = { get: { events: { tick: z.object({ n: z.int() }) } } };
      export const GET = () => new Response();`,
  });
  await folder.write("old.json", await documentOf(folder.path, "api"));
  const { stdout: document } = await boughIn(
    folder.path,
    ...["openapi", "api", "--openapi-version=3.2"],
  );
  await folder.write("new.json", document);
  for (const name of ["old.json", "new.json"]) {
    const args = ["diff", "api", `--against=${name}`];
    assertEquals(await bough(folder.path, ...args), UNCHANGED);
  }
});

async function assertMisuse(
  folder: ChangedFolder,
  args: readonly string[],
  message: string | RegExp,
): Promise<void> {
  const { code, stdout, stderr } = await folder.diff(...args);
  assertEquals([code, stdout], [2, ""], String(args));
  if (typeof message === "string") {
    assertStringIncludes(stderr, message, String(args));
  } else assertMatch(stderr, message, String(args));
}

async function git(folder: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("git", {
    args: ["-c", "user.name=A", "-c", "user.email=a@b.example", ...args],
    cwd: folder,
  }).output();
  assert(success, new TextDecoder().decode(stderr));
}

Deno.test("bough diff warns of schemas that the document cannot describe", async () => {
  const files = {
    "api/route.ts": post("z.object({ a: z.map(z.any(), z.any()) })"),
  };
  await using folder = await ChangedFolder.create(files, files);
  const { code, stderr } = await folder.diff();
  assertEquals(code, 0);
  assertStringIncludes(stderr, 'schema.post.body has a part of type "map"');
});
