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
  "(admin)/middleware.ts": typeof import("./api/(admin)/middleware.ts");
  "(admin)/orders/[orderId]/status/route.ts": typeof import("./api/(admin)/orders/[orderId]/status/route.ts");
  "(admin)/orders/events/route.ts": typeof import("./api/(admin)/orders/events/route.ts");
  "(admin)/stock/[bookId]/route.ts": typeof import("./api/(admin)/stock/[bookId]/route.ts");
  "authors/[authorId]/route.ts": typeof import("./api/authors/[authorId]/route.ts");
  "authors/route.ts": typeof import("./api/authors/route.ts");
  "books/[bookId]/reviews/[reviewId]/route.ts": typeof import("./api/books/[bookId]/reviews/[reviewId]/route.ts");
  "books/[bookId]/reviews/route.ts": typeof import("./api/books/[bookId]/reviews/route.ts");
  "books/[bookId]/route.ts": typeof import("./api/books/[bookId]/route.ts");
  "books/featured/route.ts": typeof import("./api/books/featured/route.ts");
  "books/route.ts": typeof import("./api/books/route.ts");
  "covers/[...]/route.ts": typeof import("./api/covers/[...]/route.ts");
  "covers/route.ts": typeof import("./api/covers/route.ts");
  "health/live/route.ts": typeof import("./api/health/live/route.ts");
  "health/ready/route.ts": typeof import("./api/health/ready/route.ts");
  "orders/[orderId]/route.ts": typeof import("./api/orders/[orderId]/route.ts");
  "orders/middleware.ts": typeof import("./api/orders/middleware.ts");
  "orders/route.ts": typeof import("./api/orders/route.ts");
  "route.ts": typeof import("./api/route.ts");
}

/** The request of a handler: `RequestOf<"/users/[id]", "GET">`. */
export type RequestOf<
  Path extends RoutePath<Routes, "if the path is new, run bough types">,
  Name extends RouteMethod<Routes, Path>,
> = RouteRequest<Routes, Path, Name>;

/** Every handler that names a path names the path of its folder. */
export type NamedPathsAreTrue = [
  CheckPath<"/orders/[orderId]/status" | "/(admin)/orders/[orderId]/status", NamedPaths<Routes["(admin)/orders/[orderId]/status/route.ts"]>>,
  CheckPath<"/orders/events" | "/(admin)/orders/events", NamedPaths<Routes["(admin)/orders/events/route.ts"]>>,
  CheckPath<"/stock/[bookId]" | "/(admin)/stock/[bookId]", NamedPaths<Routes["(admin)/stock/[bookId]/route.ts"]>>,
  CheckPath<"/authors/[authorId]", NamedPaths<Routes["authors/[authorId]/route.ts"]>>,
  CheckPath<"/authors", NamedPaths<Routes["authors/route.ts"]>>,
  CheckPath<"/books/[bookId]/reviews/[reviewId]", NamedPaths<Routes["books/[bookId]/reviews/[reviewId]/route.ts"]>>,
  CheckPath<"/books/[bookId]/reviews", NamedPaths<Routes["books/[bookId]/reviews/route.ts"]>>,
  CheckPath<"/books/[bookId]", NamedPaths<Routes["books/[bookId]/route.ts"]>>,
  CheckPath<"/books/featured", NamedPaths<Routes["books/featured/route.ts"]>>,
  CheckPath<"/books", NamedPaths<Routes["books/route.ts"]>>,
  CheckPath<"/covers/[...]", NamedPaths<Routes["covers/[...]/route.ts"]>>,
  CheckPath<"/covers", NamedPaths<Routes["covers/route.ts"]>>,
  CheckPath<"/health/live", NamedPaths<Routes["health/live/route.ts"]>>,
  CheckPath<"/health/ready", NamedPaths<Routes["health/ready/route.ts"]>>,
  CheckPath<"/orders/[orderId]", NamedPaths<Routes["orders/[orderId]/route.ts"]>>,
  CheckPath<"/orders", NamedPaths<Routes["orders/route.ts"]>>,
  CheckPath<"/", NamedPaths<Routes["route.ts"]>>,
];
