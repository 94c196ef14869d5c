// Slow: it sends 10,000 requests, 2 CPU seconds.
import { checkRandomPaths } from "./random_paths.ts";

Deno.test("10,000 random paths find the same route as the naive oracle, and never cause a 500", () =>
  checkRandomPaths(10_000));
