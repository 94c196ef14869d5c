import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Framework, RouteError, type RouteManifest } from "@bough/framework";
import { Faults } from "../../../src/core/common/faults.ts";
import { CapturedLog } from "../../support/application.ts";
import { manifestSource } from "../../../src/core/start/source.ts";

const ROUTE = { GET: () => new Response() };

Deno.test("a manifest lists the folders of its files, each once, and the targets of links", async () => {
  const faults = new Faults();
  const { files, middleware, folders, warnings } = await manifestSource({
    "a/b/$x/route.ts": ROUTE,
    "ab/$x/route.ts": ROUTE,
    "ab/middleware.ts": { default: [] },
    "route.ts": ROUTE,
    links: { "ab/$x/route.ts": ["c/route.ts", "d/route.ts", "e/route.ts"] },
  }).discover(faults);
  assertEquals(faults.all, []);
  const otherPaths = ["c/route.ts", "d/route.ts", "e/route.ts"];
  assertEquals(files, [
    {
      path: "a/b/$x/route.ts",
      location: "a/b/$x/route.ts",
      folders: ["a", "b", "$x"],
      entry: ROUTE,
    },
    {
      path: "ab/$x/route.ts",
      location: "e/route.ts",
      folders: ["ab", "$x"],
      otherPaths,
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
  assertEquals(folders, [
    ["a"],
    ["a", "b"],
    ["a", "b", "$x"],
    ["ab"],
    ["ab", "$x"],
  ]);
  assertEquals(warnings.map(({ path }) => path), ["a/b/$x", "ab/$x"]);
});

const INVALID: readonly unknown[] = [
  5,
  "links",
  null,
  [],
  ["a/route.ts"],
  { "a/route.ts": "b/route.ts" },
  { "a/route.ts": ["b/route.ts"], "c/route.ts": undefined },
  { "a/route.ts": ["b/route.ts", 5] },
  { "a/route.ts": [null] },
];

for (const links of INVALID) {
  Deno.test(`a manifest whose links are ${Deno.inspect(links)} prevents startup`, async () => {
    const manifest = { "a/route.ts": ROUTE, links } as RouteManifest;
    const error = await assertRejects(
      () => new Framework({ manifest }).start(),
      RouteError,
      'Cannot serve "links": links',
    );
    assertEquals(error.faults.map(({ path }) => path), ["links"]);
  });
}

Deno.test("a manifest may still have the member security, which earlier versions wrote", async () => {
  const manifest: RouteManifest = {
    "a/route.ts": ROUTE,
    security: { "a/route.ts": { GET: [] } },
  };
  const { warnings, faults, routes } = await new Framework({ manifest })
    .inspect();
  assertEquals([warnings, faults], [[], []]);
  assertEquals(routes.map(({ file }) => file), ["a/route.ts"]);
});

for (const entry of [undefined, null, 5]) {
  Deno.test(`a manifest with ${entry} as a file prevents startup`, async () => {
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
    ]);
  });
}

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
