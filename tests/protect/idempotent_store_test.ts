/** The leases of keys, and stores that are slow or fail, without waiting. */
import { assertEquals, assertMatch } from "@std/assert";
import { HttpError } from "@bough/framework";
import { memoryStore, type ProtectionStore } from "@bough/framework/protect";
import { FakeTimers } from "../support/fake_timers.ts";
import { delay } from "../support/until.ts";
import { gate, type Handle, logOf, Shop, turnsUntil } from "./support.ts";

Deno.test("the lease of a slow handler is renewed, which keeps no process alive", async () => {
  using timers = new FakeTimers();
  const { handle, open } = gate();
  const shop = new Shop({ lease: 150 }, handle);
  const first = shop.seen();
  await turnsUntil(timers, () => shop.runs === 1);
  // A process may end although a handler never ends.
  assertEquals(timers.running, { timers: 1, referenced: 0 });
  for (let time = 0; time < 10; time++) {
    await timers.pass(50);
    assertEquals(await shop.status(), 409);
  }
  open();
  await first;
  assertEquals(timers.running.timers, 0);
  assertEquals(shop.runs, 1);
});

Deno.test("a lease is renewed only while its handler runs", async () => {
  using timers = new FakeTimers();
  let renewals = 0;
  const store = { ...memoryStore(), renew: () => ++renewals > 0 };
  /** The renewals while a handler runs for 40 ms, and in the next 40 ms. */
  const count = async (lease: number, end: Handle): Promise<number[]> => {
    const before = renewals;
    const shop = new Shop({ lease, store }, async (request, run) => {
      await delay(40);
      return await end(request, run);
    });
    const response = shop.status({ key: crypto.randomUUID() });
    await turnsUntil(timers, () => shop.runs === 1);
    await timers.pass(40);
    await response;
    const during = renewals - before;
    await timers.pass(40);
    return [during, renewals - before - during];
  };
  const respond = () => new Response();
  assertEquals(await count(30, respond), [4, 0]);
  const fail = () => {
    throw new HttpError(402);
  };
  assertEquals(await count(30, fail), [4, 0]);
  // A timer with a longer delay would fire at once.
  assertEquals(await count(2 ** 40, respond), [0, 0]);
});

Deno.test("after a renewal that fails, Bough tries again", async () => {
  using timers = new FakeTimers();
  const { handle, open } = gate();
  const store = memoryStore();
  let renewals = 0;
  const renew: ProtectionStore["renew"] = (...args) => {
    renewals++;
    if (renewals === 1) throw new Error("broken");
    if (renewals === 2) return Promise.reject(new Error("broken"));
    return store.renew(...args);
  };
  const shop = new Shop({ lease: 300, store: { ...store, renew } }, handle);
  const log = await logOf(async () => {
    const first = shop.seen();
    await turnsUntil(timers, () => shop.runs === 1);
    await timers.pass(600);
    assertEquals(renewals, 6);
    assertEquals(await shop.status(), 409);
    open();
    await first;
  });
  const entry =
    /^\[bough\] POST \/api\/payments .*: the store of keys failed: Error: broken/gm;
  assertEquals(log.match(entry)?.length, 2);
});

Deno.test("a response after the lease has expired is sent, but not stored", async () => {
  using timers = new FakeTimers();
  const { handle, open } = gate();
  // As in a process that is suspended.
  const store = { ...memoryStore(), renew: () => false };
  const shop = new Shop(
    { lease: 100, store },
    (request, run) => run === 1 ? handle(request, run) : Response.json({ run }),
  );
  const log = await logOf(async () => {
    const first = shop.seen();
    await turnsUntil(timers, () => shop.runs === 1);
    await timers.pass(150);
    assertEquals(await shop.seen(), '200 {"run":2}');
    open();
    assertEquals(await first, '200 {"run":1}');
  });
  assertMatch(
    log,
    /the lease of the idempotency key expired before the handler/,
  );
  assertEquals(log.split("\n").length, 1);
  assertEquals(await shop.seen(), '200 {"run":2} again');
});

const FAILURES = [
  () => new Promise<never>(() => {}),
  () => Promise.reject(new Error("broken")),
  () => {
    throw new Error("broken");
  },
];

/** Sends a request to a store that fails, and returns the response and the log. */
async function sentTo(
  method: "claim" | "finish",
  fail: () => Promise<never>,
) {
  using timers = new FakeTimers();
  let calls = 0;
  const failing = () => {
    calls++;
    return fail();
  };
  const shop = new Shop({ store: { ...memoryStore(), [method]: failing } });
  let response: Response;
  const log = await logOf(async () => {
    const responding = shop.send();
    await turnsUntil(timers, () => calls > 0);
    await timers.pass(2000);
    response = await responding;
  });
  return { shop, response: response!, log, calls };
}

Deno.test("if the store fails or hangs, the handler does not run", async () => {
  for (const fail of FAILURES) {
    const { shop, response, log, calls } = await sentTo("claim", fail);
    const { status, headers } = response;
    assertEquals([status, headers.get("retry-after")], [503, "1"]);
    assertEquals((await response.text()).includes("broken"), false);
    assertMatch(log, /broken|no result within 1000 ms/);
    assertEquals([shop.runs, calls], [0, 1]);
  }
});

Deno.test("if the response cannot be stored, the client gets it", async () => {
  for (const fail of FAILURES) {
    const { shop, response, log, calls } = await sentTo("finish", fail);
    assertEquals([response.status, await response.json()], [201, { run: 1 }]);
    // Bough tries to store the response, and then only its status.
    assertEquals(calls, 2);
    assertMatch(log, /the store of keys failed/);
    assertEquals(await shop.status(), 409);
  }
});

Deno.test("a claim that succeeds too late frees the key", async () => {
  using timers = new FakeTimers();
  const store = memoryStore();
  let calls = 0;
  const claim: ProtectionStore["claim"] = async (...args) => {
    if (++calls === 1) await delay(1200);
    return await store.claim(...args);
  };
  const shop = new Shop({ store: { ...store, claim } });
  await logOf(async () => {
    const status = shop.status();
    await turnsUntil(timers, () => calls === 1);
    await timers.pass(1000);
    assertEquals(await status, 503);
  });
  await timers.pass(200);
  await timers.turn();
  assertEquals(await shop.seen(), '201 {"run":1}');
});
