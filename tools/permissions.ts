/**
 * Writes the permission sets of the applications in this repository into `deno.json`,
 * as a user of the package would; with `--check`, compares them.
 */
import { main } from "../src/cli/mod.ts";

/** The applications, by the sets of their server, their tests and their development. */
const APPLICATIONS = {
  "bookshop,bookshop-test,bookshop-dev": {
    module: "examples/bookshop/main.ts",
    test: "examples/bookshop/",
    listen: "env",
  },
  realworld: {
    module: "examples/realworld/main.ts",
    test: "examples/realworld/",
    listen: "env",
  },
  soak: {
    module: "tests/instruments/soak/server.ts",
    test: "tests/instruments/soak/soak_test.ts",
    listen: "127.0.0.1:0",
  },
};

Deno.chdir(new URL("../", import.meta.url));
let exitCode = 0;
for (const [names, { module, test, listen }] of Object.entries(APPLICATIONS)) {
  exitCode = Math.max(
    exitCode,
    await main([
      "permissions",
      module,
      `--from=deno test --permission-set=test --no-check ${test}`,
      `--listen=${listen}`,
      `--write=${names}`,
      ...Deno.args,
    ]),
  );
}
Deno.exit(exitCode);
