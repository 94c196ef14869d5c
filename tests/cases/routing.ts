/** A tree of route files, and the expected results of requests. */
export interface RoutingTable {
  /** The rule that the table shows, with its number in behaviour.md. */
  readonly rule: string;
  /** The folders that hold a route file, below `apiDir`. */
  readonly folders: readonly string[];
  /** The prefix; `api` by default. */
  readonly prefix?: string;
  /** The requests, each with its expected result. */
  readonly cases: readonly RoutingCase[];
}

/** A request, and the route that responds. */
export interface RoutingCase {
  /** The request target, as it is sent. */
  readonly path: string;
  /** The folder of the route that responds, or the status of the error. */
  readonly route: string | 400 | 404;
  /** The values of its dynamic segments; empty by default. */
  readonly params?: Readonly<Record<string, string>>;
  /** The segments of its wildcard; absent by default. */
  readonly wildcardParams?: readonly string[];
}

/** Every rule of routing, for tests of the tree and over HTTP. */
export const ROUTING_TABLES: readonly RoutingTable[] = [
  {
    rule: "behaviour 3.1: products, static before dynamic before wildcard",
    folders: ["products/featured", "products/[id]", "products/[...]"],
    cases: [
      { path: "/api/products/featured", route: "products/featured" },
      {
        path: "/api/products/42",
        route: "products/[id]",
        params: { id: "42" },
      },
      {
        path: "/api/products/shoes/red",
        route: "products/[...]",
        wildcardParams: ["shoes", "red"],
      },
      {
        path: "/api/products/featured/today",
        route: "products/[...]",
        wildcardParams: ["featured", "today"],
      },
    ],
  },
  {
    rule: "behaviour 3.1: admin, static before dynamic before wildcard",
    folders: ["admin/settings", "admin/[section]", "admin/[...]"],
    cases: [
      { path: "/api/admin/settings", route: "admin/settings" },
      {
        path: "/api/admin/users",
        route: "admin/[section]",
        params: { section: "users" },
      },
      {
        path: "/api/admin/users/7",
        route: "admin/[...]",
        wildcardParams: ["users", "7"],
      },
    ],
  },
  {
    rule: "behaviour 3.2: a wildcard captures every segment in URL order",
    folders: ["files/[...]"],
    cases: [
      {
        path: "/api/files/a/b/c",
        route: "files/[...]",
        wildcardParams: ["a", "b", "c"],
      },
      { path: "/api/files/a", route: "files/[...]", wildcardParams: ["a"] },
    ],
  },
  {
    rule:
      "behaviour 2.8: a folder and its subfolders each serve their own path",
    folders: ["products", "products/featured"],
    cases: [
      { path: "/api/products", route: "products" },
      { path: "/api/products/featured", route: "products/featured" },
      { path: "/api/products/other", route: 404 },
      { path: "/api/product", route: 404 },
      { path: "/api/productsfeatured", route: 404 },
      { path: "/products", route: 404 },
    ],
  },
  {
    rule: "behaviour 2.9: several dynamic segments in one path",
    folders: ["users/[userId]/posts/[postId]", "[a]/[b]/[c]/[d]/[e]"],
    cases: [
      {
        path: "/api/users/7/posts/12",
        route: "users/[userId]/posts/[postId]",
        params: { userId: "7", postId: "12" },
      },
      {
        path: "/api/1/2/3/4/5",
        route: "[a]/[b]/[c]/[d]/[e]",
        params: { a: "1", b: "2", c: "3", d: "4", e: "5" },
      },
    ],
  },
  {
    rule: "behaviour 2.9: a wildcard below a dynamic folder",
    folders: ["users/[userId]/[...]"],
    cases: [
      {
        path: "/api/users/7/a/b",
        route: "users/[userId]/[...]",
        params: { userId: "7" },
        wildcardParams: ["a", "b"],
      },
      { path: "/api/users/7", route: 404 },
    ],
  },
  {
    rule: "behaviour 2.9: wildcard and dynamic segments in one path",
    folders: ["[locale]/docs/[...]", "tenants/[tenantId]/[...]"],
    cases: [
      {
        path: "/api/en/docs/start/here",
        route: "[locale]/docs/[...]",
        params: { locale: "en" },
        wildcardParams: ["start", "here"],
      },
      {
        path: "/api/tenants/t1/x",
        route: "tenants/[tenantId]/[...]",
        params: { tenantId: "t1" },
        wildcardParams: ["x"],
      },
      {
        // Left before count: `tenants` is static, so its branch is tried first.
        path: "/api/tenants/docs/x",
        route: "tenants/[tenantId]/[...]",
        params: { tenantId: "docs" },
        wildcardParams: ["x"],
      },
    ],
  },
  {
    rule:
      "behaviour 2.1: groups are omitted from the URL, and folders in them capture values",
    folders: [
      "(admin)/users/[id]",
      "(shop)/(eu)/carts",
      "(shop)/[category]/(deals)/sale",
    ],
    cases: [
      {
        path: "/api/users/42",
        route: "(admin)/users/[id]",
        params: { id: "42" },
      },
      { path: "/api/carts", route: "(shop)/(eu)/carts" },
      {
        path: "/api/shoes/sale",
        route: "(shop)/[category]/(deals)/sale",
        params: { category: "shoes" },
      },
      { path: "/api/(admin)/users/42", route: 404 },
    ],
  },
  {
    rule: "behaviour 1.1: dot segments are resolved, a backslash is a slash",
    folders: ["files/[...]", "users", "a/b"],
    cases: [
      { path: "/api/files/../users", route: "users" },
      { path: "/api/files/../../etc/passwd", route: 404 },
      { path: "/api/files/%2e%2e/users", route: "users" },
      { path: "/api/files/.%2E/users", route: "users" },
      { path: "/api/files/./x", route: "files/[...]", wildcardParams: ["x"] },
      { path: "/api/./users", route: "users" },
      { path: "/api/users/.", route: "users" },
      { path: "/../../api/users", route: "users" },
      { path: "/api\\a\\b", route: "a/b" },
      { path: "/api/files/\\..\\..\\..\\api\\users", route: "users" },
      { path: "/api/files/x/..", route: 404 },
      {
        path: "/api/files/.hidden",
        route: "files/[...]",
        wildcardParams: [".hidden"],
      },
      {
        path: "/api/files/...",
        route: "files/[...]",
        wildcardParams: ["..."],
      },
    ],
  },
  {
    rule: "behaviour 1.2: empty segments are ignored",
    folders: ["users", "users/[id]", "files/[...]"],
    cases: [
      { path: "/api//users/", route: "users" },
      { path: "//api///users", route: "users" },
      { path: "/api/users/", route: "users" },
      { path: "/api/users//7", route: "users/[id]", params: { id: "7" } },
      {
        path: "/api/files//a//b/",
        route: "files/[...]",
        wildcardParams: ["a", "b"],
      },
      { path: "/api/files//", route: 404 },
    ],
  },
  {
    rule: "behaviour 1.3: segments are decoded once; bad escapes cause a 400",
    folders: ["users/[id]"],
    cases: [
      { path: "/api/users/a%20b", route: "users/[id]", params: { id: "a b" } },
      {
        path: "/api/users/%2520",
        route: "users/[id]",
        params: { id: "%20" },
      },
      {
        path: "/api/users/%E2%82%AC",
        route: "users/[id]",
        params: { id: "€" },
      },
      { path: "/api/users/a+b", route: "users/[id]", params: { id: "a+b" } },
      { path: "/api/users/%", route: 400 },
      { path: "/api/users/%G1", route: 400 },
      { path: "/api/users/%F", route: 400 },
      { path: "/api/users/%FF", route: 400 },
      { path: "/api/users/%C3%28", route: 400 },
      { path: "/api/users/%ED%A0%80", route: 400 },
      { path: "/api/users/%00", route: 400 },
      { path: "/api/users/a%00b", route: 400 },
      { path: "/nowhere/%FF", route: 400 },
    ],
  },
  {
    rule:
      "behaviour 1.4: an encoded separator is a value in a param, 400 in a wildcard",
    folders: ["packages/[name]", "packages/[name]/files/[...]"],
    cases: [
      {
        path: "/api/packages/@std%2Fhttp",
        route: "packages/[name]",
        params: { name: "@std/http" },
      },
      {
        path: "/api/packages/a%5Cb",
        route: "packages/[name]",
        params: { name: "a\\b" },
      },
      {
        path: "/api/packages/..%2F..%2Fetc",
        route: "packages/[name]",
        params: { name: "../../etc" },
      },
      {
        path: "/api/packages/@std%2Fhttp/files/mod.ts",
        route: "packages/[name]/files/[...]",
        params: { name: "@std/http" },
        wildcardParams: ["mod.ts"],
      },
      { path: "/api/packages/p/files/a%2Fb", route: 400 },
      { path: "/api/packages/p/files/a%2fb", route: 400 },
      { path: "/api/packages/p/files/a%5Cb", route: 400 },
      { path: "/api/packages/p/files/x/..%2F..%2Fetc%2Fpasswd", route: 400 },
      { path: "/api/packages/p/files/%2F", route: 400 },
      {
        path: "/api/packages/p/files/%252e%252e",
        route: "packages/[name]/files/[...]",
        params: { name: "p" },
        wildcardParams: ["%2e%2e"],
      },
    ],
  },
  {
    rule: "behaviour 1.5: static names are compared decoded, by case",
    folders: ["café", "featured", "[id]", "with space", "%41"],
    cases: [
      { path: "/api/caf%C3%A9", route: "café" },
      { path: "/api/café", route: "café" },
      { path: "/api/%66eatured", route: "featured" },
      { path: "/api/Featured", route: "[id]", params: { id: "Featured" } },
      { path: "/API/featured", route: 404 },
      { path: "/api/with%20space", route: "with space" },
      { path: "/api/%2541", route: "%41" },
      { path: "/api/%41", route: "[id]", params: { id: "A" } },
      { path: "/%61%70%69/featured", route: "featured" },
    ],
  },
  {
    rule: "behaviour 2.1: names that start with a dot or underscore are plain",
    folders: [".well-known/security", "_internal", "a.b"],
    cases: [
      { path: "/api/.well-known/security", route: ".well-known/security" },
      { path: "/api/_internal", route: "_internal" },
      { path: "/api/a.b", route: "a.b" },
    ],
  },
  {
    rule: "behaviour 2.3: a route file in apiDir itself serves the prefix",
    folders: ["", "[...]"],
    cases: [
      { path: "/api", route: "" },
      { path: "/api/", route: "" },
      { path: "/api?x=1", route: "" },
      { path: "/api/x", route: "[...]", wildcardParams: ["x"] },
      { path: "/apix", route: 404 },
      { path: "/", route: 404 },
    ],
  },
  {
    rule: "behaviour 2.4: routes that share a folder keep their own names",
    folders: ["users/[id]", "users/[user]/posts", "users/[a]/posts/[b]"],
    cases: [
      { path: "/api/users/7", route: "users/[id]", params: { id: "7" } },
      {
        path: "/api/users/7/posts",
        route: "users/[user]/posts",
        params: { user: "7" },
      },
      {
        path: "/api/users/7/posts/9",
        route: "users/[a]/posts/[b]",
        params: { a: "7", b: "9" },
      },
    ],
  },
  {
    rule: "behaviour 3.1: backtracking from a static folder to a dynamic one",
    folders: ["users/me/settings", "users/[id]/posts", "users/[id]"],
    cases: [
      {
        path: "/api/users/me/posts",
        route: "users/[id]/posts",
        params: { id: "me" },
      },
      { path: "/api/users/me/settings", route: "users/me/settings" },
      { path: "/api/users/me", route: "users/[id]", params: { id: "me" } },
      { path: "/api/users/men", route: "users/[id]", params: { id: "men" } },
      { path: "/api/users/m", route: "users/[id]", params: { id: "m" } },
      { path: "/api/users/me/other", route: 404 },
    ],
  },
  {
    rule: "behaviour 3.2: a wildcard takes one segment or more; deepest wins",
    folders: [
      "[...]",
      "docs",
      "a/[...]",
      "a/b/[...]",
      "a/[x]/c/[...]",
      "a/b/c/d",
    ],
    cases: [
      { path: "/api/docs", route: "docs" },
      { path: "/api/a", route: "[...]", wildcardParams: ["a"] },
      { path: "/api/a/b", route: "a/[...]", wildcardParams: ["b"] },
      { path: "/api/a/b/c", route: "a/b/[...]", wildcardParams: ["c"] },
      { path: "/api/a/b/c/d", route: "a/b/c/d" },
      {
        path: "/api/a/b/c/e",
        route: "a/b/[...]",
        wildcardParams: ["c", "e"],
      },
      {
        path: "/api/a/z/c/e",
        route: "a/[x]/c/[...]",
        params: { x: "z" },
        wildcardParams: ["e"],
      },
      {
        path: "/api/a/z/y",
        route: "a/[...]",
        wildcardParams: ["z", "y"],
      },
    ],
  },
  {
    rule: "behaviour 3.3: left comes before count",
    folders: ["docs/[...]", "[locale]/about"],
    cases: [
      {
        path: "/api/docs/about",
        route: "docs/[...]",
        wildcardParams: ["about"],
      },
      {
        path: "/api/en/about",
        route: "[locale]/about",
        params: { locale: "en" },
      },
      { path: "/api/docs", route: 404 },
    ],
  },
  {
    rule: "behaviour 6.2: a folder named like a member of objects is harmless",
    folders: [
      "[__proto__]/a",
      "x/[constructor]",
      "constructor",
      "__proto__",
      "toString",
    ],
    cases: [
      {
        path: "/api/v/a",
        route: "[__proto__]/a",
        params: { ["__proto__"]: "v" },
      },
      {
        path: "/api/x/v",
        route: "x/[constructor]",
        params: { constructor: "v" },
      },
      { path: "/api/constructor", route: "constructor" },
      { path: "/api/__proto__", route: "__proto__" },
      { path: "/api/toString", route: "toString" },
      { path: "/api/valueOf", route: 404 },
    ],
  },
  {
    rule: "behaviour 9.1: a prefix of several segments",
    prefix: "/api/v1/",
    folders: ["users", ""],
    cases: [
      { path: "/api/v1/users", route: "users" },
      { path: "/api/v1", route: "" },
      { path: "/api/users", route: 404 },
    ],
  },
  {
    rule: "behaviour 9.1: an empty prefix serves at the root",
    prefix: "",
    folders: ["", "users", "[id]/x", "files/[...]"],
    cases: [
      { path: "/", route: "" },
      { path: "/?x=1", route: "" },
      { path: "//", route: "" },
      { path: "/users", route: "users" },
      { path: "/7/x", route: "[id]/x", params: { id: "7" } },
      { path: "/files/a", route: "files/[...]", wildcardParams: ["a"] },
      { path: "/files", route: 404 },
    ],
  },
  {
    rule: "static names that share characters are distinguished",
    folders: [
      "t",
      "te",
      "team",
      "test",
      "test/[id]",
      "teams/[id]/members",
      "teams/[id]/memos",
      "[x]/memos",
    ],
    cases: [
      { path: "/api/t", route: "t" },
      { path: "/api/te", route: "te" },
      { path: "/api/tea", route: 404 },
      { path: "/api/team", route: "team" },
      { path: "/api/test/1", route: "test/[id]", params: { id: "1" } },
      {
        path: "/api/teams/1/members",
        route: "teams/[id]/members",
        params: { id: "1" },
      },
      {
        path: "/api/teams/1/memos",
        route: "teams/[id]/memos",
        params: { id: "1" },
      },
      { path: "/api/team/memos", route: "[x]/memos", params: { x: "team" } },
      { path: "/api/teams/1/mem", route: 404 },
    ],
  },
  {
    rule: "static names that begin with characters of every kind",
    folders: [
      "a",
      "~",
      "!",
      "0",
      "é",
      "日本",
      "日曜",
      "💥",
      "💦/[id]",
      "[x]/y",
    ],
    cases: [
      { path: "/api/a", route: "a" },
      { path: "/api/~", route: "~" },
      { path: "/api/!", route: "!" },
      { path: "/api/0", route: "0" },
      { path: "/api/%C3%A9", route: "é" },
      { path: "/api/%E6%97%A5%E6%9C%AC", route: "日本" },
      { path: "/api/日曜", route: "日曜" },
      { path: "/api/%F0%9F%92%A5", route: "💥" },
      { path: "/api/💦/1", route: "💦/[id]", params: { id: "1" } },
      { path: "/api/日/y", route: "[x]/y", params: { x: "日" } },
      { path: "/api/日", route: 404 },
      { path: "/api/中", route: 404 },
    ],
  },
];
