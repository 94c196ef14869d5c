import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { SAMPLE } from "./property_faults.ts";

const CONFIG = fromFileUrl(new URL("../../../deno.json", import.meta.url));
const SCRIPT = fromFileUrl(
  new URL("./find_property_faults.ts", import.meta.url),
);

// Slow: it tests the bookshop 30 times, 70 CPU seconds.
Deno.test("contract tests find all but two faults by their property, and every failure replays as a test", async () => {
  const found = await Promise.all(["0", "1"].map(async (rest) => {
    const { stdout, stderr, success } = await new Deno.Command(
      Deno.execPath(),
      {
        args: ["run", "-A", "--no-check", `--config=${CONFIG}`, SCRIPT, rest],
        stdin: "null",
      },
    ).output();
    const decoder = new TextDecoder();
    assert(success, decoder.decode(stderr));
    return JSON.parse(decoder.decode(stdout).trim().split("\n").at(-1)!);
  }));
  const unsteady: string[] = found.flatMap(({ unsteady }) => unsteady);
  assertEquals(unsteady, [], "a failure does not replay");
  const unshown: string[] = found.flatMap(({ unshown }) => unshown);
  assertEquals(unshown, [], "a test does not show its fault alone");
  assertEquals(found[0].count + found[1].count, SAMPLE.length);
  const missed: string[] = found.flatMap(({ missed }) => missed);
  assert(missed.length <= 2, `not found: ${missed.join("; ")}`);
  // 42,000 requests each; a search that no longer ends early sends many more.
  for (const { requests } of found) assert(requests < 60_000, `${requests}`);
});
