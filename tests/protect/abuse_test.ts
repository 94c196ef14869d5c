import { assert, assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { fromFileUrl, join } from "@std/path";
import { memoryStore, type ProtectionStore } from "@bough/framework/protect";
import { sqliteStore } from "@bough/framework/protect/sqlite";
import { TestFolder } from "../support/application.ts";

const CONFIG = fromFileUrl(new URL("../../deno.json", import.meta.url));
const HOUR = 3_600_000;
const claimOf = (owner: string, lease = 60_000) => ({
  ...{ owner, fingerprint: owner, lease },
});
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
}

Deno.test("a million different keys take the memory of maxEntries", async () => {
  await using folder = await TestFolder.create({
    "main.ts": `
      import { memoryStore } from "${new URL(
      "../../src/protect/mod.ts",
      import.meta.url,
    )}";
      const store = memoryStore();
      const megabytes = () => (gc(), Deno.memoryUsage().heapUsed / 2 ** 20);
      const add = (first) => {
        for (let client = first; client < first + 1_000_000; client++) {
          store.increment("100;60000;default;client " + client, 3_600_000);
        }
      };
      const before = megabytes();
      add(0);
      const after = megabytes();
      add(1_000_000);
      console.log(JSON.stringify([after - before, megabytes() - before]));`,
  });
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--v8-flags=--expose-gc", "--config", CONFIG]
      .concat(join(folder.path, "main.ts")),
    stderr: "inherit",
  }).output();
  const used: number[] = JSON.parse(new TextDecoder().decode(stdout));
  assert(Math.max(...used) < 20, `${used} MiB`);
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

Deno.test("a window or a lease in a file outlives no jump of the system time", async () => {
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

Deno.test("a full file rejects new keys, keeps its size, and recovers", async () => {
  const maxBytes = 2 ** 18;
  await withFile((path, store) => {
    const fill = () => {
      for (let client = 0; client < 100_000; client++) {
        store.increment(`client ${client} ${"x".repeat(100)}`, HOUR);
      }
    };
    assertThrows(fill, Error, "full");
    assert(Deno.statSync(path).size <= maxBytes);
    using database = new DatabaseSync(path);
    database.exec("UPDATE counters SET ends = 0");
    for (let call = 0; call < 200; call++) {
      try {
        store.increment(`later ${call}`, HOUR);
      } catch { /* until the expired rows are removed */ }
    }
    store.increment("recovered", HOUR);
  }, { maxBytes });
});

Deno.test("a file that another process has locked fails after a second", async () => {
  await withFile((path, store) => {
    using database = new DatabaseSync(path);
    database.exec("BEGIN IMMEDIATE");
    const start = performance.now();
    assertThrows(() => store.increment("key", HOUR), Error, "locked");
    const took = performance.now() - start;
    assert(took > 500 && took < 3000, `${took} ms`);
    database.exec("ROLLBACK");
    store.increment("key", HOUR);
  });
});

Deno.test("a store in a file can be closed twice", () => {
  const store = sqliteStore(":memory:");
  store[Symbol.dispose]();
  store[Symbol.dispose]();
});

Deno.test("ten processes can create one file at once", async () => {
  await using folder = await TestFolder.create({
    "open.ts": `
      import { sqliteStore } from "${new URL(
      "../../src/protect/sqlite.ts",
      import.meta.url,
    )}";
      const [path, start] = Deno.args;
      while (Date.now() < Number(start));
      using store = sqliteStore(path);
      console.log((await store.increment("key", 60_000)).count);`,
  });
  const args = ["run", "-A", "--no-check", join(folder.path, "open.ts")]
    .concat(join(folder.path, "protect.db"), String(Date.now() + 1500));
  const counts = await Promise.all(Array.from({ length: 10 }, async () => {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), { args })
      .output();
    const decoder = new TextDecoder();
    assertEquals(decoder.decode(stderr), "");
    return Number(decoder.decode(stdout));
  }));
  assertEquals(counts.sort((a, b) => a - b), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});
