import { checkRandomPaths } from "./random_paths.ts";

Deno.test("random paths find the same route as the naive oracle, and never cause a 500", () =>
  checkRandomPaths(1_000));
