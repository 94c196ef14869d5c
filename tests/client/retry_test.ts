/** Calls that wait for `Retry-After`, and the headers of protections. */
import { assertEquals, assertRejects } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import { Framework } from "@bough/framework";
import { createClient } from "@bough/framework/client";
import {
  idempotent,
  memoryStore,
  preconditions,
  rateLimit,
} from "@bough/framework/protect";

type Routes = { "route.ts": { GET: unknown; POST: unknown; PUT: unknown } };

/** A response with a status and the header, if any. */
type Reply = readonly [status: number, retryAfter?: string];

interface Outcome {
  readonly status: number;
  readonly sent: readonly string[];
  readonly waited: number;
}

/** Lets timers end at once, and reports their times. */
function fastTimers(onTimer: (milliseconds: number) => void): Disposable {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = ((run: () => void, milliseconds: number) => {
    onTimer(milliseconds);
    return setTimeout(run, 0);
  }) as typeof setTimeout;
  return {
    [Symbol.dispose]() {
      globalThis.setTimeout = setTimeout;
    },
  };
}

/** Makes a call. The server sends the replies in order, and repeats the last one. */
async function call(
  method: "GET" | "POST" | "PUT",
  replies: readonly Reply[],
  options: { retryFor?: number; headers?: Record<string, string> },
): Promise<Outcome> {
  let waited = 0;
  using _time = fastTimers((milliseconds) => void (waited += milliseconds));
  const sent: string[] = [];
  const api = createClient<Routes>({
    fetch: async (request) => {
      sent.push(await request.text());
      const [status, after] = replies[sent.length - 1] ?? replies.at(-1)!;
      return new Response("x", {
        status,
        headers: after === undefined ? {} : { "retry-after": after },
      });
    },
  });
  const body = method === "GET" ? {} : { body: sent.length };
  const { status } = await api[method]("/", { ...options, ...body });
  return { status, sent, waited };
}

const attempts = async (...args: Parameters<typeof call>): Promise<string> => {
  const { status, sent, waited } = await call(...args);
  return `${status} after ${sent.length} in ${waited}`;
};

Deno.test("a call waits for Retry-After only on request, within its budget", async () => {
  const replies: readonly Reply[] = [[429, "2"], [503, "3"], [200]];
  assertEquals(
    [
      await attempts("GET", replies, {}),
      await attempts("GET", replies, { retryFor: 0 }),
      await attempts("GET", replies, { retryFor: 1_999 }),
      await attempts("GET", replies, { retryFor: 2_000 }),
      await attempts("GET", replies, { retryFor: 4_999 }),
      await attempts("GET", replies, { retryFor: 5_000 }),
      await attempts("GET", [[429, "3600"]], { retryFor: 60_000 }),
      await attempts("GET", [[429, "1"]], { retryFor: 3_500 }),
      await attempts("GET", [[429, "1"]], { retryFor: NaN }),
    ],
    [
      "429 after 1 in 0",
      "429 after 1 in 0",
      "429 after 1 in 0",
      "503 after 2 in 2000",
      "503 after 2 in 2000",
      "200 after 3 in 5000",
      "429 after 1 in 0",
      "429 after 4 in 3000",
      "429 after 1 in 0",
    ],
  );
});

Deno.test("a call repeats a request that the server has not handled", async () => {
  const key = { "Idempotency-Key": "k" };
  const retryFor = 10_000;
  const to = (
    method: "GET" | "POST" | "PUT",
    status: number,
    headers = {},
  ) => attempts(method, [[status, "1"], [200]], { retryFor, headers });
  assertEquals(
    [
      await to("POST", 429),
      await to("POST", 409),
      await to("POST", 503),
      await to("POST", 503, key),
      await to("PUT", 503),
      await to("GET", 500),
      await attempts("GET", [[429], [200]], { retryFor }),
      await attempts("GET", [[429, "0"], [200]], { retryFor }),
      await attempts("GET", [[429, "soon"], [200]], { retryFor }),
      await attempts("GET", [
        [503, "Thu, 01 Jan 1970 00:00:00 GMT"],
        [200],
      ], { retryFor }),
    ],
    [
      "200 after 2 in 1000",
      "200 after 2 in 1000",
      "503 after 1 in 0",
      "200 after 2 in 1000",
      "200 after 2 in 1000",
      "500 after 1 in 0",
      "429 after 1 in 0",
      "200 after 2 in 1000",
      "200 after 2 in 1000",
      "200 after 2 in 1000",
    ],
  );
  const { sent } = await call("POST", [[429, "1"], [200]], { retryFor });
  assertEquals(sent, ["0", "0"]);
});

Deno.test("a signal ends the wait of a call", async () => {
  const controller = new AbortController();
  const api = createClient<Routes>({
    fetch: () => {
      setTimeout(() => controller.abort(new Error("enough")), 10);
      return new Response(null, {
        status: 429,
        headers: { "retry-after": "50" },
      });
    },
  });
  const { signal } = controller;
  await assertRejects(
    () => api.GET("/", { signal, retryFor: 60_000 }),
    Error,
    "enough",
  );
});

Deno.test("the types of a client have the headers and responses of protections", async () => {
  const store = memoryStore();
  const note = { text: "milk", version: 1 };
  const manifest = {
    "middleware.ts": {
      default: [
        rateLimit({ limit: 1_000, per: 60_000, store }),
        preconditions({ required: true }),
        idempotent({ store, required: true }),
      ] as const,
    },
    "route.ts": {
      GET: () => Response.json(note, { headers: { etag: '"1"' } }),
      POST: () => Response.json(note, { status: 201 }),
      PUT: () => new Response(null, { status: 204 }),
    },
  };
  const { fetch } = new Framework({ manifest });
  const api = createClient<typeof manifest>({ fetch });
  const { response } = await api.GET("/");
  const tag = response.headers.get("etag")!;
  const put = await api.PUT("/", { headers: { "if-match": tag } });
  assertEquals(put.status, 204);
  if (put.status === 428 || put.status === 412 || put.status === 429) {
    assertType<IsExact<typeof put.data.status, number>>(true);
  }
  const keyed = { "idempotency-key": crypto.randomUUID() };
  const first = await api.POST("/", { headers: keyed });
  const second = await api.POST("/", { headers: keyed });
  assertEquals(
    [
      first.status,
      second.status,
      second.response.headers.get("idempotency-replayed"),
    ],
    [201, 201, "true"],
  );
  const check = async () => {
    // @ts-expect-error the key is required
    await api.POST("/");
    // @ts-expect-error a version is required
    await api.PUT("/");
    // @ts-expect-error a version is required
    await api.PUT("/", { headers: { "if-match": undefined } });
    await api.PUT("/", { headers: { "if-none-match": "*" } });
    // @ts-expect-error a tag is a string
    await api.PUT("/", { headers: { "if-match": {} } });
  };
  assertEquals(typeof check, "function");
});
