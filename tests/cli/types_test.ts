import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
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

Deno.test("a method in standalone types has only the members of its schema", async () => {
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
      get: {
        summary: string;
      };
      put: {
        response: {
          204: {};
        };
      };
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

Deno.test("bough types explains wrong arguments", async () => {
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
