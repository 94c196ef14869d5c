import type { RoutePattern } from "../routing/pattern.ts";
import type { Endpoints } from "./endpoints.ts";
import type { LazyEndpoints } from "./lazy_endpoints.ts";
import type { PlacedMiddleware } from "./middleware.ts";
import type { PlacedContract } from "./validation/contract.ts";

/** What the tree finds for a path. All requests share it. */
export interface Route {
  /** The URL pattern of the route. */
  readonly pattern: RoutePattern;
  /** The route file, for the log. */
  readonly file: string;
  /** The folders that the file stands in, from `apiDir` down. */
  readonly folders: readonly string[];
  /** The middleware around it, outermost first. */
  readonly middleware: readonly PlacedMiddleware[];
  /** The contracts of its folders, outermost first. */
  readonly contracts: readonly PlacedContract[];
  /** Its endpoints; with `lazy`, the file may still have to be imported. */
  readonly endpoints: Endpoints | LazyEndpoints;
}
