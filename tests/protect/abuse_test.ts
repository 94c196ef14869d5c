import { assert, assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { join } from "@std/path";
import { memoryStore, type ProtectionStore } from "@bough/framework/protect";
import { sqliteStore } from "@bough/framework/protect/sqlite";
import { TestFolder } from "../support/application.ts";
import { Child } from "./child.ts";

const HOUR = 3_600_000;
const claimOf = (owner: string, lease = 60_000) => ({
  ...{ owner, fingerprint: owner, lease },
});
const CLAIMED = { state: "claimed" };
const outcomeOf = (bytes: number) => ({
  ...{ value: new Uint8Array(bytes), ttl: HOUR },
});

/** Runs a test with a store in a new file. */
async function withFile(
  test: (path: string, store: ProtectionStore) => void | Promise<void>,
  options = {},
): Promise<void> {
  await using folder = await TestFolder.create({});
  const path = join(folder.path, "protect.db");
  using store = sqliteStore(path, options);
  await test(path, store);
  // A store may be closed twice.
  store[Symbol.dispose]();
}

Deno.test("the memory of the store in memory is limited by maxEntries and maxBytes", async () => {
  await using child = new Child("memory_use.ts");
  const { counters: [of10_000, ...more], outcomes: [kept] } = JSON.parse(
    await child.read(),
  );
  assert(of10_000 > 500_000, `${of10_000} bytes`);
  // A pointer that a removed key leaves would take 8 bytes. The rest is V8's: in one run
  // of 25, it represents an entry with 20 bytes more.
  for (const [index, removed] of [90_000, 190_000].entries()) {
    const bytes = more[index] - of10_000;
    assert(bytes < 4 * removed, `${bytes} bytes for ${removed} removed keys`);
  }
  // All 200 outcomes of 64 KiB would take 13 MB.
  assert(kept > 2 ** 20 && kept < 1.1 * 2 ** 22, `${kept} bytes`);
});

Deno.test("a jump of the system time has no effect on the store in memory", async () => {
  const store = memoryStore();
  const { now } = Date;
  try {
    await store.increment("key", HOUR);
    for (const jump of [-2 * HOUR, 2 * HOUR]) {
      Date.now = () => now() + jump;
      assert((await store.increment("key", HOUR)).count > 1);
    }
  } finally {
    Date.now = now;
  }
});

Deno.test("a jump of the system time does not extend windows and leases in a file", async () => {
  await withFile(async (path, store) => {
    using database = new DatabaseSync(path);
    /** Moves the stored times, which is the same as moving the clock back. */
    const jump = (back: number) =>
      database.exec(`UPDATE counters SET ends = ends + ${back};
        UPDATE claims SET ends = ends + ${back}`);
    await store.increment("key", 60_000);
    await store.claim("runs", claimOf("A"));
    await store.claim("done", claimOf("A"));
    await store.finish("done", "A", outcomeOf(1));

    jump(HOUR); // the clock goes back
    const counter = await store.increment("key", 60_000);
    assertEquals(counter.count, 2);
    assert(counter.left <= 60_000);
    for (let call = 0; call < 2; call++) {
      const result = await store.claim("runs", claimOf("B"));
      assert(result.state === "running" && result.left <= 60_000);
    }
    assertEquals((await store.claim("done", claimOf("B"))).state, "finished");
    jump(-60_000); // a minute passes
    assertEquals((await store.increment("key", 60_000)).count, 1);
    assertEquals((await store.claim("runs", claimOf("B"))).state, "claimed");

    jump(-2 * HOUR); // the clock goes forward
    assertEquals((await store.increment("key", 60_000)).count, 1);
    assertEquals((await store.claim("done", claimOf("C"))).state, "claimed");
  });
});

Deno.test("a full file rejects new keys and keeps its size, until expired rows make room", async () => {
  const maxBytes = 2 ** 18;
  await withFile(async (path, store) => {
    const long = (name: string) => `${name} ${"x".repeat(100)}`;
    const count = (name: string, clients: number) => {
      for (let client = 0; client < clients; client++) {
        store.increment(long(`${name} ${client}`), HOUR);
      }
    };
    using database = new DatabaseSync(path);
    database.exec(`CREATE TABLE rest (bytes BLOB);
      PRAGMA max_page_count = ${maxBytes / 4096}`);
    const insert = database.prepare("INSERT INTO rest VALUES (zeroblob(3000))");
    const fillRest = () => {
      for (let row = 0; row < 1000; row++) insert.run();
    };
    assertEquals(await store.claim("first", claimOf("A")), CLAIMED);
    count("client", 700);
    assertThrows(fillRest, Error, "full");
    assertThrows(() => count("more", 100_000), Error, "full");
    database.exec("DELETE FROM rest WHERE rowid < 9");
    database.exec("UPDATE counters SET ends = 0");
    assertThrows(fillRest, Error, "full");
    assertEquals(await store.finish("first", "A", outcomeOf(20_000)), true);
    for (let call = 0; call < 90; call++) {
      const key = long(`later ${call}`);
      assertEquals(await store.claim(key, claimOf("B")), CLAIMED);
      assertEquals((await store.increment(key, HOUR)).count, 1);
    }
    assert(Deno.statSync(path).size <= maxBytes);
  }, { maxBytes });
});

Deno.test("a call of the store fails after another connection has locked the file for a second", async () => {
  await withFile((path, store) => {
    using database = new DatabaseSync(path);
    database.exec("BEGIN IMMEDIATE");
    const { now } = performance;
    let time = 0;
    // Each attempt to lock the file takes 20 ms.
    performance.now = () => time += 20;
    try {
      assertThrows(() => store.increment("key", HOUR), Error, "locked");
    } finally {
      performance.now = now;
    }
    assert(time > 1000 && time < 1100, `${time} ms`);
    database.exec("ROLLBACK");
    store.increment("key", HOUR);
  });
});

Deno.test("ten processes can create one file at once", async () => {
  await using folder = await TestFolder.create({});
  await using children = new AsyncDisposableStack();
  const path = join(folder.path, "protect.db");
  const all = Array.from(
    { length: 10 },
    () => children.use(new Child("open_file.ts", path)),
  );
  for (const child of all) assertEquals(await child.read(), "ready");
  await Promise.all(all.map((child) => child.write()));
  const counts = await Promise.all(
    all.map(async (child) => Number(await child.read())),
  );
  assertEquals(counts.sort((a, b) => a - b), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});
