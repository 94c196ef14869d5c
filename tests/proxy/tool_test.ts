import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";

const TOOL = fromFileUrl(
  new URL("../../tools/proxy_tests.ts", import.meta.url),
);

Deno.test("without nginx, test:proxy says how to get it, and ends with 2", async () => {
  const { NGINX: _, ...env } = Deno.env.toObject();
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    // It is looked for where the system keeps it, too.
    args: ["run", "-A", "--no-config", "--deny-read=/usr", TOOL],
    clearEnv: true,
    env: { ...env, PATH: "" },
  }).output();
  assertEquals(code, 2);
  const text = new TextDecoder().decode(stderr);
  assertStringIncludes(text, "there is no nginx. The proxy tests were NOT run");
  assertStringIncludes(text, "apt-get install nginx");
});
