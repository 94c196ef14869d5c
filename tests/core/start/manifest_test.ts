import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Framework, RouteError, type RouteManifest } from "@bough/framework";
import { Faults } from "../../../src/core/common/faults.ts";
import { CapturedLog } from "../../support/application.ts";
import { manifestSource } from "../../../src/core/start/source.ts";

const ROUTE = { GET: () => new Response() };

Deno.test("a manifest lists its files, with the folders of each", async () => {
  const faults = new Faults();
  const { files, middleware } = await manifestSource({
    "a/b/$x/route.ts": ROUTE,
    "ab/$x/route.ts": ROUTE,
    "ab/middleware.ts": { default: [] },
    "route.ts": ROUTE,
  }).discover(faults);
  assertEquals(faults.all, []);
  assertEquals(files, [
    {
      path: "a/b/$x/route.ts",
      location: "a/b/$x/route.ts",
      folders: ["a", "b", "$x"],
      entry: ROUTE,
    },
    {
      path: "ab/$x/route.ts",
      location: "ab/$x/route.ts",
      folders: ["ab", "$x"],
      entry: ROUTE,
    },
    { path: "route.ts", location: "route.ts", folders: [], entry: ROUTE },
  ]);
  assertEquals(middleware, [{
    path: "ab/middleware.ts",
    location: "ab/middleware.ts",
    folders: ["ab"],
    entry: { default: [] },
  }]);
});

Deno.test("a manifest with wrong permissions prevents startup (behaviour 9.9)", async () => {
  for (
    const permissions of [
      5,
      "permissions",
      null,
      [],
      ["a/route.ts"],
      { "a/route.ts": "net" },
      { "a/route.ts": { net: true }, "c/route.ts": { network: true } },
      { "a/route.ts": { net: [5] } },
    ]
  ) {
    const manifest = { "a/route.ts": ROUTE, permissions } as RouteManifest;
    const error = await assertRejects(
      () => new Framework({ manifest }).start(),
      RouteError,
      'Cannot serve "permissions": permissions',
    );
    assertEquals(
      error.faults.map(({ path, rule }) => [path, rule]),
      [["permissions", "manifest"]],
      Deno.inspect(permissions),
    );
  }
});

Deno.test("a manifest with another value than a module as a file prevents startup", async () => {
  for (const entry of [undefined, null, 5]) {
    const manifest = {
      "(staff)/a/route.ts": ROUTE,
      "a/route.ts": entry,
      "b/middleware.ts": entry,
      "b/route.ts": ROUTE,
      "c/middleware.ts": () => Promise.resolve(entry),
      "c/route.ts": () => Promise.resolve(entry),
    } as unknown as RouteManifest;
    const error = await assertRejects(
      () => new Framework({ manifest }).start(),
      RouteError,
    );
    assertEquals(error.faults.map(({ path, rule }) => [path, rule]), [
      ["(staff)/a/route.ts", "same-url"],
      ["a/route.ts", "exports"],
      ["b/middleware.ts", "exports"],
      ["c/middleware.ts", "exports"],
    ], `${entry}`);
  }
});

Deno.test("the log names a manifest function that resolves to nothing, at its first request", async () => {
  using log = new CapturedLog();
  const manifest = {
    "a/route.ts": () => Promise.resolve(undefined),
  } as unknown as RouteManifest;
  const response = await new Framework({ manifest }).fetch(
    new Request("http://localhost/api/a"),
  );
  assertEquals(response.status, 500);
  assertStringIncludes(
    log.lines.join("\n"),
    'Cannot serve "a/route.ts": the manifest entry is undefined',
  );
});
