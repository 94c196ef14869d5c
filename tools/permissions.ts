/**
 * Writes the permission sets of the applications in this repository into `deno.json`,
 * as a user of the package would; with `--check`, compares them.
 */
import { main } from "../src/cli/mod.ts";

/** The modules that start servers, by the name of their set. */
const APPLICATIONS = {
  bookshop: "examples/bookshop/main.ts",
  "bookshop-dev": "examples/bookshop/dev.ts",
  realworld: "examples/realworld/main.ts",
};

Deno.chdir(new URL("../", import.meta.url));
// Its server may run at the same time, on the port 8000.
Deno.env.set("PORT", Deno.env.get("PORT") ?? "8765");
let exitCode = 0;
for (const [name, module] of Object.entries(APPLICATIONS)) {
  const args = ["permissions", module, "--unsafe", `--write=${name}`];
  exitCode = Math.max(exitCode, await main([...args, ...Deno.args]));
}
Deno.exit(exitCode);
