import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";

const CONFIG = fromFileUrl(new URL("../../../deno.json", import.meta.url));
const PROGRAM = fromFileUrl(new URL("linear_cost_program.ts", import.meta.url));

// Slow: the program sends 394 kinds of large input, 10 CPU seconds.
Deno.test("CPU time and response grow at most linearly with the input", async () => {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--config", CONFIG, "--allow-read"]
      .concat("--allow-env", "--v8-flags=--single-threaded", PROGRAM),
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  assertEquals(
    decoder.decode(stderr),
    "",
    "no input is the fault of the server",
  );
  const { count, faults, quadratic } = JSON.parse(decoder.decode(stdout));
  assertEquals(faults, []);
  assertEquals(count, 394);
  assertEquals(quadratic.length, 1, "the measure finds quadratic time");
  assertMatch(quadratic[0], /takes \d+.* ms, but its 64 parts take/);
});
