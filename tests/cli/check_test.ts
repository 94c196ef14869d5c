import { assertEquals, assertMatch } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { boughIn } from "./support.ts";

const GET = "export const GET = () => new Response();";
const MISNAMED =
  'this is not a route file; to make it a route file, name it "route" with ".ts", ".tsx", ".js" or ".jsx"';
const BRACKET =
  'folder name "[x" is missing its "]"; use "name", "[name]", "[...]" or "(group)"';

Deno.test("bough check prints errors before warnings, and exits with 1", async () => {
  await using folder = await TestFolder.create({
    "api/files/routes.ts": GET,
    "api/[x/route.ts": GET,
  });
  assertEquals(await boughIn(folder.path, "check"), {
    code: 1,
    stdout:
      `error "api/[x/route.ts": ${BRACKET} (folder-name)\nwarning "api/files/routes.ts": ${MISNAMED} (route-name)`,
    stderr: "",
  });
  const { code, stdout } = await boughIn(folder.path, "check", "--json");
  assertEquals(code, 1);
  assertEquals(JSON.parse(stdout), [
    {
      level: "error",
      rule: "folder-name",
      path: "api/[x/route.ts",
      message: BRACKET,
    },
    {
      level: "warning",
      rule: "route-name",
      path: "api/files/routes.ts",
      message: MISNAMED,
    },
  ]);
});

/** A route whose schema of params declares one name. */
function routeWith(param: string): string {
  return `import { z } from "npm:zod@^4.2.0";
    export const schema = { get: { params: z.object({ ${param}: z.string() }) } };
    ${GET}`;
}

Deno.test("bough check exits with 1 for a warning, and with 0 without findings", async () => {
  await using wrong = await TestFolder.create({
    "api/[id]/route.ts": routeWith("key"),
  });
  const { code, stdout } = await boughIn(
    wrong.path,
    "check",
    "--prefix",
    "v1",
  );
  assertEquals(code, 1);
  assertMatch(
    stdout,
    /^warning "api\/\[id\]\/route\.ts": .*"\/v1\/\[id\]".* \(unknown-param\)$/,
  );
  await using folder = await TestFolder.create({
    "api/[id]/route.ts": routeWith("id"),
    // The folder of a mounted handler needs no route of its own.
    "api/auth/[...]/route.ts": GET,
  });
  assertEquals(await boughIn(folder.path, "check"), {
    code: 0,
    stdout:
      'Checked 2 routes, 2 handlers, 0 middleware files in "api": nothing found',
    stderr: "",
  });
  const json = await boughIn(folder.path, "check", "--json");
  assertEquals([json.code, json.stdout], [0, "[]"]);
});

Deno.test("bough check warns of schemas that the document lacks", async () => {
  await using folder = await TestFolder.create({
    "api/a/route.ts": `import { z } from "npm:zod@^4.2.0";
      export const schema = {
        get: { query: z.object({ d: z.date() }) },
        post: { body: z.object({}) },
      };
      ${GET} export const POST = () => new Response();`,
    "api/b/route.ts": GET,
  });
  const { code, stdout } = await boughIn(folder.path, "check");
  assertEquals(code, 1);
  assertEquals(stdout.split("\n"), [
    'warning "api/a/route.ts": schema.get.query has a part of type "date", which JSON Schema cannot describe, so the document allows any value there (document)',
  ]);
});

Deno.test("bough check lists findings in matching order", async () => {
  await using folder = await TestFolder.create({
    "api/a-b/[...]/route.ts": routeWith("id"),
    "api/a/b/[...]/route.ts": routeWith("id"),
  });
  const { stdout } = await boughIn(folder.path, "check", "--json");
  assertEquals(
    JSON.parse(stdout).map(({ path }: { path: string }) => path),
    [
      "api/a/b/[...]/route.ts",
      "api/a-b/[...]/route.ts",
    ],
  );
});

Deno.test("bough check reports a missing folder as an error", async () => {
  await using folder = await TestFolder.create({});
  assertEquals(await boughIn(folder.path, "check", "missing"), {
    code: 1,
    stdout:
      'error "missing": the folder does not exist; set apiDir to the folder of your routes (it is relative to the working directory) (api-dir)',
    stderr: "",
  });
});
