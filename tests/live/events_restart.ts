import { assert, assertEquals } from "@std/assert";
import { dirname, fromFileUrl } from "@std/path";
import { ServingProcess } from "../core/server/support.ts";
import { freePort } from "../support/process.ts";
import { delay, until } from "../support/until.ts";
import { readEvents } from "./events_support.ts";

/** Starts the program with streams. */
export function startServer(
  options: Deno.ServeTcpOptions & {
    readonly shutdownDelay?: number;
    readonly shutdownTimeout?: number;
  },
): Promise<ServingProcess> {
  return new ServingProcess(
    dirname(fromFileUrl(import.meta.url)),
    ["--allow-net"],
    "restart_program.ts",
    { args: [JSON.stringify({ hostname: "127.0.0.1", port: 0, ...options })] },
  ).listen();
}

/**
 * Checks that a client that reads while its server restarts at random moments gets each
 * event exactly once, in order.
 */
export async function readThroughRestarts(restarts: number): Promise<void> {
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
  for (let start = 0; start <= restarts; start++) {
    await using process = await startServer({ port });
    const before = ids.length;
    await until(() => ids.length > before);
    await delay(Math.random() * 50);
    isOver = start === restarts;
    if (isOver) await reading;
    // In turns as a deployment does, and as a crash does.
    process.kill(start % 2 === 0 ? "SIGTERM" : "SIGKILL");
    const { output } = await process.outcome();
    if (start % 2 === 0) assert(output.includes("finally: "), output);
  }
  assert(connections > restarts, `${connections} connections`);
  assertEquals(ids, ids.map((_, index) => index + 1));
}
