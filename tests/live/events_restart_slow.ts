// Slow: it starts 21 processes, one after another.
import { readThroughRestarts } from "./events_restart.ts";

Deno.test("a client gets each event exactly once, in order, if its server restarts 20 times (behaviour 11.4)", () =>
  readThroughRestarts(20));
