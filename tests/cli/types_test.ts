import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { checked } from "../client/support.ts";
import { TestFolder } from "../support/application.ts";
import { boughIn } from "./support.ts";

const GET = "export const GET = () => new Response();";

Deno.test("bough types writes a map of the files, and the paths of their folders", async () => {
  await using folder = await TestFolder.create({
    "api/users/[id]/route.ts": GET,
    "api/(staff)/middleware.ts": "export default (_, next) => next();",
    "api/(staff)/log/[...]/route.ts": GET,
    'api/it\'s "so"/route.ts': GET,
    "api/route.ts": GET,
  });
  const { code, stdout, stderr } = await boughIn(folder.path, "types", "api");
  assertEquals([code, stderr], [0, ""]);
  assertStringIncludes(
    stdout,
    `export interface Routes {
  "(staff)/log/[...]/route.ts": typeof import("./api/(staff)/log/[...]/route.ts");
  "(staff)/middleware.ts": typeof import("./api/(staff)/middleware.ts");
  "it's \\"so\\"/route.ts": typeof import("./api/it's \\"so\\"/route.ts");
  "route.ts": typeof import("./api/route.ts");
  "users/[id]/route.ts": typeof import("./api/users/[id]/route.ts");
}`,
  );
  assertStringIncludes(
    stdout,
    `export type NamedPathsAreTrue = [
  CheckPath<"/log/[...]" | "/(staff)/log/[...]", NamedPaths<Routes["(staff)/log/[...]/route.ts"]>>,
  CheckPath<"/it's \\"so\\"", NamedPaths<Routes["it's \\"so\\"/route.ts"]>>,
  CheckPath<"/", NamedPaths<Routes["route.ts"]>>,
  CheckPath<"/users/[id]", NamedPaths<Routes["users/[id]/route.ts"]>>,
];`,
  );
});

Deno.test("a method with a schema takes in standalone types no more than it says", async () => {
  await using folder = await TestFolder.create({
    "api/route.ts": `export const schema = {
        get: { summary: "All" },
        put: { tags: ["a"], response: { 204: {} } },
        post: {},
      };
      ${GET} export const PUT = GET; export const POST = GET;`,
  });
  const { code, stdout, stderr } = await boughIn(
    folder.path,
    "types",
    "api",
    "--standalone",
  );
  assertEquals([code, stderr], [0, ""]);
  // The client allows any query and any body where a schema has no member.
  assertStringIncludes(
    stdout,
    `    schema: {
      get: { summary: string };
      put: { response: { 204: {} } };
      post: {};
    };`,
  );
});

Deno.test("bough types writes only what changed, and --check compares", async () => {
  await using folder = await TestFolder.create({ "api/a/route.ts": GET });
  const output = join(folder.path, "t.ts");
  const run = (...args: readonly string[]) =>
    boughIn(folder.path, "types", "-o", "t.ts", ...args);
  const stale = {
    code: 1,
    stdout: "",
    stderr: '"t.ts" is out of date; update it with: bough types api -o t.ts',
  };
  const good = { code: 0, stdout: "", stderr: "" };
  assertEquals(await run("--check"), stale);
  assertEquals(await run(), good);
  assertEquals(await run("--check"), good);

  Deno.utimeSync(output, 7, 7);
  assertEquals(await run(), good);
  assertEquals(Deno.statSync(output).mtime, new Date(7_000));

  await folder.write("api/b/route.ts", GET);
  assertEquals(await run("--check"), stale);
  assertEquals(await run(), good);
  assert(Deno.statSync(output).mtime! > new Date(7_000));
  assertStringIncludes(Deno.readTextFileSync(output), '"b/route.ts"');
});

Deno.test("bough types says how it is called", async () => {
  await using folder = await TestFolder.create({ "main.ts": "" });
  const without = await boughIn(folder.path, "types", "--check");
  assertEquals(without.code, 2);
  assertStringIncludes(
    without.stderr,
    "bough types: --check has no file to compare; add --output=<file>\n",
  );
  const module = await boughIn(folder.path, "types", "main.ts");
  assertEquals(module.code, 2);
  assertStringIncludes(
    module.stderr,
    'bough types: name the folder of the routes, not "main.ts": the map needs only the names of files\n',
  );
});

/** A handler that tells a path. */
function telling(path: string): string {
  return `import type { FrameworkRequest } from "@bough/framework";
export const schema = { get: {} };
export function GET(request: FrameworkRequest<typeof schema.get, "${path}">): Response {
  return Response.json(request.params);
}`;
}

Deno.test("deno check refuses a path that is not that of the folder", async () => {
  await using folder = await TestFolder.create({
    "api/users/[id]/route.ts": telling("/users/[id]"),
    "api/users/[id]/posts/route.ts":
      `import type { Handler } from "@bough/framework";
export const GET: Handler<"/people/[id]/posts"> = () => new Response();
export const POST: Handler = () => new Response();`,
    "api/people/[id]/route.ts": telling("/users/[id]"),
    "api/(staff)/log/route.ts": telling("/log"),
    "api/(staff)/logs/route.ts": telling("/(staff)/logs"),
    "api/plain/route.ts":
      `import type { FrameworkRequest } from "@bough/framework";
export const GET = () => new Response();
export const POST = (request: Request) => new Response(request.url);
export const PUT = (request: FrameworkRequest) => new Response(request.url);`,
  });
  await boughIn(folder.path, "types", "-o", "t.ts");
  const output = await checked(folder, "t.ts");
  const errors = output.split(/^TS\d+ /m).slice(1)
    .map((text) => text.split("\n").slice(0, 2).join("\n"));
  assertEquals(errors, [
    `[ERROR]: Type '"/users/[id]"' does not satisfy the constraint '"/people/[id]"'.
  CheckPath<"/people/[id]", NamedPaths<Routes["people/[id]/route.ts"]>>,`,
    `[ERROR]: Type '"/people/[id]/posts"' does not satisfy the constraint '"/users/[id]/posts"'.
  CheckPath<"/users/[id]/posts", NamedPaths<Routes["users/[id]/posts/route.ts"]>>,`,
  ]);
});

Deno.test("RequestOf gives schema, params and the values of the folders", async () => {
  const imports = `import type { RequestOf } from "./t.ts";
import { z } from "zod";`;
  const use = `const tenant: string = request.validated.headers["x-tenant"];
  const { id } = request.params;
  const page: number = request.validated.query.page;`;
  const route = (path: string, method: string, more = "") =>
    `${imports.replace("./t.ts", "../../../../t.ts")}
export const schema = { get: { query: z.object({ page: z.coerce.number() }) } };
export function GET(request: RequestOf<"${path}", "${method}">): Response {
  ${use}
  ${more}
  return Response.json({ tenant, id, page });
}`;
  await using folder = await TestFolder.create({
    "api/(tenants)/middleware.ts": `import { z } from "zod";
export const contract = { headers: z.object({ "x-tenant": z.string() }) };`,
    "api/(tenants)/books/[id]/route.ts": route("/books/[id]", "GET"),
    "api/(tenants)/wrong/[id]/route.ts": route("/books/[id]", "GET"),
    "api/(tenants)/none/[id]/route.ts": route("/nones/[id]", "GET"),
    "api/(tenants)/more/[id]/route.ts": route(
      "/more/[id]",
      "GET",
      "request.params.nope; request.validated.body;",
    ),
  });
  await boughIn(folder.path, "types", "-o", "t.ts");
  const output = await checked(
    folder,
    "t.ts",
    ...["books", "wrong", "none", "more"].map((name) =>
      `api/(tenants)/${name}/[id]/route.ts`
    ),
  );
  assert(!/books\/\[id\]\/route\.ts:/.test(output), output);
  for (
    const text of [
      `  CheckPath<"/wrong/[id]" | "/(tenants)/wrong/[id]", NamedPaths`,
      `Type '"/nones/[id]"' does not satisfy the constraint 'RoutePath<Routes>'`,
      "Property 'nope' does not exist on type '{ id: string; }'",
      "Property 'body' does not exist on type",
    ]
  ) assertStringIncludes(output, text);
});
