import { assert, assertEquals, assertRejects } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { Framework, RouteError } from "@bough/framework";
import {
  CapturedLog,
  FolderApplication,
  TestApplication,
  TestFolder,
} from "../../support/application.ts";
import { WorkingFolder } from "../../support/working_folder.ts";

const GET = "export function GET() { return new Response('ok'); }";

/** The faults of a tree of route files, with paths that begin with `api`. */
async function faultsOf(
  files: Readonly<Record<string, string>>,
): Promise<{ path: string; reason: string }[]> {
  await using application = await FolderApplication.create(files);
  const error = await assertRejects(() => application.app.start(), RouteError);
  const { path: root } = application.folder;
  const shorten = (text: string) => text.replaceAll(root + "/", "");
  assertEquals(
    error.message,
    error.faults.map(({ path, reason }) => `Cannot serve "${path}": ${reason}`)
      .join("\n"),
  );
  return error.faults.map(({ path, reason }) => ({
    path: shorten(path),
    reason: shorten(reason),
  }));
}

Deno.test("start() refuses malformed folders above a route or a guard, and conflicts (behaviour 2.1, 2.4)", async () => {
  const faults = await faultsOf({
    "users/[id/route.ts": GET,
    "users/[...slug]/middleware.ts": "export default (_, next) => next();",
    "users/[name/helper.ts": "",
    "files/[...]/meta/route.ts": GET,
    "users/[id]/posts/[id]/route.ts": GET,
    "users/[id]/route.ts": GET,
    "users/[name]/route.ts": GET,
    "(a)/books/route.ts": GET,
    "(b)/books/route.ts": GET,
    "books/route.js": GET,
    "cats/route.ts": GET,
    "cats/route.js": GET,
  });
  const reasons = Object.fromEntries(
    faults.map(({ path, reason }) => [path, reason]),
  );
  assertEquals(Object.keys(reasons).length, faults.length);
  const slug = "api/users/[...slug]/middleware.ts";
  assert(reasons[slug]!.startsWith('folder name "[...slug]"'), reasons[slug]);
  delete reasons[slug];
  assertEquals(reasons, {
    "api/(a)/books/route.ts":
      '"api/(b)/books/route.ts" and "api/books/route.js" would serve the same URLs, "/api/books"; keep one of them. To open single methods below a guard, set schema.get.security = []',
    "api/cats/route.js":
      '"api/cats/route.ts" would serve the same URLs, "/api/cats"; keep one of them',
    "api/files/[...]/meta/route.ts":
      'wildcard "[...]" must be the last segment: it matches the rest of the path',
    "api/users/[id/route.ts":
      'folder name "[id" is missing its "]"; use "name", "[name]", "[...]" or "(group)"',
    "api/users/[id]/posts/[id]/route.ts":
      'parameter "id" is used twice in one path; rename one of its folders',
    "api/users/[id]/route.ts":
      '"api/users/[name]/route.ts" would serve the same URLs, "/api/users/[id]"; keep one of them',
  });
});

Deno.test("start() serves [id] and [...] in one folder (behaviour 2.5)", async () => {
  const application = TestApplication.of({
    "x/[id]/route.ts": { GET: () => new Response("one") },
    "x/[...]/route.ts": { GET: () => new Response("rest") },
  });
  const texts = ["/api/x/1", "/api/x/1/2"].map(async (target) =>
    await (await application.fetch(target)).text()
  );
  assertEquals(await Promise.all(texts), ["one", "rest"]);
});

Deno.test("start() reports all faults of a tree in one error, in path order (behaviour 2.7)", async () => {
  const faults = await faultsOf({
    "a/[[x]]/route.ts": GET,
    "b/route.js": "export function get() {}",
    "c/route.js": "export const GET = 1; export const schema = { post: {} };",
    "d/route.js": "throw new Error('top level fails');",
    "e/route.js": "import './missing.js';",
    "f/route.js": "export function GET( {",
    "g/[...]/x/route.js": GET,
    "h/route.js": "",
    "i/route.js": GET,
    // A conflict, even if one of the files has another fault.
    "j/[x]/route.js": GET,
    "j/[y]/route.js": "export const GET = 2;",
  });
  assertEquals(faults.map(({ path }) => path), [
    "api/a/[[x]]/route.ts",
    "api/b/route.js",
    "api/c/route.js",
    "api/c/route.js",
    "api/d/route.js",
    "api/e/route.js",
    "api/f/route.js",
    "api/g/[...]/x/route.js",
    "api/h/route.js",
    "api/j/[x]/route.js",
    "api/j/[y]/route.js",
  ]);
  const reasons = faults.map(({ reason }) => reason);
  assertEquals(reasons[4], "the import failed: top level fails");
  assert(reasons[5]!.includes("Module not found"), reasons[5]);
  assert(reasons[5]!.includes("missing.js"), reasons[5]);
  assert(reasons[6]!.startsWith("the import failed: "), reasons[6]);
  // deno-lint-ignore no-control-regex
  assert(!/\x1b/.test(reasons.join()), "no colour codes in messages");
});

Deno.test("start() reports an error once that affects several files", async () => {
  const importing = `import "../db.js"; ${GET}`;
  await using application = await FolderApplication.create({
    "db.js": "throw new Error('no database');",
    "a/route.js": importing,
    "b/route.js": "throw new Error('no database');",
    "c/route.js": importing,
    "d/route.js": importing,
  });
  const error = await assertRejects(() => application.app.start(), RouteError);
  assertEquals(error.faults.length, 4);
  const { path } = application.folder;
  assertEquals(
    error.message.replaceAll(`${path}/`, ""),
    `Cannot serve "api/a/route.js": the import failed: no database
  The same error affects "api/b/route.js", "api/c/route.js", "api/d/route.js"`,
  );
  assert(error.cause instanceof AggregateError);
  assertEquals(error.cause.errors.length, 2);
});

Deno.test("start() keeps the errors of broken files as causes, and imports each valid file once", async () => {
  // Bough imports more than four files together, and then finds the broken ones.
  const valid = ["b", "c", "d", "e", "f", "g"].map((name) => [
    `${name}/route.js`,
    `globalThis.imports = (globalThis.imports ?? 0) + 1; ${GET}`,
  ]);
  await using one = await FolderApplication.create({
    "a/route.js": "throw new Error('first');",
    ...Object.fromEntries(valid),
  });
  const error = await assertRejects(() => one.app.start(), RouteError);
  assertEquals((error.cause as Error).message, "first");
  const counter = globalThis as { imports?: number };
  assertEquals(counter.imports, valid.length);
  delete counter.imports;
  await using two = await FolderApplication.create({
    "a/route.js": "throw new Error('first');",
    "b/route.js": "throw 'second';",
  });
  const both = await assertRejects(() => two.app.start(), RouteError);
  assertEquals((both.cause as AggregateError).errors.length, 2);
  assertEquals(both.faults[1]!.reason, "the import failed: second");
});

Deno.test("start() explains an apiDir that cannot be read (behaviour 9.2)", async () => {
  await using folder = await TestFolder.create({ "file": "" });
  for (
    const [name, reason] of [
      ["nowhere", "the folder does not exist; set apiDir to"],
      ["file", "this is not a folder; set apiDir to"],
    ] as const
  ) {
    const apiDir = join(folder.path, name);
    const error = await assertRejects(
      () => new Framework({ apiDir }).start(),
      RouteError,
      `Cannot serve "${apiDir}": ${reason}`,
    );
    assert(error.cause instanceof Error);
  }
});

Deno.test("start() of an empty tree warns, and Bough responds with 404 (behaviour 9.2)", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create({ "helper.ts": "" });
  assertEquals((await application.fetch("/api/x")).status, 404);
  assertEquals(log.lines.length, 1);
  const warning = `"${application.folder.path}/api": it has no route file`;
  assert(log.lines[0]!.includes(warning), log.lines[0]);
});

Deno.test("apiDir may be a URL, or relative to the working directory, with spaces, percent signs and Unicode (behaviour 9.1)", async () => {
  const name = "my api 100%";
  await using folder = await TestFolder.create({
    [`${name}/größe #1/route.js`]: GET,
    [`${name}/quo"te/route.js`]: GET,
  });
  using _folder = new WorkingFolder(folder.path);
  const url = toFileUrl(join(folder.path, name)).href;
  for (
    const apiDir of [
      ...[new URL(url), new URL(`${url}/`), join(folder.path, name)],
      ...[name, `./${name}`, `${name}/`, `./${name}//`],
    ]
  ) {
    const app = new Framework({ apiDir });
    for (const path of ["gr%C3%B6%C3%9Fe%20%231", "quo%22te"]) {
      const answer = await app.fetch(new Request(`http://h/api/${path}`));
      assertEquals(await answer.text(), "ok", String(apiDir));
    }
  }
});
