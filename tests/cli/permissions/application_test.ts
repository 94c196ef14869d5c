import { assertEquals, assertRejects } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { Framework } from "@bough/framework";
import { ModuleError } from "../../../src/cli/command.ts";
import {
  located,
  modulesOf,
} from "../../../src/cli/permissions/application.ts";
import type { AccessPlace } from "../../../src/cli/permissions/audit.ts";
import { temporaryFolder } from "../../../src/cli/permissions/coverage.ts";
import type { Access } from "../../../src/cli/permissions/record.ts";
import { TestFolder } from "../../support/application.ts";

const FRAMEWORK =
  new URL("../../../src/core/server/serve.ts", import.meta.url).href;
const MODULES = "file:///p/node_modules/.deno";
const A = "file:///p/api/a/route.ts";
const LIB = "file:///p/lib/pool.ts";
const TEST = "file:///p/main_test.ts";
const HELPER = "file:///p/helper.ts";
const PLUGIN = "file:///p/plugins/computed.ts";
const EVIL = `${MODULES}/evil@1.0.0/node_modules/evil/x.js`;
const MOCK = `${MODULES}/mock@1.0.0/node_modules/mock/x.js`;

const SOURCES = {
  patterns: new Map([[A, ["/api/a"]]]),
  tests: [TEST],
  ofTests: new Set([TEST, HELPER, "npm:mock"]),
  repeats: false,
};

/** A place with a stack, of URLs from the innermost. */
function placeOf(
  urls: readonly string[],
  more: Partial<AccessPlace> = {},
): AccessPlace {
  const frames = urls.map((url) => ({ url, line: 7 }));
  return { frames, fits: true, isSure: true, count: 1, ...more };
}

function useOf(
  places: readonly AccessPlace[],
  more: Partial<Access> = {},
): ReturnType<typeof located> {
  return located({
    kind: "env",
    value: "X",
    subject: "use",
    count: places.length,
    isNew: false,
    places,
    ...more,
  }, SOURCES);
}

function isTests(
  urls: readonly string[],
  place: Partial<AccessPlace> = {},
  access: Partial<Access> = {},
): boolean {
  return useOf([placeOf(urls, place)], access).isTests;
}

Deno.test("an access is the tests' alone if its stack lies wholly in modules that only tests load", () => {
  for (
    const urls of [[TEST], [HELPER, TEST], [MOCK, TEST], [FRAMEWORK, TEST]]
  ) {
    assertEquals(isTests(urls), true, urls.join());
  }
  for (
    const urls of [
      [],
      [FRAMEWORK],
      [LIB, TEST],
      [EVIL, TEST],
      [HELPER, A],
      [PLUGIN],
      // The server may load this module in a worker, too.
      [HELPER],
    ]
  ) {
    assertEquals(isTests(urls), false, urls.join());
  }
});

Deno.test("an access with an uncertain stack is the server's", () => {
  assertEquals(isTests([TEST], { isSure: false }), false);
  assertEquals(isTests([TEST], { fits: false, isSure: false }), false);
  // One of two questions has no stack of its own.
  assertEquals(isTests([TEST], {}, { count: 2 }), false);
  assertEquals(useOf([]).isTests, false);
  // Other questions have another stack.
  const others = [placeOf([TEST]), placeOf([A])];
  assertEquals(useOf(others).isTests, false);
  assertEquals(useOf([placeOf([TEST]), placeOf([TEST])]).isTests, true);
});

Deno.test("temporary files, and modules that only tests import, are the tests'", () => {
  const read = (value: string) => ({ kind: "read", value }) as const;
  const unsure = { isSure: false, count: 0 };
  const temporary = read(temporaryFolder());
  assertEquals(isTests([TEST], unsure, temporary), true);
  assertEquals(isTests([A], unsure, temporary), false);
  // An access of `node:sqlite` in the server has the stack of the tests, too.
  const access = { ...useOf([placeOf([TEST], unsure)], temporary) };
  assertEquals(located(access, { ...SOURCES, repeats: true }).isTests, false);
  const ofEnv = { ...unsure, fits: false };
  assertEquals(isTests([A], ofEnv, read("/p/helper.ts")), true);
  assertEquals(isTests([TEST], unsure, read("/p/helper.ts")), true);
  // The server may read it as a file, after another file with the same stack.
  assertEquals(isTests([A], unsure, read("/p/helper.ts")), false);
  assertEquals(isTests([A], unsure, read("/p/plugins/computed.ts")), false);
  // The server reads this one as a file.
  assertEquals(isTests([A], {}, read("/p/helper.ts")), false);
});

Deno.test("a use names the innermost line of the project, the dependency and the routes", () => {
  const placesOf = (...urls: string[]) => {
    const { by, dependency, routes } = useOf([placeOf(urls)]);
    return [by, dependency, routes];
  };
  assertEquals(placesOf(EVIL, LIB, A, FRAMEWORK, TEST), [
    "/p/lib/pool.ts:7",
    "npm:evil",
    ["/api/a"],
  ]);
  // Several functions of one route are one route.
  assertEquals(placesOf(A, A)[2], ["/api/a"]);
  assertEquals(placesOf(FRAMEWORK, LIB), ["/p/lib/pool.ts:7", undefined, []]);
  assertEquals(placesOf("https://jsr.io/@std/http/1.0.0/file_server.ts"), [
    undefined,
    "jsr:@std/http@1.0.0",
    [],
  ]);
  const unsure = useOf([placeOf([A], { isSure: false })]);
  assertEquals([unsure.by, unsure.routes], [undefined, []]);
  // A test does not hide the line of the server.
  assertEquals(
    useOf([placeOf([HELPER, TEST]), placeOf([A])]).by,
    "/p/api/a/route.ts:7",
  );
});

Deno.test("modulesOf() distinguishes the modules of the first module, of the routes and of the tests", async () => {
  await using folder = await TestFolder.create({
    "api/route.js":
      `import "../lib/of_route.js"; import "../lib/shared.js"; export const GET = () => new Response();`,
    "lib/of_route.js": "",
    "lib/shared.js": "",
    "lib/of_test.js": "",
    "main.js": `import "./lib/shared.js";`,
    "main_test.js": `import "./main.js"; import "./lib/of_test.js";`,
  });
  const pathOf = (name: string) => join(folder.path, name);
  const app = new Framework({ apiDir: pathOf("api") });
  const inspection = await app.inspect();
  const tests = [toFileUrl(pathOf("main_test.js")).href];
  const resultOf = async (...entries: string[]) => {
    const { imports, locate } = await modulesOf(inspection, {
      entries,
      tests,
      scripts: [],
      config: undefined,
    });
    const ofTests = ["of_route", "shared", "of_test"].filter((name) => {
      const urls = [`lib/${name}.js`, "main_test.js"].map((path) =>
        toFileUrl(pathOf(path)).href
      );
      const frames = urls.map((url) => ({ url, line: 1 }));
      const places = [{ frames, fits: true, isSure: true, count: 1 }];
      const use = { kind: "env", value: "X", subject: "use" } as const;
      return locate({ ...use, count: 1, isNew: false, places }).isTests;
    });
    return { imports: imports.map(({ value }) => value).sort(), ofTests };
  };
  assertEquals(await resultOf(pathOf("main.js")), {
    imports: [pathOf("lib/of_route.js")],
    ofTests: ["of_test"],
  });
  // Without a known first module, nothing is certainly the tests' alone.
  assertEquals(await resultOf(), {
    imports: [pathOf("lib/of_route.js"), pathOf("lib/shared.js")],
    ofTests: [],
  });

  const files = inspection.files.map((each) => ({ ...each, file: "none.js" }));
  await assertRejects(
    () =>
      modulesOf({ ...inspection, files }, {
        entries: [],
        tests,
        scripts: [],
        config: undefined,
      }),
    ModuleError,
    '"none.js" does not exist; if the routes come from a manifest, name the folder',
  );
});
