import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { Framework, RouteError, type RouteManifest } from "@bough/framework";
import { boughIn } from "../../cli/support.ts";
import { CapturedLog, TestFolder } from "../../support/application.ts";
import { UNIX } from "../server/support.ts";

const GUARD = "export default () => new Response('guarded', { status: 401 });";
const GET = "export const GET = () => new Response('open');";
const TREE = {
  "api/(staff)/tasks/route.ts": GET,
  "api/open/route.ts": GET,
};

const RESEMBLES = 'the name resembles "middleware", but the file would not run';

/** Guards that would not run, by path below `api/`, each with the beginning of its error. */
const OFF: Readonly<Record<string, string>> = {
  "(staff)/middleware.ts": "only a regular file runs, so this would not run",
  "open/middleware.ts": "only a regular file runs, so this would not run",
  "middleware.mts": RESEMBLES,
  "middleware.mjs": RESEMBLES,
  "(staff)/middleware.cts": RESEMBLES,
  "Middleware.ts": RESEMBLES,
  "(staff)/tasks/middleware.cjs": RESEMBLES,
  "(staff)/tasks/middlewares.ts": RESEMBLES,
  "(staff)/tasks/_middleware.ts": RESEMBLES,
  "open/midleware.js": RESEMBLES,
  "open/middleware": RESEMBLES,
};

Deno.test(
  "guards that would not run prevent startup, and fail check and build, which writes nothing (behaviour 2.2)",
  UNIX,
  async () => {
    await using folder = await TestFolder.create(TREE);
    const api = join(folder.path, "api");
    for (const [path, reason] of Object.entries(OFF)) {
      if (reason === RESEMBLES) {
        await Deno.writeTextFile(join(api, path), GUARD);
      }
    }
    await Deno.mkdir(join(api, "open/middleware.ts"));
    const fifo = join(api, "(staff)/middleware.ts");
    await new Deno.Command("mkfifo", { args: [fifo] }).output();
    const expected = Object.entries(OFF)
      .map(([path, reason]) => `api/${path}: ${reason}`).sort();
    for (const lazy of [false, true]) {
      const app = new Framework({ apiDir: api, lazy });
      const { faults } = await assertRejects(() => app.start(), RouteError);
      const seen = faults.map(({ path, reason }) =>
        `${path}: ${reason}`.replaceAll(`${folder.path}/`, "")
      ).sort();
      assertEquals(
        seen.map((text, index) => text.slice(0, expected[index]?.length)),
        expected,
      );
    }
    const checked = await boughIn(folder.path, "check", "--json");
    const findings: { level: string; path: string }[] = JSON
      .parse(checked.stdout);
    assertEquals(
      [
        checked.code,
        ...findings.map(({ level, path }) => `${level} ${path}`).sort(),
      ],
      [1, ...Object.keys(OFF).map((path) => `error api/${path}`).sort()],
    );
    const built = await boughIn(folder.path, "build", "-o", "api.manifest.ts");
    assertEquals(built.code, 1);
    for (const path of Object.keys(OFF)) {
      assert(built.stderr.includes(`"api/${path}"`), path);
    }
    await assertRejects(
      () => Deno.stat(join(folder.path, "api.manifest.ts")),
      Deno.errors.NotFound,
    );
  },
);

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

const ROUTE = { GET: () => new Response("open") };
const GUARD_MODULE = {
  default: () => new Response("guarded", { status: 401 }),
};

const KEYS = [
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
  "(staff)/middleware",
  "(staff/middleware.ts",
  "(sta\nff)/middleware.ts",
  "./tasks/route.ts",
  "tasks//route.ts",
  "../route.ts",
  "tasks\\route.ts",
];

Deno.test("a manifest with the key of a guard that would not run, or of another path, prevents startup", async () => {
  for (const key of KEYS) {
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
  }
});

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
