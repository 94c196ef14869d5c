/** Tests of the recipe with slow or greedy clients. */
import { assert, assertEquals } from "@std/assert";
import { exchange, rawRequest } from "../../support/raw_http.ts";
import { until } from "../../support/until.ts";
import { connect, encode, startProxied } from "./support.ts";

const SHORT = {
  "client_header_timeout 10s": "client_header_timeout 1s",
  "client_body_timeout 10s": "client_body_timeout 1s",
  "send_timeout 10s": "send_timeout 1s",
};
const MEBIBYTE = 1024 * 1024;
/** The milliseconds within which nginx must close a connection; its own timeout is 1 s. */
const PATIENCE = 9_000;
const HALF_HEAD = "GET /plain HTTP/1.1\r\nHost: local";

const plain = { GET: () => new Response("plain") };

/** The bytes of a GET request. */
function getting(target: string): string {
  return `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
}

/** The milliseconds until a server closes a connection, up to a limit. */
async function timeUntilClosed(
  port: number,
  beginning: string,
  { drip = "", limit = PATIENCE } = {},
): Promise<number> {
  using connection = await connect(port, beginning);
  const start = performance.now();
  const dripping = setInterval(() => {
    connection.write(encode(drip)).catch(() => {});
  }, 200);
  const closed = connection.read(new Uint8Array(1)).catch(() => null);
  const late = new Promise((go) => setTimeout(go, limit));
  await Promise.race([closed, late]);
  clearInterval(dripping);
  return performance.now() - start;
}

Deno.test("client_header_timeout ends incomplete headers, even if they drip", async () => {
  await using proxied = await startProxied(
    { "/plain": plain },
    SHORT,
  );
  const times = await Promise.all(
    [["", ""], ["GET /", ""], ["GET /", "x"], [HALF_HEAD, ""], [HALF_HEAD, "x"]]
      .map(([beginning, drip]) =>
        timeUntilClosed(proxied.port, beginning!, { drip: drip! })
      ),
  );
  for (const took of times) assert(took > 900 && took < PATIENCE, `${times}`);
  // Without nginx, Deno waits for the rest of the headers.
  const limit = 2_000;
  const took = await timeUntilClosed(proxied.server.port, HALF_HEAD, { limit });
  assert(took >= limit, `${took} ms`);
});

Deno.test("client_body_timeout ends an incomplete body", async () => {
  let outcome = "";
  await using proxied = await startProxied({
    "/read": {
      POST: async (request) => {
        outcome = await request.text().then(() => "read", () => "broken off");
        return new Response(outcome);
      },
    },
  }, SHORT);
  const head =
    "POST /read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n";
  const start = performance.now();
  const { status } = await exchange(proxied.port, [encode(`${head}1234`)]);
  assertEquals(status, 0, "closed without a response");
  assert(performance.now() - start < PATIENCE);
  await until(() => outcome !== "");
  assertEquals(outcome, "broken off");
});

/** A stream that records how many bytes were read, and how it ended. */
class Watched {
  taken = 0;
  end = "";

  respond(size: number, headers: HeadersInit = {}): Response {
    const chunk = new Uint8Array(64 * 1024);
    const body = new ReadableStream({
      pull: (controller) => {
        controller.enqueue(chunk);
        this.taken += chunk.length;
        if (this.taken < size) return;
        this.end = "complete";
        controller.close();
      },
      cancel: () => {
        this.end = "cancelled";
      },
    });
    return new Response(body, { headers });
  }
}

Deno.test("a client that reads nothing of a large response blocks only nginx", async () => {
  const [large, endless] = [new Watched(), new Watched()];
  await using proxied = await startProxied({
    "/large": { GET: () => large.respond(16 * MEBIBYTE) },
    "/endless": { GET: () => endless.respond(Infinity) },
  }, SHORT);
  using _one = await connect(proxied.port, getting("/large"));
  using _other = await connect(proxied.port, getting("/endless"));
  await until(() => large.end === "complete");
  await until(() => endless.end === "cancelled");
  assert(endless.taken < 64 * MEBIBYTE, `${endless.taken} bytes`);
});

Deno.test("send_timeout ends a stream whose client reads nothing", async () => {
  const watched = new Watched();
  await using proxied = await startProxied({
    "/stream": {
      GET: () => watched.respond(Infinity, { "x-accel-buffering": "no" }),
    },
  }, SHORT);
  using _idle = await connect(proxied.port, getting("/stream"));
  await until(() => watched.end === "cancelled");
});

Deno.test("connections above the limits get 429", async () => {
  for (
    const [limit, changes] of [
      [100, {}],
      [5, { "limit_conn client 100": "limit_conn client 5" }],
      [5, { "limit_conn server 500": "limit_conn server 5" }],
    ] as const
  ) {
    let waiting = 0;
    await using proxied = await startProxied({
      "/plain": plain,
      "/wait": {
        GET: async ({ signal }) => {
          waiting++;
          await new Promise((go) => signal.addEventListener("abort", go));
          waiting--;
          return new Response();
        },
      },
    }, changes);
    const { port } = proxied;
    const status = async () =>
      (await rawRequest(port, "GET /plain HTTP/1.1")).status;

    // Requests with incomplete headers do not count.
    const halves = await Promise.all(
      Array.from({ length: limit + 10 }, () => connect(port, HALF_HEAD)),
    );
    const held = await Promise.all(
      Array.from({ length: limit - 1 }, () => connect(port, getting("/wait"))),
    );
    await until(() => waiting === limit - 1);
    assertEquals(await status(), 200);
    held.push(await connect(port, getting("/wait")));
    await until(() => waiting === limit);
    assertEquals(await status(), 429);

    held.pop()!.close();
    await until(() => waiting === limit - 1);
    assertEquals(await status(), 200);
    for (const connection of [...halves, ...held]) connection.close();
    await until(() => waiting === 0);
  }
});

Deno.test("headers of more than 32 KiB do not reach the application", async () => {
  let requests = 0;
  await using proxied = await startProxied({
    "/[target]": {
      GET: () => {
        requests++;
        return new Response();
      },
    },
  });
  const fields = (count: number) =>
    Array.from({ length: count }, (_, n) => `X-${n}: ${"x".repeat(7_000)}`)
      .join("\n");
  for (
    const [target, headers, status] of [
      ["/a", fields(3), 200],
      ["/a", fields(6), 400],
      ["/a", `X: ${"x".repeat(9_000)}`, 400],
      [`/${"a".repeat(7_000)}`, "X: 1", 200],
      [`/${"a".repeat(9_000)}`, "X: 1", 414],
    ] as const
  ) {
    const head = `GET ${target} HTTP/1.1\n${headers}`;
    assertEquals((await rawRequest(proxied.port, head)).status, status);
  }
  assertEquals(requests, 2);
});

Deno.test("a large body gets 413, from its route or from nginx", async () => {
  await using proxied = await startProxied({
    "/read": { POST: async (request) => new Response(await request.text()) },
  });
  for (
    const [size, framed, type] of [
      [2 * MEBIBYTE, true, "application/problem+json"],
      [2 * MEBIBYTE, false, "application/problem+json"],
      [60 * MEBIBYTE, true, "text/html"],
      [60 * MEBIBYTE, false, "application/problem+json"],
    ] as const
  ) {
    const bytes = new Uint8Array(size);
    const response = await fetch(proxied.url("/read"), {
      method: "POST",
      body: framed ? bytes : new Blob([bytes]).stream(),
    });
    await response.body?.cancel();
    assertEquals(response.status, 413);
    assertEquals(response.headers.get("content-type"), type);
  }
});

Deno.test("a handler that does not respond causes 504, and its signal aborts", async () => {
  let aborted = false;
  await using proxied = await startProxied({
    "/silent": {
      GET: async ({ signal }) => {
        await new Promise((go) => signal.addEventListener("abort", go));
        aborted = true;
        return new Response();
      },
    },
  }, { "proxy_read_timeout 60s": "proxy_read_timeout 1s" });
  const start = performance.now();
  const { status } = await rawRequest(proxied.port, "GET /silent HTTP/1.1");
  assertEquals(status, 504);
  assert(performance.now() - start < PATIENCE);
  await until(() => aborted);
});
