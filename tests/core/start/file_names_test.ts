import { assertEquals } from "@std/assert";
import {
  fileKind,
  suspiciousFolder,
  suspiciousGuard,
  suspiciousRoute,
} from "../../../src/core/start/discover.ts";

const WORD = "middleware";
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const EXTENSIONS = [".ts", ".tsx", ".js", ".jsx"];
const OTHER_EXTENSIONS = ".mts .cts .mjs .cjs .mtsx .TS .Js .ts.ts".split(" ");

/** Every way to write a word with one letter missing, added, wrong or swapped. */
function misspellings(word: string): string[] {
  const all = [];
  for (let index = 0; index <= word.length; index++) {
    const [start, end] = [word.slice(0, index), word.slice(index)];
    all.push(start + end.slice(1));
    for (const letter of LETTERS) {
      all.push(start + letter + end, start + letter + end.slice(1));
    }
    if (end.length > 1) all.push(start + end[1] + end[0] + end.slice(2));
  }
  return all.filter((each) => each !== word);
}

Deno.test("every name similar to a middleware file is suspicious, except its four names", () => {
  for (const extension of EXTENSIONS) {
    assertEquals(suspiciousGuard(WORD + extension), undefined);
    assertEquals(fileKind(WORD + extension), WORD);
    for (const each of misspellings(WORD)) {
      for (const name of [each, `${each}s`, each.toUpperCase(), `_${each}`]) {
        assertEquals(typeof suspiciousGuard(name + extension), "string", name);
      }
    }
  }
  for (const extension of OTHER_EXTENSIONS) {
    assertEquals(
      typeof suspiciousGuard(WORD + extension),
      "string",
      extension,
    );
  }
  const plain =
    "Middleware.ts MIDDLEWARE.ts middleWare.js __middleware__.ts +middleware.ts " +
    "$middleware.ts [middleware].ts (middleware).ts middle-ware.ts middle_ware.tsx " +
    "middleware1.ts ｍiddleware.ts мiddleware.ts middleware Middleware middlewares " +
    "_middleware midleware middleware.";
  for (
    const name of [
      ...plain.split(" "),
      "middle ware.ts",
      "middleware .ts",
      " middleware.ts",
      "middleware.ts ",
      "middleware.ts\n",
      "middle\u200bware.ts",
      "middleware.ts\u202e",
      "middle\u200bware",
    ]
  ) {
    assertEquals(typeof suspiciousGuard(name), "string", name);
    assertEquals(fileKind(name), undefined, name);
  }
});

Deno.test("helpers, tests, and backups of editors are not suspicious as guards", () => {
  const names =
    "middleware.test.ts middleware_test.ts middleware.spec.js middleware.d.ts " +
    "middleware.auth.ts middleware.auth.test.ts middleware.bench.js middleware.json " +
    "middleware.server.json middleware.md authMiddleware.ts auth_middleware.ts " +
    "middleware_helpers.ts hardware.ts guard.ts route.ts .#middleware.ts " +
    "._middleware.ts .middleware.ts.swp #middleware.ts# middleware.ts~ " +
    "middleware.ts.bak";
  for (const name of names.split(" ")) {
    assertEquals(suspiciousGuard(name), undefined, name);
  }
});

Deno.test("a file that may be a route is suspicious, unless its folder has a route file", () => {
  const routes =
    "routes.ts Route.ts ROUTE.js _route.ts +route.ts route.mts route.cjs index.ts " +
    "Index.js index.mts";
  for (const name of [...routes.split(" "), "route .ts"]) {
    const neighbours = [name, "middleware.ts", "README.md"];
    assertEquals(typeof suspiciousRoute(name, neighbours), "string", name);
    assertEquals(suspiciousRoute(name, [name, "route.jsx"]), undefined, name);
  }
  assertEquals(
    suspiciousRoute("index.ts", ["index.ts", "shelves.ts"]),
    undefined,
  );
  const others =
    "route.test.ts route_test.ts route.d.ts router.ts subroute.ts indexes.ts " +
    "reindex.ts helper.ts index.html .#route.ts";
  for (const name of others.split(" ")) {
    assertEquals(suspiciousRoute(name, [name]), undefined, name);
  }
});

Deno.test("a folder in the notation of another framework is suspicious", () => {
  for (const name of ":id $id $größe {id} {id:int} <id> * **".split(" ")) {
    assertEquals(typeof suspiciousFolder(name), "string", name);
  }
  for (
    const name of ["id", "[id]", "[...]", "(g)", "_id", "$", "a:b", "us$", "1"]
  ) assertEquals(suspiciousFolder(name), undefined, name);
});
