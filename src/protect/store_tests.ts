import type { Claim, ProtectionStore } from "./store.ts";

/** A window or lease that ends within a test, and one that does not, in milliseconds. */
const SHORT = 300;
const LONG = 60_000;

const OUTCOME = { value: new Uint8Array([0, 255, 10, 13, 0]), ttl: LONG };

/** The rules of a store, each with its test. */
const RULES: Readonly<
  Record<string, (store: ProtectionStore, key: string) => Promise<void>>
> = {
  async "counts the calls of each key"(store, key) {
    for (const count of [1, 2, 3]) {
      const counter = await store.increment(key, LONG);
      equal(counter.count, count);
      equal(isBetween(counter.left, LONG / 2, LONG), true);
    }
    equal((await store.increment(`${key} 2`, LONG)).count, 1);
    equal((await store.claim(key, claimOf("A"))).state, "claimed");
  },
  async "counts each of many calls at once"(store, key) {
    const counters = await atOnce(200, () => store.increment(key, LONG));
    const counts = counters.map(({ count }) => count).sort((a, b) => a - b);
    equal(counts, counts.map((_, index) => index + 1));
  },
  async "begins a window with the first call, and ends it in time"(store, key) {
    const { left } = await store.increment(key, SHORT);
    equal(isBetween(left, 0, SHORT), true);
    await sleep(SHORT / 10);
    const second = await store.increment(key, SHORT);
    equal([second.count, second.left < left], [2, true]);
    await sleep(SHORT);
    equal((await store.increment(key, SHORT)).count, 1);
  },
  async "gives a key to one of many claims at once"(store, key) {
    const results = await atOnce(50, (id) => store.claim(key, claimOf(id)));
    const states = results.map(({ state }) => state).sort();
    equal(states, ["claimed", ...Array(49).fill("running")]);
  },
  async "keeps a claim, and then its outcome"(store, key) {
    await store.claim(key, claimOf("A"));
    const { left, ...running } = {
      left: 0,
      ...await store.claim(key, claimOf("B")),
    };
    const fingerprint = "request of A";
    equal(running, { state: "running", fingerprint });
    equal(isBetween(left, LONG / 2, LONG), true);
    equal(await store.finish(key, "B", OUTCOME), false);
    equal(await store.finish(key, "A", OUTCOME), true);
    const { value } = OUTCOME;
    const finished = await store.claim(key, claimOf("B"));
    equal(finished, { state: "finished", fingerprint, value });
    equal(await store.finish(key, "A"), false);
    equal(await store.renew(key, "A", LONG), false);
  },
  async "frees a key whose claim ends without an outcome"(store, key) {
    await store.claim(key, claimOf("A"));
    equal(await store.finish(key, "A"), true);
    equal((await store.claim(key, claimOf("B"))).state, "claimed");
  },
  async "refuses an owner after another has claimed its key"(store, key) {
    await store.claim(key, claimOf("A", SHORT));
    await sleep(SHORT * 1.2);
    equal((await store.claim(key, claimOf("B"))).state, "claimed");
    equal(await store.renew(key, "A", LONG), false);
    equal(await store.finish(key, "A", OUTCOME), false);
    equal(await store.finish(key, "A"), false);
    equal(await store.finish(key, "B", OUTCOME), true);
  },
  async "extends a lease"(store, key) {
    await store.claim(key, claimOf("A", SHORT));
    equal(await store.renew(key, "A", LONG), true);
    await sleep(SHORT * 1.2);
    equal((await store.claim(key, claimOf("B"))).state, "running");
  },
  async "forgets an outcome after its time"(store, key) {
    await store.claim(key, claimOf("A"));
    await store.finish(key, "A", { ...OUTCOME, ttl: SHORT });
    equal((await store.claim(key, claimOf("B"))).state, "finished");
    await sleep(SHORT * 1.2);
    equal((await store.claim(key, claimOf("B"))).state, "claimed");
  },
};

/** A store that a test may close. */
export type TestedStore =
  & ProtectionStore
  & Partial<Disposable & AsyncDisposable>;

/**
 * Registers the tests that every store of protections must pass. The tests take about
 * two seconds, and use random keys.
 *
 * @param name The name of the store, for the names of the tests.
 * @param open Opens the store for a test: one object, or several that share their
 * content, such as two connections to a database. The test calls them in turn, and then
 * disposes each that has `Symbol.asyncDispose` or `Symbol.dispose`.
 *
 * @example Usage
 * ```ts ignore
 * import { storeTests } from "@bough/framework/testing";
 * import { redisStore } from "./redis_store.ts";
 *
 * storeTests("redisStore()", () => [redisStore(), redisStore()]);
 * ```
 */
export function storeTests(
  name: string,
  open: () => readonly TestedStore[] | Promise<readonly TestedStore[]>,
): void {
  for (const [rule, test] of Object.entries(RULES)) {
    Deno.test(`${name} ${rule}`, async () => {
      await using opened = new AsyncDisposableStack();
      const stores = await open();
      for (const store of stores) {
        opened.defer(() =>
          store[Symbol.asyncDispose]?.() ?? store[Symbol.dispose]?.()
        );
      }
      let calls = 0;
      const next = () => stores[calls++ % stores.length]!;
      await test({
        increment: (...call) => next().increment(...call),
        claim: (...call) => next().claim(...call),
        renew: (...call) => next().renew(...call),
        finish: (...call) => next().finish(...call),
      }, crypto.randomUUID());
    });
  }
}

function claimOf(owner: string, lease = LONG): Claim {
  return { owner, fingerprint: `request of ${owner}`, lease };
}

function atOnce<Result>(
  count: number,
  call: (id: string) => Result | PromiseLike<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, id) => call(`${id}`)));
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function isBetween(value: number, low: number, high: number): boolean {
  return value > low && value <= high;
}

/** @throws {Error} If values differ, apart from the order of members. */
function equal(actual: unknown, expected: unknown): void {
  const [found, wanted] = [actual, expected].map((value) =>
    Deno.inspect(value, { sorted: true, iterableLimit: 1000 })
  );
  if (found !== wanted) throw new Error(`got ${found}, expected ${wanted}`);
}
