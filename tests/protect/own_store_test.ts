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

/** A store whose methods return queries, which wait for a promise. */
function queryStore(
  ready: Promise<void> = Promise.resolve(),
): ProtectionStore & { readonly queries: readonly Query<unknown>[] } {
  const memory = memoryStore();
  const queries: Query<unknown>[] = [];
  function query<Result>(
    run: () => Result | PromiseLike<Result>,
  ): PromiseLike<Result> {
    const created = new Query<Result>(() => ready.then(run));
    queries.push(created);
    return created;
  }
  return {
    queries,
    increment: (...args) => query(() => memory.increment(...args)),
    claim: (...args) => query(() => memory.claim(...args)),
    renew: (...args) => query(() => memory.renew(...args)),
    finish: (...args) => query(() => memory.finish(...args)),
  };
}

function applicationOf(store: ProtectionStore): TestApplication {
  let runs = 0;
  return TestApplication.of({
    "middleware.ts": {
      default: [
        rateLimit({ limit: 2, per: 60_000, store }),
        idempotent({ store }),
      ],
    },
    "payments/route.ts": { POST: () => Response.json({ run: ++runs }) },
  });
}

const POST = { method: "POST", headers: { "idempotency-key": "k" } };

Deno.test("a store may return thenables of its own class", async () => {
  using log = new CapturedLog();
  const store = queryStore();
  const application = applicationOf(store);
  for (const status of [200, 200, 429]) {
    const response = await application.fetch("/api/payments", POST);
    assertEquals(response.status, status);
    if (status === 200) assertEquals(await response.json(), { run: 1 });
  }
  assertEquals(log.lines, []);
  // Three increments, two claims and one finish, each run once.
  assertEquals(store.queries.map(({ runs }) => runs), [1, 1, 1, 1, 1, 1]);
});

Deno.test("a thenable that never settles is a failed store", async () => {
  using log = new CapturedLog();
  const store = queryStore(new Promise(() => {}));
  const response = await applicationOf(store).fetch("/api/payments", POST);
  assertEquals(response.status, 503);
  assertEquals(log.lines.length, 1);
  assertEquals(log.lines[0]!.includes("no result within 1000 ms"), true);
});

for (
  const [what, counter] of [
    ["a fraction", { count: 1.5, left: 1000 }],
    ["a count beyond the safe integers", { count: 2 ** 53, left: 1000 }],
    ["no time", { count: 1, left: Infinity }],
  ] as const
) {
  Deno.test(`a counter with ${what} is a failed store`, async () => {
    using log = new CapturedLog();
    const store = { ...memoryStore(), increment: () => counter };
    const response = await applicationOf(store).fetch("/api/payments", POST);
    assertEquals(response.status, 503);
    assertEquals(log.lines[0]!.includes("returned no counter"), true);
  });
}

Deno.test("the fields of the largest limit are integers of structured fields", async () => {
  const limit = rateLimit({
    limit: 999_999_999_999_999,
    per: Number.MAX_SAFE_INTEGER,
    store: memoryStore(),
  });
  const response = await TestApplication.of({
    "middleware.ts": { default: limit },
    "route.ts": { GET: () => new Response() },
  }).fetch("/api");
  assertEquals(response.status, 200);
  for (const name of ["ratelimit", "ratelimit-policy"]) {
    const numbers = response.headers.get(name)!.match(/\d+/g)!;
    assertEquals(numbers.length, 2);
    assertEquals(numbers.every((each) => each.length <= 15), true, name);
  }
});
