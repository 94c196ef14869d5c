import { assertEquals } from "@std/assert";
import { app } from "./main.ts";
import { bank, payments } from "./payments.ts";

interface Options {
  readonly key?: string;
  readonly client?: string;
  readonly body?: string;
  readonly path?: string;
}

type Pay = (options?: Options) => Promise<{
  status: number;
  body: string;
  replayed: boolean;
}>;

/** Serves the recipe on a free port. */
async function withServer(test: (pay: Pay) => Promise<void>): Promise<void> {
  payments.length = 0;
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using server = await app.serve(options);
  await test(async (options = {}) => {
    const { key = crypto.randomUUID(), client = "ada" } = options;
    const { path = "/api/payments" } = options;
    const url = `http://127.0.0.1:${server.addr.port}${path}`;
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "authorization": `Bearer ${client}`,
        "idempotency-key": key,
      },
      body: options.body ?? '{"cents":1200}',
    });
    return {
      status: response.status,
      body: await response.text(),
      replayed: response.headers.get("idempotency-replayed") === "true",
    };
  });
}

Deno.test("a repeated request runs once, and gets the first response", async () => {
  await withServer(async (pay) => {
    const key = crypto.randomUUID();
    const first = await pay({ key });
    assertEquals([first.status, first.replayed], [201, false]);
    const again = await pay({ key });
    assertEquals(again, { ...first, replayed: true });
    assertEquals(payments.length, 1);
    await pay();
    assertEquals(payments.length, 2);
  });
});

Deno.test("while a request runs, its repetitions get 409", async () => {
  await withServer(async (pay) => {
    const key = crypto.randomUUID();
    const gate = Promise.withResolvers<void>();
    let [transfers, waiting] = [0, 3];
    bank.transfer = () => ++transfers === 1 ? gate.promise : Promise.resolve();
    const all = await Promise.all([1, 2, 3].map(async () => {
      const { status } = await pay({ key });
      if (--waiting === 1) gate.resolve();
      return status;
    }));
    assertEquals(all.sort(), [201, 409, 409]);
    assertEquals(payments.length, 1);
  });
});

Deno.test("a key belongs to the exact bytes of one request", async () => {
  await withServer(async (pay) => {
    const key = crypto.randomUUID();
    await pay({ key });
    for (const body of ['{"cents":1300}', '{ "cents":1200}']) {
      assertEquals((await pay({ key, body })).status, 422);
    }
    assertEquals((await pay({ key, path: "//api/payments" })).status, 422);
    assertEquals((await pay({ key: `"${key}"` })).replayed, true);
    assertEquals(payments.length, 1);
  });
});

Deno.test("each client has its own keys", async () => {
  await withServer(async (pay) => {
    const key = crypto.randomUUID();
    const first = await pay({ key });
    const other = await pay({ key, client: "bob" });
    assertEquals([other.status, other.replayed], [201, false]);
    assertEquals(JSON.parse(first.body).id, 1);
    assertEquals(JSON.parse(other.body).id, 2);
  });
});

Deno.test("a payment without a valid key gets 400", async () => {
  await withServer(async (pay) => {
    for (const key of ["", "x".repeat(256), '"half', "é"]) {
      assertEquals((await pay({ key })).status, 400, key);
    }
    assertEquals(payments.length, 0);
  });
});

Deno.test("a rejected request can be repeated with the same key", async () => {
  await withServer(async (pay) => {
    const key = crypto.randomUUID();
    assertEquals((await pay({ key, body: '{"cents":-1}' })).status, 400);
    assertEquals((await pay({ key, body: '{"cents":9000000}' })).status, 402);
    assertEquals((await pay({ key })).status, 201);
    assertEquals(payments.length, 1);
  });
});
