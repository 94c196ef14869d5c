/** Sends hundreds of megabytes, each time to a new process. */
import { assert } from "@std/assert";
import { measure, type Way } from "../instruments/bench/uploads/main.ts";

for (const [bytes, parallel] of [[300_000_000, 1], [20_000_000, 20]] as const) {
  Deno.test(`${parallel} parallel uploads need at most 16 MiB more than a loop by hand (behaviour 7.8)`, async () => {
    const peak = async (way: Way) => (await measure(way, bytes, parallel)).peak;
    // The lowest of several, since the collector of garbage runs at any time.
    const peaks: Record<"loop" | "form", number[]> = { loop: [], form: [] };
    for (let round = 0; round < 4; round++) {
      peaks.loop.push(await peak("loop"));
      peaks.form.push(await peak("form"));
    }
    const more = Math.min(...peaks.form) - Math.min(...peaks.loop);
    assert(more <= 16 * 2 ** 20, `${more} bytes`);
  });
}
