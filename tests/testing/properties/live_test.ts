/** Streams and sockets keep their contract while other requests are sent. */
import { HttpError } from "@bough/framework";
import { checkContracts, failureText } from "@bough/framework/testing";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import {
  TestApplication,
  TestFolder,
  TestServer,
} from "../../support/application.ts";
import { DenoProcess } from "../../support/process.ts";
import {
  checkOrders,
  FAULTS,
  findFault,
  Orders,
  ordersWith,
  PROPERTIES,
  UNUSUAL,
} from "../live_orders.ts";
import { looseEvents } from "../support.ts";

/** The faults of sockets that are found soon; `live_slow.ts` finds the others. */
const QUICK = [
  "the wrong shape for one kind of message",
  "the wrong shape to the others",
  "a socket that fails when it opens",
  "a socket that fails when it closes",
  "an error of a handler that is not awaited",
];

for (const [name, [live]] of Object.entries(FAULTS)) {
  if (live === "chat" && !QUICK.includes(name)) continue;
  Deno.test(`found: ${name}`, () => findFault(name, { seed: 1 }));
}

Deno.test("nothing is found in healthy streams and sockets", async () => {
  const { failures, results } = await checkOrders({}, { seed: 1 });
  assertEquals(failures.map(({ seen }) => seen), []);
  assertEquals(
    results.filter(({ property }) => property === "live")
      .map(({ operation, runs, note }) => [operation, runs, note]),
    [
      ["GET /api/orders/chat", 6, undefined],
      ["GET /api/orders/events", 6, undefined],
    ],
  );
});

for (const [name, [live, parts]] of Object.entries(UNUSUAL)) {
  Deno.test(`nothing is found: ${name}`, async () => {
    const { failures } = await checkOrders(parts, {
      seed: 1,
      live: [live],
      properties: PROPERTIES,
    });
    assertEquals(failures.map(({ seen }) => seen), []);
  });
}

Deno.test("a report names a socket whose messages were not tested", async () => {
  const found = await checkOrders({
    socket: (request, _orders, open) =>
      request.headers.has("sec-websocket-key")
        ? Response.json({}, { status: 403 })
        : open(),
  }, { seed: 1, runs: 10, strict: true });
  assertEquals(found.failures, []);
  assertEquals(found.untested, [{
    operation: "GET /api/orders/chat",
    reason: "no handler received a message over its socket",
  }]);
});

Deno.test("a stream or a socket of one resource sees the changes of this resource", async () => {
  const Changed = z.object({
    id: z.int(),
    item: z.string(),
    status: z.enum(["new", "paid"]),
  });
  const { failures, passed } = await checkOrders({}, {
    seed: 1,
    live: ["events"],
    properties: PROPERTIES,
    more: (orders) => ({
      "orders/[id]/events/route.ts": {
        schema: {
          get: {
            params: z.object({ id: z.coerce.number().int() }),
            events: { changed: Changed },
          },
        },
        GET: (request) => {
          const own = request.validated.params.id;
          if (!orders.all.has(own)) throw new HttpError(404);
          return looseEvents(request, async function* ({ signal }) {
            for await (const { event, data } of orders.follow(0, signal)) {
              if (event === "changed" && data.id === own) yield { event, data };
            }
          });
        },
      },
    }),
  });
  assertEquals(failures.map(({ operation }) => operation), [
    "GET /api/orders/[id]/events",
  ]);
  assertMatch(failures[0]!.seen, /an event "changed" .*"#\/status"/);
  assertEquals(passed, [false]);
});

Deno.test("a running server is tested with its own sockets", async () => {
  const total = (a: number, b: number) => ({ total: a + b });
  const files = ordersWith(new Orders(), { add: total }, ["chat"]);
  const { app } = TestApplication.of(files);
  await using server = await TestServer.start(app);
  const { failures } = await checkContracts(app, {
    url: server.url(""),
    unsafe: true,
    seed: 1,
    properties: PROPERTIES,
  });
  assertEquals(failures.map(({ operation }) => operation), [
    "GET /api/orders/chat",
  ]);
  const [command] = failures[0]!.curl;
  assertMatch(command!, /^printf .* \| websocat -n 'ws:\/\/127/);
  assertStringIncludes(failureText(failures[0]!), command!);
});

Deno.test("a note says that sockets require the permission for a server", async () => {
  const orders = new URL("../live_orders.ts", import.meta.url).href;
  await using folder = await TestFolder.create({
    "main.ts": `import { Framework } from "@bough/framework";
      import { checkContracts } from "@bough/framework/testing";
      import { Orders, ordersWith } from ${JSON.stringify(orders)};
      const app = new Framework({ manifest: ordersWith(new Orders()) });
      const { results } = await checkContracts(app, { runs: 5, properties: ["live"] });
      for (const { runs, operation, note } of results) {
        console.log(runs + " of " + operation + ": " + note);
      }`,
  });
  await using run = new DenoProcess(folder.path, ["--allow-read"]);
  const { output } = await run.outcome();
  for (
    const line of [
      "0 of GET /api/orders/chat: not tested: a socket requires --allow-net=127.0.0.1",
      "5 of GET /api/orders/events: undefined",
    ]
  ) assertStringIncludes(output, line);
});
