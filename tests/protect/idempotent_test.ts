/** Requests with keys; the experiment under kills is in `kills_slow.ts`. */
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { Framework, type Middleware } from "@bough/framework";
import {
  idempotencyKey,
  type IdempotencyOptions,
  idempotent,
  memoryStore,
  type ProtectionStore,
} from "@bough/framework/protect";
import { until } from "../support/until.ts";
import { gate, logOf, requestOf, type Sent, Shop } from "./support.ts";

const VALID = ["x".repeat(255), `"${"\\\\".repeat(255)}"`, '"a b,;\\"\\\\"'];
const PARAMETERS = ["", ";v=1", ";a", "; a", ";  a;b", ";*a=?1"]
  .concat([';a="b;c,\\"d\\\\"', ";a-b_c.d*9=-1.5", ";a=:aGk=:;b=tok/en:*"])
  .concat([";a=@1659578233", ';a=%"f%c3%bc"']);
const MALFORMED = ['""', '"a', 'a"', "a b", "a,b", "a, b", '"a", "b"', "k;v=1"]
  .concat(['"a";B=1', "", "x".repeat(256), `"${"x".repeat(256)}"`, '"\\a"'])
  .concat(["ä", "a;b", "x".repeat(65_536)])
  .concat(
    [";", ";=1", ";A=1", ";1", " ;a", ";a=", ";a=b,c", ',"l"', '"', "x"]
      .concat([';a="b', ";a b", ";a=b c"]).map((rest) => `"k"${rest}`),
  );

for (const required of [false, true]) {
  Deno.test(`a key is a string of RFC 9651, or bare (required: ${required})`, async () => {
    const shop = new Shop({ required });
    assertEquals(await shop.seen({ key: "k" }), '201 {"run":1}');
    for (const parameters of PARAMETERS) {
      const seen = await shop.seen({ key: `"k"${parameters}` });
      assertEquals(seen, '201 {"run":1} again', parameters);
    }
    for (const key of VALID) assertEquals(await shop.status({ key }), 201, key);
    for (const key of MALFORMED) {
      assertEquals(await shop.status({ key }), 400, JSON.stringify(key));
    }
    assertEquals(shop.runs, 1 + VALID.length);
  });
}

Deno.test("a key with many parameters is read in linear time", async () => {
  const shop = new Shop();
  for (const part of [";a", ';a="\\"\\"', ";a=%", ";  ", ";a=b;"]) {
    const key = `"k"${part.repeat(20_000)} x`;
    assertEquals(await shop.status({ key }), 400, part);
  }
});

Deno.test("a key is required only if a handler of POST or PATCH runs", async () => {
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

Deno.test("a malformed key gets 400 even if a function hides the contract", async () => {
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

Deno.test("a handler gets the key without quotation marks", async () => {
  const shop = new Shop({}, ({ validated }) => Response.json(validated));
  const seen = await shop.seen({ key: '"a \\"b\\""' });
  assertEquals(seen, '200 {"headers":{"idempotency-key":"a \\"b\\""}}');
  assertEquals(await shop.seen({ key: null }), '200 {"headers":{}}');
});

Deno.test("a key belongs to one request and host", async () => {
  const shop = new Shop();
  assertEquals(await shop.status(), 201);
  const others: Sent[] = [
    { method: "PATCH" },
    { path: "/api/refunds" },
    { path: "/api/payments?a=1" },
    { path: "//api/payments" },
    { body: "{ }" },
    { headers: { cookie: "session=2" } },
    { origin: "http://bank.example" },
    { origin: "http://x.localhost" },
  ];
  for (const other of others) {
    assertEquals(await shop.status(other), 422, JSON.stringify(other));
  }
  // Behind a proxy, the scheme and the port may differ.
  for (const origin of ["https://localhost", "http://LOCALHOST:8000"]) {
    assertEquals(await shop.seen({ origin }), '201 {"run":1} again', origin);
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
  // Different identities and keys never combine to the same key.
  for (
    const [user, key] of [["bob"], ["a", "bc"], ["ab", "c"], ['a","b', "c"]]
  ) {
    const sent = { headers: { "x-user": user! }, ...(key && { key }) };
    assertEquals(await shop.status(sent), 201);
  }
  assertEquals(shop.runs, 5);
});

Deno.test("an identity that is not a string causes a 500", async () => {
  for (const identity of [null, undefined, 5, {}]) {
    const shop = new Shop({ identity: () => identity as unknown as string });
    const log = await logOf(async () => {
      assertEquals(await shop.status(), 500);
    });
    assertMatch(log, /identity\(\) must return a string, got/);
    assertEquals(shop.runs, 0);
  }
});

Deno.test("while the first request runs, the others get 409", async () => {
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

Deno.test("one of many simultaneous requests runs", async () => {
  const { handle, open } = gate();
  const shop = new Shop({}, (request, run) => {
    if (run > 1) open();
    return handle(request, run);
  });
  let ended = 0;
  const statuses = await Promise.all(Array.from({ length: 50 }, async () => {
    const status = await shop.status();
    // The handler waits for the others, however long the machine needs for them.
    if (++ended === 49) open();
    return status;
  }));
  assertEquals(statuses.filter((status) => status === 200).length, 1);
  assertEquals(statuses.filter((status) => status === 409).length, 49);
  assertEquals(shop.runs, 1);
});

Deno.test("requests without a key, and of other methods, always run", async () => {
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

Deno.test("a handler can read the body and the key", async () => {
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

Deno.test("as an option, idempotent() ignores requests without a route", async () => {
  let claims = 0;
  const store = memoryStore();
  const claim: ProtectionStore["claim"] = (...args) => {
    claims++;
    return store.claim(...args);
  };
  const app = new Framework({
    middleware: [idempotent({ store: { ...store, claim }, required: true })],
    manifest: { "payments/route.ts": { POST: () => Response.json({ id: 1 }) } },
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

Deno.test("a key belongs to one rewritten path of a URL (behaviour 1.7)", async () => {
  const POST = ({ pattern }: { pattern?: string }) => new Response(pattern);
  const app = new Framework({
    manifest: { "v1/route.ts": { POST }, "v2/route.ts": { POST } },
    middleware: [idempotent({ store: memoryStore() })],
    rewrite: ({ headers }) => `/api/${headers.get("version")}`,
  });
  const seen = [];
  for (const version of ["v1", "v1", "v2"]) {
    const headers = { version, "idempotency-key": "a" };
    const init = { method: "POST", headers };
    const response = await app.fetch(new Request("http://h/orders", init));
    seen.push(`${response.status} ${(await response.text()).slice(0, 7)}`);
  }
  assertEquals(seen, ["200 /api/v1", "200 /api/v1", '422 {"type"']);
});

Deno.test("a body above its limit gets 413, and the key stays free", async () => {
  const shop = new Shop({}, undefined, { bodyLimit: 10 });
  assertEquals(await shop.status({ body: "x".repeat(11) }), 413);
  assertEquals(await shop.seen({ body: "x" }), '201 {"run":1}');
});

Deno.test("in a folder that is protected twice, the outer middleware applies", async () => {
  const shop = new Shop();
  const sent = { path: "/api/nested" };
  assertEquals(await shop.seen(sent), '201 {"run":1}');
  assertEquals(await shop.seen(sent), '201 {"run":1} again');
});

Deno.test("a handler of another library reads the body after idempotent()", async () => {
  const app = new Framework({
    manifest: {
      "middleware.ts": { default: idempotent({ store: memoryStore() }) },
      "body/route.ts": {
        POST: (request: Request) => new Response(request.body),
      },
      "copy/route.ts": {
        POST: async (request: Request) =>
          new Response(await new Request(request.url, request).text()),
      },
    },
  });
  for (const path of ["body", "copy"]) {
    const response = await app.fetch(
      new Request(`http://localhost/api/${path}`, {
        method: "POST",
        body: ReadableStream.from([new TextEncoder().encode("sent")]),
        headers: { "idempotency-key": path },
      }),
    );
    assertEquals([response.status, await response.text()], [200, "sent"], path);
  }
});

Deno.test("a program can send the same request object again", async () => {
  const shop = new Shop({}, undefined);
  const request = requestOf({ body: null });
  for (let time = 0; time < 2; time++) {
    const response = await shop.app.fetch(request);
    assertEquals(await response.json(), { run: 1 });
  }
});

Deno.test("a function returns the store of each request", async () => {
  const stores = [memoryStore(), memoryStore()];
  const shop = new Shop({
    store: ({ headers }) => stores[Number(headers.get("store"))]!,
  });
  const seen = [];
  for (const store of ["0", "1", "0"]) {
    seen.push(await shop.seen({ headers: { store } }));
  }
  const [first, second] = ['201 {"run":1}', '201 {"run":2}'];
  assertEquals(seen, [first, second, `${first} again`]);
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
