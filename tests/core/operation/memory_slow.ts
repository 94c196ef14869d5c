import { assert } from "@std/assert";
import { fromFileUrl } from "@std/path";

const PROGRAM = fromFileUrl(
  new URL("../../instruments/bench/memory/main.ts", import.meta.url),
);

// Slow: the program sends 600,000 requests, 5 CPU seconds; a leak of one kind of
// request shows only after 250,000.
Deno.test("caches do not grow with traffic: after 500,000 new paths, the heap has its former size", async () => {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-read", "--no-check", "--v8-flags=--expose-gc"]
      .concat(PROGRAM, "--requests=600000"),
  }).output();
  const decoder = new TextDecoder();
  assert(success, decoder.decode(stdout) + decoder.decode(stderr));
});
