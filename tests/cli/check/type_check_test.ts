import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { Framework } from "@bough/framework";
import { TestFolder } from "../../support/application.ts";
import { boughIn } from "../support.ts";

const FILES = {
  "deno.json": `{ "imports": { "lib": "./lib.ts" } }`,
  "lib.ts": "export const answer: number = 42;",
  "api/good/[id]/route.ts": `import { answer } from "lib";
    export const GET = (): Response => Response.json(answer);`,
  "api/middleware.ts":
    "export default (_: Request, next: () => Promise<Response>) => next();",
};

async function check(
  files: Readonly<Record<string, string>>,
): Promise<Record<string, string>[]> {
  await using folder = await TestFolder.create(files);
  const { stdout } = await boughIn(folder.path, "check", "--types", "--json");
  const found: Record<string, string>[] = JSON.parse(stdout);
  // The tests run by the configuration of the repository, which has no "lib".
  return found.filter(({ rule }) => rule !== "import");
}

Deno.test("bough check --types runs the type checker, by the project's configuration", async () => {
  assertEquals(await check(FILES), []);
  const found = await check({
    ...FILES,
    "api/bad/route.ts":
      `export const GET = (): Response => new Response("", { status: "x" });
export const PUT = (): Response => 1;`,
    "api/bad/middleware.ts": "export default (a: Missing) => a;",
  });
  assertEquals(
    found.map(({ level, rule, path }) => [level, rule, path]).sort(),
    [
      ["error", "types", "api/bad/middleware.ts"],
      ["error", "types", "api/bad/route.ts"],
      ["error", "types", "api/bad/route.ts"],
    ],
  );
  assert(found.every(({ message }) => /^TS\d+ \[ERROR\]: /.test(message!)));
  const unresolved = await check({
    ...FILES,
    "api/bad/route.ts":
      `import "nowhere"; export const GET = () => new Response();`,
  });
  assertEquals(unresolved.map(({ rule }) => rule), ["types"]);
});

Deno.test("bough check --types holds handlers to their type, annotated or not", async () => {
  const found = await check({
    "api/a/[id]/route.ts": "export const GET = () => ({ name: 'Ada' });",
    "api/b/route.ts": "export async function POST() { await 1; }",
    "api/c/route.ts": `export const GET = async () => new Response();
      export function PUT(request: Request & { params: { id: string } }) {
        return Response.json(request.params.id);
      }
      export const helper = () => 1;`,
    "api/middleware.ts": "export default () => 'x';",
  });
  assertEquals(
    found.map(({ rule, path }) => [rule, path]).sort(),
    [
      ["types", "api/a/[id]/route.ts"],
      ["types", "api/b/route.ts"],
      ["types", "api/middleware.ts"],
    ],
  );
});

Deno.test("bough check --types reports one mistake in a call as one error", async () => {
  const found = await check({
    "lib.ts": `export function pick(value: string): string;
export function pick(value: string, count: number): string;
export function pick(...all: unknown[]) { return String(all); }`,
    "api/route.ts": `import { pick } from "../lib.ts";
export const GET = () => new Response(pick(1));`,
  });
  assertEquals(found.map(({ path }) => path), ["api/route.ts"]);
  // The compiler points to the overloads, too, which stays with the error.
  assertMatch(found[0]!.message!, /^TS2345 [^]*\nTS2793 /);
});

Deno.test("bough check --types takes a contract with a middleware, and without one", async () => {
  const contract = "export const contract = { tags: ['a'] };";
  const found = await check({
    "api/middleware.ts": contract,
    "api/a/middleware.ts": `${contract} export default () => new Response();`,
    "api/b/middleware.ts": `${contract} export default () => "x";`,
    "api/route.ts": "export const GET = () => new Response();",
  });
  assertEquals(
    found.map(({ rule, path }) => [rule, path]),
    [["types", "api/b/middleware.ts"]],
  );
});

Deno.test("bough check checks no types without --types", async () => {
  await using folder = await TestFolder.create({
    "api/route.ts":
      "export const GET = (): Response => new Response(1 as Nope);",
  });
  assertEquals((await boughIn(folder.path, "check")).code, 0);
});

Deno.test("bough check --types tells which permission it needs", async () => {
  await using folder = await TestFolder.create(FILES);
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--no-prompt",
      "--allow-read",
      `--config=${new URL("../../../deno.json", import.meta.url).pathname}`,
      new URL("../../../src/cli/mod.ts", import.meta.url).pathname,
      "check",
      "--types",
    ],
    cwd: folder.path,
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(code, 2);
  assertStringIncludes(
    new TextDecoder().decode(stderr),
    "--types runs the type checker; allow this with --allow-run=deno",
  );
});

Deno.test("bough check --types looks only at files that there are, as a manifest may have none", async () => {
  await using folder = await TestFolder.create({
    "main.ts": "export default (globalThis as { listed?: unknown }).listed;",
  });
  const manifest = { "users/route.ts": { GET: () => new Response() } };
  Object.assign(globalThis, { listed: new Framework({ manifest }) });
  const outcome = await boughIn(folder.path, "check", "--types", "main.ts");
  delete (globalThis as { listed?: unknown }).listed;
  assertEquals(
    [outcome.code, outcome.stderr],
    [0, ""],
    outcome.stdout,
  );
});
