import { internal as blitz } from "npm:@bit-js/blitz@1.4.0";
import { createRouter as createMaplRouter } from "npm:@mapl/router@0.3.3";
import { insertItem } from "npm:@mapl/router@0.3.3";
import compileMaplRouter from "npm:@mapl/router@0.3.3/compile.js";
import { RegExpRouter } from "npm:hono@4.13.19/router/reg-exp-router";
import { SmartRouter } from "npm:hono@4.13.19/router/smart-router";
import { TrieRouter } from "npm:hono@4.13.19/router/trie-router";
import findMyWay from "npm:find-my-way@9.10.1";
import MedleyRouter from "npm:@medley/router@0.2.1";
import { Memoirist } from "npm:memoirist@1.2.2";
import { createRouter as createRadix3 } from "npm:radix3@1.1.2";
import { addRoute, createRouter, findRoute } from "npm:rou3@1.0.0";
import { compileRouter } from "npm:rou3@1.0.0/compiler";
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

/** The routers by name; `*` marks routers that generate code. */
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
      router.add("GET", notation(route, "*"), index);
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
      router.register(notation(route, "*")).index = index;
    }
    return (path) => {
      const found = router.find(path);
      return found === null
        ? undefined
        : { route: found.store.index, params: found.params };
    };
  },
  "find-my-way*"(routes) {
    const router = findMyWay();
    for (const [index, route] of routes.entries()) {
      router.on("GET", notation(route, "*"), () => {}, { index });
    }
    return (path) => {
      const found = router.find("GET", path);
      return found === null
        ? undefined
        : { route: found.store.index, params: found.params };
    };
  },
  "find-my-way compile()*"(routes) {
    const router = findMyWay();
    for (const [index, route] of routes.entries()) {
      router.on("GET", notation(route, "*"), () => {}, { index });
    }
    router.compile();
    return (path) => {
      const found = router.find("GET", path);
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
  "@bit-js/blitz*"(routes) {
    const router = new blitz.Radix();
    for (const [index, route] of routes.entries()) {
      router.on(notation(route, "*"), { index });
    }
    const match = router.buildMatcher({}, null);
    return (path) => {
      const context = { path, params: undefined };
      const found = match(context) as { index: number } | null;
      return found === null
        ? undefined
        : { route: found.index, params: context.params };
    };
  },
  rou3(routes) {
    const router = createRouter<{ index: number }>();
    for (const [index, route] of routes.entries()) {
      addRoute(router, "GET", notation(route, "**:rest"), { index });
    }
    return (path) => {
      const found = findRoute(router, "GET", path);
      return found && { route: found.data.index, params: found.params };
    };
  },
  "rou3 compiled*"(routes) {
    const router = createRouter<{ index: number }>();
    for (const [index, route] of routes.entries()) {
      addRoute(router, "GET", notation(route, "**:rest"), { index });
    }
    const find = compileRouter(router);
    return (path) => {
      const found = find("GET", path);
      return found && { route: found.data.index, params: found.params };
    };
  },
  "hono RegExpRouter"(routes) {
    return hono(new RegExpRouter<number>(), routes);
  },
  "hono TrieRouter"(routes) {
    return hono(new TrieRouter<number>(), routes);
  },
  "hono SmartRouter"(routes) {
    const routers = [new RegExpRouter<number>(), new TrieRouter<number>()];
    return hono(new SmartRouter<number>({ routers }), routes);
  },
  radix3(routes) {
    const router = createRadix3<{ index: number }>();
    for (const [index, route] of routes.entries()) {
      router.insert(notation(route, "**:rest"), { index });
    }
    return (path) => {
      const found = router.lookup(path);
      return found === null
        ? undefined
        : { route: found.index, params: found.params };
    };
  },
  "URLPattern list"(routes) {
    const patterns = routes.map((route, index) => ({
      index,
      pattern: new URLPattern({ pathname: notation(route, "*") }),
    }));
    return (path) => {
      for (const { index, pattern } of patterns) {
        const match = pattern.exec({ pathname: path });
        if (match !== null) {
          return { route: index, params: match.pathname.groups };
        }
      }
      return undefined;
    };
  },
};

/** Converts `/users/[id]/[...]` to the format of most routers: `/users/:id/*`. */
function notation(route: string, wildcard: string): string {
  return route.replace("[...]", wildcard).replaceAll(/\[(\w+)\]/g, ":$1");
}

interface HonoRouter {
  add(method: string, path: string, handler: number): void;
  // deno-lint-ignore no-explicit-any
  match(method: string, path: string): any;
}

/** Hono returns every matching handler, in the order of their registration. */
function hono(
  router: HonoRouter,
  routes: readonly string[],
): ReturnType<Adapter> {
  for (const [index, route] of routes.entries()) {
    router.add("GET", notation(route, "*"), index);
  }
  return (path) => {
    const [handlers, values] = router.match("GET", path);
    if (handlers.length === 0) return undefined;
    const [route, names] = handlers[0];
    if (values === undefined) return { route, params: names };
    const params: Record<string, string> = {};
    for (const name in names) params[name] = values[names[name]];
    return { route, params };
  };
}
