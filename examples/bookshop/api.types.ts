// Written by "bough types" from the files of the application; do not edit.
// deno-fmt-ignore-file
import type { Method } from "@bough/framework";
import type {
  RoutePath,
  RouteRequest,
  TellsPath,
  ToldPaths,
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
  "orders/route.ts": typeof import("./api/orders/route.ts");
  "route.ts": typeof import("./api/route.ts");
}

/** The request of a handler: `RequestOf<"/users/[id]", "GET">`. */
export type RequestOf<
  Path extends RoutePath<Routes>,
  Name extends Method,
> = RouteRequest<Routes, Path, Name>;

/** Every handler that tells a path tells that of its folder. */
export type ToldPathsAreTrue = [
  TellsPath<"/orders/[orderId]/status" | "/(admin)/orders/[orderId]/status", ToldPaths<Routes["(admin)/orders/[orderId]/status/route.ts"]>>,
  TellsPath<"/orders/events" | "/(admin)/orders/events", ToldPaths<Routes["(admin)/orders/events/route.ts"]>>,
  TellsPath<"/stock/[bookId]" | "/(admin)/stock/[bookId]", ToldPaths<Routes["(admin)/stock/[bookId]/route.ts"]>>,
  TellsPath<"/authors/[authorId]", ToldPaths<Routes["authors/[authorId]/route.ts"]>>,
  TellsPath<"/authors", ToldPaths<Routes["authors/route.ts"]>>,
  TellsPath<"/books/[bookId]/reviews/[reviewId]", ToldPaths<Routes["books/[bookId]/reviews/[reviewId]/route.ts"]>>,
  TellsPath<"/books/[bookId]/reviews", ToldPaths<Routes["books/[bookId]/reviews/route.ts"]>>,
  TellsPath<"/books/[bookId]", ToldPaths<Routes["books/[bookId]/route.ts"]>>,
  TellsPath<"/books/featured", ToldPaths<Routes["books/featured/route.ts"]>>,
  TellsPath<"/books", ToldPaths<Routes["books/route.ts"]>>,
  TellsPath<"/covers/[...]", ToldPaths<Routes["covers/[...]/route.ts"]>>,
  TellsPath<"/covers", ToldPaths<Routes["covers/route.ts"]>>,
  TellsPath<"/health/live", ToldPaths<Routes["health/live/route.ts"]>>,
  TellsPath<"/health/ready", ToldPaths<Routes["health/ready/route.ts"]>>,
  TellsPath<"/orders/[orderId]", ToldPaths<Routes["orders/[orderId]/route.ts"]>>,
  TellsPath<"/orders", ToldPaths<Routes["orders/route.ts"]>>,
  TellsPath<"/", ToldPaths<Routes["route.ts"]>>,
];
