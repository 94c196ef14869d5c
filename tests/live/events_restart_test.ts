import { assert, assertEquals } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { DenoProcess, freePort } from "../support/process.ts";
import { delay } from "../support/until.ts";
import { HandClient, readEvents } from "./events_support.ts";

const MAIN = `
  import { Framework } from "@bough/framework";
  const app = new Framework({ apiDir: "api" });
  await app.serve(JSON.parse(Deno.args[0]));
`;

/** Large events, so that a cut is likely to fall inside of one. */
const ROUTE = `
  import { events } from "@bough/framework/live";
  export const GET = (request) => events(request, async function* ({ lastEventId, signal }) {
    try {
      for (let id = Number(lastEventId ?? 0) + 1; ; id++) {
        yield { event: "order", id, data: { id, text: "x".repeat(id % 3000) } };
        if (id % 10 === 0) await new Promise((go) => setTimeout(go, 2));
      }
    } finally {
      console.log("finally:", signal.reason.message);
    }
  });`;

async function startServer(
  folder: TestFolder,
  options: Deno.ServeTcpOptions & { readonly shutdownDelay?: number },
): Promise<DenoProcess> {
  const process = new DenoProcess(
    folder.path,
    ["--allow-net", "--allow-read"],
    "main.ts",
    { args: [JSON.stringify({ hostname: "127.0.0.1", ...options })] },
  );
  await process.printed("Listening");
  return process;
}

/** Events that fill the buffers of the system soon; each is printed. */
const LARGE = `
  import { events } from "@bough/framework/live";
  export const GET = (request) => events(request, async function* () {
    for (let id = 1; ; id++) {
      console.log(id);
      yield { id, data: "x".repeat(100_000) };
    }
  });`;

function createFolder(): Promise<TestFolder> {
  return TestFolder.create({
    "main.ts": MAIN,
    "api/orders/route.js": ROUTE,
    "api/large/route.js": LARGE,
  });
}

Deno.test("a client that reads through 20 restarts of the server at random moments sees each event exactly once, in order (behaviour 11.4)", async () => {
  const RESTARTS = 20;
  await using folder = await createFolder();
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
        // The server is away; what does not fit is no such error.
        if (!(error instanceof TypeError)) throw error;
        await delay(10);
      }
    }
  })();
  for (let start = 0; start <= RESTARTS; start++) {
    await using process = await startServer(folder, { port });
    const before = ids.length;
    while (ids.length === before) await delay(1);
    await delay(Math.random() * 100);
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

Deno.test("SIGTERM ends streams when listening stops, and not before (behaviour 11.4)", async () => {
  await using folder = await createFolder();
  const port = freePort();
  await using process = await startServer(folder, { port, shutdownDelay: 400 });
  using client = await HandClient.get(port, "/api/orders");
  await client.read();
  const start = performance.now();
  process.kill("SIGTERM");
  let end = "";
  for (;;) {
    const text = await client.read();
    if (text === undefined) break;
    end = (end + text).slice(-100);
  }
  const time = performance.now() - start;
  assert(time >= 390, `it ended ${time} ms after the signal`);
  // The whole last event, and the end of a chunked body.
  assert(/\nid: \d+\n\n\r\n0\r\n\r\n$/.test(end), JSON.stringify(end));
  const { code, output } = await process.outcome();
  assertEquals(code, 0);
  assert(output.includes("finally: The server stopped listening"), output);
  assert(!output.includes("cut off"), output);
  assert(performance.now() - start < 1_500);
});

Deno.test("a reader that stalls is cut off after shutdownTimeout (behaviour 11.4)", async () => {
  await using folder = await createFolder();
  const port = freePort();
  await using process = await startServer(
    folder,
    { port, shutdownTimeout: 500 } as Deno.ServeTcpOptions,
  );
  using client = await HandClient.get(port, "/api/large");
  await client.read();
  for (let before = ""; before !== process.output;) {
    before = process.output;
    await delay(200);
  }
  process.kill("SIGTERM");
  const { code, output } = await process.outcome();
  assertEquals(code, 1);
  assert(output.includes("the server cut off"), output);
});
