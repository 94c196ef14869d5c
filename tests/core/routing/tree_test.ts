import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  BadPathError,
  PathReader,
} from "../../../src/core/routing/pathname.ts";
import {
  compilePattern,
  type RoutePattern,
} from "../../../src/core/routing/pattern.ts";
import { createNode, insert } from "../../../src/core/routing/node.ts";
import { Packer, RouteTree } from "../../../src/core/routing/tree.ts";
import { ROUTING_TABLES } from "../../cases/routing.ts";

interface Route {
  readonly folder: string;
  readonly pattern: RoutePattern;
}

function split(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

function createRoutes(folders: readonly string[], prefix = "api"): Route[] {
  return folders.map((folder) => ({
    folder,
    pattern: compilePattern(split(prefix), split(folder)),
  }));
}

/** The folder of the route for a path, and its captures; 400 or 404 for none. */
function find(tree: RouteTree<Route>, target: string): unknown[] {
  try {
    const path = new PathReader().read(`http://localhost:8000${target}`);
    const match = tree.find(path);
    if (match === undefined) return [404, {}, []];
    const { value, params, wildcardParams = [] } = match;
    return [value.folder, { ...params }, wildcardParams];
  } catch (error) {
    if (!(error instanceof BadPathError)) throw error;
    return [400, {}, []];
  }
}

for (const { rule, folders, prefix, cases } of ROUTING_TABLES) {
  Deno.test(`RouteTree.find() in any order of insertion: ${rule}`, () => {
    const routes = createRoutes(folders, prefix);
    for (const order of [routes, routes.toReversed()]) {
      const tree = new RouteTree(order);
      for (const [path, route, params = {}, wildcardParams = []] of cases) {
        const found = find(tree, path);
        assertEquals(found, [route, { ...params }, wildcardParams], path);
      }
    }
  });
}

Deno.test("RouteTree.find() does not confuse inner parts of a node with other nodes", () => {
  // A reader could confuse such a low code with the length of a string.
  const tree = new RouteTree(createRoutes(["\x01", "[...]"], ""));
  for (const names of [["b"], ["é"], ["\x02"], ["b", "c"], ["é", "b", "c"]]) {
    const path = "/" + names.map(encodeURIComponent).join("/");
    assertEquals(find(tree, path), ["[...]", {}, names]);
  }
});

Deno.test("RouteTree refuses two patterns for the same paths (behaviour 2.4)", () => {
  for (
    const folders of [
      ["users/[id]", "users/[name]"],
      ["a", "(group)/a"],
      ["a/[...]", "a/(b)/[...]"],
      ["", "(x)"],
    ]
  ) {
    assertThrows(
      () => new RouteTree(createRoutes(folders)),
      TypeError,
      "match the same paths",
      folders.join(),
    );
  }
});

Deno.test("RouteTree.find() finds each of thousands of routes, and nothing in an empty tree", () => {
  const folders = Array.from({ length: 2_000 }, (_, index) => {
    const first = String.fromCharCode(
      (index % 2 === 0 ? 0x61 : 0xe0) + index % 23,
    );
    return `${first}${index}/[id]/${index % 3 === 0 ? "posts" : ""}`;
  });
  const tree = new RouteTree(createRoutes(folders));
  const empty = new RouteTree(createRoutes([]));
  for (const folder of folders) {
    const target = encodeURI(`/api/${folder.replace("[id]", "7")}`)
      .replace(/\/$/, "");
    assertEquals(find(tree, target), [folder, { id: "7" }, []]);
    assertEquals(find(empty, target), [404, {}, []]);
  }
  assertEquals(find(empty, "/"), [404, {}, []]);
});

/** Packs the tree of some paths. */
function pack(...paths: readonly string[]): Packer<string> {
  const root = createNode<string>("");
  for (const path of paths) {
    insert(root, compilePattern([], path.split("/")), path);
  }
  const packer = new Packer<string>();
  packer.pack(root, 1);
  return packer;
}

Deno.test("a packed tree is as small for other scripts as for ASCII", () => {
  const latin = pack("a", "b").nodes.length;
  // A table with a place for each character up to them would take thousands.
  for (const names of [["a", "中"], ["中", "文"], ["é", "\uffee"]]) {
    const size = pack(...names).nodes.length;
    assert(size < 2 * latin, `${names}: ${size}`);
  }
});

Deno.test("a packed tree has the values of its nodes, and the depth of the longest path", () => {
  const { values, depth } = pack("a", "a/b/c", "[x]/y");
  assertEquals(values.toSorted(), ["[x]/y", "a", "a/b/c", undefined]);
  assert(depth >= 3 && depth < 10, `${depth}`);
});
