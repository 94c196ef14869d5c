/** Random requests with keys, against a model of their states. */
import { assert, assertEquals } from "@std/assert";
import { Framework, HttpError } from "@bough/framework";
import fc from "fast-check";
import { idempotent, memoryStore } from "@bough/framework/protect";
import { CapturedLog } from "../support/application.ts";
import { FakeClock } from "../support/fake_clock.ts";

// A store may round times, so no sum of the waits below is a limit. A lease is renewed by
// a real timer, which must not fire if the machine stops the process for a second.
const LEASE = 1_000_000;
const TTL = 3_000_000;
const ENDS = ["kept", "refused", "large", "502", "thrown", "402"] as const;
type End = typeof ENDS[number];

/** A key, a client and a body; or the end of a running request; or time that passes. */
type Action =
  | { readonly send: readonly [key: string, client: string, body: string] }
  | { readonly end: End; readonly which: number }
  | { readonly wait: number };

const send = fc.tuple(
  fc.constantFrom("a", '"a"', "b"),
  fc.constantFrom("ada", "bob"),
  fc.constantFrom("1", "2"),
);
const end = fc.constantFrom(...ENDS);
const wait = fc.constantFrom(7, LEASE - 10, LEASE + 10, TTL - 10, TTL + 10);
const actions: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ send }) },
    { weight: 3, arbitrary: fc.record({ end, which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ wait }) },
  ),
  { maxLength: 40 },
);

/** A key in the model, until the time `ends`. */
interface Entry {
  readonly body: string;
  readonly run: number;
  ends: number;
  /** The end of its handler; absent while it runs. */
  end?: End;
  /** Whether its lease expired before its handler ended: a store may forget it. */
  isLate?: boolean;
}

interface Running {
  readonly id: string;
  readonly entry: Entry;
  readonly respond: (end: End) => void;
  readonly response: Promise<Response>;
}

const STATUS: Record<End, number> = {
  kept: 201,
  refused: 403,
  large: 200,
  "502": 502,
  thrown: 500,
  "402": 402,
};

function responseOf(end: End, run: number): Response {
  if (end === "thrown") throw new Error("thrown");
  if (end === "402") throw new HttpError(402);
  const body = end === "large" ? "x".repeat(1000) : `run ${run}`;
  return new Response(body, { status: STATUS[end] });
}

async function runAll(actions: readonly Action[]): Promise<void> {
  using clock = new FakeClock();
  using stack = new DisposableStack();
  const { now: dateNow } = Date;
  stack.defer(() => void (Date.now = dateNow));
  const start = dateNow();
  let now = 0;
  Date.now = () => start + now;
  let runs = 0;
  const gates: ((end: End) => void)[] = [];
  const POST = async () => {
    const run = ++runs;
    const { promise, resolve } = Promise.withResolvers<End>();
    gates.push(resolve);
    return responseOf(await promise, run);
  };
  const store = memoryStore();
  const protect = idempotent({ store, ttl: TTL, lease: LEASE, maxBytes: 500 });
  const app = new Framework({
    onError: (error) =>
      error instanceof HttpError
        ? undefined
        : new Response(null, { status: 500 }),
    manifest: { "middleware.ts": { default: protect }, "route.ts": { POST } },
  });
  const entries = new Map<string, Entry>();
  const running: Running[] = [];

  async function send([key, client, body]: readonly [string, string, string]) {
    const id = `${client} ${key.replaceAll('"', "")}`;
    const before = runs;
    const response = Promise.resolve(app.fetch(
      new Request("http://localhost/api", {
        method: "POST",
        headers: { "idempotency-key": key, authorization: client },
        body,
      }),
    ));
    const first = Promise.race([
      response.then(() => {}),
      new Promise<void>((resolve) => {
        const wait = () => runs > before ? resolve() : setTimeout(wait);
        wait();
      }),
    ]);
    await first;
    const earlier = entries.get(id);
    const isFree = earlier === undefined || earlier.ends <= now;
    if (runs > before) {
      assert(isFree || earlier!.isLate, `${id} ran again`);
      const entry = { body, run: runs, ends: now + LEASE };
      entries.set(id, entry);
      running.push({ id, entry, respond: gates.at(-1)!, response });
      return;
    }
    const { status, headers } = await response;
    const text = await (await response).text();
    assert(!isFree, `${id} did not run: ${status}`);
    const { end, run } = earlier!;
    if (earlier!.body !== body) assertEquals(status, 422);
    else if (end === undefined) {
      assertEquals([status, headers.get("retry-after")], [409, "1"]);
    } else if (end === "large") {
      assertEquals([status, headers.has("retry-after")], [409, false]);
    } else {
      assertEquals([status, text], [STATUS[end], `run ${run}`]);
      assertEquals(headers.get("idempotency-replayed"), "true");
    }
  }

  async function finish({ id, entry, respond, response }: Running, end: End) {
    respond(end);
    const { status, headers, body } = await response;
    await body?.cancel();
    // The client gets its own response, even after an expired lease.
    assertEquals([status, headers.has("idempotency-replayed")], [
      STATUS[end],
      false,
    ]);
    if (entries.get(id) !== entry) return;
    if (["502", "thrown", "402"].includes(end)) entries.delete(id);
    else {
      if (entry.ends <= now) entry.isLate = true;
      entry.end = end;
      entry.ends = now + TTL;
    }
  }

  for (const action of actions) {
    if ("send" in action) await send(action.send);
    else if ("wait" in action) {
      now += action.wait;
      clock.tick(action.wait);
    } else if (running.length > 0) {
      const [one] = running.splice(action.which % running.length, 1);
      await finish(one!, action.end);
    }
  }
  for (const one of running) await finish(one, "kept");
}

Deno.test("random requests with keys get the responses of the model", async () => {
  // Leases that expired are logged.
  using _log = new CapturedLog();
  await fc.assert(fc.asyncProperty(actions, runAll), { numRuns: 300 });
});
