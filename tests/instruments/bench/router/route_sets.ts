/** Routes and paths for the comparison of routers. */
export interface RouteSet {
  readonly name: string;
  /** The routes, in the notation `/users/[id]/[...]`. */
  readonly routes: readonly string[];
  readonly paths: readonly string[];
}

/** The set of Hono's published benchmark, without methods. */
const HONO: RouteSet = {
  name: "hono",
  routes: [
    "/user",
    "/user/comments",
    "/user/avatar",
    "/user/lookup/username/[username]",
    "/user/lookup/email/[address]",
    "/event/[id]",
    "/event/[id]/comments",
    "/event/[id]/comment",
    "/map/[location]/events",
    "/status",
    "/very/deeply/nested/route/hello/there",
    "/static/[...]",
  ],
  paths: [
    "/user",
    "/user/comments",
    "/user/lookup/username/hey",
    "/event/abcd1234/comments",
    "/event/abcd1234/comment",
    "/very/deeply/nested/route/hello/there",
    "/static/index.html",
    "/nothing/here",
  ],
};

/** A REST API in the style of a service that hosts code. */
function restApi(): RouteSet {
  const parts = (text: string): string[] => text.split(" ");
  const routes = new Set<string>();
  const add = (base: string, names: string[], below: string[]): void => {
    routes.add(base);
    for (const name of names) {
      for (const tail of below) routes.add(`${base}/${name}${tail}`);
    }
  };
  add(
    "/repos/[owner]/[repo]",
    parts("issues pulls commits releases hooks keys deployments milestones")
      .concat("runs", "artifacts", "packages", "secrets", "checks"),
    ["", "/latest", "/[id]", "/[id]/comments", "/[id]/comments/[comment]"]
      .concat("/[id]/events", "/[id]/files", "/[id]/labels/[name]"),
  );
  add(
    "/repos/[owner]/[repo]",
    parts("branches collaborators contributors forks languages stargazers")
      .concat("topics", "tags", "teams"),
    ["", "/[name]", "/[name]/permission", "/[name]/protection/reviews"],
  );
  add("/orgs/[org]", parts("members teams repos hooks projects invitations"), [
    "",
    "/[name]",
    "/[name]/memberships",
    "/[name]/memberships/[user]",
    "/[name]/settings",
  ]);
  add("/users/[user]", parts("repos gists followers following keys orgs"), [
    "",
    "/[name]",
    "/public",
  ]);
  add("/gists", parts("public starred [id]"), [
    "",
    "/comments",
    "/commits",
    "/[sha]",
    "/comments/[comment]",
  ]);
  add("/user", parts("repos keys emails followers issues teams"), [
    "",
    "/[id]",
    "/[id]/subscription",
  ]);
  add("/search", parts("code commits issues labels repositories topics"), [""]);
  routes.add("/repos/[owner]/[repo]/contents/[...]");
  routes.add("/repos/[owner]/[repo]/git/ref/[...]");
  return {
    name: `rest ${routes.size}`,
    routes: [...routes],
    paths: [
      "/user",
      "/user/repos",
      "/search/repositories",
      "/gists/public",
      "/gists/aa5a315d61ae9438b18d/comments/17",
      "/users/octocat/followers",
      "/orgs/acme/teams/core/memberships/ada",
      "/repos/denoland/deno",
      "/repos/denoland/deno/issues/1234",
      "/repos/denoland/deno/issues/1234/comments/99",
      "/repos/denoland/deno/pulls/latest",
      "/repos/denoland/deno/branches/main/protection/reviews",
      "/repos/denoland/deno/contents/cli/tools/test/mod.rs",
      "/repos/denoland/deno/unknown",
      "/users/octocat/nothing/here",
    ],
  };
}

const letter = (name: string): string => name.startsWith("[") ? "p" : name;

/** Paths that match static folders first, but then a parameter. */
const BACKTRACKING: RouteSet = {
  name: "backtracking",
  routes: [
    ...["a", "b", "[x]"].flatMap((first) =>
      ["a", "b", "[y]"].flatMap((second) =>
        ["c", "d", "[z]"].map((third) =>
          `/${first}/${second}/${third}/end${
            [first, second, third].map(letter).join("")
          }`
        )
      )
    ),
    "/a/[...]",
    "/[x]/a/[...]",
    "/a/a/c",
    "/a/b/[z]",
    "/[x]/[y]",
  ],
  paths: [
    "/a/a/c/endaac",
    "/a/a/c/endppp",
    "/a/b/d/endapd",
    "/b/a/c/endppc",
    "/b/b/d/nothing",
    "/q/a/x/y",
    "/a/a/c",
    "/a/b",
    "/b/b/d/endpbd",
  ],
};

function generated(count: number): RouteSet {
  const kinds = [
    "",
    "/[id]",
    "/[id]/edit",
    "/[id]/items/[item]",
    "/list/[...]",
  ];
  const route = (index: number): string => {
    const topic = Math.floor(index / kinds.length);
    return `/section${topic % 37}/topic${topic}${kinds[index % kinds.length]}`;
  };
  const paths = [];
  // Each path is far from the previous path. Otherwise, the same part of the tree would
  // stay in the caches of the processor.
  for (let step = 0; step < count; step++) {
    const index = step * STRIDE % count;
    paths.push(
      step % 50 === 0
        ? `/section${index % 37}/unknown${index}`
        : route(index).replaceAll(/\[(id|item)\]/g, `value${step}`)
          .replace("[...]", "some/file.txt"),
    );
  }
  return {
    name: String(count),
    routes: Array.from({ length: count }, (_, index) => route(index)),
    paths,
  };
}

/** A prime that does not divide the counts, so that each route occurs. */
const STRIDE = 7919;

export const ROUTE_SETS: readonly RouteSet[] = [
  HONO,
  restApi(),
  BACKTRACKING,
  generated(1_000),
  generated(10_000),
];
