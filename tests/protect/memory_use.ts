/**
 * Prints the bytes of memory that stores use after each of some steps, as JSON. Needs
 * `--v8-flags=--expose-gc`.
 */
import { memoryStore } from "@bough/framework/protect";
import { delay } from "../support/until.ts";

const { gc } = globalThis as { gc?: () => void };

async function used(): Promise<number> {
  // The first collection only begins to free buffers.
  for (let time = 0; time < 3; time++) {
    gc!();
    await delay(1);
  }
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

type Step = (store: MemoryStore) => void | Promise<void>;
type MemoryStore = ReturnType<typeof memoryStore>;

/** The memory that a store uses after each step. */
async function measure(
  store: MemoryStore,
  ...steps: readonly Step[]
): Promise<number[]> {
  const before = await used();
  const after: number[] = [];
  for (const step of steps) {
    await step(store);
    after.push(await used() - before);
  }
  store.clear();
  return after;
}

/** Counts requests of different clients. */
const count = (first: number, clients: number): Step => (store) => {
  for (let client = first; client < first + clients; client++) {
    store.increment(`100;60000;default;client ${client}`, 3_600_000);
  }
};

/** Stores 200 outcomes of 64 KiB. */
const store200: Step = async (store) => {
  for (let key = 0; key < 200; key++) {
    const claim = { owner: "A", fingerprint: "A", lease: 60_000 };
    const value = new Uint8Array(65_536);
    try {
      await store.claim(`${key}`, claim);
      await store.finish(`${key}`, "A", { value, ttl: 60_000 });
    } catch {
      // The store is full.
    }
  }
};

const maxEntries = 10_000;
console.log(JSON.stringify({
  counters: await measure(
    memoryStore({ maxEntries }),
    count(0, maxEntries),
    count(maxEntries, 9 * maxEntries),
    count(10 * maxEntries, 10 * maxEntries),
  ),
  outcomes: await measure(memoryStore({ maxBytes: 2 ** 22 }), store200),
}));
