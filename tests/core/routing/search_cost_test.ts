import { assert } from "@std/assert";
import { RoutedPath } from "../../../src/core/routing/pathname.ts";
import { compilePattern } from "../../../src/core/routing/pattern.ts";
import { RouteTree } from "../../../src/core/routing/tree.ts";

/** A path that counts how often a search reads it. */
class CountingPath {
  steps = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get length(): number {
    return this.#text.length;
  }

  charCodeAt(index: number): number {
    this.steps++;
    return this.#text.charCodeAt(index);
  }

  indexOf(search: string, from: number): number {
    this.steps++;
    return this.#text.indexOf(search, from);
  }
}

/** The number of times that a search among `routes` reads `text`. */
function countSteps(routes: readonly string[], text: string): number {
  const tree = new RouteTree(
    routes.map((route) => {
      const pattern = compilePattern([], route.split("/").slice(1));
      return { pattern };
    }),
  );
  const counting = new CountingPath(text);
  const path = new RoutedPath(counting as unknown as string);
  assert(tree.find(path) === undefined, `${text} must miss`);
  return counting.steps;
}

function size(routes: readonly string[]): number {
  return routes.join("").length;
}

/** All paths of `depth` segments, each one `a` or `[x]`. */
function everyWay(depth: number): string[] {
  let routes = [""];
  for (let level = 0; level < depth; level++) {
    routes = routes.flatMap((
      route,
    ) => [`${route}/a`, `${route}/[x${level}]`]);
  }
  return routes.map((route) => `${route}/end`);
}

Deno.test("the steps of RouteTree.find() do not exceed the size of the tree", () => {
  for (let depth = 1; depth <= 10; depth++) {
    const routes = everyWay(depth);
    const steps = countSteps(routes, "/a".repeat(depth) + "/miss");
    assert(steps <= size(routes), `${steps} steps at depth ${depth}`);
    assert(steps >= 2 ** depth, `the tree provokes only ${steps} steps`);
  }
});

Deno.test("the steps of RouteTree.find() do not exceed the size of a small tree, however long the path", () => {
  // At each level the path may leave the static folders for a parameter.
  const routes: string[] = [];
  for (let depth = 1; depth <= 40; depth++) {
    const names = Array.from({ length: depth }, (_, level) => `/[p${level}]`);
    routes.push("/a".repeat(depth) + "/[x]/end", names.join("") + "/end");
  }
  for (const length of [40, 400, 4_000]) {
    const steps = countSteps(routes, "/a".repeat(length));
    assert(steps <= size(routes), `${steps} steps for ${length} segments`);
  }
});
