import { assert } from "@std/assert";
import { fromFileUrl } from "@std/path";

const SCRIPT = fromFileUrl(
  new URL("../instruments/bench/memory/main.ts", import.meta.url),
);

Deno.test("no cache grows with traffic: 500,000 paths leave the heap as it was", async () => {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-read", "--no-check", "--v8-flags=--expose-gc"]
      .concat(SCRIPT, "--requests=600000"),
  }).output();
  const decoder = new TextDecoder();
  assert(success, decoder.decode(stdout) + decoder.decode(stderr));
});
