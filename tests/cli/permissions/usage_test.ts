import { assertEquals, assertStringIncludes } from "@std/assert";
import { boughIn } from "../support.ts";
import { createProject, testOf } from "./project.ts";

const SHOP = {
  "lib/bank.js": "export const pay = () => Deno.env.get('BANK_KEY');",
  "api/pay/route.js": `import { pay } from "../../lib/bank.js";
    export const permissions = { env: ["BANK_KEY"] };
    export const GET = () => new Response(pay());`,
  "main_test.ts": testOf("/api/pay"),
};

Deno.test("bough permissions rejects wrong options", async () => {
  await using folder = await createProject(SHOP);
  for (
    const [args, reason] of [
      [["--time=0"], "--time must be a number above 0"],
      [["--listen=8000"], "--listen must be a host and a port"],
      [["--listen=PORT"], "such as 0.0.0.0:8000, or env"],
      [["--listen=127.0.0.1:80/"], 'or env, got "127.0.0.1:80/"'],
      [["--listen=http://a:80"], 'or env, got "http://a:80"'],
      // These options are valid, but the module does not exist.
      [["no.ts", "--listen=localhost:80"], "no.ts"],
      [["no.ts", "--listen=[::1]:80"], "no.ts"],
      [["no.ts", "--listen=[FE80::1.2]:8000"], "no.ts"],
      [["--check"], "--check needs the names of the sets, as in --write=serve"],
      [["--prune"], "--prune needs --write, and excludes --check"],
      [["--prune", "--check", "--write=serve"], "excludes --check"],
      [["--write=,test"], '--write has an empty or repeated name: ",test"'],
      [["--write=serve,serve"], 'repeated name: "serve,serve"'],
      [["--write=a,b,c,d"], "--write takes at most three sets"],
      [
        ["--from=no-such-program"],
        'a program that does not exist: "no-such-program"',
      ],
    ] as const
  ) {
    const { code, stderr } = await boughIn(folder.path, "permissions", ...args);
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, reason);
  }
});
