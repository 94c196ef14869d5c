import { assertEquals } from "@std/assert";
import { located } from "../../../src/cli/permissions/application.ts";
import type { AccessPlace } from "../../../src/cli/permissions/audit.ts";
import { temporaryFolder } from "../../../src/cli/permissions/coverage.ts";
import type { Access } from "../../../src/cli/permissions/record.ts";

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
