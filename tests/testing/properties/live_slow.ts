import { assertEquals } from "@std/assert";
import {
  checkOrders,
  FAULTS,
  findFault,
  type Live,
  PROPERTIES,
  UNUSUAL,
} from "../live_orders.ts";

/** For each fault: `BOUGH_SEEDS=3` tries three seeds. */
const SEEDS = Number(Deno.env.get("BOUGH_SEEDS") ?? 1);

const LIVE: readonly Live[] = ["events", "chat"];

// Slow: sockets wait in real time, 100 seconds.
for (const name of Object.keys(FAULTS)) {
  Deno.test(`found in the whole application: ${name}`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      await findFault(name, { seed, live: LIVE });
    }
  });
}

Deno.test("nothing is found in healthy streams and sockets with another seed", async () => {
  const { failures } = await checkOrders({}, { seed: 2 });
  assertEquals(failures.map(({ seen }) => seen), []);
});

for (const [name, [, parts]] of Object.entries(UNUSUAL)) {
  Deno.test(`nothing is found in the whole application: ${name}`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { failures } = await checkOrders(parts, {
        seed,
        properties: PROPERTIES,
      });
      assertEquals(failures.map(({ seen }) => seen), []);
    }
  });
}
