/**
 * Slow: it starts Postgres and several processes. `-- --seconds=30` sets how long the
 * mixed load lasts.
 * Needs: postgres
 */
import { checkContracts, failureText } from "@bough/framework/testing";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { createApp } from "../../examples/databases/app.ts";
import { contractOptions } from "../../examples/databases/contract.ts";
import {
  type Database,
  openDatabase,
} from "../../examples/databases/database.ts";
import { postgres } from "../../examples/databases/postgres.ts";
import { DenoProcess, freePort } from "../support/process.ts";
import { delay, until } from "../support/until.ts";
import { PostgresServer } from "./postgres_server.ts";

const FOLDER = fromFileUrl(
  new URL("../../examples/databases/", import.meta.url),
);
const WITH_POSTGRES = { ignore: Deno.build.os === "windows" };
const [, seconds = 2] = /^--seconds=(\d+)$/.exec(Deno.args[0] ?? "") ?? [];
const STOCK = 1_000_000;
const WORKERS = 16;
/** The connections of the pool. */
const POOL = 10;

let server: PostgresServer;
Deno.test.beforeAll(async () => {
  if (!WITH_POSTGRES.ignore) server = await PostgresServer.start();
});
Deno.test.afterAll(() => server?.[Symbol.asyncDispose]());

/** A process of the example over a database, its clients, and what they got. */
class Shop implements AsyncDisposable {
  readonly process: DenoProcess;
  readonly #port = freePort();
  readonly statuses: Record<number, number> = {};
  readonly unexpected: string[] = [];
  /** Orders whose last confirmed change placed them. */
  readonly placed = new Set<string>();
  /** Orders whose last confirmed change canceled them. */
  readonly canceled = new Set<string>();

  private constructor(url: string) {
    const flags = ["--allow-read", "--allow-net=127.0.0.1", "--allow-env"];
    this.process = new DenoProcess(FOLDER, flags, "main.ts", {
      env: {
        DATABASE_URL: url,
        PORT: `${this.#port}`,
        HOST: "127.0.0.1",
      },
    });
  }

  static async start(url: string): Promise<Shop> {
    const shop = new Shop(url);
    await shop.process.printed("Listening");
    return shop;
  }

  /** Sends a request; the status is 0 if its connection broke. */
  async send(method: string, path = "", body?: unknown) {
    const response = await fetch(
      `http://127.0.0.1:${this.#port}/api/orders${path}`,
      {
        method,
        headers: {
          authorization: "Bearer change-me-ada",
          ...body ? { "content-type": "application/json" } : {},
        },
        ...body ? { body: JSON.stringify(body) } : {},
      },
    ).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    const status = text === undefined ? 0 : response!.status;
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    const after = response?.headers.get("retry-after");
    if (status === 503 ? after !== "1" : status >= 400) {
      this.unexpected.push(`${method} ${status} ${text}`);
    }
    return { status, text: text ?? "" };
  }

  /** Sends SIGTERM, and waits until the process serves no new requests. */
  async drain(): Promise<void> {
    this.process.kill("SIGTERM");
    await until(async () => (await this.send("GET")).status !== 200);
  }

  /** Places an order, and returns its id if the server confirmed it. */
  async place(): Promise<string | undefined> {
    const order = { product: "tea", count: 1, note: "now" };
    const { status, text } = await this.send("POST", "", order);
    if (status !== 201) return;
    const { id } = JSON.parse(text);
    this.placed.add(id);
    return id;
  }

  async cancel(id: string): Promise<number> {
    this.placed.delete(id); // until a confirmation, its state is unknown
    const { status } = await this.send("DELETE", `/${id}`);
    if (status === 204) this.canceled.add(id);
    return status;
  }

  /** Places, reads and cancels orders until a function says that it is over. */
  async load(isOver: () => boolean): Promise<void> {
    await Promise.all(Array.from({ length: WORKERS }, async () => {
      while (!isOver()) {
        const id = await this.place();
        if (id === undefined) await delay(20);
        else if (await this.send("GET", `/${id}`), Math.random() < 0.5) {
          await this.cancel(id);
        } else await this.send("GET");
      }
    }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
  }
}

/** A database with stock, and a connection to it. */
async function stocked(url: string): Promise<Database> {
  const db = await openDatabase(postgres(url));
  await db.updateTable("products").set({ stock: STOCK }).execute();
  return db;
}

/** Checks that both tables contain the same changes, and all confirmed changes. */
async function assertWhole(db: Database, ...shops: Shop[]): Promise<void> {
  const { stock } = await db.selectFrom("products").select("stock")
    .where("name", "=", "tea").executeTakeFirstOrThrow();
  const orders = await db.selectFrom("orders").select("id").execute();
  assertEquals(stock + orders.length, STOCK);
  const ids = new Set(orders.map(({ id }) => id));
  for (const { placed, canceled } of shops) {
    assertEquals(placed.difference(ids).size, 0, "a placed order is lost");
    assertEquals(canceled.intersection(ids).size, 0, "a cancellation is lost");
  }
}

/** Locks the product for the duration of a call, so that changes of it wait. */
async function withLock(db: Database, run: () => Promise<void>): Promise<void> {
  await db.transaction().execute(async (db) => {
    await db.selectFrom("products").selectAll().where("name", "=", "tea")
      .forUpdate().execute();
    await run();
  });
}

/** A database whose statements may wait for a lock as long as a busy machine needs. */
async function patientDatabase(): Promise<string> {
  const names = ["statement", "query", "idle_in_transaction_session"];
  const limits = names.map((name) => `${name}_timeout=60000`).join("&");
  return `${await server.createDatabase()}?${limits}`;
}

/** Waits until this number of transactions wait for the lock. */
async function waiting(count: number): Promise<void> {
  await until(async () =>
    await server.query(
      "postgres",
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
    ) === `${count}`
  );
}

Deno.test(
  "contract tests find nothing with Postgres and two customers",
  WITH_POSTGRES,
  async () => {
    await using db = await openDatabase(
      postgres(await server.createDatabase()),
    );
    const { failures, problem } = await checkContracts(createApp(db), {
      ...contractOptions(db),
      runs: 10,
      seed: 7,
    });
    assertEquals(failures.map((failure) => failureText(failure)), []);
    assertEquals(problem, undefined);
  },
);

Deno.test(
  "a restart of Postgres under load causes 503, but connections and changes survive",
  WITH_POSTGRES,
  async () => {
    const url = await server.createDatabase();
    // Both run the migrations of an empty database at once.
    const shops = await Promise.all([
      Shop.start(url),
      Shop.start(url),
    ]);
    await using _first = shops[0];
    await using _second = shops[1];
    await using db = await stocked(url);
    let isOver = false;
    const load = Promise.all(shops.map((shop) => shop.load(() => isOver)));
    for (const signal of ["SIGINT", "SIGQUIT"] as const) {
      await delay(Number(seconds) * 333);
      await server.stop(signal);
      const before = shops.map(({ statuses }) => statuses[503] ?? 0);
      await until(() =>
        shops.every(({ statuses }, index) =>
          (statuses[503] ?? 0) > before[index]! + WORKERS
        )
      );
      await server.start();
      for (const shop of shops) {
        await until(async () => await shop.place() !== undefined);
      }
    }
    await delay(Number(seconds) * 333);
    isOver = true;
    await load;
    for (const shop of shops) {
      assertEquals(shop.unexpected, []);
      assertEquals(shop.statuses[0], undefined);
    }
    // Each connection of the pools can still be used, all at once.
    const orders: Promise<string | undefined>[] = [];
    await withLock(db, async () => {
      for (const shop of shops) {
        for (let n = 0; n < POOL; n++) orders.push(shop.place());
      }
      await waiting(shops.length * POOL);
    });
    assert((await Promise.all(orders)).every((id) => id !== undefined));
    await assertWhole(db, ...shops);
    if (Deno.args.length > 0) {
      console.log(...shops.map((shop) => shop.statuses));
    }
  },
);

Deno.test(
  "a write after a BEGIN without an answer is in no transaction",
  WITH_POSTGRES,
  async () => {
    const url = await server.createDatabase();
    await using db = await openDatabase(postgres(url));
    const name = new URL(url).pathname.slice(1);
    const pid = Number(
      await server.query(
        "postgres",
        `SELECT pid FROM pg_stat_activity WHERE datname = '${name}'`,
      ),
    );
    Deno.kill(pid, "SIGSTOP"); // a network that loses packets
    try {
      const lost = db.transaction().execute(() => Promise.resolve());
      await assertRejects(() => lost, Error, "Query read timeout");
    } finally {
      Deno.kill(pid, "SIGCONT");
    }
    await db.updateTable("products").set({ stock: 77 }).execute();
    const seen = "SELECT DISTINCT stock FROM products";
    assertEquals(await server.query(name, seen), "77");
  },
);

Deno.test(
  "at SIGTERM, open transactions end and the process closes its pool",
  WITH_POSTGRES,
  async () => {
    const url = await patientDatabase();
    await using shop = await Shop.start(url);
    await using db = await stocked(url);
    const ids = [await shop.place(), await shop.place()];
    let canceling: Promise<number[]>;
    await withLock(db, async () => {
      // Each has deleted its order, and waits to change the stock.
      canceling = Promise.all(ids.map((id) => shop.cancel(id!)));
      await waiting(ids.length);
      await shop.drain();
    });
    assertEquals(await canceling!, [204, 204]);
    assertEquals((await shop.process.outcome()).code, 0);
    await assertWhole(db, shop);
  },
);
