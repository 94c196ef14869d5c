/** The syntax of `Idempotency-Key` (RFC 9651), and the host of a request. */
import { assertEquals } from "@std/assert";
import { Framework } from "@bough/framework";
import { idempotent, memoryStore } from "@bough/framework/protect";

/** An application whose handler counts its runs. */
class Counter {
  runs = 0;
  readonly app: Framework;

  constructor(required = false) {
    this.app = new Framework({
      manifest: {
        "middleware.ts": {
          default: idempotent({ store: memoryStore(), required }),
        },
        "payments/route.ts": {
          POST: () => Response.json({ run: ++this.runs }),
        },
      },
    });
  }

  /** Sends a payment, and returns the status and the number of its run. */
  async pay(
    key: string,
    origin = "http://shop.example",
  ): Promise<readonly [status: number, run: number | undefined]> {
    const request = new Request(`${origin}/api/payments`, {
      method: "POST",
      headers: { "idempotency-key": key },
    });
    const response = await this.app.fetch(request);
    return [response.status, (await response.json()).run];
  }
}

const PARAMETERS = [
  ";v=1",
  ";a",
  "; a",
  ";  a;b",
  ";*a=?1",
  ';a="b;c,\\"d\\\\"',
  ";a-b_c.d*9=-1.5",
  ";a=:aGk=:;b=tok/en:*",
  ";a=@1659578233",
  ';a=%"f%c3%bc"',
];

for (const required of [false, true]) {
  Deno.test(`unknown parameters of a key are ignored, ${required ? "required" : "optional"}`, async () => {
    const counter = new Counter(required);
    assertEquals(await counter.pay('"k"'), [200, 1]);
    for (const parameters of PARAMETERS) {
      assertEquals(await counter.pay(`"k"${parameters}`), [200, 1], parameters);
    }
    assertEquals(counter.runs, 1);
  });

  Deno.test(`a key with malformed parameters is rejected, ${required ? "required" : "optional"}`, async () => {
    const counter = new Counter(required);
    const malformed = [
      ";",
      ";=1",
      ";A=1",
      ";1",
      " ;a",
      ";a=",
      ";a=b,c",
      ',"l"',
    ];
    malformed.push('"', ';a="b', ";a b", ";a=b c", "x");
    for (const rest of malformed) {
      assertEquals((await counter.pay(`"k"${rest}`))[0], 400, rest);
    }
    assertEquals((await counter.pay("k;v=1"))[0], 400);
    assertEquals(counter.runs, 0);
  });
}

Deno.test("a key with many parameters is read in linear time", async () => {
  const counter = new Counter();
  for (const part of [";a", ';a="\\"\\"', ";a=%", ";  ", ";a=b;"]) {
    const [status] = await counter.pay(`"k"${part.repeat(20_000)} x`);
    assertEquals(status, 400, part);
  }
});

Deno.test("a key belongs to one host", async () => {
  const counter = new Counter();
  assertEquals(await counter.pay("k"), [200, 1]);
  for (const origin of ["http://bank.example", "http://x.shop.example"]) {
    assertEquals(await counter.pay("k", origin), [422, undefined], origin);
  }
  // Behind a proxy, the scheme and the port may differ.
  for (const origin of ["https://shop.example", "http://SHOP.example:8000"]) {
    assertEquals(await counter.pay("k", origin), [200, 1], origin);
  }
  assertEquals(counter.runs, 1);
});
