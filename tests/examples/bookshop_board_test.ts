/** The order board of the bookshop over HTTP, read with the code of its page. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { ADMIN_TOKEN } from "../../examples/bookshop/admin_token.ts";
import {
  readEvents,
  RefusedError,
} from "../../examples/bookshop/board/read_events.js";
import { app } from "../../examples/bookshop/main.ts";
import { TestFolder } from "../support/application.ts";
import { FakeTimers } from "../support/fake_timers.ts";
import { DenoProcess, freePort } from "../support/process.ts";

const SHOP = fromFileUrl(new URL("../../examples/bookshop/", import.meta.url));
const AUTHORIZATION = { authorization: `Bearer ${ADMIN_TOKEN}` };

/** An event that the page reads. */
type PageEvent = { event: string; data: string; id?: string };

/** Reads from a server until a test has seen enough. */
class Reader implements AsyncDisposable {
  readonly connections: boolean[] = [];
  readonly #leaving = new AbortController();
  readonly #events: AsyncGenerator<PageEvent>;

  constructor(url: string, headers: HeadersInit = {}) {
    this.#events = readEvents(url, {
      headers,
      signal: this.#leaving.signal,
      onConnection: (isOpen: boolean) => this.connections.push(isOpen),
    });
  }

  async next(): Promise<PageEvent> {
    return (await this.#events.next()).value;
  }

  /** Reads the next event, without a pause before the page reconnects. */
  async nextOnline(): Promise<PageEvent> {
    const online = () => dispatchEvent(new Event("online"));
    const timer = setInterval(online, 5);
    try {
      return await this.next();
    } finally {
      clearInterval(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort();
    await this.#events.return(undefined as never);
  }
}

/** A server whose responses a test writes. */
function serve(respond: (request: Request) => Response | Promise<Response>) {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    respond,
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** A body of single bytes, which stays open by default. */
function bytes(text: string, { ends = false } = {}): ReadableStream {
  const all = [...new TextEncoder().encode(text)];
  return new ReadableStream({
    pull(controller) {
      const byte = all.shift();
      if (byte !== undefined) controller.enqueue(Uint8Array.of(byte));
      else if (ends) controller.close();
      else return new Promise(() => {});
    },
  });
}

Deno.test("the page parses events with any line ending, even if each byte comes alone", async () => {
  const text = "\uFEFF: a comment\n\nevent: order\nid:1\ndata: {\n" +
    "data:  é: 1 }\n\ndata\n\nid: 2\n\nnothing: known\ndata: last\n\n" +
    "data: incomplete\n";
  for (const end of ["\n", "\r\n", "\r"]) {
    const stream = text.replaceAll("\n", end);
    await using server = serve(() => new Response(bytes(stream)));
    await using reader = new Reader(server.url);
    assertEquals(
      [await reader.next(), await reader.next(), await reader.next()],
      [
        { event: "order", id: "1", data: "{\n é: 1 }" },
        { event: "message", data: "" },
        { event: "message", data: "last" },
      ],
    );
  }
});

Deno.test("the page reconnects after ends, 503 and 429, with the last id and the server's wait", async () => {
  const ids: (string | null)[] = [];
  const statuses = [200, 503, 429, 204];
  await using server = serve(({ headers }) => {
    ids.push(headers.get("last-event-id"));
    const { length } = ids;
    const status = statuses[length - 1] ?? 200;
    if (status !== 200) return new Response(null, { status });
    const text =
      `retry: 10\n\ndata: ${length}\nid: ${length}\n\ndata: cut\nid: 9\n`;
    return new Response(bytes(text, { ends: true }));
  });
  await using reader = new Reader(server.url);
  assertEquals((await reader.next()).data, "1");
  assertEquals((await reader.next()).data, "5");
  assertEquals((await reader.next()).data, "6");
  assertEquals(ids, [null, "1", "1", "1", "1", "5"]);
  assertEquals(reader.connections, [
    ...[true, false, false, false, false],
    ...[true, false, true],
  ]);
});

Deno.test("the page does not reconnect after 401", async () => {
  await using server = serve(() => new Response(null, { status: 401 }));
  await using reader = new Reader(server.url);
  const error = await assertRejects(() => reader.next(), RefusedError);
  assertEquals(error.status, 401);
  const unsendable = new Reader(server.url, { authorization: "Bearer \u2026" });
  await assertRejects(() => unsendable.next(), TypeError);
});

Deno.test("the page closes a connection that is silent for too long", async () => {
  using timers = new FakeTimers();
  let isSilent = true;
  await using server = serve(() =>
    new Response(bytes(isSilent ? "retry: 1\n\ndata: 1\n\n" : "data: 2\n\n"))
  );
  await using reader = new Reader(server.url);
  assertEquals((await reader.next()).data, "1");
  isSilent = false;
  const next = reader.next();
  await timers.pass(44_999);
  assertEquals(reader.connections, [true]);
  timers.tick(1);
  while (reader.connections.length === 1) await timers.turn();
  timers.tick(1);
  assertEquals((await next).data, "2");
  assertEquals(reader.connections, [true, false, true]);
});

Deno.test("the page closes a connection that gets no response", async () => {
  using timers = new FakeTimers();
  let count = 0;
  const response = Promise.withResolvers<Response>();
  await using server = serve(() =>
    ++count === 1 ? response.promise : new Response(bytes("data: 2\n\n"))
  );
  await using reader = new Reader(server.url);
  const next = reader.next();
  while (count === 0) await timers.turn();
  await timers.pass(44_999);
  assertEquals(reader.connections, []);
  timers.tick(1);
  while (reader.connections.length === 0) await timers.turn();
  timers.tick(3_000);
  assertEquals((await next).data, "2");
  assertEquals(reader.connections, [false, true]);
  response.resolve(new Response());
});

Deno.test("the page and files of the board have a strict content policy", async () => {
  const files = {
    board: "text/html",
    "board/board.css": "text/css",
    "board/board.js": "text/javascript",
    "board/read_events.js": "text/javascript",
  };
  for (const [path, type] of Object.entries(files)) {
    const { status, headers, body } = await app.fetch(
      new Request(`http://localhost/${path}`),
    );
    await body?.cancel();
    assertEquals(
      [path, status, headers.get("content-type")],
      [path, 200, `${type}; charset=utf-8`],
    );
    const policy = headers.get("content-security-policy")!;
    assert(policy.startsWith("default-src 'none'"), policy);
    assert(!policy.includes("unsafe"), policy);
  }
});

Deno.test("a board sees every order once, even if the shop restarts", async () => {
  await using folder = await TestFolder.create({});
  const port = freePort();
  const origin = `http://127.0.0.1:${port}`;
  const start = async () => {
    const process = new DenoProcess(SHOP, ["-A"], "main.ts", {
      args: [join(folder.path, "shop.db")],
      env: { PORT: String(port), HOST: "127.0.0.1" },
    });
    await process.printed("Listening");
    return process;
  };
  const placeOrder = async () => {
    const response = await fetch(`${origin}/api/orders`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        email: "ada@example.com",
        items: [{ bookId: 3, count: 1 }],
      }),
    });
    return (await response.json()).id;
  };
  let shop = await start();
  await using reader = new Reader(`${origin}/api/orders/events`, AUTHORIZATION);
  assertEquals((await reader.next()).event, "cleared");
  const placed: number[] = [];
  const seen: number[] = [];
  // The reader may get the last orders only after the restart.
  for (let count = 0; count < 3; count++) placed.push(await placeOrder());
  seen.push(JSON.parse((await reader.nextOnline()).data).id);
  shop.kill("SIGTERM");
  assertEquals((await shop.outcome()).code, 0);
  shop = await start();
  placed.push(await placeOrder());
  await using _ = shop;
  while (seen.length < placed.length) {
    const { event, data } = await reader.nextOnline();
    assertEquals(event, "order");
    seen.push(JSON.parse(data).id);
  }
  assertEquals(seen, placed);
});
