/** The databases example over SQLite, with the command of its first lines. */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { fromFileUrl, relative } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { createApp } from "../../examples/databases/app.ts";
import {
  type Database,
  openDatabase,
} from "../../examples/databases/database.ts";
import { sqlite } from "../../examples/databases/sqlite.ts";
import { TestFolder } from "../support/application.ts";
import { bough } from "../cli/support.ts";
import { DenoProcess, freePort } from "../support/process.ts";

const FOLDER = fromFileUrl(
  new URL("../../examples/databases/", import.meta.url),
);
const MAIN = `${FOLDER}main.ts`;

Deno.test("orders outlast a restart, and more than the stock are rejected", async () => {
  const text = await Deno.readTextFile(MAIN);
  const [, flags] = / deno run (.+) main\.ts$/m.exec(text) ?? [];
  assert(flags, "main.ts has no command in its first lines");
  await using folder = await TestFolder.create({});
  const port = freePort();
  const start = async () => {
    const process = new DenoProcess(
      folder.path,
      flags.split(" "),
      relative(folder.path, MAIN),
      { env: { PORT: String(port), HOST: "127.0.0.1" } },
    );
    await process.printed("Listening");
    return process;
  };
  const url = `http://127.0.0.1:${port}/api/orders`;
  const headers = {
    authorization: "Bearer change-me-ada",
    "content-type": "application/json",
  };
  const order = (count: number) =>
    fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify({ product: "mate", count }),
    });
  const first = await start();
  const placed = await (await order(6)).json();
  assertEquals(placed.count, 6);
  first.kill("SIGTERM");
  assertEquals((await first.outcome()).code, 0);
  await using _second = await start();
  assertEquals(await (await fetch(url, { headers })).json(), [placed]);
  const rejected = await order(5); // there were 10
  assertEquals(rejected.status, 409);
  await rejected.body?.cancel();
});

Deno.test("migrations that are interrupted run again at the next start", async () => {
  await using folder = await TestFolder.create({});
  const file = `${folder.path}/orders.db`;
  using other = new DatabaseSync(file);
  // Kysely adds a migration to its list after the migration has run.
  other.exec(`
    CREATE TABLE kysely_migration (name TEXT PRIMARY KEY, timestamp TEXT NOT NULL);
    CREATE TRIGGER interrupt BEFORE INSERT ON kysely_migration
      WHEN new.name = '003_orders' BEGIN SELECT raise(ABORT, 'interrupted'); END;
  `);
  await assertRejects(() => openDatabase(sqlite(file)), Error, "interrupted");
  other.exec("DROP TRIGGER interrupt");
  await using db = await openDatabase(sqlite(file));
  assertEquals(await db.selectFrom("orders").selectAll().execute(), []);
});

Deno.test("a deadlock causes 503, and another error causes 500", async () => {
  const headers = { authorization: "Bearer change-me-ada" };
  const deadlock = Object.assign(new Error("deadlock"), { code: "40P01" });
  for (const [error, status] of [[deadlock, 503], [null, 500]] as const) {
    const selectFrom = (): never => {
      throw error;
    };
    const app = createApp({ selectFrom } as unknown as Database);
    const response = await app.fetch(
      new Request("http://localhost/api/orders", { headers }),
    );
    assertEquals(response.status, status);
  }
});

Deno.test("bough check finds nothing in the databases example", async () => {
  const { code, stdout } = await bough(FOLDER, "check", "main.ts");
  assertMatch(stdout, /nothing found$/);
  assertEquals(code, 0);
});
