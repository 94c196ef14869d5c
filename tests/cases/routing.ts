/** A tree of route files, and the expected results of requests. */
export interface RoutingTable {
  /** The rule that the table shows, with its number in behaviour.md. */
  readonly rule: string;
  /** The folders that hold a route file, below `apiDir`. */
  readonly folders: readonly string[];
  /** The prefix; `api` by default. */
  readonly prefix?: string;
  readonly cases: readonly RoutingCase[];
}

/** A request target, and the folder of its route with its params; 400 or 404 for none. */
export type RoutingCase = readonly [
  path: string,
  route: string | 400 | 404,
  params?: Readonly<Record<string, string>>,
  wildcardParams?: readonly string[],
];

/** Every rule of routing, for tests of the tree and over HTTP. */
export const ROUTING_TABLES: readonly RoutingTable[] = [
  {
    rule: "behaviour 3.1: static before dynamic before wildcard",
    folders: ["products/featured", "products/[id]", "products/[...]"],
    cases: [
      ["/api/products/featured", "products/featured"],
      ["/api/products/42", "products/[id]", { id: "42" }],
      ["/api/products/shoes/red", "products/[...]", {}, ["shoes", "red"]],
      ["/api/products/featured/x", "products/[...]", {}, ["featured", "x"]],
    ],
  },
  {
    rule:
      "behaviour 2.8: a folder and its subfolders each serve their own path",
    folders: ["products", "products/featured"],
    cases: [
      ["/api/products", "products"],
      ["/api/products/featured", "products/featured"],
      ["/api/products/other", 404],
      ["/api/product", 404],
      ["/api/productsfeatured", 404],
      ["/products", 404],
    ],
  },
  {
    rule: "behaviour 2.9: several dynamic segments, and a wildcard below them",
    folders: [
      "users/[a]/posts/[b]",
      "users/[userId]/[...]",
      "[a]/[b]/[c]/[d]",
      "[locale]/docs/[...]",
    ],
    cases: [
      ["/api/users/7/posts/12", "users/[a]/posts/[b]", { a: "7", b: "12" }],
      ["/api/1/2/3/4", "[a]/[b]/[c]/[d]", { a: "1", b: "2", c: "3", d: "4" }],
      ["/api/users/7/a/b", "users/[userId]/[...]", { userId: "7" }, ["a", "b"]],
      ["/api/users/7", 404],
      ["/api/en/docs/a/b", "[locale]/docs/[...]", { locale: "en" }, ["a", "b"]],
      // Left before count: `users` is static, so its branch is tried first.
      ["/api/users/docs/x", "users/[userId]/[...]", { userId: "docs" }, ["x"]],
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
      ["/api/users/42", "(admin)/users/[id]", { id: "42" }],
      ["/api/carts", "(shop)/(eu)/carts"],
      ["/api/shoes/sale", "(shop)/[category]/(deals)/sale", {
        category: "shoes",
      }],
      ["/api/(admin)/users/42", 404],
    ],
  },
  {
    rule: "behaviour 1.1: dot segments are resolved, a backslash is a slash",
    folders: ["files/[...]", "users", "a/b"],
    cases: [
      ["/api/files/../users", "users"],
      ["/api/files/../../etc/passwd", 404],
      ["/api/files/%2e%2e/users", "users"],
      ["/api/files/.%2E/users", "users"],
      ["/api/files/./x", "files/[...]", {}, ["x"]],
      ["/api/./users", "users"],
      ["/api/users/.", "users"],
      ["/../../api/users", "users"],
      ["/api\\a\\b", "a/b"],
      ["/api/files/\\..\\..\\..\\api\\users", "users"],
      ["/api/files/x/..", 404],
      ["/api/files/.hidden", "files/[...]", {}, [".hidden"]],
      ["/api/files/...", "files/[...]", {}, ["..."]],
    ],
  },
  {
    rule: "behaviour 1.2: empty segments are ignored",
    folders: ["users", "users/[id]", "files/[...]"],
    cases: [
      ["/api//users/", "users"],
      ["//api///users", "users"],
      ["/api/users/", "users"],
      ["/api/users//7", "users/[id]", { id: "7" }],
      ["/api/files//a//b/", "files/[...]", {}, ["a", "b"]],
      ["/api/files//", 404],
    ],
  },
  {
    rule: "behaviour 1.3: segments are decoded once; bad escapes cause a 400",
    folders: ["users/[id]"],
    cases: [
      ["/api/users/a%20b", "users/[id]", { id: "a b" }],
      ["/api/users/%2520", "users/[id]", { id: "%20" }],
      ["/api/users/%E2%82%AC", "users/[id]", { id: "€" }],
      ["/api/users/a+b", "users/[id]", { id: "a+b" }],
      ["/api/users/%", 400],
      ["/api/users/%G1", 400],
      ["/api/users/%F", 400],
      ["/api/users/%FF", 400],
      ["/api/users/%C3%28", 400],
      ["/api/users/%ED%A0%80", 400],
      ["/api/users/%00", 400],
      ["/api/users/a%00b", 400],
      ["/nowhere/%FF", 400],
    ],
  },
  {
    rule:
      "behaviour 1.4: an encoded separator is a value in a param, 400 in a wildcard",
    folders: ["packages/[name]", "packages/[name]/[...]"],
    cases: [
      ["/api/packages/@std%2Fhttp", "packages/[name]", { name: "@std/http" }],
      ["/api/packages/a%5Cb", "packages/[name]", { name: "a\\b" }],
      ["/api/packages/..%2F..%2Fetc", "packages/[name]", { name: "../../etc" }],
      ["/api/packages/@a%2Fb/c.ts", "packages/[name]/[...]", { name: "@a/b" }, [
        "c.ts",
      ]],
      ["/api/packages/p/a%2Fb", 400],
      ["/api/packages/p/a%2fb", 400],
      ["/api/packages/p/a%5Cb", 400],
      ["/api/packages/p/x/..%2F..%2Fetc%2Fpasswd", 400],
      ["/api/packages/p/%2F", 400],
      ["/api/packages/p/%252e%252e", "packages/[name]/[...]", { name: "p" }, [
        "%2e%2e",
      ]],
    ],
  },
  {
    rule: "behaviour 1.5: static names are compared decoded, by case",
    folders: ["café", "featured", "[id]", "with space", "%41"],
    cases: [
      ["/api/caf%C3%A9", "café"],
      ["/api/café", "café"],
      ["/api/%66eatured", "featured"],
      ["/api/Featured", "[id]", { id: "Featured" }],
      ["/API/featured", 404],
      ["/api/with%20space", "with space"],
      ["/api/%2541", "%41"],
      ["/api/%41", "[id]", { id: "A" }],
      ["/%61%70%69/featured", "featured"],
    ],
  },
  {
    rule: "behaviour 2.1: names that start with a dot or underscore are plain",
    folders: [".well-known/security", "_internal", "a.b"],
    cases: [
      ["/api/.well-known/security", ".well-known/security"],
      ["/api/_internal", "_internal"],
      ["/api/a.b", "a.b"],
    ],
  },
  {
    rule: "behaviour 2.3: a route file in apiDir itself serves the prefix",
    folders: ["", "[...]"],
    cases: [
      ["/api", ""],
      ["/api/", ""],
      ["/api?x=1", ""],
      ["/api/x", "[...]", {}, ["x"]],
      ["/apix", 404],
      ["/", 404],
    ],
  },
  {
    rule: "behaviour 2.4: routes that share a folder keep their own names",
    folders: ["users/[id]", "users/[user]/posts", "users/[a]/posts/[b]"],
    cases: [
      ["/api/users/7", "users/[id]", { id: "7" }],
      ["/api/users/7/posts", "users/[user]/posts", { user: "7" }],
      ["/api/users/7/posts/9", "users/[a]/posts/[b]", { a: "7", b: "9" }],
    ],
  },
  {
    rule: "behaviour 3.1: backtracking from a static folder to a dynamic one",
    folders: ["users/me/settings", "users/[id]/posts", "users/[id]"],
    cases: [
      ["/api/users/me/posts", "users/[id]/posts", { id: "me" }],
      ["/api/users/me/settings", "users/me/settings"],
      ["/api/users/me", "users/[id]", { id: "me" }],
      ["/api/users/men", "users/[id]", { id: "men" }],
      ["/api/users/m", "users/[id]", { id: "m" }],
      ["/api/users/me/other", 404],
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
      ["/api/docs", "docs"],
      ["/api/a", "[...]", {}, ["a"]],
      ["/api/a/b", "a/[...]", {}, ["b"]],
      ["/api/a/b/c", "a/b/[...]", {}, ["c"]],
      ["/api/a/b/c/d", "a/b/c/d"],
      ["/api/a/b/c/e", "a/b/[...]", {}, ["c", "e"]],
      ["/api/a/z/c/e", "a/[x]/c/[...]", { x: "z" }, ["e"]],
      ["/api/a/z/y", "a/[...]", {}, ["z", "y"]],
      ["/api/b/c/d", "[...]", {}, ["b", "c", "d"]],
    ],
  },
  {
    rule: "behaviour 3.3: left comes before count",
    folders: ["docs/[...]", "[locale]/about"],
    cases: [
      ["/api/docs/about", "docs/[...]", {}, ["about"]],
      ["/api/en/about", "[locale]/about", { locale: "en" }],
      ["/api/docs", 404],
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
      ["/api/v/a", "[__proto__]/a", { ["__proto__"]: "v" }],
      ["/api/x/v", "x/[constructor]", { constructor: "v" }],
      ["/api/constructor", "constructor"],
      ["/api/__proto__", "__proto__"],
      ["/api/toString", "toString"],
      ["/api/valueOf", 404],
    ],
  },
  {
    rule: "behaviour 9.1: a prefix of several segments",
    prefix: "/api/v1/",
    folders: ["users", ""],
    cases: [
      ["/api/v1/users", "users"],
      ["/api/v1", ""],
      ["/api/users", 404],
    ],
  },
  {
    rule: "behaviour 9.1: an empty prefix serves at the root",
    prefix: "",
    folders: ["", "users", "[id]/x", "files/[...]"],
    cases: [
      ["/", ""],
      ["/?x=1", ""],
      ["//", ""],
      ["/users", "users"],
      ["/7/x", "[id]/x", { id: "7" }],
      ["/files/a", "files/[...]", {}, ["a"]],
      ["/files", 404],
    ],
  },
];
