import { assertEquals } from "@std/assert";
import { FastTime } from "./fast_time.ts";

/** Stops the real time, so that only the time that is skipped passes. */
function fastTime(): FastTime {
  performance.now = () => 0;
  return new FastTime();
}

Deno.test("FastTime skips the time until a timer", async () => {
  using _ = fastTime();
  await new Promise((resolve) => setTimeout(resolve, 100));
  assertEquals(performance.now(), 100);
});

Deno.test("FastTime skips no time while another thread computes a digest", async () => {
  using _ = fastTime();
  const timer = setTimeout(() => {}, 60_000);
  await crypto.subtle.digest("SHA-256", new Uint8Array(2 ** 24));
  assertEquals(performance.now(), 0);
  clearTimeout(timer);
});
