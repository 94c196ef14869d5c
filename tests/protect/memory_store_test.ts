/** The store in memory keeps all that lasts, up to its limits. */
import { idempotent, memoryStore, rateLimit } from "@bough/framework/protect";
import { assertEquals, assertThrows } from "@std/assert";
import { FakeTimers } from "../support/fake_timers.ts";
import { TestApplication } from "../support/application.ts";

const HOUR = 3_600_000;

const claimOf = (owner: string, lease = HOUR) => ({
  owner,
  fingerprint: "f",
  lease,
});
const outcomeOf = (size: number, ttl = HOUR) => ({
  value: new Uint8Array(size),
  ttl,
});

for (const [maxEntries, clients] of [[9, 9], [99, 99], [1, 1]] as const) {
  Deno.test(`a store for ${maxEntries} counters remembers ${clients} clients`, async () => {
    const app = TestApplication.of({
      "middleware.ts": {
        default: rateLimit({
          limit: 1,
          per: HOUR,
          store: memoryStore({ maxEntries }),
          key: (request) => request.headers.get("x-client")!,
        }),
      },
      "route.ts": { GET: () => new Response("passed") },
    });
    const status = async (client: number) => {
      const headers = { "x-client": `${client}` };
      return (await app.fetch("/api", { headers })).status;
    };
    for (const expected of [200, 429, 429]) {
      for (let client = 0; client < clients; client++) {
        assertEquals(await status(client), expected, `client ${client}`);
      }
    }
  });
}

Deno.test("the counter whose window ends first goes if there are too many", async () => {
  const store = memoryStore({ maxEntries: 4 });
  const count = async (key: string, window = HOUR) =>
    (await store.increment(key, window)).count;
  for (
    const [key, hours] of [["a", 3], ["b", 2], ["c", 3], ["d", 3]] as const
  ) {
    await count(key, hours * HOUR);
  }
  assertEquals(await count("b", 2 * HOUR), 2);
  await count("e", 2 * HOUR); // instead of "b"
  await count("f", 3 * HOUR); // instead of "e"
  assertEquals(
    await Promise.all(["a", "c", "d", "f"].map((key) => count(key))),
    [
      2,
      2,
      2,
      2,
    ],
  );
  assertEquals(await count("b"), 1);
});

Deno.test("counters and outcomes that have ended make room", async () => {
  using time = new FakeTimers();
  const store = memoryStore({ maxEntries: 3, maxBytes: 300 });
  for (let round = 0; round < 5; round++) {
    for (const key of ["a", "b", "c"].map((name) => name + round)) {
      assertEquals((await store.increment(key, 1_000)).count, 1);
      assertEquals((await store.increment(key, 1_000)).count, 2);
      assertEquals((await store.claim(key, claimOf("A"))).state, "claimed");
      assertEquals(await store.finish(key, "A", outcomeOf(100, 1_000)), true);
    }
    time.tick(1_000);
  }
});

Deno.test("a store for 90 keys runs 90 requests once, and rejects the next with 503", async () => {
  let runs = 0;
  const app = TestApplication.of({
    "middleware.ts": {
      default: idempotent({ store: memoryStore({ maxEntries: 90 }) }),
    },
    "route.ts": { POST: () => new Response(`${++runs}`) },
  });
  const pay = async (key: number) => {
    const headers = { "idempotency-key": `"${key}"` };
    const response = await app.fetch("/api", { method: "POST", headers });
    await response.body?.cancel();
    return response.status;
  };
  const log = console.error;
  console.error = () => {};
  try {
    for (const _ of "three rounds".split(" ")) {
      for (let key = 0; key < 90; key++) assertEquals(await pay(key), 200);
      assertEquals(await pay(90), 503);
    }
  } finally {
    console.error = log;
  }
  assertEquals(runs, 90);
});

Deno.test("a claim or an outcome that has no room throws, and changes nothing", async () => {
  const store = memoryStore({ maxEntries: 3, maxBytes: 100 });
  for (const key of ["a", "b", "c"]) store.claim(key, claimOf("A"));
  assertThrows(
    () => store.claim("d", claimOf("A")),
    Error,
    "increase maxEntries (3) or maxBytes (100)",
  );
  // Each claim reserves 15 bytes for a status.
  assertEquals(await store.finish("a", "A", outcomeOf(70)), true);
  assertThrows(() => store.finish("b", "A", outcomeOf(16)), Error, "16 bytes");
  assertEquals((await store.claim("b", claimOf("B"))).state, "running");
  assertEquals(await store.renew("b", "A", HOUR), true);
  assertEquals(await store.finish("b", "A", outcomeOf(15)), true);
  assertEquals(await store.finish("c", "A", undefined), true);
  assertEquals((await store.claim("d", claimOf("A"))).state, "claimed");
});

Deno.test("random calls keep the limits, and forget nothing before its time", async () => {
  using time = new FakeTimers();
  const store = memoryStore({ maxEntries: 8 });
  const model = new Map<string, { count: number; ends: number }>();
  let seed = 1;
  const below = (limit: number) =>
    (seed = seed * 48_271 % 2_147_483_647) % limit;
  for (let call = 0; call < 20_000; call++) {
    time.tick(below(40));
    const now = Date.now();
    const window = [100, 250, 700][below(3)]!;
    const key = `${window} ${below(4)}`;
    for (const [key, { ends }] of model) if (ends <= now) model.delete(key);
    if (!model.has(key)) {
      if (model.size === 8) {
        const [first] = [...model].sort(([, a], [, b]) => a.ends - b.ends);
        // Two counters that end at once are equally good choices.
        const { ends } = first![1];
        if (
          [...model.values()].filter((each) => each.ends === ends).length > 1
        ) {
          continue;
        }
        model.delete(first![0]);
      }
      model.set(key, { count: 0, ends: now + window });
    }
    const expected = model.get(key)!;
    assertEquals(await store.increment(key, window), {
      count: ++expected.count,
      left: expected.ends - now,
    });
  }
});
