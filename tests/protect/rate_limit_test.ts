import {
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
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
import { frame, OPCODE, RawSocket } from "../support/raw_socket.ts";
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
  const convertErrors: Middleware = (_request, next) =>
    next().catch((error) => {
      if (error instanceof RangeError) throw new HttpError(409);
      throw error;
    });
  const respondItself: Middleware = async (request, next) =>
    await next().catch((error) => errorResponse(error, request));
  const limit = rateLimit({ limit: 1, per: 60_000, store: memoryStore() });
  const POST = () => {
    throw new RangeError("out of stock");
  };
  for (
    const [status, ...middleware] of [
      [409, convertErrors],
      [429, respondItself, convertErrors],
    ] as const
  ) {
    const application = TestApplication.of({
      "orders/middleware.ts": { default: limit },
      "orders/route.ts": { POST },
    }, { middleware });
    const init = { method: "POST" };
    const response = await application.fetch("/api/orders", init);
    assertEquals((await response.json()).status, status);
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

Deno.test("each key has its own limit, even if it is long or has lone surrogates", async () => {
  const stored: string[] = [];
  const memory = memoryStore();
  let key: unknown;
  const application = create({
    limit: 1,
    name: "per tenant",
    key: () => Promise.resolve(key as string),
    store: {
      increment(key, window) {
        stored.push(key);
        return memory.increment(key, window);
      },
    },
  });
  const long = "x".repeat(65_535);
  const keys = ["a", "b", "", "\u00e9", "\u00ea", `${long}x`, `${long}y`]
    .concat("\ud800", "\ud801", "\ufffd");
  for (key of keys) {
    for (const status of [200, 429]) {
      assertEquals(await statusOf(application.fetch("/api/time")), status);
    }
  }
  assertEquals(new Set(stored).size, keys.length);
  assertEquals(stored[0], '1;60000;"per tenant";a');
  for (const each of stored) assertMatch(each, /^[ -~]{1,256}$/);
  key = undefined;
  const errors = await logOf(async () => {
    assertEquals(await statusOf(application.fetch("/api/time")), 500);
  });
  assertMatch(errors, /key\(\) must return a string, got undefined/);
});

Deno.test("the fields of the largest limit are integers of structured fields", async () => {
  const application = create({
    limit: 999_999_999_999_999,
    per: Number.MAX_SAFE_INTEGER,
  });
  const { status, headers } = await application.fetch("/api/broken");
  assertEquals(status, 403);
  for (const name of ["ratelimit", "ratelimit-policy"]) {
    const numbers = headers.get(name)!.match(/\d+/g)!;
    assertEquals(numbers.length, 2);
    assertEquals(numbers.every((each) => each.length <= 15), true, name);
  }
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
  "returns a bigint": () => ({ count: 1n as never, left: 1 }),
  "returns a fraction": () => ({ count: 1.5, left: 1 }),
  "returns an unsafe integer": () => ({ count: 2 ** 53, left: 1 }),
  "returns no time": () => ({ count: 1 } as never),
  "returns no time left": () => ({ count: 1, left: 0 }),
  "returns an infinite time": () => ({ count: 1, left: Infinity }),
  hangs: () => new Promise<never>(() => {}),
};

Deno.test("if a store fails, its limit is closed, unless it is declared open", async () => {
  for (const [failure, fail] of Object.entries(FAILURES)) {
    for (const onStoreFailure of ["open", "closed"] as const) {
      using timers = new FakeTimers();
      let calls = 0;
      const increment = () => {
        calls++;
        return fail();
      };
      const isOpen = onStoreFailure === "open";
      const application = create({
        store: { increment },
        ...(isOpen && { onStoreFailure }), // closed by default
      });
      const name = `a store that ${failure}, ${onStoreFailure}`;
      const errors = await logOf(async () => {
        const responding = Array.from(
          { length: 20 },
          () => application.fetch("/api/time"),
        );
        await turnsUntil(timers, () => calls === 20);
        await timers.pass(1000);
        for (const response of await Promise.all(responding)) {
          await response.body?.cancel();
          assertEquals(
            [response.status, response.headers.get("retry-after")],
            isOpen ? [200, null] : [503, "1"],
            name,
          );
        }
      });
      assertEquals(errors.match(/The store of rate limit/g)?.length, 1, name);
      const what = isOpen ? "passed" : "was rejected";
      assertMatch(errors, new RegExp(`"default";q=2;w=60 .*${what}`), name);
      const cause = /disk is full|no result within 1000 ms|no counter/;
      assertMatch(errors, cause, name);
    }
  }
});

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
  {
    using socket = await RawSocket.open(server.port, "/api/socket");
    await socket.write(frame(OPCODE.text, "hello"));
    assertEquals(await socket.spell(), "text hello");
  }
  const refused = await assertRejects(() =>
    RawSocket.open(server.port, "/api/socket")
  );
  assertStringIncludes(String(refused), "HTTP/1.1 429 ");
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
      ...["10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/08", "::/129", "2001:DB8::1"]
        .concat(["0.0.0.0/0", "10.0.0.0/", "10.0.0.0/8/8", "unix/1", "/8"])
        .concat(["::ffff:127.0.0.1", "127.0.0.1:80", "127.1"])
        .map((range) =>
          [{ proxies: [range] }, "proxies[0] must be an IP address"] as const
        ),
      [{ proxies: ["127.0.0.1", "localhost"] }, "proxies[1] must be an IP"],
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
