/** Alone: it sets the secret of the application, and so does `contract_test.ts`. */
import { assertEquals, assertRejects } from "@std/assert";
import { HttpError } from "@bough/framework";
import { createHmac, randomBytes } from "node:crypto";
import { app } from "./main.ts";
import { payments } from "./payments.ts";
import { setSecret, verifySignature } from "./signature.ts";

const SECRET = randomBytes(32);
await setSecret(`whsec_${SECRET.toString("base64")}`);

const PAID =
  '{ "type": "payment.succeeded", "data": {"order":"7", "cents": 1200} }';

interface Message {
  readonly id?: string;
  /** In seconds. */
  readonly age?: number;
  readonly body?: string;
  /** The received body, if it differs from the signed body. */
  readonly arrives?: string;
  readonly secret?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a message of Standard Webhooks. */
async function send(
  { addr }: Deno.HttpServer<Deno.NetAddr>,
  message: Message = {},
): Promise<number> {
  const { id = crypto.randomUUID(), age = 0, body = PAID, secret = SECRET } =
    message;
  const time = String(Math.floor(Date.now() / 1000) - age);
  const signature = createHmac("sha256", secret).update(`${id}.${time}.${body}`)
    .digest("base64");
  const url = `http://127.0.0.1:${addr.port}/api/webhooks/payments`;
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": time,
      "webhook-signature": `v1,${signature}`,
      ...message.headers,
    },
    body: message.arrives ?? body,
  });
  await response.body?.cancel();
  return response.status;
}

function serve(): Promise<Deno.HttpServer<Deno.NetAddr>> {
  payments.length = 0;
  return app.serve({ port: 0, hostname: "127.0.0.1", onListen() {} });
}

Deno.test("a signed message is booked", async () => {
  await using server = await serve();
  assertEquals(await send(server), 204);
  assertEquals(payments, [{ order: "7", cents: 1200 }]);
});

Deno.test("changed messages and wrong signatures get 400", async () => {
  await using server = await serve();
  const same = JSON.stringify(JSON.parse(PAID)); // the same value in other bytes
  assertEquals(await send(server, { arrives: same }), 400);
  assertEquals(await send(server, { secret: randomBytes(32) }), 400);
  for (
    const headers of [
      { "webhook-id": "another" },
      { "webhook-id": "" },
      { "webhook-timestamp": "1" },
      { "webhook-timestamp": "NaN" },
      { "webhook-timestamp": String(Math.floor(Date.now() / 1000) + 10) },
      { "webhook-signature": "" },
      { "webhook-signature": "v1," },
      { "webhook-signature": "v1,%%%" },
      { "webhook-signature": `v1,${"A".repeat(43)}=` },
      { "webhook-signature": "v1,AAAA ".repeat(1_000) },
    ]
  ) {
    assertEquals(await send(server, { headers }), 400, Deno.inspect(headers));
  }
  assertEquals(payments, []);
});

Deno.test("a request without a signature gets 400, which does not describe the schema", async () => {
  await using server = await serve();
  const { port } = server.addr;
  const response = await fetch(
    `http://127.0.0.1:${port}/api/webhooks/payments`,
    { method: "POST", body: "{}" },
  );
  assertEquals(response.status, 400);
  const { detail, errors } = await response.json();
  assertEquals(detail, "The signature is missing or malformed");
  assertEquals(errors, undefined);
});

Deno.test("a message more than five minutes late or early gets 400", async () => {
  await using server = await serve();
  assertEquals(await send(server, { age: 290 }), 204);
  assertEquals(await send(server, { age: -290 }), 204);
  assertEquals(await send(server, { age: 310 }), 400);
  assertEquals(await send(server, { age: -310 }), 400);
  assertEquals(payments.length, 2);
});

Deno.test("a repeated message is booked once", async () => {
  await using server = await serve();
  const id = crypto.randomUUID();
  const statuses = await Promise.all([1, 2, 3].map(() => send(server, { id })));
  for (const status of statuses) {
    assertEquals([204, 409].includes(status), true, String(status));
  }
  assertEquals(await send(server, { id, age: 60 }), 204);
  assertEquals(payments.length, 1);
});

Deno.test("a message that failed can be repeated", async () => {
  await using server = await serve();
  const id = crypto.randomUUID();
  assertEquals(await send(server, { id, body: '{"type":"other"}' }), 400);
  assertEquals(await send(server, { id }), 204);
  assertEquals(payments.length, 1);
});

Deno.test("one of several signatures must be valid", async () => {
  const body = new TextEncoder().encode(PAID);
  const signature = createHmac("sha256", SECRET).update(`1.1000.${PAID}`)
    .digest("base64");
  const headers = new Headers({
    "webhook-id": "1",
    "webhook-timestamp": "1000",
    "webhook-signature": `v1a,AAAA v1,${"B".repeat(43)}= v1,${signature}`,
  });
  assertEquals(await verifySignature(headers, body, 1_000_000), "1");
  for (
    const refused of [
      `v1a,${signature}`, // another version
      `${"v1,AAAA ".repeat(200)}v1,${signature}`, // too many
    ]
  ) {
    headers.set("webhook-signature", refused);
    await assertRejects(
      () => verifySignature(headers, body, 1_000_000),
      HttpError,
    );
  }
});

Deno.test("signatures of the reference library are valid", async () => {
  await setSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  const body = new TextEncoder().encode('{"test": 2432232314, "é": "ü"}');
  const headers = new Headers({ // of npm:standardwebhooks@1.0.0
    "webhook-id": "msg_1",
    "webhook-timestamp": "1700000000",
    "webhook-signature": "v1,biUdrw7CeJRQd4ZweNZO4N8FJZOjryGcgo+nu5AtR5w=",
  });
  const now = 1_700_000_000_000;
  assertEquals(await verifySignature(headers, body, now), "msg_1");
});
