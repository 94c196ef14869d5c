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
  "health/ready/route.ts": typeof import("../../../examples/cluster/api/health/ready/route.ts");
  "orders/[orderId]/route.ts": typeof import("../../../examples/cluster/api/orders/[orderId]/route.ts");
  "orders/events/route.ts": typeof import("../../../examples/cluster/api/orders/events/route.ts");
  "orders/middleware.ts": typeof import("../../../examples/cluster/api/orders/middleware.ts");
  "orders/route.ts": typeof import("../../../examples/cluster/api/orders/route.ts");
  "products/middleware.ts": typeof import("../../../examples/cluster/api/products/middleware.ts");
  "products/route.ts": typeof import("../../../examples/cluster/api/products/route.ts");
}

/** The request of a handler: `RequestOf<"/users/[id]", "GET">`. */
export type RequestOf<
  Path extends RoutePath<Routes, "if the path is new, run bough types">,
  Name extends RouteMethod<Routes, Path>,
> = RouteRequest<Routes, Path, Name>;

/** Every handler that names a path names the path of its folder. */
export type NamedPathsAreTrue = [
  CheckPath<"/health/ready", NamedPaths<Routes["health/ready/route.ts"]>>,
  CheckPath<"/orders/[orderId]", NamedPaths<Routes["orders/[orderId]/route.ts"]>>,
  CheckPath<"/orders/events", NamedPaths<Routes["orders/events/route.ts"]>>,
  CheckPath<"/orders", NamedPaths<Routes["orders/route.ts"]>>,
  CheckPath<"/products", NamedPaths<Routes["products/route.ts"]>>,
];
