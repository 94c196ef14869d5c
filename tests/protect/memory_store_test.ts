/** The store in memory keeps all that lasts, up to its limits. */
import { idempotent, memoryStore, rateLimit } from "@bough/framework/protect";
import { assertEquals, assertThrows } from "@std/assert";
import { FakeTimers } from "../support/fake_timers.ts";
import { CapturedLog, TestApplication } from "../support/application.ts";

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

Deno.test("a full store remembers its counters and keys, and rejects new keys with 503", async () => {
  let runs = 0;
  const count = 90;
  const store = memoryStore({ maxEntries: count });
  const app = TestApplication.of({
    "middleware.ts": {
      default: [
        idempotent({ store }),
        rateLimit({
          limit: 1,
          per: HOUR,
          store,
          key: ({ headers }) => headers.get("idempotency-key")!,
        }),
      ],
    },
    "route.ts": {
      GET: () => new Response(),
      POST: () => new Response(`${++runs}`),
    },
  });
  const statusOf = async (method: string, key: number) => {
    const headers = { "idempotency-key": `"${key}"` };
    const { status, body } = await app.fetch("/api", { method, headers });
    await body?.cancel();
    return status;
  };
  using _log = new CapturedLog();
  for (let round = 0; round < 3; round++) {
    for (let key = 0; key < count; key++) {
      assertEquals(await statusOf("POST", key), 200);
      assertEquals(await statusOf("GET", key), 429);
    }
    assertEquals(await statusOf("POST", count), 503);
  }
  assertEquals(runs, count);
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

for (const maxEntries of [1, 8]) {
  Deno.test(`random calls keep a limit of ${maxEntries} entries, and forget nothing before its time`, async () => {
    using time = new FakeTimers();
    const store = memoryStore({ maxEntries });
    const model = new Map<string, { count: number; ends: number }>();
    let seed = 1;
    const below = (limit: number) =>
      (seed = seed * 48_271 % 2_147_483_647) % limit;
    for (let call = 0; call < 10_000; call++) {
      time.tick(below(40));
      const now = Date.now();
      const window = [100, 250, 700][below(3)]!;
      const key = `${window} ${below(4)}`;
      for (const [key, { ends }] of model) if (ends <= now) model.delete(key);
      if (!model.has(key)) {
        if (model.size === maxEntries) {
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
}
