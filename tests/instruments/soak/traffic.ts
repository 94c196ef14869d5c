import { Client } from "./client.ts";
import { BODIES } from "./exchanges/bodies.ts";
import { EVENTS } from "./exchanges/events.ts";
import { HOSTILE } from "./exchanges/hostile.ts";
import { ROUTING } from "./exchanges/routing.ts";
import { SOCKETS } from "./exchanges/sockets.ts";
import { TRANSFERS } from "./exchanges/transfers.ts";
import { Random } from "./random.ts";

const QUICK = Object.entries({ ...ROUTING, ...BODIES, ...HOSTILE });
const SLOW = Object.entries(TRANSFERS);
const LIVE = Object.entries({ ...EVENTS, ...SOCKETS });
/**
 * One of this many exchanges is slow, and two are live. More live exchanges would use up
 * the ports of the client, since they do not reuse connections.
 */
const SHARES = 20;
/** The maximum duration of an exchange, in milliseconds. */
const TIMEOUT = 30_000;
/** A run ends after this many wrong responses. */
const MAX_WRONG = 20;

export class Traffic {
  count = 0;
  readonly missing: Set<string> = new Set(
    [...QUICK, ...SLOW, ...LIVE].map(([name]) => name),
  );
  readonly wrong: string[] = [];
  readonly #port: number;
  #seed: number;

  /**
   * Prepares traffic to an application on the loopback interface.
   *
   * @param seed The seed of the first exchange. Each later exchange uses the next number.
   */
  constructor(port: number, seed: number) {
    this.#port = port;
    this.#seed = seed;
  }

  /** Runs clients for a time. Each client sends a request after each response. */
  async run(clients: number, milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds;
    await this.runUntil(clients, () => performance.now() >= end);
  }

  async runUntil(clients: number, isDone: () => boolean): Promise<void> {
    using http = Deno.createHttpClient({ poolMaxIdlePerHost: clients });
    await Promise.all(Array.from({ length: clients }, async () => {
      while (!isDone() && this.wrong.length < MAX_WRONG) {
        await this.#next(http);
      }
    }));
  }

  async #next(http: Deno.HttpClient): Promise<void> {
    const seed = this.#seed++;
    const random = new Random(seed);
    const share = random.below(SHARES);
    const [name, exchange] = random.pick(
      share === 0 ? SLOW : share <= 2 ? LIVE : QUICK,
    );
    this.missing.delete(name);
    try {
      await inTime(exchange(new Client(this.#port, http, random)));
    } catch (error) {
      this.wrong.push(`${name} (--seed=${seed}): ${describe(error)}`);
    }
    this.count++;
  }
}

function inTime(exchange: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`no response within ${TIMEOUT} ms`)),
      TIMEOUT,
    );
    exchange.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause === undefined ? message : `${message}, ${cause}`;
}
