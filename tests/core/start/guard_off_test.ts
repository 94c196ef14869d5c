import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { Framework, RouteError, type RouteManifest } from "@bough/framework";
import { boughIn } from "../../cli/support.ts";
import { CapturedLog, TestFolder } from "../../support/application.ts";

const GUARD = "export default () => new Response('guarded', { status: 401 });";
const GET = "export const GET = () => new Response('open');";
const TREE = {
  "api/(staff)/tasks/route.ts": GET,
  "api/open/route.ts": GET,
};

/** A guard that would not run, with the error for it. */
interface OffGuard {
  /** Its path below `api/`. */
  readonly path: string;
  /** Creates it. */
  readonly make: (path: string) => Promise<unknown>;
  /** The beginning of the reason in the error. */
  readonly reason: string;
  readonly ignore?: boolean;
}

const isWindows = Deno.build.os === "windows";

const OFF: readonly OffGuard[] = [
  {
    path: "(staff)/middleware.ts",
    make: (path) => Deno.mkdir(path),
    reason: "only a regular file runs, so this would not run",
  },
  {
    path: "(staff)/middleware.ts",
    make: (path) => new Deno.Command("mkfifo", { args: [path] }).output(),
    reason: "only a regular file runs",
    ignore: isWindows,
  },
  ...[
    "middleware.mts",
    "middleware.mjs",
    "middleware.cts",
    "middleware.cjs",
    "Middleware.ts",
    "middlewares.ts",
    "_middleware.ts",
    "midleware.js",
    "middleware",
  ].flatMap((name) =>
    ["", "(staff)/", "(staff)/tasks/"].map((folder) => ({
      path: folder + name,
      make: (path: string) => Deno.writeTextFile(path, GUARD),
      reason: 'the name resembles "middleware", but the file would not run',
    }))
  ),
];

for (const { path, make, reason, ignore = false } of OFF) {
  Deno.test({
    name: `a guard that would not run prevents startup: "${path}", ${reason}`,
    ignore,
    async fn() {
      await using folder = await TestFolder.create(TREE);
      await make(join(folder.path, "api", path));
      for (const lazy of [false, true]) {
        const app = new Framework({ apiDir: join(folder.path, "api"), lazy });
        const error = await assertRejects(() => app.start(), RouteError);
        assertEquals(error.faults.length, 1, error.message);
        assert(error.faults[0]!.path.endsWith(`api/${path}`), error.message);
        const got = error.faults[0]!.reason.replaceAll(`${folder.path}/`, "");
        assert(got.startsWith(reason), error.message);
      }
    },
  });
}

Deno.test("a folder may be named middleware, and a guard may import from files next to it (behaviour 2.2)", async () => {
  await using folder = await TestFolder.create({
    "api/middleware/route.ts": GET,
    "api/middleware.ts": 'export { default } from "./middleware.auth.ts";',
    "api/middleware.auth.ts": GUARD,
  });
  using log = new CapturedLog();
  const app = new Framework({ apiDir: join(folder.path, "api") });
  const response = await app.fetch(
    new Request("http://localhost/api/middleware"),
  );
  assertEquals(await response.text(), "guarded");
  assertEquals(log.lines, []);
});

Deno.test("a manifest key with the name of a possible guard prevents startup", async () => {
  const guard = { default: () => new Response("guarded") };
  const manifest: RouteManifest = {
    "a/route.ts": { GET: () => new Response("open") },
    "b/middleware": guard,
  };
  const { faults } = await assertRejects(
    () => new Framework({ manifest }).start(),
    RouteError,
  );
  assertEquals(faults.map(({ path }) => path), ["b/middleware"]);
});

Deno.test({
  name:
    "check and build fail for a guard that would not run, and build writes nothing",
  ignore: isWindows,
  async fn() {
    await using folder = await TestFolder.create({
      ...TREE,
      "api/(staff)/Middleware.ts": GUARD,
    });
    await Deno.mkdir(join(folder.path, "api/open/middleware.ts"));
    const paths = ["api/(staff)/Middleware.ts", "api/open/middleware.ts"];
    const checked = await boughIn(folder.path, "check", "--json");
    assertEquals(checked.code, 1);
    const findings: { level: string; path: string; message: string }[] = JSON
      .parse(checked.stdout);
    assertEquals(
      findings.map(({ level, path }) => `${level} ${path}`),
      paths.map((path) => `error ${path}`),
    );
    const built = await boughIn(folder.path, "build", "-o", "api.manifest.ts");
    assertEquals(built.code, 1);
    for (const path of paths) assert(built.stderr.includes(`"${path}"`));
    await assertRejects(
      () => Deno.stat(join(folder.path, "api.manifest.ts")),
      Deno.errors.NotFound,
    );
  },
});

Deno.test({
  name:
    "a warning of discovery is a finding of check, and build prints the warning",
  ignore: isWindows,
  async fn() {
    await using folder = await TestFolder.create({
      "api/route.ts": GET,
      "api/books/routes.ts": GET,
      "api/shops/index.ts": GET,
      "api/:id/route.ts": GET,
    });
    const expected = [
      '"api/:id": this folder is a static segment',
      '"api/books/routes.ts": this is not a route file; to make it a route file, name it',
      '"api/shops/index.ts": this is not a route file; to make it a route file, name it',
    ];
    const checked = await boughIn(folder.path, "check");
    assertEquals(checked.code, 1);
    assertEquals(checked.stderr, "");
    const lines = checked.stdout.split("\n").sort();
    assertEquals(lines.length, expected.length, checked.stdout);
    expected.forEach((text, index) =>
      assert(lines[index]!.startsWith(`warning ${text}`), lines[index])
    );
    const built = await boughIn(folder.path, "build");
    assertEquals(built.code, 0);
    assert(built.stdout.includes('":id/route.ts": file0'), built.stdout);
    for (const text of expected) {
      assert(built.stderr.includes(text), built.stderr);
    }

    using log = new CapturedLog();
    await new Framework({ apiDir: join(folder.path, "api") }).start();
    assertEquals(log.lines.length, expected.length);
  },
});

const ROUTE = { GET: () => new Response("open") };
const GUARD_MODULE = {
  default: () => new Response("guarded", { status: 401 }),
};

for (
  const key of [
    "./(staff)/middleware.ts",
    "(staff)/./middleware.ts",
    "../(staff)/middleware.ts",
    "x/../(staff)/middleware.ts",
    "(staff)//middleware.ts",
    "/(staff)/middleware.ts",
    "(staff)\\middleware.ts",
    "file:///app/api/(staff)/middleware.ts",
    "(staff)/Middleware.ts",
    "(staff)/middleware.mts",
    "(staff)/middlewares.ts",
    "(staff)/_middleware.ts",
    "(staff/middleware.ts",
    "(sta\nff)/middleware.ts",
    "./tasks/route.ts",
    "tasks//route.ts",
    "../route.ts",
    "tasks\\route.ts",
  ]
) {
  Deno.test(`a manifest with the key ${JSON.stringify(key)} prevents startup`, async () => {
    const manifest: RouteManifest = {
      "(staff)/tasks/route.ts": ROUTE,
      [key]: key.includes("iddleware") ? GUARD_MODULE : ROUTE,
    };
    for (const lazy of [false, true]) {
      const error = await assertRejects(
        () => new Framework({ manifest, lazy }).start(),
        RouteError,
      );
      assertEquals(error.faults.length, 1, error.message);
      assert(!error.message.includes("\n"), error.message);
    }
  });
}

Deno.test("Bough warns of the other keys of a manifest, and of folders in another notation", async () => {
  using log = new CapturedLog();
  const manifest: RouteManifest = {
    "$id/route.ts": ROUTE,
    "$id/more/route.ts": ROUTE,
    "helper.ts": {},
    "a/routes.ts": ROUTE,
  };
  await new Framework({ manifest }).start();
  assertEquals(log.lines.map((line) => line.split(": ")[0]), [
    '[bough] "a/routes.ts"',
    '[bough] "helper.ts"',
    '[bough] "$id"',
  ]);
});
