/** Calls that wait for `Retry-After`. */
import { assertEquals, assertRejects } from "@std/assert";
import { createClient } from "@bough/framework/client";

type Routes = { "route.ts": { GET: unknown; POST: unknown; PUT: unknown } };

/** A response with a status and the header, if any. */
type Reply = readonly [status: number, retryAfter?: string];

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
): Promise<string> {
  let waited = 0;
  using _time = fastTimers((milliseconds) => void (waited += milliseconds));
  let sent = 0;
  const api = createClient<Routes>({
    fetch: async (request) => {
      assertEquals(await request.text(), method === "GET" ? "" : '"body"');
      const [status, after] = replies[sent++] ?? replies.at(-1)!;
      return new Response("x", {
        status,
        headers: after === undefined ? {} : { "retry-after": after },
      });
    },
  });
  const body = method === "GET" ? {} : { body: "body" };
  const { status } = await api[method]("/", { ...options, ...body });
  return `${status} after ${sent} in ${waited}`;
}

Deno.test("a call waits for Retry-After only on request, within its budget", async () => {
  const replies: readonly Reply[] = [[429, "2"], [503, "3"], [200]];
  for (
    const [given, retryFor, expected] of [
      [replies, undefined, "429 after 1 in 0"],
      [replies, 0, "429 after 1 in 0"],
      [replies, 1_999, "429 after 1 in 0"],
      [replies, 2_000, "503 after 2 in 2000"],
      [replies, 4_999, "503 after 2 in 2000"],
      [replies, 5_000, "200 after 3 in 5000"],
      [[[429, "3600"]], 60_000, "429 after 1 in 0"],
      [[[429, "1"]], 3_500, "429 after 4 in 3000"],
      [[[429, "1"]], NaN, "429 after 1 in 0"],
      [[[429], [200]], 10_000, "429 after 1 in 0"],
      ...["0", "soon", "-1", "Thu, 01 Jan 1970 00:00:00 GMT"].map((after) =>
        [[[429, after], [200]], 10_000, "200 after 2 in 1000"] as const
      ),
    ] as const
  ) {
    const options = retryFor === undefined ? {} : { retryFor };
    const name = `${given}, ${retryFor}`;
    assertEquals(await call("GET", given, options), expected, name);
  }
});

Deno.test("a call repeats a request that the server has not handled", async () => {
  const key = { "Idempotency-Key": "k" };
  for (
    const [method, status, headers, isRepeated] of [
      ["POST", 429, {}, true],
      ["POST", 409, {}, true],
      ["POST", 503, {}, false],
      ["POST", 503, key, true],
      ["PUT", 503, {}, true],
      ["GET", 500, {}, false],
    ] as const
  ) {
    const options = { retryFor: 10_000, headers };
    assertEquals(
      await call(method, [[status, "1"], [200]], options),
      isRepeated ? "200 after 2 in 1000" : `${status} after 1 in 0`,
      `${method} ${status} ${Object.keys(headers)}`,
    );
  }
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
