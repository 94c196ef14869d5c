// Written by "bough types" from the files of the application; do not edit.
// deno-fmt-ignore-file
import type {
  RouteMethod,
  RoutePath,
  RouteRequest,
  CheckPath,
  NamedPaths,
} from "@bough/framework/types";

/** The files of the application: `createClient<Routes>()` calls them. */
export interface Routes {
  "(members)/articles/[slug]/comments/[id]/route.ts": typeof import("./api/(members)/articles/[slug]/comments/[id]/route.ts");
  "(members)/articles/[slug]/comments/route.ts": typeof import("./api/(members)/articles/[slug]/comments/route.ts");
  "(members)/articles/[slug]/favorite/route.ts": typeof import("./api/(members)/articles/[slug]/favorite/route.ts");
  "(members)/articles/[slug]/route.ts": typeof import("./api/(members)/articles/[slug]/route.ts");
  "(members)/articles/feed/route.ts": typeof import("./api/(members)/articles/feed/route.ts");
  "(members)/articles/route.ts": typeof import("./api/(members)/articles/route.ts");
  "(members)/middleware.ts": typeof import("./api/(members)/middleware.ts");
  "(members)/profiles/[username]/follow/route.ts": typeof import("./api/(members)/profiles/[username]/follow/route.ts");
  "(members)/profiles/[username]/route.ts": typeof import("./api/(members)/profiles/[username]/route.ts");
  "(members)/user/route.ts": typeof import("./api/(members)/user/route.ts");
  "tags/route.ts": typeof import("./api/tags/route.ts");
  "users/login/route.ts": typeof import("./api/users/login/route.ts");
  "users/route.ts": typeof import("./api/users/route.ts");
}

/** The request of a handler: `RequestOf<"/users/[id]", "GET">`. */
export type RequestOf<
  Path extends RoutePath<Routes, "if the path is new, run bough types">,
  Name extends RouteMethod<Routes, Path>,
> = RouteRequest<Routes, Path, Name>;

/** Every handler that names a path names that of its folder. */
export type NamedPathsAreTrue = [
  CheckPath<"/articles/[slug]/comments/[id]" | "/(members)/articles/[slug]/comments/[id]", NamedPaths<Routes["(members)/articles/[slug]/comments/[id]/route.ts"]>>,
  CheckPath<"/articles/[slug]/comments" | "/(members)/articles/[slug]/comments", NamedPaths<Routes["(members)/articles/[slug]/comments/route.ts"]>>,
  CheckPath<"/articles/[slug]/favorite" | "/(members)/articles/[slug]/favorite", NamedPaths<Routes["(members)/articles/[slug]/favorite/route.ts"]>>,
  CheckPath<"/articles/[slug]" | "/(members)/articles/[slug]", NamedPaths<Routes["(members)/articles/[slug]/route.ts"]>>,
  CheckPath<"/articles/feed" | "/(members)/articles/feed", NamedPaths<Routes["(members)/articles/feed/route.ts"]>>,
  CheckPath<"/articles" | "/(members)/articles", NamedPaths<Routes["(members)/articles/route.ts"]>>,
  CheckPath<"/profiles/[username]/follow" | "/(members)/profiles/[username]/follow", NamedPaths<Routes["(members)/profiles/[username]/follow/route.ts"]>>,
  CheckPath<"/profiles/[username]" | "/(members)/profiles/[username]", NamedPaths<Routes["(members)/profiles/[username]/route.ts"]>>,
  CheckPath<"/user" | "/(members)/user", NamedPaths<Routes["(members)/user/route.ts"]>>,
  CheckPath<"/tags", NamedPaths<Routes["tags/route.ts"]>>,
  CheckPath<"/users/login", NamedPaths<Routes["users/login/route.ts"]>>,
  CheckPath<"/users", NamedPaths<Routes["users/route.ts"]>>,
];
