import { assertEquals, assertMatch } from "@std/assert";
import { HttpError } from "@bough/framework";
import { memoryStore, type ProtectionStore } from "@bough/framework/protect";
import { logOf, Shop } from "./support.ts";

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

Deno.test("a response without a body, and a response of bytes, are repeated unchanged", async () => {
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

/** Responses by their first status, and whether they are kept. */
const RESPONSES: readonly (readonly [
  status: number,
  respond: () => Response,
  isKept: boolean,
])[] = [
  [500, () => {
    throw new Error("failed");
  }, false],
  [402, () => {
    throw new HttpError(402, "The card is not covered");
  }, false],
  [410, () => {
    throw new Response(null, { status: 410 });
  }, false],
  [502, () => new Response(null, { status: 502 }), false],
  [429, () => new Response(null, { status: 429, headers: LATER }), false],
  [202, () => new Response("", { status: 202, headers: LATER }), true],
  [402, () => new Response("", { status: 402 }), true],
];

const LATER = { "retry-after": "1" };

Deno.test("after an error the key is free again, unless the handler returned the error", async () => {
  for (const [status, respond, isKept] of RESPONSES) {
    const shop = new Shop(
      {},
      (_, run) => run === 1 ? respond() : Response.json({ run }),
    );
    const name = `${status} ${respond}`;
    await logOf(async () => {
      assertEquals(await shop.status(), status, name);
    });
    if (isKept) assertEquals(await shop.seen(), `${status}  again`, name);
    else assertEquals(await shop.seen({ body: "[]" }), '200 {"run":2}', name);
  }
});

const LARGE = "x".repeat(1000);
const HEAD =
  '{"status":200,"headers":[["content-type","text/plain;charset=UTF-8"]]}\n';
const sized = (extra: number) => () =>
  new Response("x".repeat(500 - HEAD.length + extra));

Deno.test("a request runs only once even if its response cannot be kept", async () => {
  const full = memoryStore({ maxBytes: 500 });
  for (
    const [name, respond, isKept, options] of [
      ["all bytes", sized(0), true],
      ["a byte too many", sized(1), false],
      ["large", () => new Response(LARGE), false],
      ["stream", () => new Response(new Blob([LARGE]).stream()), false],
      [
        "headers",
        () => new Response(null, { headers: { "x-large": LARGE } }),
        false,
      ],
      // A stream is sent at once.
      ["endless", () => new Response(new ReadableStream()), false],
      ["full store", sized(200), false, { store: full, maxBytes: 1000 }],
    ] as const
  ) {
    const shop = new Shop({ maxBytes: 500, ...options }, respond);
    const log = await logOf(async () => {
      const first = await shop.send();
      assertEquals(first.status, 200, name);
      if (name === "endless") await first.body!.cancel();
      else assertEquals(await first.text(), await respond().text(), name);
    });
    assertEquals(log.includes("the store in memory is full"), !!options, log);
    const again = await shop.send();
    assertEquals(
      [again.status, again.headers.has("retry-after")],
      [isKept ? 200 : 409, false],
      name,
    );
    const text = await again.text();
    const isTooLarge = text.includes(
      "had status 200; its response was too large to keep",
    );
    assertEquals([isTooLarge, shop.runs], [!isKept, 1], name);
  }
});

Deno.test("a corrupt stored response causes a 500, and the handler does not run", async () => {
  const values = ["", "{}", "\n", "null\n", "{}\n", "x\ny"];
  values.push('{"status":700,"headers":[]}\n', '{"status":101,"headers":[]}\n');
  values.push('{"status":200,"headers":[["x","a\\r\\nb: c"]]}\n');
  for (const text of values) {
    const value = new TextEncoder().encode(text);
    const claim: ProtectionStore["claim"] = (_, { fingerprint }) => ({
      ...{ state: "finished", fingerprint, value },
    });
    const shop = new Shop({ store: { ...memoryStore(), claim } });
    const log = await logOf(async () => {
      assertEquals(await shop.status(), 500, text);
    });
    assertMatch(log, /Cannot repeat a response: the stored value is corrupt/);
    assertEquals(shop.runs, 0);
  }
});
