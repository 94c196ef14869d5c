// Slow: it writes and serves 150 folders, 3 CPU seconds.
import { checkRandomLinks } from "./random_links.ts";

Deno.test({
  name:
    "a route in each of 150 random trees with links has the guards of all its places",
  ignore: Deno.build.os === "windows",
  fn: () => checkRandomLinks(150),
});
