import { assertEquals } from "@std/assert";
import { storeTests } from "@bough/framework/testing";
import { memoryStore } from "@bough/framework/protect";
import { sqliteStore } from "@bough/framework/protect/sqlite";

storeTests("memoryStore()", () => [memoryStore()]);

storeTests("sqliteStore()", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/protect.db`;
  const stores = [sqliteStore(path), sqliteStore(path)];
  const remove = {
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
  return [...stores, Object.assign(sqliteStore(path), remove)];
});

for (
  const [name, open] of Object.entries({
    "memoryStore()": () => memoryStore({ maxBytes: 20 }),
    "sqliteStore()": (stack: DisposableStack) =>
      stack.use(sqliteStore(":memory:")),
  })
) {
  Deno.test(`clear() removes all counters and keys: ${name}`, async () => {
    using stack = new DisposableStack();
    const store = open(stack);
    const claim = { owner: "a", fingerprint: "f", lease: 60_000 };
    const value = new Uint8Array(10);
    for (let round = 0; round < 3; round++) {
      assertEquals((await store.increment("key", 60_000)).count, 1);
      assertEquals(await store.claim("key", claim), { state: "claimed" });
      assertEquals(
        await store.finish("key", "a", { value, ttl: 60_000 }),
        true,
      );
      store.clear();
    }
  });
}
