/** Requests with keys; the experiment under kills is in `kills_slow.ts`. */
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  Framework,
  HttpError,
  type Middleware,
  type MiddlewareRequest,
} from "@bough/framework";
import { createClient } from "@bough/framework/client";
import { openapi, type OpenApiDocument } from "@bough/framework/openapi";
import {
  idempotencyKey,
  type IdempotencyOptions,
  idempotent,
  memoryStore,
  type ProtectionStore,
} from "@bough/framework/protect";
import { fromFileUrl, join } from "@std/path";
import { CapturedLog, TestFolder } from "../support/application.ts";
import { delay, until } from "../support/until.ts";

type Handle = (request: MiddlewareRequest, run: number) =>
  | Response
  | Promise<Response>;

interface Sent {
  readonly key?: string | null;
  readonly method?: string;
  readonly path?: string;
  readonly body?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An application whose handler counts its runs. */
class Shop {
  runs = 0;
  readonly app: Framework;

  constructor(
    options: Partial<IdempotencyOptions> = {},
    handle: Handle = (_, run) => Response.json({ run }, { status: 201 }),
    { middleware = [], bodyLimit = 1000 }: {
      readonly middleware?: readonly Middleware[];
      readonly bodyLimit?: number;
    } = {},
  ) {
    const run = (request: MiddlewareRequest) => handle(request, ++this.runs);
    const protect = idempotent({ store: memoryStore(), ...options });
    this.app = new Framework({
      bodyLimit,
      manifest: {
        "middleware.ts": { default: [...middleware, protect] },
        "payments/route.ts": { POST: run, PATCH: run, PUT: run, GET: run },
        "refunds/route.ts": { POST: run },
        "nested/middleware.ts": { default: protect },
        "nested/route.ts": { POST: run },
      },
    });
  }

  async send(sent: Sent = {}): Promise<Response> {
    return await this.app.fetch(requestOf(sent));
  }

  /** Sends a request, and summarizes the response. */
  async seen(sent: Sent = {}): Promise<string> {
    const response = await this.send(sent);
    const replayed = response.headers.get("idempotency-replayed");
    const body = (await response.text()).slice(0, 80);
    return `${response.status} ${body}${replayed ? " again" : ""}`;
  }

  async status(sent: Sent = {}): Promise<number> {
    const response = await this.send(sent);
    await response.body?.cancel();
    return response.status;
  }
}

function requestOf(
  { key = "k-1", method = "POST", path = "/api/payments", ...others }: Sent,
): Request {
  const { body = method === "GET" ? null : "{}", headers = {} } = others;
  const request = new Request(`http://localhost${path}`, {
    method,
    body,
    headers: { "content-type": "application/json", ...headers },
  });
  if (key !== null) request.headers.set("idempotency-key", key);
  return request;
}

/** A handler that waits until `open` is called. */
function gate(): { readonly handle: Handle; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    open: resolve,
    handle: async (_, run) => {
      await promise;
      return Response.json({ run });
    },
  };
}

/** Runs a test without log entries, and returns the entries. */
async function quietly(run: () => Promise<unknown>): Promise<string> {
  using log = new CapturedLog();
  await run();
  return log.lines.join("\n");
}

Deno.test("a repeated request gets the first response", async () => {
  const shop = new Shop({}, (_, run) =>
    new Response(`run ${run}`, {
      status: 202,
      headers: [
        ["location", "/api/payments/1"],
        ["content-type", "text/plain"],
        ["set-cookie", "session=secret"],
        ["date", "Thu, 01 Jan 2026 00:00:00 GMT"],
        ["keep-alive", "timeout=5"],
        ["ratelimit", '"default";r=1;t=1'],
      ],
    }));
  const first = await shop.send();
  assertEquals(first.headers.get("set-cookie"), "session=secret");
  assertEquals(first.headers.has("idempotency-replayed"), false);
  assertEquals([first.status, await first.text()], [202, "run 1"]);
  const again = await shop.send();
  assertEquals([again.status, await again.text()], [202, "run 1"]);
  assertEquals([...again.headers], [
    ["content-type", "text/plain"],
    ["idempotency-replayed", "true"],
    ["location", "/api/payments/1"],
  ]);
  assertEquals(await shop.seen({ key: "k-2" }), "202 run 2");
});

Deno.test("a response without a body, and bytes, are repeated as they were", async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const shop = new Shop(
    {},
    (_, run) =>
      run === 1 ? new Response(null, { status: 204 }) : new Response(bytes),
  );
  for (let time = 0; time < 2; time++) {
    const { status, body } = await shop.send();
    assertEquals([status, body], [204, null]);
    const response = await shop.send({ key: "k-2" });
    assertEquals(await response.bytes(), bytes);
  }
  assertEquals(shop.runs, 2);
});

Deno.test("a key is bare, or a string in quotation marks", async () => {
  const shop = new Shop();
  const first = '201 {"run":1}';
  const uuid = "8e03978e-40d5-43dd-bc93-6894a57f9324";
  assertEquals(await shop.seen({ key: uuid }), first);
  assertEquals(await shop.seen({ key: `"${uuid}"` }), `${first} again`);
  assertEquals(await shop.seen({ key: '"a b,;\\"\\\\"' }), '201 {"run":2}');
  for (const key of ["x".repeat(255), `"${"\\\\".repeat(255)}"`]) {
    assertEquals(await shop.status({ key }), 201);
  }
});

Deno.test("a malformed key is rejected before anything runs", async () => {
  const shop = new Shop();
  const keys = ['""', '"a', 'a"', "a b", "a,b", "a, b", '"a", "b"', '"a";B=1'];
  keys.push("", "x".repeat(256), `"${"x".repeat(256)}"`, '"\\a"', "ä", "a;b");
  keys.push("x".repeat(65_536));
  for (const key of keys) {
    assertEquals(await shop.status({ key }), 400, JSON.stringify(key));
  }
  assertEquals(shop.runs, 0);
});

Deno.test("a required key is missing only where a handler needs it", async () => {
  const shop = new Shop({ required: true });
  const response = await shop.send({ key: null });
  assertEquals(response.status, 400);
  assertEquals((await response.json()).errors, [{
    in: "headers",
    pointer: "#/idempotency-key",
    detail: "is missing",
  }]);
  assertEquals(await shop.status({ key: null, method: "OPTIONS" }), 204);
  const patch: Sent = { key: null, method: "PATCH", path: "/api/refunds" };
  assertEquals(await shop.status(patch), 405);
  assertEquals(shop.runs, 0);
  assertEquals(await shop.status({ key: null, method: "PUT" }), 201);
  assertEquals(await shop.status({ key: null, method: "GET" }), 201);
});

Deno.test("around a function without the contract, a malformed key is a 400, too", async () => {
  const protect = idempotent({ store: memoryStore() });
  const POST = () => new Response();
  const app = new Framework({
    manifest: {
      "middleware.ts": {
        default: ((request, next) => protect(request, next)) as Middleware,
      },
      "payments/route.ts": { POST },
    },
  });
  const response = await app.fetch(requestOf({ key: "a b" }));
  assertEquals(response.status, 400);
  assertMatch(await response.text(), /idempotency-key must be 1 to 255/);
});

Deno.test("the handler gets the key without quotation marks", async () => {
  const shop = new Shop({}, ({ validated }) => Response.json(validated));
  const seen = await shop.seen({ key: '"a \\"b\\""' });
  assertEquals(seen, '200 {"headers":{"idempotency-key":"a \\"b\\""}}');
  assertEquals(await shop.seen({ key: null }), '200 {"headers":{}}');
});

Deno.test("a key belongs to one request", async () => {
  const shop = new Shop();
  assertEquals(await shop.status(), 201);
  const others: Sent[] = [
    { method: "PATCH" },
    { path: "/api/refunds" },
    { path: "/api/payments?a=1" },
    { path: "//api/payments" },
    { body: "{ }" },
    { headers: { cookie: "session=2" } },
  ];
  for (const other of others) {
    assertEquals(await shop.status(other), 422, JSON.stringify(other));
  }
  assertEquals(shop.runs, 1);
});

Deno.test("a key belongs to one client", async () => {
  const shop = new Shop();
  const ada = { headers: { authorization: "Bearer ada" } };
  const bob = { headers: { authorization: "Bearer bob" }, body: "[]" };
  assertEquals(await shop.seen(ada), '201 {"run":1}');
  assertEquals(await shop.seen(bob), '201 {"run":2}');
  assertEquals(await shop.seen(), '201 {"run":3}');
  assertEquals(await shop.seen(ada), '201 {"run":1} again');
});

Deno.test("an identity replaces the credentials", async () => {
  const shop = new Shop({
    identity: async ({ headers }) => await headers.get("x-user") ?? "",
  });
  const headers = { "x-user": "ada", authorization: "Bearer 1", cookie: "a=1" };
  assertEquals(await shop.seen({ headers }), '201 {"run":1}');
  const renewed = { ...headers, authorization: "Bearer 2", cookie: "a=2" };
  assertEquals(await shop.seen({ headers: renewed }), '201 {"run":1} again');
  const other = { ...headers, "x-user": "bob" };
  assertEquals(await shop.seen({ headers: other }), '201 {"run":2}');
});

Deno.test("an identity that is not a string is an error", async () => {
  for (const identity of [null, undefined, 5, {}]) {
    const shop = new Shop({ identity: () => identity as unknown as string });
    const log = await quietly(async () => {
      assertEquals(await shop.status(), 500);
    });
    assertMatch(log, /identity\(\) must return a string, got/);
    assertEquals(shop.runs, 0);
  }
});

Deno.test("identities and keys cannot be combined into each other", async () => {
  const shop = new Shop({
    identity: ({ headers }) => headers.get("x-user") ?? "",
  });
  for (const [user, key] of [["a", "bc"], ["ab", "c"], ['a","b', "c"]]) {
    const headers = { "x-user": user! };
    assertEquals(await shop.status({ key: key!, headers }), 201);
  }
  assertEquals(shop.runs, 3);
});

Deno.test("while the first request runs, others get a 409", async () => {
  const { handle, open } = gate();
  const shop = new Shop({}, handle);
  const first = shop.seen();
  await until(() => shop.runs === 1);
  const second = await shop.send();
  assertEquals([second.status, second.headers.get("retry-after")], [409, "1"]);
  assertMatch(await second.text(), /"The first request with this key is runn/);
  assertEquals(await shop.status({ body: "[]" }), 422);
  open();
  assertEquals(await first, '200 {"run":1}');
  assertEquals(await shop.seen(), '200 {"run":1} again');
});

Deno.test("of many requests at once, one runs", async () => {
  const shop = new Shop({}, async (_, run) => {
    await delay(20);
    return Response.json({ run });
  });
  const statuses = await Promise.all(
    Array.from({ length: 50 }, () => shop.status()),
  );
  assertEquals(statuses.filter((status) => status === 200).length, 1);
  assertEquals(statuses.filter((status) => status === 409).length, 49);
  assertEquals(shop.runs, 1);
});

Deno.test("after an error, the key is free again", async () => {
  const failures: Record<string, () => Response> = {
    "500": () => {
      throw new Error("failed");
    },
    "402": () => {
      throw new HttpError(402, "The card is not covered");
    },
    "410": () => {
      throw new Response(null, { status: 410 });
    },
    "502": () => new Response(null, { status: 502 }),
    "429": () =>
      new Response(null, { status: 429, headers: { "retry-after": "1" } }),
  };
  for (const [status, fail] of Object.entries(failures)) {
    const shop = new Shop(
      {},
      (_, run) => run === 1 ? fail() : Response.json({ run }),
    );
    await quietly(async () => {
      assertEquals(await shop.status(), Number(status));
    });
    assertEquals(await shop.seen({ body: "[]" }), '200 {"run":2}', status);
  }
});

Deno.test("a refusal that the handler returns is repeated", async () => {
  const shop = new Shop(
    {},
    (_, run) => Response.json({ run }, { status: 402 }),
  );
  assertEquals(await shop.seen(), '402 {"run":1}');
  assertEquals(await shop.seen(), '402 {"run":1} again');
});

Deno.test("a success with Retry-After is repeated", async () => {
  const headers = { "retry-after": "1" };
  const shop = new Shop({}, () => new Response("", { status: 202, headers }));
  assertEquals(await shop.status(), 202);
  assertEquals(await shop.status(), 202);
  assertEquals(shop.runs, 1);
});

Deno.test("a stream that never ends is sent at once, and not kept", async () => {
  const shop = new Shop({}, () => new Response(new ReadableStream()));
  assertEquals(await shop.status(), 200);
  assertEquals(await shop.status(), 409);
});

Deno.test("a response that cannot be kept is not run again", async () => {
  const large = "x".repeat(1000);
  const responses: Record<string, () => Response> = {
    large: () => new Response(large),
    headers: () => new Response(null, { headers: { "x-large": large } }),
    stream: () => new Response(new Blob([large]).stream()),
    file: () => new Response(Deno.openSync("deno.json").readable),
  };
  for (const [name, respond] of Object.entries(responses)) {
    const shop = new Shop({ maxBytes: 500 }, respond);
    const first = await shop.send();
    const body = await first.text();
    assertEquals(first.status, 200);
    if (name === "large" || name === "stream") assertEquals(body, large);
    const again = await shop.send();
    assertEquals([again.status, again.headers.has("retry-after")], [
      409,
      false,
    ]);
    assertMatch(
      await again.text(),
      /had status 200; its response was too large to keep/,
    );
    assertEquals(shop.runs, 1);
  }
});

Deno.test("if the store rejects a response, it keeps the status", async () => {
  const store = memoryStore({ maxBytes: 500 });
  const shop = new Shop({ store }, () => new Response("x".repeat(600)));
  const log = await quietly(async () => {
    assertEquals(await shop.status(), 200);
  });
  assertMatch(log, /the store of keys failed: .* the store in memory is full/);
  assertEquals(await shop.status(), 409);
  assertEquals(shop.runs, 1);
});

Deno.test("a stored response that is corrupt is an error, and the handler does not run", async () => {
  const values = ["", "{}", "\n", "null\n", "{}\n", "x\ny"];
  values.push('{"status":700,"headers":[]}\n', '{"status":101,"headers":[]}\n');
  values.push('{"status":200,"headers":[["x","a\\r\\nb: c"]]}\n');
  for (const text of values) {
    const value = new TextEncoder().encode(text);
    const claim: ProtectionStore["claim"] = (_, { fingerprint }) => ({
      ...{ state: "finished", fingerprint, value },
    });
    const shop = new Shop({ store: { ...memoryStore(), claim } });
    const log = await quietly(async () => {
      assertEquals(await shop.status(), 500, text);
    });
    assertMatch(log, /Cannot repeat a response: the stored value is corrupt/);
    assertEquals(shop.runs, 0);
  }
});

Deno.test("a response of maxBytes is kept, and one more byte is not", async () => {
  const head =
    '{"status":200,"headers":[["content-type","text/plain;charset=UTF-8"]]}\n';
  for (const [extra, status] of [[0, 200], [1, 409]]) {
    const body = "x".repeat(500 - head.length + extra!);
    const shop = new Shop({ maxBytes: 500 }, () => new Response(body));
    assertEquals(await shop.status(), 200);
    assertEquals(await shop.status(), status);
  }
});

Deno.test("a request without a key, and with another method, runs", async () => {
  const shop = new Shop(
    {},
    (request, run) => Response.json({ run, key: idempotencyKey.find(request) }),
  );
  for (const sent of [{ key: null }, { key: null }, { method: "PUT" }]) {
    assertMatch(await shop.seen(sent), /^200 \{"run":\d\}$/);
    assertMatch(await shop.seen({ ...sent, method: "GET" }), /^200/);
  }
  assertEquals(shop.runs, 6);
});

Deno.test("the handler reads the body, and has the key", async () => {
  const keys = new Set<string>();
  const shop = new Shop({}, async (request) => {
    keys.add(idempotencyKey.get(request));
    return Response.json([await request.json(), await request.text()]);
  });
  const body = '{"cents":1}';
  assertEquals(
    await shop.seen({ body }),
    '200 [{"cents":1},"{\\"cents\\":1}"]',
  );
  assertEquals(await shop.status({ body, key: "other" }), 200);
  assertEquals(keys.size, 2);
  for (const key of keys) assertMatch(key, /^[0-9a-f]{64}$/);
});

Deno.test("around the application, requests without a route have no keys", async () => {
  let claims = 0;
  const store = memoryStore();
  const claim: ProtectionStore["claim"] = (...args) => {
    claims++;
    return store.claim(...args);
  };
  const app = new Framework({
    middleware: [idempotent({ store: { ...store, claim }, required: true })],
    manifest: { "payments/route.ts": { POST: respond } },
  });
  const statusOf = async (sent: Sent) => {
    const { status, body } = await app.fetch(requestOf(sent));
    await body?.cancel();
    return status;
  };
  assertEquals(await statusOf({ path: "/api/others" }), 404);
  assertEquals(claims, 0);
  assertEquals(await statusOf({ key: null }), 400);
  assertEquals(await statusOf({}), 200);
  assertEquals(claims, 1);
});

Deno.test("a body above its limit is a 413, and the key stays free", async () => {
  const shop = new Shop({}, undefined, { bodyLimit: 10 });
  assertEquals(await shop.status({ body: "x".repeat(11) }), 413);
  assertEquals(await shop.seen({ body: "x" }), '201 {"run":1}');
});

Deno.test("in a folder that is protected twice, the outer middleware counts", async () => {
  const shop = new Shop();
  const sent = { path: "/api/nested" };
  assertEquals(await shop.seen(sent), '201 {"run":1}');
  assertEquals(await shop.seen(sent), '201 {"run":1} again');
});

Deno.test("a program may send the same request again", async () => {
  const shop = new Shop({}, undefined);
  const request = requestOf({ body: null });
  for (let time = 0; time < 2; time++) {
    const response = await shop.app.fetch(request);
    assertEquals(await response.json(), { run: 1 });
  }
});

Deno.test("the lease of a slow handler is renewed", async () => {
  const { handle, open } = gate();
  const shop = new Shop({ lease: 150 }, handle);
  const first = shop.seen();
  for (let time = 0; time < 10; time++) {
    await delay(50);
    assertEquals(await shop.status(), 409);
  }
  open();
  await first;
  assertEquals(shop.runs, 1);
});

Deno.test("a lease is renewed only while its handler runs", async () => {
  let renewals = 0;
  const renew = () => {
    renewals++;
    return true;
  };
  const ends: Handle[] = [
    () => new Response(),
    () => {
      throw new HttpError(402);
    },
  ];
  for (const end of ends) {
    const shop = new Shop(
      { lease: 30, store: { ...memoryStore(), renew } },
      async (request, run) => {
        await delay(40);
        return await end(request, run);
      },
    );
    await shop.status();
    const before = renewals;
    assert(before > 0);
    await delay(40);
    assertEquals(renewals, before);
  }
  // A timer with a longer delay would fire at once.
  const shop = new Shop(
    { lease: 2 ** 40, store: { ...memoryStore(), renew } },
    async () => {
      await delay(40);
      return new Response();
    },
  );
  const before = renewals;
  await shop.status();
  assertEquals(renewals, before);
});

Deno.test("a store may take some time", async () => {
  const store = memoryStore();
  const slow: Pick<ProtectionStore, "claim" | "renew" | "finish"> = {
    claim: async (...args) => {
      await delay(50);
      return await store.claim(...args);
    },
    renew: store.renew,
    finish: async (...args) => {
      await delay(50);
      return await store.finish(...args);
    },
  };
  const shop = new Shop({ store: slow });
  assertEquals(await shop.seen(), '201 {"run":1}');
  assertEquals(await shop.seen(), '201 {"run":1} again');
});

Deno.test("a renewal that fails is tried again", async () => {
  const { handle, open } = gate();
  const store = memoryStore();
  let renewals = 0;
  const renew: ProtectionStore["renew"] = (...args) => {
    renewals++;
    if (renewals === 1) throw new Error("broken");
    if (renewals === 2) return Promise.reject(new Error("broken"));
    return store.renew(...args);
  };
  const shop = new Shop({ lease: 300, store: { ...store, renew } }, handle);
  const log = await quietly(async () => {
    const first = shop.seen();
    await until(() => renewals > 5);
    assertEquals(await shop.status(), 409);
    open();
    await first;
  });
  const entry =
    /^\[bough\] POST \/api\/payments .*: the store of keys failed: Error: broken/gm;
  assertEquals(log.match(entry)?.length, 2);
});

Deno.test("a record that comes too late is refused, and its response is sent", async () => {
  const { handle, open } = gate();
  const store = memoryStore();
  // As in a process that is suspended.
  const renew = () => false;
  const shop = new Shop(
    { lease: 100, store: { ...store, renew } },
    (request, run) => run === 1 ? handle(request, run) : Response.json({ run }),
  );
  const log = await quietly(async () => {
    const first = shop.seen();
    await delay(150);
    assertEquals(await shop.seen(), '200 {"run":2}');
    open();
    assertEquals(await first, '200 {"run":1}');
  });
  assertMatch(
    log,
    /the lease of the idempotency key expired before the handler/,
  );
  assertEquals(log.split("\n").length, 1);
  assertEquals(await shop.seen(), '200 {"run":2} again');
});

Deno.test("if the store fails or hangs, the handler does not run", async () => {
  const never = new Promise<never>(() => {});
  const claims: ProtectionStore["claim"][] = [
    () => never,
    () => Promise.reject(new Error("broken")),
    () => {
      throw new Error("broken");
    },
  ];
  for (const claim of claims) {
    const store = { ...memoryStore(), claim };
    const shop = new Shop({ store });
    const log = await quietly(async () => {
      const response = await shop.send();
      const { status, headers } = response;
      assertEquals([status, headers.get("retry-after")], [503, "1"]);
      assertEquals((await response.text()).includes("broken"), false);
    });
    assertMatch(log, /broken|no result within 1000 ms/);
    assertEquals(shop.runs, 0);
  }
});

Deno.test("a claim that succeeds too late frees the key", async () => {
  const store = memoryStore();
  let isSlow = true;
  const claim: ProtectionStore["claim"] = async (...args) => {
    if (isSlow) await delay(1200);
    return await store.claim(...args);
  };
  const shop = new Shop({ store: { ...store, claim } });
  await quietly(async () => assertEquals(await shop.status(), 503));
  await delay(300);
  isSlow = false;
  assertEquals(await shop.seen(), '201 {"run":1}');
});

Deno.test("if the response cannot be recorded, the client gets it", async () => {
  const never = new Promise<never>(() => {});
  const finishes: ProtectionStore["finish"][] = [
    () => never,
    () => {
      throw new Error("broken");
    },
  ];
  for (const finish of finishes) {
    const store = { ...memoryStore(), finish };
    const shop = new Shop({ store });
    const log = await quietly(async () => {
      assertEquals(await shop.seen(), '201 {"run":1}');
    });
    assertMatch(log, /the store of keys failed/);
    assertEquals(await shop.status(), 409);
  }
});

Deno.test("the client may disconnect while the handler runs", async () => {
  const { handle, open } = gate();
  const shop = new Shop({}, handle);
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using server = await shop.app.serve(options);
  const send = (signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${server.addr.port}/api/payments`, {
      method: "POST",
      headers: { "idempotency-key": "k-1" },
      body: "{}",
      ...(signal && { signal }),
    });
  const controller = new AbortController();
  const first = send(controller.signal).catch(() => "gone");
  await until(() => shop.runs === 1);
  controller.abort();
  assertEquals(await first, "gone");
  open();
  await until(async () => {
    const response = await send();
    const body = await response.text();
    return response.status === 200 && body === '{"run":1}';
  });
  assertEquals(shop.runs, 1);
});

Deno.test("a server that stops records the responses of running requests", async () => {
  const { handle, open } = gate();
  const shop = new Shop({}, handle);
  const server = await shop.app.serve({ port: 0, onListen() {} });
  const first = fetch(`http://localhost:${server.addr.port}/api/payments`, {
    method: "POST",
    headers: { "idempotency-key": "k-1", "content-type": "application/json" },
    body: "{}",
  });
  await until(() => shop.runs === 1);
  const stopped = server.shutdown();
  open();
  assertEquals(await (await first).json(), { run: 1 });
  await stopped;
  assertEquals(await shop.seen(), '200 {"run":1} again');
});

Deno.test("a request that opens a socket cannot have a key", async () => {
  const shop = new Shop(
    {},
    (request) => Deno.upgradeWebSocket(request).response,
  );
  const hostname = "127.0.0.1";
  const server = await shop.app.serve({ port: 0, hostname, onListen() {} });
  const head = `POST /api/payments HTTP/1.1
host: localhost
connection: upgrade
upgrade: WebSocket
sec-websocket-version: 13
sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==
idempotency-key: k-1

`;
  const { port } = server.addr;
  {
    using connection = await Deno.connect({ hostname, port });
    const sent = new TextEncoder().encode(head.replaceAll("\n", "\r\n"));
    await connection.write(sent);
    const buffer = new Uint8Array(1000);
    await connection.read(buffer);
    assertMatch(new TextDecoder().decode(buffer), /^HTTP\/1.1 400 /);
  }
  const late = delay(3000).then(() => "the server did not stop");
  const stopped = server.shutdown().then(() => "stopped");
  assertEquals(await Promise.race([stopped, late]), "stopped");
  await late;
  assertEquals(shop.runs, 0);
});

Deno.test("a handler that never ends does not keep its process alive", async () => {
  await using folder = await TestFolder.create({
    "main.ts": `
      import { Framework } from "${new URL("../../mod.ts", import.meta.url)}";
      import { idempotent, memoryStore } from "${new URL(
      "../../src/protect/mod.ts",
      import.meta.url,
    )}";
      const POST = () => new Promise(() => console.log("runs"));
      const protect = idempotent({ store: memoryStore() });
      const app = new Framework({
        manifest: { "middleware.ts": { default: protect }, "route.ts": { POST } },
      });
      const headers = { "idempotency-key": "k-1" };
      app.fetch(new Request("http://localhost/api", { method: "POST", headers }));`,
  });
  const config = fromFileUrl(new URL("../../deno.json", import.meta.url));
  const main = join(folder.path, "main.ts");
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", "--config", config, main],
    signal: AbortSignal.timeout(20_000),
    stderr: "inherit",
  }).output();
  assertEquals([code, new TextDecoder().decode(stdout)], [0, "runs\n"]);
});

Deno.test("an invalid option is rejected", () => {
  const store = memoryStore();
  const invalid: [object, string][] = [
    [{}, "store must be a store"],
    [{ store: 1 }, "store must be a store"],
    [{ store, ttl: 0 }, "ttl must be"],
    [{ store, ttl: Infinity }, "ttl must be"],
    [{ store, lease: -1 }, "lease must be"],
    [{ store, maxBytes: 0.5 }, "maxBytes must be"],
    [{ store, identity: "ada" }, "identity must be a function"],
    [{ store, require: true }, 'option "require" is unknown'],
  ];
  for (const [options, message] of invalid) {
    const create = () => idempotent(options as IdempotencyOptions);
    const error = assertThrows(create, TypeError, message);
    assertMatch(error.message, /^Cannot use idempotency keys: /);
  }
});

Deno.test("the document describes the key and the responses", async () => {
  const handlers = { GET: respond, POST: respond, PATCH: respond };
  const app = new Framework({
    manifest: {
      "middleware.ts": {
        default: idempotent({ store: memoryStore(), required: true }),
      },
      "payments/route.ts": handlers,
    },
    plugins: [openapi({ info: { title: "Shop", version: "1" } })],
  });
  const response = await app.fetch(
    new Request("http://localhost/openapi.json"),
  );
  const document: OpenApiDocument = await response.json();
  const { get, post, patch } = document.paths["/api/payments"]!;
  assertEquals(get!.parameters, undefined);
  assertEquals(Object.keys(get!.responses).includes("409"), false);
  for (const { parameters, responses } of [post!, patch!]) {
    const { name, required, in: place, schema, ...parameter } = parameters![0]!;
    assertEquals([name, required, place], ["idempotency-key", true, "header"]);
    assertMatch(parameter.description!, /^A unique string/);
    const pattern = new RegExp((schema as { pattern: string }).pattern);
    assertEquals(["a", '"a b"', "a b", ""].map((key) => pattern.test(key)), [
      true,
      true,
      false,
      false,
    ]);
    assertEquals(Object.keys(responses), [
      "200",
      "400",
      "409",
      "422",
      "500",
      "503",
    ]);
  }
});

function respond(): Response {
  return Response.json({ id: 1 });
}

Deno.test("the client knows the key and the responses", async () => {
  const protect = idempotent({ store: memoryStore(), required: true });
  const optional = idempotent({ store: memoryStore() });
  const routes = {
    "payments/middleware.ts": { default: [protect] as const },
    "payments/route.ts": { POST: respond, PUT: respond },
    "refunds/middleware.ts": { default: optional },
    "refunds/route.ts": { PATCH: respond },
  };
  const app = new Framework({ manifest: routes });
  const api = createClient<typeof routes>({ fetch: app.fetch });
  const headers = { "idempotency-key": "k-1" };
  const first = await api.POST("/payments", { headers, body: {} });
  const other = await api.POST("/payments", { headers, body: [] });
  assertEquals([first.status, other.status], [200, 422]);
  if (other.status === 422) assertMatch(other.data.detail!, /used for another/);
  await api.PATCH("/refunds", { headers });
  await api.PATCH("/refunds");
  await api.PUT("/payments");
  // @ts-expect-error the key is required
  const missing = await api.POST("/payments");
  assertEquals(missing.status, 400);
});
