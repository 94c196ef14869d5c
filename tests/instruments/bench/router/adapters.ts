import { createRouter as createMaplRouter } from "npm:@mapl/router@0.3.3";
import { insertItem } from "npm:@mapl/router@0.3.3";
import compileMaplRouter from "npm:@mapl/router@0.3.3/compile.js";
import MedleyRouter from "npm:@medley/router@0.2.1";
import { Memoirist } from "npm:memoirist@1.2.2";
import { compilePattern } from "../../../../src/core/routing/pattern.ts";
import { RoutedPath } from "../../../../src/core/routing/pathname.ts";
import { RouteTree } from "../../../../src/core/routing/tree.ts";

/** The match of a router: the index of the route, and its parameters. */
export interface Found {
  readonly route: number;
  readonly params: unknown;
  readonly wildcardParams?: readonly string[] | undefined;
}

/** Creates a router with routes, and returns its function to match a path. */
export type Adapter = (
  routes: readonly string[],
) => (path: string) => Found | undefined;

/** The fastest routers by name; `*` marks one that generates code. */
export const ADAPTERS: Readonly<Record<string, Adapter>> = {
  bough(routes) {
    const tree = new RouteTree(routes.map((route, index) => {
      const names = route.split("/").filter((name) => name !== "");
      const pattern = compilePattern([], names);
      return { index, pattern };
    }));
    return (text) => {
      const found = tree.find(new RoutedPath(text));
      if (found === undefined) return undefined;
      const { value, params, wildcardParams } = found;
      return { route: value.index, params, wildcardParams };
    };
  },
  memoirist(routes) {
    const router = new Memoirist<number>();
    for (const [index, route] of routes.entries()) {
      router.add("GET", notation(route), index);
    }
    return (path) => {
      const found = router.find("GET", path);
      return found === null
        ? undefined
        : { route: found.store, params: found.params };
    };
  },
  "@medley/router"(routes) {
    const router = new MedleyRouter();
    for (const [index, route] of routes.entries()) {
      router.register(notation(route)).index = index;
    }
    return (path) => {
      const found = router.find(path);
      return found === null
        ? undefined
        : { route: found.store.index, params: found.params };
    };
  },
  "@mapl/router*"(routes) {
    const router = createMaplRouter();
    for (const [index, route] of routes.entries()) {
      const names = [...route.matchAll(/\[(\w+)\]/g)].map(([, name]) => name);
      const params = names.map((name, at) => `${name}: q[${at}]`);
      const body = `return { route: ${index}, params: { ${params} } }`;
      const path = route.replace("[...]", "**").replaceAll(/\[\w+\]/g, "*");
      insertItem(router, path, body);
    }
    const find = new Function("p", compileMaplRouter(router));
    // This router expects paths without their first slash.
    return (path) => find(path.slice(1));
  },
};

/** Converts `/users/[id]/[...]` to the format of most routers: `/users/:id/*`. */
function notation(route: string): string {
  return route.replace("[...]", "*").replaceAll(/\[(\w+)\]/g, ":$1");
}
