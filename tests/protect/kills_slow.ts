/**
 * Requests are repeated while their processes are killed. The sizes are those of CI;
 * `BOUGH_KEYS=500` sends 10,000 requests.
 */
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { TestFolder } from "../support/application.ts";
import { DenoProcess } from "../support/process.ts";
import { until } from "../support/until.ts";

const KEYS = Number(Deno.env.get("BOUGH_KEYS") ?? 25);
const REPEATS = 20;
const LEASE = 1000;
const SHOP = fromFileUrl(new URL(".", import.meta.url));

/** The responses to the requests of one handler. */
interface Seen {
  /** The responses of each key, in the order of their arrival. */
  readonly runs: Map<string, string[]>;
  readonly statuses: Map<number, number>;
  /** The requests whose process was killed before it responded. */
  cut: number;
  kills: number;
}

/** One process of the shop, which is killed and started again until it is disposed. */
class Killed implements AsyncDisposable {
  readonly #folder: string;
  readonly #onKill: () => void;
  #isOver = false;
  readonly #ended: Promise<void>;
  /** The port of the process; `undefined` while it starts. */
  port: string | undefined;

  constructor(folder: string, onKill: () => void) {
    this.#folder = folder;
    this.#onKill = onKill;
    this.#ended = this.#live();
  }

  async #live(): Promise<void> {
    while (!this.#isOver) {
      await using process = new DenoProcess(SHOP, ["-A"], "shop.ts", {
        args: [this.#folder, String(LEASE)],
      });
      await process.printed("is open");
      this.port = /port (\d+)/.exec(process.output)![1]!;
      const end = performance.now() + Math.random() * 1_000;
      await until(() => this.#isOver || performance.now() > end);
      this.port = undefined;
      process.kill("SIGKILL");
      if (!this.#isOver) this.#onKill();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }
}

/** Sends requests with keys to three processes, one at once to each process. */
async function repeat(folder: string): Promise<Seen> {
  const seen: Seen = { runs: new Map(), statuses: new Map(), cut: 0, kills: 0 };
  const queue = requests();
  /** @returns The status; `undefined` if the process did not respond. */
  async function send(port: string, name: string): Promise<number | undefined> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(`http://127.0.0.1:${port}/api/payments`, {
        method: "POST",
        headers: { "idempotency-key": name, "content-type": "text/plain" },
        body: name,
      });
      text = await response.text();
    } catch {
      seen.cut++;
      return undefined;
    }
    const { status } = response;
    seen.statuses.set(status, (seen.statuses.get(status) ?? 0) + 1);
    if (status === 200) {
      const { key, run } = JSON.parse(text);
      seen.runs.set(key, [...seen.runs.get(key) ?? [], run]);
    } else assertEquals(status, 409, text);
    return status;
  }
  /** Sends the requests of a queue to one process, until it is empty. */
  async function sendAll(process: Killed, queue: string[]): Promise<void> {
    for (;;) {
      const name = queue.pop();
      if (name === undefined) return;
      await until(() => process.port !== undefined, 60_000);
      const status = await send(process.port!, name);
      if (status === undefined) queue.push(name);
    }
  }
  await using processes = new AsyncDisposableStack();
  const all = [1, 2, 3].map(() =>
    processes.use(new Killed(folder, () => seen.kills++))
  );
  // A kill interrupts one request.
  await Promise.all(all.map((process) => sendAll(process, queue)));
  // Each key gets its response at last, after the lease of a killed process.
  await Promise.all(all.map(async (process, own) => {
    for (let name = own; name < KEYS; name += all.length) {
      await until(async () => {
        if (process.port === undefined) return false;
        return await send(process.port, `key-${name}`) === 200;
      }, 60_000);
    }
  }));
  return seen;
}

/** The keys in a random order, in groups of four requests at about the same time. */
function requests(): string[] {
  const times = Array.from({ length: KEYS * REPEATS / 4 }, (_, index) => ({
    name: `key-${index % KEYS}`,
    time: Math.random(),
  }));
  times.sort((a, b) => a.time - b.time);
  return times.flatMap(({ name }) => Array<string>(4).fill(name));
}

/** Checks what holds for every handler, and returns the number of effects by key. */
function check(folder: string, seen: Seen): readonly number[] {
  using database = new DatabaseSync(`${folder}/shop.db`);
  const ledger = database.prepare("SELECT key, run FROM ledger").all();
  const effects = new Map<string, number>();
  for (const { key } of ledger) {
    effects.set(String(key), (effects.get(String(key)) ?? 0) + 1);
  }
  assertEquals([effects.size, seen.runs.size], [KEYS, KEYS]);
  const claims = database
    .prepare("SELECT key, before, after FROM claims ORDER BY key, after").all();
  const claimed = new Map<string, number>();
  claims.forEach(({ key, after }, index) => {
    claimed.set(String(key), (claimed.get(String(key)) ?? 0) + 1);
    const earlier = claims[index - 1];
    // No lease was taken from a process before its time.
    if (earlier?.key === key) {
      assert(Number(after) - Number(earlier!.before) >= LEASE);
    }
  });
  // Each response is the first one, or follows an expired lease.
  let changed = 0;
  for (const [key, runs] of seen.runs) {
    const { size } = new Set(runs);
    assert(size <= claimed.get(key)!);
    if (size > 1) changed++;
  }
  const counts = [...effects.values()];
  const twice = counts.filter((count) => count > 1).length;
  const runs = claims.length;
  const { cut, kills } = seen;
  console.log({ keys: KEYS, kills, cut, runs, changed, twice });
  console.log(seen.statuses);
  return counts;
}

Deno.test("a handler that does not write the key repeats its effect at most once per kill", async () => {
  await using folder = await TestFolder.create({});
  const seen = await repeat(folder.path);
  const repeated = check(folder.path, seen)
    .reduce((sum, count) => sum + count - 1, 0);
  assert(repeated <= seen.kills, `${repeated} effects, ${seen.kills} kills`);
});
