import {
  assert,
  assertEquals,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import {
  BadPathError,
  PathReader,
} from "../../../src/core/routing/pathname.ts";
import {
  compilePattern,
  type RoutePattern,
} from "../../../src/core/routing/pattern.ts";
import {
  createNode,
  insert,
  type Node,
  sortedStatics,
} from "../../../src/core/routing/node.ts";
import { Packer, RouteTree } from "../../../src/core/routing/tree.ts";
import { ROUTING_TABLES, type RoutingCase } from "../../cases/routing.ts";

interface Route {
  readonly folder: string;
  readonly pattern: RoutePattern;
}

function createRoutes(folders: readonly string[], prefix = "api"): Route[] {
  return folders.map((folder) => ({
    folder,
    pattern: compilePattern(split(prefix), split(folder)),
  }));
}

function createTree(routes: readonly Route[]): RouteTree<Route> {
  return new RouteTree(routes);
}

/** The nodes that a tree is packed from, one line per node, in matching order. */
function textOf(routes: readonly Route[]): string {
  const root = createNode<Route>("");
  for (const route of routes) insert(root, route.pattern, route);
  return print(root).join("\n");
}

/** Follows the text of a node with a value: a bullet. */
const MARK = " \u2022";

/** The tree below `node` as lines of text, in matching order. */
function print<T>(node: Node<T>, label = "", indent = ""): string[] {
  const lines = label === "" && node.text === ""
    ? []
    : [indent + (label || node.text) + (node.value === undefined ? "" : MARK)];
  const inner = lines.length === 0 ? indent : indent + "  ";
  for (const child of sortedStatics(node)) {
    lines.push(...print(child, "", inner));
  }
  if (node.dynamic !== undefined) {
    lines.push(...print(node.dynamic, "[]", inner));
  }
  if (node.wildcard !== undefined) lines.push(inner + "[...]" + MARK);
  return lines;
}

function split(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

function request(tree: RouteTree<Route>, target: string): RoutingCase {
  try {
    const path = new PathReader().read(`http://localhost:8000${target}`);
    const match = tree.find(path);
    if (match === undefined) return { path: target, route: 404 };
    const { value, params, wildcardParams } = match;
    return {
      path: target,
      route: value.folder,
      params: { ...params },
      ...(wildcardParams && { wildcardParams }),
    };
  } catch (error) {
    if (!(error instanceof BadPathError)) throw error;
    return { path: target, route: 400 };
  }
}

for (const { rule, folders, prefix, cases } of ROUTING_TABLES) {
  Deno.test(`RouteTree.find(): ${rule}`, () => {
    const tree = createTree(createRoutes(folders, prefix));
    for (const expected of cases) {
      const found = typeof expected.route === "number"
        ? expected
        : { ...expected, params: { ...expected.params } };
      assertEquals(request(tree, expected.path), found);
    }
  });

  Deno.test(`RouteTree.find() in any order of insertion: ${rule}`, () => {
    const routes = createRoutes(folders, prefix);
    assertEquals(textOf(routes), textOf(routes.toReversed()));
  });
}

Deno.test("insert() shares nodes by characters, in matching order", () => {
  const routes = createRoutes([
    "",
    "users/me",
    "users/mine/[...]",
    "users/[id]",
    "users/[user]/posts",
  ]);
  assertEquals(
    textOf(routes),
    [
      "/api •",
      "  /users/",
      "    m",
      "      e •",
      "      ine/",
      "        [...] •",
      "    [] •",
      "      /posts •",
    ].join("\n"),
  );
});

Deno.test("RouteTree.find() does not confuse inner parts of a node with other nodes", () => {
  // A reader could confuse such a low code with the length of a string.
  for (const names of [["b"], ["é"], ["\x02"], ["b", "c"], ["é", "b", "c"]]) {
    const tree = createTree(createRoutes(["\x01", "[...]"], ""));
    const path = "/" + names.map(encodeURIComponent).join("/");
    assertEquals(request(tree, path), {
      path,
      route: "[...]",
      params: {},
      wildcardParams: names,
    });
  }
});

Deno.test("RouteTree refuses two patterns for the same paths", () => {
  for (
    const folders of [
      ["users/[id]", "users/[name]"],
      ["a", "(group)/a"],
      ["a/[...]", "a/(b)/[...]"],
      ["", "(x)"],
    ]
  ) {
    assertThrows(
      () => createTree(createRoutes(folders)),
      TypeError,
      "match the same paths",
    );
  }
});

Deno.test("RouteTree.find() of an empty tree finds nothing", () => {
  const tree = createTree([]);
  const reader = new PathReader();
  assertStrictEquals(tree.find(reader.read("http://h/")), undefined);
  assertStrictEquals(tree.find(reader.read("http://h/api/users")), undefined);
});

Deno.test("RouteTree.find() finds each of thousands of routes, whatever their first characters", () => {
  const folders = Array.from({ length: 2_000 }, (_, index) => {
    const first = String.fromCharCode(
      (index % 2 === 0 ? 0x61 : 0xe0) + index % 23,
    );
    return `${first}${index}/[id]/${index % 3 === 0 ? "posts" : ""}`;
  });
  const tree = createTree(createRoutes(folders));
  for (const folder of folders) {
    const target = encodeURI(`/api/${folder.replace("[id]", "7")}`)
      .replace(/\/$/, "");
    const { route, params } = request(tree, target);
    assertEquals({ route, params }, { route: folder, params: { id: "7" } });
  }
});

/** Packs the tree below a node. */
function pack<T>(root: Node<T>): Packer<T> {
  const packer = new Packer<T>();
  packer.pack(root, 1);
  return packer;
}

/** The number of integers in the tree of some folder names. */
function sizeOf(...names: readonly string[]): number {
  const root = createNode<string>("");
  for (const name of names) insert(root, compilePattern([], [name]), name);
  return pack(root).nodes.length;
}

Deno.test("a packed tree is as small for other scripts as for ASCII", () => {
  const latin = sizeOf("a", "b");
  // A table with a place for each character up to them would take thousands.
  for (const names of [["a", "中"], ["中", "文"], ["é", "\uffee"]]) {
    assert(sizeOf(...names) < 2 * latin, `${names}: ${sizeOf(...names)}`);
  }
});

Deno.test("a packed tree has the values of its nodes, and the depth of the longest path", () => {
  const root = createNode<string>("");
  for (const path of [["a"], ["a", "b", "c"], ["[x]", "y"]]) {
    insert(root, compilePattern([], path), path.join("/"));
  }
  const { values, depth } = pack(root);
  assertEquals(values.toSorted(), ["[x]/y", "a", "a/b/c", undefined]);
  assert(depth >= 3 && depth < 10, `${depth}`);
});
