/** Streams and sockets keep their contract while other requests are sent. */
import { Framework } from "@bough/framework";
import { checkContracts } from "@bough/framework/testing";
import { assertEquals, assertMatch } from "@std/assert";
import { TestFolder, TestServer } from "../../support/application.ts";
import {
  type Change,
  changed,
  checkFiles,
  FAULTS,
  FILES,
  findFault,
  PROPERTIES,
  SOCKET,
  STREAM,
} from "../live_faults.ts";

/** For each fault: `BOUGH_SEEDS=3` tries three seeds. */
const SEEDS = Number(Deno.env.get("BOUGH_SEEDS") ?? 1);

for (const name of Object.keys(FAULTS)) {
  Deno.test(`found: ${name}`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) await findFault(name, seed);
  });
}

Deno.test("nothing is found in healthy streams and sockets", async () => {
  for (const seed of [1, 2]) {
    const { failures, results } = await checkFiles(FILES, { seed });
    assertEquals(failures.map(({ seen }) => seen), []);
    assertEquals(
      results.filter(({ property }) => property === "live")
        .map(({ operation, runs, note }) => [operation, runs, note]),
      [
        ["GET /api/orders/chat", 6, undefined],
        ["GET /api/orders/events", 6, undefined],
      ],
    );
  }
});

/** Behaviour that is unusual, and no fault. */
const UNUSUAL: Readonly<Record<string, Change>> = {
  "a message that ends the socket": [
    SOCKET,
    "message(message, own) {",
    'message(message, own) {\n    if (message.kind === "text") return own.close(4000, "bye");',
  ],
  "a socket that closes at once": [
    SOCKET,
    "open: (own) => void members.add(own),",
    "open: (own) => own.close(4003),",
  ],
  "one client at a time": [
    SOCKET,
    "open: (own) => void members.add(own),",
    "open(own) {\n    for (const member of members) member.close(4001);\n    members.add(own);\n  },",
  ],
  "a session that a change ends": [
    SOCKET,
    "export const GET = (request) => socket(request, {",
    `import { endOn } from "@bough/framework/live";
export const GET = (request) => {
  const ending = new AbortController();
  endOn(request, ending.signal, { closeReason: "Signed out" });
  members.add({ send() { ending.abort(); } });
  return socket(request, {`,
  ],
  "a handler that takes its time": [
    SOCKET,
    "message(message, own) {",
    "async message(message, own) {\n    await new Promise((resolve) => setTimeout(resolve, 30));",
  ],
  "a stream that ends": [
    STREAM,
    "yield { id, event, data };",
    "yield { id, event, data };\n    return;",
  ],
  "a stream whose ids mark the ends of pairs": [
    STREAM,
    "yield { id, event, data };",
    "yield id % 2 === 0 ? { id, event, data } : { event, data };",
  ],
  "a stream that never pauses": [
    STREAM,
    "yield { id, event, data };",
    "for (;;) yield { event, data };",
  ],
};

for (const [name, change] of Object.entries(UNUSUAL)) {
  Deno.test(`nothing is found: ${name}`, async () => {
    const files = changed(change);
    if (name.startsWith("a session")) {
      files[SOCKET] = files[SOCKET]!.replace(/\}\);\s*$/, "});\n};");
      files["orders/route.ts"] = files["orders/route.ts"]!.replace(
        'change("created", order);',
        'change("created", order);\n  for (const member of members) member.send({ order: 1 });',
      );
    }
    for (const seed of [1, 2]) {
      const { failures } = await checkFiles(files, {
        seed,
        properties: PROPERTIES,
      });
      assertEquals(failures.map(({ seen }) => seen), []);
    }
  });
}

Deno.test("a socket whose messages were not tested is named", async () => {
  const refused = FILES[SOCKET]!.replace(
    "socket(request, {",
    "request.headers.has('sec-websocket-key') ? Response.json({}, { status: 403 }) : socket(request, {",
  );
  const strict = { seed: 1, runs: 10, strict: true };
  const found = await checkFiles({ ...FILES, [SOCKET]: refused }, strict);
  assertEquals(found.failures, []);
  assertEquals(found.untested, [{
    operation: "GET /api/orders/chat",
    reason: "no message was sent over its socket",
  }]);
});

Deno.test("a stream or a socket of one resource sees the changes of this resource", async () => {
  const stream = `import { z } from "zod";
    import { HttpError } from "@bough/framework";
    import { events } from "@bough/framework/live";
    import { follow, orders } from "../../store.js";
    export const schema = { get: {
      params: z.object({ id: z.coerce.number().int() }),
      events: { changed: z.object({ id: z.int(), item: z.string(), status: z.enum(["new", "paid"]) }) },
    } };
    export const GET = (request) => {
      const own = request.validated.params.id;
      if (!orders.has(own)) throw new HttpError(404);
      return events(request, async function* ({ signal }) {
        for await (const { event, data } of follow(0, signal)) {
          if (event === "changed" && data.id === own) yield { event, data };
        }
      });
    };`;
  const { failures, passed } = await checkFiles({
    ...FILES,
    "orders/[id]/events/route.ts": stream,
  }, { seed: 1, properties: PROPERTIES });
  assertEquals(failures.map(({ operation }) => operation), [
    "GET /api/orders/[id]/events",
  ]);
  assertMatch(failures[0]!.seen, /an event "changed" .*"#\/status"/);
  assertEquals(passed, [false]);
});

Deno.test("a running server is tested with its own sockets", async () => {
  await using folder = await TestFolder.create({
    ...changed([SOCKET, "sum: message.a", "total: message.a"]),
  });
  const app = new Framework({ apiDir: folder.path });
  await using server = await TestServer.start(app);
  const { failures } = await checkContracts(app, {
    url: server.url(""),
    seed: 1,
    properties: PROPERTIES,
  });
  assertEquals(failures.map(({ operation }) => operation), [
    "GET /api/orders/chat",
  ]);
  assertMatch(failures[0]!.curl[0]!, /^printf .* \| websocat -n 'ws:\/\/127/);
});

Deno.test("without permission for a server, sockets are not tested, and a note says so", async () => {
  await using folder = await TestFolder.create(FILES);
  const script = `
    import { Framework } from "@bough/framework";
    import { checkContracts } from "@bough/framework/testing";
    const app = new Framework({ apiDir: ${JSON.stringify(folder.path)} });
    const { results } = await checkContracts(app, { runs: 5, properties: ["live"] });
    console.log(JSON.stringify(results.map(({ operation, runs, note }) => [operation, runs, note ?? ""])));`;
  const output = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-read", "--ext=ts", "-"],
    stdin: "piped",
    stdout: "piped",
  });
  const child = output.spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(script));
  await writer.close();
  const { stdout } = await child.output();
  assertEquals(JSON.parse(new TextDecoder().decode(stdout)), [
    [
      "GET /api/orders/chat",
      0,
      "not tested: a socket requires --allow-net=127.0.0.1",
    ],
    ["GET /api/orders/events", 5, ""],
  ]);
});
