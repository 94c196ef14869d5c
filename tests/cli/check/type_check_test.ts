import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Framework } from "@bough/framework";
import { TestFolder } from "../../support/application.ts";
import { boughIn } from "../support.ts";

/** An application whose every folder tests a rule; one run of the checker reads it. */
const FILES = {
  "deno.json": `{ "imports": { "lib": "./lib.ts" } }`,
  "lib.ts": `export const answer: number = 42;
export function pick(value: string): string;
export function pick(value: string, count: number): string;
export function pick(...all: unknown[]) { return String(all); }`,
  "api/project/good/[id]/route.ts": `import { answer } from "lib";
    export const GET = (): Response => Response.json(answer);`,
  "api/project/middleware.ts":
    "export default (_: Request, next: () => Promise<Response>) => next();",
  "api/project/bad/route.ts":
    `export const GET = (): Response => new Response("", { status: "x" });
export const PUT = (): Response => 1;`,
  "api/project/bad/middleware.ts": "export default (a: Missing) => a;",

  "api/handlers/a/[id]/route.ts": "export const GET = () => ({ name: 'Ada' });",
  "api/handlers/b/route.ts": "export async function POST() { await 1; }",
  "api/handlers/c/route.ts": `export const GET = async () => new Response();
    export function PUT(request: Request & { params: { id: string } }) {
      return Response.json(request.params.id);
    }
    export const helper = () => 1;`,
  "api/handlers/middleware.ts": "export default () => 'x';",

  "api/call/route.ts": `import { pick } from "../../lib.ts";
export const GET = () => new Response(pick(1));`,

  "api/contract/middleware.ts": "export const contract = { tags: ['a'] };",
  "api/contract/a/middleware.ts": `export const contract = { tags: ['a'] };
    export default () => new Response();`,
  "api/contract/b/middleware.ts": `export const contract = { tags: ['a'] };
    export default () => "x";`,
  "api/contract/route.ts": "export const GET = () => new Response();",
};

type Finding = Record<"level" | "rule" | "path" | "message", string>;

async function check(
  files: Readonly<Record<string, string>>,
): Promise<Finding[]> {
  await using folder = await TestFolder.create(files);
  const { stdout } = await boughIn(folder.path, "check", "--types", "--json");
  const found: Finding[] = JSON.parse(stdout);
  // The tests run with the configuration of the repository, which has no "lib".
  return found.filter(({ rule }) => rule !== "import");
}

let findings: Promise<Finding[]> | undefined;

/** The findings in a folder of `FILES`, ordered by path. */
async function findingsIn(folder: string): Promise<Finding[]> {
  findings ??= check(FILES);
  return (await findings).filter(({ path }) => path.startsWith(`api/${folder}`))
    .sort((a, b) => a.path < b.path ? -1 : 1);
}

Deno.test("bough check --types runs the type checker, with the project's configuration", async () => {
  const found = await findingsIn("project");
  assertEquals(found.map(({ level, rule, path }) => [level, rule, path]), [
    ["error", "types", "api/project/bad/middleware.ts"],
    ["error", "types", "api/project/bad/route.ts"],
    ["error", "types", "api/project/bad/route.ts"],
  ]);
  for (const { message } of found) assertMatch(message, /^TS\d+ \[ERROR\]: /);
});

Deno.test("bough check --types reports an import that it cannot resolve", async () => {
  const found = await check({
    "api/bad/route.ts":
      `import "nowhere"; export const GET = () => new Response();`,
  });
  assertEquals(found.map(({ rule }) => rule), ["types"]);
});

Deno.test("bough check --types checks the results of handlers, annotated or not", async () => {
  const found = await findingsIn("handlers");
  assertEquals(found.map(({ rule, path }) => [rule, path]), [
    ["types", "api/handlers/a/[id]/route.ts"],
    ["types", "api/handlers/b/route.ts"],
    ["types", "api/handlers/middleware.ts"],
  ]);
});

Deno.test("bough check --types reports one mistake in a call as one error", async () => {
  const found = await findingsIn("call");
  assertEquals(found.map(({ path }) => path), ["api/call/route.ts"]);
  // The compiler points to the overloads, too, and they stay with the error.
  assertMatch(found[0]!.message, /^TS2345 [^]*\nTS2793 /);
});

Deno.test("bough check --types accepts a contract with a middleware, and without one", async () => {
  const found = await findingsIn("contract");
  assertEquals(found.map(({ rule, path }) => [rule, path]), [
    ["types", "api/contract/b/middleware.ts"],
  ]);
  assertEquals((await findings)!.length, 8, "all findings are in a test");
});

Deno.test("bough check checks no types without --types", async () => {
  await using folder = await TestFolder.create({
    "api/route.ts":
      "export const GET = (): Response => new Response(1 as Nope);",
  });
  assertEquals((await boughIn(folder.path, "check")).code, 0);
});

Deno.test("bough check --types names the permission that it needs", async () => {
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

Deno.test("bough check --types checks only files that exist, because a manifest may have none", async () => {
  await using folder = await TestFolder.create({
    "deno.json": FILES["deno.json"],
    "lib.ts": FILES["lib.ts"],
    // Without the project's configuration, "lib" is unknown.
    "main.ts": `import type { answer } from "lib";
export const typed: typeof answer = 1;
export default (globalThis as { listed?: unknown }).listed;`,
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
