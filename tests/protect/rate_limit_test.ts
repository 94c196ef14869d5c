import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import type { CommonOptions } from "@bough/framework/types";
import {
  errorResponse,
  type FrameworkRequest,
  HttpError,
  type Middleware,
} from "@bough/framework";
import { socket } from "@bough/framework/live";
import {
  memoryStore,
  rateLimit,
  type RateLimitOptions,
} from "@bough/framework/protect";
import { liftLimits } from "../../src/protect/rate_limit.ts";
import { TestApplication } from "../support/application.ts";
import { FakeTimers } from "../support/fake_timers.ts";
import { logOf, turnsUntil } from "./support.ts";

const FILES = {
  "time/route.ts": { GET: () => Response.json("now") },
  "broken/route.ts": {
    GET: () => {
      throw new HttpError(403);
    },
  },
  "socket/route.ts": {
    GET: (request: FrameworkRequest) =>
      socket(request, { message: (message, socket) => socket.send(message) }),
  },
};

/** Creates an application that limits rates, with a store in memory by default. */
function create(
  limits: Partial<RateLimitOptions> | Middleware[],
  options: CommonOptions = {},
): TestApplication {
  const middleware = Array.isArray(limits) ? limits : [
    rateLimit({ limit: 2, per: 60_000, store: memoryStore(), ...limits }),
  ];
  return TestApplication.of(FILES, { middleware, ...options });
}

async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

Deno.test("a request above the limit gets 429 with the time to try again", async () => {
  const application = create({});
  const first = await application.fetch("/api/time");
  assertEquals(await first.json(), "now");
  assertEquals(first.headers.get("ratelimit-policy"), '"default";q=2;w=60');
  assertEquals(first.headers.get("ratelimit"), '"default";r=1;t=60');
  assertEquals(await statusOf(application.fetch("/nowhere")), 404); // counts, too
  const third = await application.fetch("/api/time");
  assertEquals(third.status, 429);
  const problem = await third.json();
  assertMatch(problem.detail, /^Try again in (?:59|60) s$/);
  assertEquals(problem.title, "Too Many Requests");
  assertMatch(third.headers.get("retry-after")!, /^(?:59|60)$/);
  assertMatch(third.headers.get("ratelimit")!, /^"default";r=0;t=(?:59|60)$/);
});

Deno.test("HEAD counts, but OPTIONS and preflights do not", async () => {
  const application = create({ limit: 1 });
  const headers = {
    "origin": "https://shop.example",
    "access-control-request-method": "GET",
  };
  for (const init of [{}, { headers }]) {
    const options = { method: "OPTIONS", ...init };
    const response = await application.fetch("/api/time", options);
    assertEquals(response.headers.get("ratelimit"), null);
  }
  const head = { method: "HEAD" };
  assertEquals(await statusOf(application.fetch("/api/time", head)), 200);
  assertEquals(await statusOf(application.fetch("/api/time", head)), 429);
});

Deno.test("responses to errors have the headers, unless sendHeaders is false", async () => {
  const application = create({});
  const response = await application.fetch("/api/broken");
  assertEquals((await response.json()).status, 403);
  assertEquals(response.headers.get("ratelimit"), '"default";r=1;t=60');

  const plain = create({ sendHeaders: false, limit: 1 });
  for (const status of [403, 429]) {
    const response = await plain.fetch("/api/broken");
    assertEquals((await response.json()).status, status);
    assertEquals(response.headers.get("ratelimit"), null);
    assertEquals(response.headers.get("ratelimit-policy"), null);
    assertEquals(response.headers.has("retry-after"), status === 429);
  }
});

Deno.test("an outer middleware converts the error of a handler, and the response has the fields", async () => {
  class OutOfStock extends Error {}
  const convertErrors: Middleware = (_request, next) =>
    next().catch((error) => {
      if (error instanceof OutOfStock) throw new HttpError(409);
      throw error;
    });
  const addVersion: Middleware = async (request, next) => {
    const response = await next().catch((error) =>
      errorResponse(error, request)
    );
    response.headers.set("x-version", "1");
    return response;
  };
  const limit = rateLimit({ limit: 1, per: 60_000, store: memoryStore() });
  const POST = () => {
    throw new OutOfStock();
  };
  for (const outer of [[convertErrors], [addVersion, convertErrors]]) {
    const application = TestApplication.of({
      "orders/middleware.ts": { default: limit },
      "orders/route.ts": { POST },
    }, { middleware: outer });
    const init = { method: "POST" };
    const response = await application.fetch("/api/orders", init);
    assertEquals(
      (await response.json()).status,
      outer.length === 1 ? 409 : 429,
    );
    const { headers } = response;
    assertEquals(headers.get("ratelimit"), '"default";r=0;t=60');
    assertEquals(headers.get("ratelimit-policy"), '"default";q=1;w=60');
  }
});

Deno.test("a new window begins with the first request after the last window", async () => {
  using timers = new FakeTimers();
  const application = create({ limit: 1, per: 100 });
  const response = await application.fetch("/api/time");
  await response.body?.cancel();
  assertEquals(response.headers.get("ratelimit-policy"), '"default";q=1;w=1');
  assertEquals(await statusOf(application.fetch("/api/time")), 429);
  timers.tick(110);
  assertEquals(await statusOf(application.fetch("/api/time")), 200);
  assertEquals(await statusOf(application.fetch("/api/time")), 429);
});

Deno.test("each key has its own limit, even if the key is long", async () => {
  const keys: string[] = [];
  const memory = memoryStore();
  const application = create({
    limit: 1,
    name: "per tenant",
    key: (request) => Promise.resolve(request.headers.get("x-tenant") ?? ""),
    store: {
      increment(key, window) {
        keys.push(key);
        return memory.increment(key, window);
      },
    },
  });
  const tenants = ["a", "b", "", "\u00e9", "\u00ea", "x".repeat(65_536)];
  for (const tenant of [...tenants, "x".repeat(65_535) + "y"]) {
    const init = { headers: { "x-tenant": tenant } };
    for (const status of [200, 429]) {
      assertEquals(
        await statusOf(application.fetch("/api/time", init)),
        status,
      );
    }
  }
  assertEquals(new Set(keys).size, tenants.length + 1);
  assertEquals(keys[0], '1;60000;"per tenant";a');
  for (const key of keys) assertMatch(key, /^[ -~]{1,256}$/);
});

Deno.test("keys that differ only in lone surrogates have limits of their own", async () => {
  const keys = ["\ud800", "\ud801", "\ufffd"].values();
  const application = create({ limit: 1, key: () => keys.next().value! });
  for (let request = 0; request < 3; request++) {
    assertEquals(await statusOf(application.fetch("/api/time")), 200);
  }
});

Deno.test("a key that is not a string causes a 500", async () => {
  const application = create({
    key: () => undefined as unknown as string,
  });
  const errors = await logOf(async () => {
    assertEquals(await statusOf(application.fetch("/api/time")), 500);
  });
  assertMatch(errors, /key\(\) must return a string, got undefined/);
});

Deno.test("limits that share a store count separately, and name their policies", async () => {
  using _timers = new FakeTimers();
  const store = memoryStore();
  const [burst, daily] = [
    { name: "burst", limit: 2, per: 1000 },
    { name: "daily", limit: 3, per: 86_400_000 },
  ].map((limit) => rateLimit({ store, ...limit }));
  const application = create([daily!, burst!]);
  const response = await application.fetch("/api/broken");
  await response.body?.cancel();
  assertEquals(
    response.headers.get("ratelimit-policy"),
    '"burst";q=2;w=1, "daily";q=3;w=86400',
  );
  assertEquals(
    response.headers.get("ratelimit"),
    '"burst";r=1;t=1, "daily";r=2;t=86400',
  );
  assertEquals(await statusOf(application.fetch("/api/time")), 200);
  const third = await application.fetch("/api/time");
  await third.body?.cancel();
  assertEquals([third.status, third.headers.get("retry-after")], [429, "1"]);
});

const FAILURES = {
  throws: () => {
    throw new Error("The disk is full");
  },
  rejects: () => Promise.reject(new Error("The disk is full")),
  "returns nothing": () => undefined as never,
  "resolves with nothing": () => Promise.resolve(undefined as never),
  "returns no count": () => ({ count: NaN, left: 1 }),
  "returns a large integer": () => ({ count: 1n as never, left: 1 }),
  "returns no time": () => ({ count: 1 } as never),
  "returns no time left": () => ({ count: 1, left: 0 }),
  "returns an infinite time": () => ({ count: 1, left: Infinity }),
  hangs: () => new Promise<never>(() => {}),
};

for (const [failure, fail] of Object.entries(FAILURES)) {
  for (const onStoreFailure of ["open", "closed"] as const) {
    Deno.test(`if a store ${failure}, its limit is ${onStoreFailure}`, async () => {
      using timers = new FakeTimers();
      let calls = 0;
      const increment = () => {
        calls++;
        return fail();
      };
      const application = create({
        store: { increment },
        ...(onStoreFailure === "open" && { onStoreFailure }), // closed by default
      });
      const errors = await logOf(async () => {
        const responding = Array.from(
          { length: 20 },
          () => application.fetch("/api/time"),
        );
        await turnsUntil(timers, () => calls === 20);
        await timers.pass(1000);
        for (const response of await Promise.all(responding)) {
          await response.body?.cancel();
          const closed = onStoreFailure === "closed";
          assertEquals(response.status, closed ? 503 : 200);
          assertEquals(
            response.headers.get("retry-after"),
            closed ? "1" : null,
          );
        }
      });
      assertEquals(errors.match(/The store of rate limit/g)?.length, 1, errors);
      const what = onStoreFailure === "open" ? "passed" : "was rejected";
      assertMatch(errors, new RegExp(`"default";q=2;w=60 .*${what}`));
      assertMatch(errors, /disk is full|no result within 1000 ms|no counter/);
    });
  }
}

Deno.test("all requests pass lifted limits, until the limits are restored", async () => {
  const application = create({ limit: 1 });
  {
    using _ = liftLimits();
    for (let call = 0; call < 3; call++) {
      assertEquals(await statusOf(application.fetch("/api/time")), 200);
    }
  }
  assertEquals(await statusOf(application.fetch("/api/time")), 200);
  assertEquals(await statusOf(application.fetch("/api/time")), 429);
});

Deno.test("a socket opens within the limit, but not above", async () => {
  const application = create({ limit: 1 });
  await using server = await application.serve();
  const url = `ws://127.0.0.1:${server.port}/api/socket`;
  const opened = new WebSocket(url);
  const echo = await new Promise((resolve, reject) => {
    opened.onopen = () => opened.send("hello");
    opened.onmessage = ({ data }) => resolve(data);
    opened.onerror = reject;
  });
  assertEquals(echo, "hello");
  const refused = new WebSocket(url);
  await new Promise((resolve) => refused.onerror = resolve);
  const closed = new Promise((resolve) => opened.onclose = resolve);
  opened.close();
  await closed;
});

Deno.test("a function returns the store of each request", async () => {
  const stores = [memoryStore(), memoryStore()];
  const application = create({
    limit: 1,
    store: ({ headers }) => stores[Number(headers.get("store"))]!,
  });
  const statuses = [];
  for (const store of ["0", "1", "0"]) {
    const init = { headers: { store } };
    statuses.push(await statusOf(application.fetch("/api/time", init)));
  }
  assertEquals(statuses, [200, 200, 429]);
});

Deno.test("missing, unknown and invalid options cause errors", () => {
  const options = { limit: 1, per: 1000, store: memoryStore() };
  const proxies = ["unix", "127.0.0.1", "::1", "a::b:1"];
  const ranges = ["10.0.0.0/8", "10.0.0.1/32", "128.0.0.0/1", "2001:db8::/32"];
  rateLimit({ ...options, proxies: [...proxies, ...ranges] });
  for (
    const [wrong, message] of [
      [{ limit: undefined }, "limit must be a whole number of at least 1"],
      [{ limit: 0 }, "limit must be a whole number of at least 1"],
      [{ limit: 1e15 }, "with at most 15 digits, got 1000000000000000"],
      [{ limit: 2 ** 53 - 1 }, "with at most 15 digits, got 9007199254740991"],
      [{ per: 0.5 }, "per must be"],
      [{ store: {} }, "store must be a store, such as memoryStore()"],
      [{ store: undefined }, "store must be a store"],
      [{ name: 'a "b"' }, "name must be"],
      ...["10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/08", "::/129"]
        .concat(["0.0.0.0/0", "10.0.0.0/", "10.0.0.0/8/8", "unix/1", "/8"])
        .map((range) =>
          [{ proxies: [range] }, "proxies[0] must be an IP address"] as const
        ),
      [{ proxies: ["127.0.0.1", "localhost"] }, "proxies[1] must be an IP"],
      [{ proxies: ["2001:DB8::1"] }, "proxies[0] must be an IP address"],
      [{ proxies: ["::ffff:127.0.0.1"] }, "proxies[0] must be an IP address"],
      [{ proxies: ["127.0.0.1:80"] }, "proxies[0] must be an IP address"],
      [{ proxies: ["127.1"] }, "proxies[0] must be an IP address"],
      [{ onStoreFailure: "close" }, 'must be "open" or "closed"'],
      [{ window: 1 }, 'option "window" is unknown'],
    ] as const
  ) {
    assertThrows(
      () => rateLimit({ ...options, ...wrong } as unknown as RateLimitOptions),
      TypeError,
      message,
    );
  }
});
