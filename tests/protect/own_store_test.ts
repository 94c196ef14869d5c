/** Stores that an application writes itself. */
import { assertEquals } from "@std/assert";
import {
  idempotent,
  memoryStore,
  type ProtectionStore,
  rateLimit,
} from "@bough/framework/protect";
import { CapturedLog, TestApplication } from "../support/application.ts";

/** A query of a database client, which runs at each `then()`. */
class Query<Result> implements PromiseLike<Result> {
  readonly #run: () => Promise<Result>;
  runs = 0;

  constructor(run: () => Promise<Result>) {
    this.#run = run;
  }

  then<Value = Result, Other = never>(
    resolve?: ((value: Result) => Value | PromiseLike<Value>) | null,
    reject?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): PromiseLike<Value | Other> {
    this.runs++;
    return this.#run().then(resolve, reject);
  }
}

Deno.test("a store may return thenables of its own class", async () => {
  using log = new CapturedLog();
  const memory = memoryStore();
  const queries: Query<unknown>[] = [];
  function query<Result>(
    run: () => Result | PromiseLike<Result>,
  ): PromiseLike<Result> {
    const created = new Query<Result>(async () => await run());
    queries.push(created);
    return created;
  }
  const store: ProtectionStore = {
    increment: (...args) => query(() => memory.increment(...args)),
    claim: (...args) => query(() => memory.claim(...args)),
    renew: (...args) => query(() => memory.renew(...args)),
    finish: (...args) => query(() => memory.finish(...args)),
  };
  let runs = 0;
  const application = TestApplication.of({
    "middleware.ts": {
      default: [
        rateLimit({ limit: 2, per: 60_000, store }),
        idempotent({ store }),
      ],
    },
    "payments/route.ts": { POST: () => Response.json({ run: ++runs }) },
  });
  const init = { method: "POST", headers: { "idempotency-key": "k" } };
  for (const status of [200, 200, 429]) {
    const response = await application.fetch("/api/payments", init);
    assertEquals(response.status, status);
    if (status === 200) assertEquals(await response.json(), { run: 1 });
  }
  assertEquals(log.lines, []);
  // Three increments, two claims and one finish, each run once.
  assertEquals(queries.map(({ runs }) => runs), [1, 1, 1, 1, 1, 1]);
});
