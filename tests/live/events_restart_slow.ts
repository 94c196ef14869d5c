// Slow: it starts 21 processes, one after another.
import { assert, assertEquals } from "@std/assert";
import { freePort } from "../support/process.ts";
import { delay, until } from "../support/until.ts";
import { readEvents, startServer } from "./events_support.ts";

const RESTARTS = 20;

Deno.test(`a client gets each event exactly once, in order, if its server restarts ${RESTARTS} times (behaviour 11.4)`, async () => {
  const port = freePort();
  const ids: number[] = [];
  let connections = 0;
  let isOver = false;

  async function read(): Promise<void> {
    const last = ids.at(-1);
    const { body } = await fetch(`http://127.0.0.1:${port}/api/orders`, {
      headers: last === undefined ? {} : { "last-event-id": String(last) },
    });
    connections++;
    for await (const { id, data } of readEvents(body!)) {
      const order = data as { readonly id: number; readonly text: string };
      assertEquals(id, String(order.id));
      assertEquals(order.text.length, order.id % 3000);
      ids.push(order.id);
      if (isOver) break;
    }
  }

  const reading = (async () => {
    while (!isOver) {
      try {
        await read();
      } catch (error) {
        // A `TypeError` says that the server is away.
        if (!(error instanceof TypeError)) throw error;
        await delay(10);
      }
    }
  })();
  for (let start = 0; start <= RESTARTS; start++) {
    await using process = await startServer({ port });
    const before = ids.length;
    await until(() => ids.length > before);
    await delay(Math.random() * 50);
    isOver = start === RESTARTS;
    if (isOver) await reading;
    // In turns as a deployment does, and as a crash does.
    process.kill(start % 2 === 0 ? "SIGTERM" : "SIGKILL");
    const { output } = await process.outcome();
    if (start % 2 === 0) assert(output.includes("finally: "), output);
  }
  assert(connections > RESTARTS, `${connections} connections`);
  assertEquals(ids, ids.map((_, index) => index + 1));
});
