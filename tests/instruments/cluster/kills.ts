/** `deno task test:cluster` runs these tests; `--minutes=3` sets how long. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { createClient } from "@bough/framework/client";
import { storeTests } from "@bough/framework/testing";
import { freePort } from "../../support/process.ts";
import type { Routes } from "./api.types.ts";
import { LIMIT, PER } from "../../../examples/cluster/api/orders/middleware.ts";
import type { Entry, Order } from "../../../examples/cluster/orders.ts";
import { redis } from "../../../examples/cluster/redis.ts";
import { Cluster, delay } from "../../../examples/cluster/start.ts";
import { redisStore } from "../../../examples/cluster/store.ts";

const MINUTES = Deno.args[0]?.replace("--minutes=", "") ?? 1 / 3;
const DURATION = 60_000 * Number(MINUTES);
assert(DURATION > 0, "--minutes must be more than 0");
const WORKERS = 6;
const WATCHERS = 4;
/** The statuses after which a client repeats an order; 0 is a broken connection. */
const UNCERTAIN = [0, 409, 429, 502, 503, 504];

/** The clients, and their counts and confirmed orders. */
class Clients {
  readonly confirmed = new Map<string, Order>();
  readonly counts: Record<string, number> = {};
  readonly #baseUrl: string;

  constructor({ port }: Pick<Cluster, "port">) {
    this.#baseUrl = `http://127.0.0.1:${port}/api`;
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  api(customer: string) {
    return createClient<Routes>({
      baseUrl: this.#baseUrl,
      headers: { authorization: `Bearer ${customer}` },
      fetch: (request) => {
        if (customer === "watcher") this.count("streams opened");
        return fetch(request);
      },
    });
  }

  /** Sends an order. Its key starts with the customer. */
  async send(key: string) {
    const result = await this.api(key.split("-")[0]!).POST("/orders", {
      headers: { "idempotency-key": key },
      body: { product: "tea", count: 1 },
    }).catch(() => undefined); // the connection broke
    this.count(`orders answered with ${result?.response.status ?? 0}`);
    if (result?.response.headers.has("idempotency-replayed")) {
      this.count("orders answered with the first response");
    }
    return result;
  }

  /** Places an order, new or again, until it is confirmed. */
  async place(key = `c${pick(500)}-${crypto.randomUUID()}`): Promise<Order> {
    while (true) {
      const result = await this.send(key);
      if (result?.status === 201) {
        const first = this.confirmed.get(key) ?? result.data;
        assertEquals(result.data, first);
        this.confirmed.set(key, first);
        return first;
      }
      const status = result?.response.status ?? 0;
      assert(UNCERTAIN.includes(status), `${status} ${result?.text}`);
      await delay(50 + pick(100));
    }
  }

  async placeMany(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const keys = Math.random() < 0.2 ? [...this.confirmed.keys()] : [];
      if (keys.length > 0) this.count("confirmed orders repeated");
      await this.place(keys[pick(keys.length)]);
    }
  }

  /** Sends more requests than the limit of one customer allows. */
  async hurry(isOver: () => boolean): Promise<void> {
    const api = this.api("hasty");
    const params = { orderId: "none" };
    while (!isOver()) {
      const result = await api.GET("/orders/[orderId]", { params })
        .catch(() => undefined);
      this.count(
        `hasty requests answered with ${result?.response.status ?? 0}`,
      );
      await delay(5);
    }
  }

  /** Watches all orders until the signal aborts. */
  async watch(seen: Entry[], signal: AbortSignal): Promise<void> {
    try {
      const events = this.api("watcher").events("/orders/events", { signal });
      for await (const { event, lastEventId, data } of events) {
        if (event === "placed") seen.push({ id: lastEventId!, order: data });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

const folder = await Deno.makeTempDir();
console.log(`data and errors.log: ${folder}`);
const cluster = new Cluster(folder);
await cluster.ready();
let isOk = false;
Deno.test.afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  if (isOk) await Deno.remove(folder, { recursive: true });
});

async function openStore() {
  const client = await redis.duplicate({ url: cluster.redisUrl }).connect();
  const store = redisStore(client);
  return { ...store, [Symbol.dispose]: () => client.destroy() };
}

storeTests("redisStore()", () => Promise.all([openStore(), openStore()]));

Deno.test("after a kill, a key does not confirm another order", async () => {
  const send = (count: number) =>
    new Clients(cluster).api("eve").POST("/orders", {
      headers: { "idempotency-key": "1" },
      body: { product: "tea", count },
    });
  assertEquals((await send(1)).status, 201);
  const client = await redis.duplicate({ url: cluster.redisUrl }).connect();
  await client.del(await client.keys("claim:*")); // as if its lease had ended
  assertEquals((await send(2)).response.status, 422);
  assertEquals((await send(1)).status, 201);
  await client.flushAll(); // the next tests compare the whole log
  client.destroy();
});

Deno.test("errors.log shows the lines of running programs", async () => {
  const log = await Deno.readTextFile(`${folder}/errors.log`);
  assertEquals(log.match(/^Listening on /gm)?.length, 3);
});

Deno.test("a port in use prevents the start", () => {
  assertThrows(() => new Cluster(folder, cluster.port), Deno.errors.AddrInUse);
});

Deno.test("orders, limits and events survive kills and an outage of Redis", async () => {
  const clients = new Clients(cluster);
  const watching = new AbortController();
  const seen = Array.from({ length: WATCHERS }, (): Entry[] => []);
  const watchers = seen.map((seen) => clients.watch(seen, watching.signal));

  const start = Date.now();
  const isHalf = () => Date.now() > start + DURATION / 2;
  const isOver = () => Date.now() > start + DURATION;
  await Promise.all([
    ...Array.from({ length: WORKERS }, () => clients.placeMany(isOver)),
    clients.hurry(isOver),
    (async () => {
      await killInTurn(cluster, clients, isHalf);
      await stopRedis(cluster, clients);
      await killInTurn(cluster, clients, isOver);
    })(),
  ]);
  const elapsed = Date.now() - start;

  // The watchers wait for the last order, which follows all others in the log.
  const { id } = await clients.place();
  const isComplete = () => seen.every((seen) => seen.at(-1)?.order.id === id);
  for (let n = 0; n < 200 && !isComplete(); n++) await delay(50);
  watching.abort();
  await Promise.all(watchers);

  console.log(clients.counts);
  const exits = cluster.processes.flatMap(({ codes }) => codes).length;
  console.log(`${exits} ends of processes`);
  const { SIGKILL, SIGTERM } = clients.counts;
  assert(exits <= SIGKILL! + SIGTERM!, "a process ended by itself");
  const log = await readLog(cluster);
  for (const entries of seen) assertSame(entries, log);
  const byId = (a: Order, b: Order) => a.id < b.id ? -1 : 1;
  assertSame(
    log.map(({ order }) => order).sort(byId),
    [...clients.confirmed.values()].sort(byId),
  );
  const passed = clients.counts["hasty requests answered with 404"]!;
  const windows = Math.floor(elapsed / PER) + 1;
  console.log(`${log.length} orders, each seen by ${WATCHERS} watchers once`);
  console.log(`${passed} hasty requests passed, of at most ${LIMIT * windows}`);
  assert(passed <= LIMIT * windows);
  assert(clients.counts["hasty requests answered with 429"]! > 0);
  isOk = true;
});

Deno.test("a process replaces connections to a lost machine", async () => {
  // This proxy loses the packets of its first connections, and closes none.
  using proxy = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let isLost = false;
  const forward = async (from: Deno.Conn, to: Deno.Conn, isNew: boolean) => {
    for await (const bytes of from.readable) {
      if (isNew || !isLost) await to.write(bytes);
    }
    to.close();
  };
  const accept = async () => {
    for await (const client of proxy) {
      const port = Number(new URL(cluster.redisUrl).port);
      const server = await Deno.connect({ hostname: "127.0.0.1", port });
      forward(client, server, isLost).catch(() => {});
      forward(server, client, isLost).catch(() => {});
    }
  };
  accept().catch(() => {});
  const port = freePort();
  await using _process = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      import.meta.resolve("../../../examples/cluster/main.ts"),
    ],
    env: { PORT: `${port}`, REDIS_URL: `redis://127.0.0.1:${proxy.addr.port}` },
    stderr: "null",
  }).spawn();
  const clients = new Clients({ port });
  const before = (await readLog(cluster)).length;
  await clients.place();
  const watching = new AbortController();
  const seen: Entry[] = [];
  const watcher = clients.watch(seen, watching.signal);
  const sees = async (count: number) => {
    for (let n = 0; n < 40 && seen.length < count; n++) await delay(50);
    assertEquals(seen.length, count);
  };
  await sees(before + 1);
  isLost = true;
  const start = Date.now();
  const isOver = () => Date.now() > start + 6_000;
  // The load keeps the connection busy.
  await Promise.all([1, 2, 3].map(() => clients.hurry(isOver)));
  assertEquals((await clients.send("late-1"))?.status, 201);
  await sees(before + 2);
  watching.abort();
  await watcher;
});

/** Kills one process after the other, in the two ways in turn. */
async function killInTurn(
  { processes }: Cluster,
  clients: Clients,
  isOver: () => boolean,
): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const signal = n % 2 === 0 ? "SIGKILL" : "SIGTERM";
    processes[n % processes.length]!.kill(signal);
    clients.count(signal);
    await delay(1_000 + pick(1_000));
  }
}

/** Stops Redis: routes that do not need Redis continue, and no process ends. */
async function stopRedis(cluster: Cluster, clients: Clients): Promise<void> {
  await cluster.ready();
  const exits = () => cluster.processes.flatMap(({ codes }) => codes);
  const before = exits();
  await cluster.redis.stop("SIGKILL");
  for (let n = 0; n < 20; n++) {
    const order = await clients.send(`ada-${crypto.randomUUID()}`);
    assertEquals(order?.problem?.status, 503);
    assert(order?.response.headers.has("retry-after"));
    const products = await clients.api("ada").GET("/products");
    assertEquals(products.status, 200); // its limit is declared "open"
    await delay(100);
  }
  cluster.redis.start();
  const start = Date.now();
  await clients.place();
  console.log(`an order ${Date.now() - start} ms after Redis has started`);
  assertEquals(exits(), before);
}

async function readLog({ redisUrl }: Cluster): Promise<Entry[]> {
  const client = await redis.duplicate({ url: redisUrl }).connect();
  const entries = await client.xRange("orders", "-", "+");
  client.destroy();
  return entries!
    .map(({ id, message }) => ({ id, order: JSON.parse(message.order!) }));
}

/** Compares long lists; the message shows the first difference. */
function assertSame(actual: unknown[], expected: unknown[]): void {
  expected.forEach((value, index) => assertEquals(actual[index], value));
  assertEquals(actual.length, expected.length);
}

/** A number from 0, below `end`. */
function pick(end: number): number {
  return Math.floor(Math.random() * end);
}
