import { assert, assertEquals } from "@std/assert";
import { HttpError } from "@bough/framework";
import { events, socket } from "@bough/framework/live";
import { file } from "@bough/framework/uploads";
import type { RequestEntry } from "../../../src/dev/inspector/entry.ts";
import { repeated } from "../../../src/dev/inspector/send.ts";
import { CapturedLog } from "../../support/application.ts";
import {
  closePayload,
  frame,
  OPCODE,
  RawSocket,
} from "../../support/raw_socket.ts";
import { delay, until } from "../../support/until.ts";
import { RecordedServer } from "./recorded.ts";

const KIB = 1024;
const JSON_TYPE = "application/json";
const TYPED = { "content-type": JSON_TYPE };

const post = (body: BodyInit): RequestInit => (
  { method: "POST", body, headers: TYPED }
);

const streamOf = (...parts: string[]) =>
  ReadableStream.from(parts).pipeThrough(new TextEncoderStream());

const eventsOf = (...parts: string[]) =>
  new Response(streamOf(...parts), {
    headers: { "content-type": "text/event-stream" },
  });

const textsOf = ({ messages }: RequestEntry) =>
  messages.map(({ from, text }) => `${from} ${text}`);

Deno.test("an entry keeps JSON of at most 16 KiB, and counts all", async () => {
  await using server = await RecordedServer.of({
    POST: async (request) => Response.json((await request.json()).repeat(2)),
  });
  for (const size of [8 * KIB + 1, 16 * KIB, 16 * KIB + 1, 600 * KIB]) {
    const text = JSON.stringify("x".repeat(size - 2));
    const { request, response } = await server.entryOf("/api", post(text));
    const kept = size <= 16 * KIB && { text };
    assertEquals(request.body, { type: JSON_TYPE, size, ...kept });
    assertEquals(
      [response?.body?.size, response?.body?.text === undefined],
      [size * 2 - 2, size > 8 * KIB + 1],
    );
  }
});

Deno.test("an entry shows what a reader of Bough has read", async () => {
  const readers: Record<string, (request: Request) => Promise<unknown>> = {
    json: (request) => request.json(),
    text: (request) => request.text(),
    bytes: (request) => request.bytes(),
    later: async (request) => {
      await delay(5);
      return request.blob();
    },
    clone: (request) => request.clone().json(),
    stream: (request) => Array.fromAsync(request.body!),
    nothing: () => Promise.reject(new HttpError(401, "Sign in")),
  };
  await using server = await RecordedServer.start({
    "[name]/route.ts": {
      async POST(request) {
        await readers[request.params.name!]!(request);
        return new Response();
      },
    },
  });
  const text = '{"a":1}';
  for (const name in readers) {
    const { request } = await server.entryOf(`/api/${name}`, post(text));
    const isRead = !["clone", "stream", "nothing"].includes(name);
    const expected = { type: JSON_TYPE, size: 7, ...(isRead && { text }) };
    assertEquals(request.body, expected, name);
  }
  const streamed = await server.entryOf("/api/nothing", post(streamOf(text)));
  assertEquals(streamed.request.body, { type: JSON_TYPE });
});

Deno.test("an entry shows only the type of an upload and of a native stream", async () => {
  await using server = await RecordedServer.of({
    schema: { put: { body: file({ maxSize: "10MiB" }) } },
    async PUT({ validated }) {
      let size = 0;
      for await (const chunk of validated.body.stream) size += chunk.length;
      return Response.json(size);
    },
    GET: async () =>
      new Response((await Deno.open(new URL(import.meta.url))).readable),
  });
  const body = new Uint8Array(5 * KIB * KIB).fill(97);
  const put = await server.entryOf("/api", { method: "PUT", body });
  assertEquals(
    [put.response?.body?.text, put.request.body, put.validated],
    [`${body.length}`, { type: "", size: body.length }, {}],
  );
  const { state, response, ended } = await server.entryOf("/api");
  assertEquals([state, response?.body, ended], ["done", undefined, undefined]);
});

Deno.test("a stream shows its text if it has ended, and who ended it", async () => {
  using _log = new CapturedLog();
  const cancelled: string[] = [];
  let pulls = 0;
  const encode = (text: string) => new TextEncoder().encode(text);
  const streams: Record<string, () => ReadableStream> = {
    closed: () => streamOf('["one",', '"two"]'),
    failed: () =>
      new ReadableStream({
        pull(controller) {
          if (pulls++ === 0) return controller.enqueue(encode("one"));
          controller.error(new Error("The stream failed"));
        },
      }),
    endless: () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(encode("x".repeat(10 * KIB))),
        cancel: () => void cancelled.push("endless"),
      }),
    silent: () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(encode("[1]")),
        pull: () => new Promise(() => {}),
        cancel: () => void cancelled.push("silent"),
      }),
  };
  await using server = await RecordedServer.start({
    "[name]/route.ts": {
      GET: ({ params }) =>
        new Response(streams[params.name!]!(), { headers: TYPED }),
    },
  });
  const shown = (entry: RequestEntry) => [
    entry.ended?.by,
    entry.error?.text,
    entry.response!.body,
  ];
  const type = JSON_TYPE;
  assertEquals(shown(await server.entryOf("/api/closed")), [
    "server",
    undefined,
    { type, size: 13, text: '["one","two"]' },
  ]);
  await (await server.fetch("/api/failed")).text().catch(() => {});
  assertEquals(shown(await server.ended()), [
    "server",
    "Error: The stream failed",
    { type, size: 3 },
  ]);
  // An entry keeps 16 KiB.
  for (const [name, least] of [["endless", 17 * KIB], ["silent", 3]] as const) {
    const reader = (await server.fetch(`/api/${name}`)).body!.getReader();
    for (let size = 0; size < least;) {
      size += (await reader.read()).value!.length;
    }
    assertEquals(server.newest().state, "open");
    await reader.cancel();
    await until(() => cancelled.includes(name));
    const { error, ended, response } = await server.ended();
    assertEquals(
      [error, ended, response?.body?.text],
      [undefined, { by: "client" }, undefined],
      name,
    );
  }
});

Deno.test("events are messages while the stream is open", async () => {
  const go = Promise.withResolvers<void>();
  await using server = await RecordedServer.by({
    open: (request) =>
      events(request, async function* () {
        yield { data: { n: 1 } };
        yield { event: "tick", data: "two\nlines" };
        await go.promise;
        yield { data: 3 };
      }),
    many: () =>
      eventsOf(
        Array.from({ length: 250 }, (_, n) => `data: ${n}\n\n`).join(""),
      ),
    long: () =>
      eventsOf(
        `data: 1\n\ndata: "${"x".repeat(17 * KIB)}`,
        '"\n\ndata: 2\n\n',
      ),
  });
  const response = await server.fetch("/api/open");
  await until(() => server.newest().messages.length === 2);
  const open = server.newest();
  assertEquals([open.state, open.ended], ["open", undefined]);
  assertEquals(textsOf(open), [
    'server {"n":1}',
    'server event: tick\n"two\\nlines"',
  ]);
  go.resolve();
  await response.text();
  const { messageCount, ended, response: sent } = await server.ended();
  assertEquals(
    [messageCount, ended, sent?.body?.text],
    [3, { by: "server" }, undefined],
  );
  assert(sent!.body!.size! > 0);

  const many = await server.entryOf("/api/many");
  assertEquals([many.messages.length, many.messageCount], [200, 250]);
  assertEquals(textsOf(many)[0], "server 50");
  assertEquals(textsOf(many).at(-1), "server 249");
  // An event of over 16 KiB that arrives in parts is omitted.
  const long = await server.entryOf("/api/long");
  assertEquals(textsOf(long), ["server 1", "server 2"]);
});

Deno.test("a socket shows its messages, and who ended it", async () => {
  await using server = await RecordedServer.of({
    GET: (request) =>
      socket(request, {
        open: (socket) => socket.send("hello"),
        message(value, socket) {
          if (value === "bye") socket.close(4000, "Bye");
          else socket.send(JSON.stringify({ got: value }));
        },
      }),
  });
  const enough = frame(OPCODE.close, closePayload(4001, "Enough"));
  for (
    const [last, ended, count] of [
      [enough, { by: "client", code: 4001, reason: "Enough" }, 3],
      [
        frame(OPCODE.text, "bye"),
        { by: "server", code: 4000, reason: "Bye" },
        4,
      ],
    ] as const
  ) {
    using client = await RawSocket.open(server.port, "/api");
    await client.read();
    await client.write(frame(OPCODE.text, "1"));
    await client.read();
    const open = server.newest();
    assertEquals([open.state, open.status, ...textsOf(open)], [
      "open",
      101,
      "server 5 characters",
      "client 1",
      'server {"got":"1"}',
    ]);
    await client.write(last);
    const entry = await server.ended();
    assertEquals([entry.ended, entry.messageCount], [ended, count]);
  }
});

Deno.test("a socket without socket() shows only its upgrade, and one whose upgrade fails ends", async () => {
  using _log = new CapturedLog();
  await using server = await RecordedServer.start({
    "plain/route.ts": {
      GET(request) {
        const { socket, response } = Deno.upgradeWebSocket(request);
        socket.onmessage = ({ data }) => socket.send(data);
        return response;
      },
    },
    "failing/middleware.ts": {
      default: async (_request, next) => {
        await next();
        throw new Error("After the upgrade");
      },
    },
    "failing/route.ts": { GET: (request) => socket(request, {}) },
  });
  using plain = await RawSocket.open(server.port, "/api/plain");
  await plain.write(frame(OPCODE.text, "a"));
  await plain.read();
  const { state, status, messages } = server.newest();
  assertEquals([state, status, messages], ["done", 101, []]);
  const client = new WebSocket(server.url("/api/failing"));
  await new Promise((resolve) => client.onclose = client.onerror = resolve);
  const { error } = await server.ended();
  assertEquals(error?.text, "Error: After the upgrade");
});

Deno.test("a request whose client disconnected has no status", async () => {
  const entered = Promise.withResolvers<void>();
  await using server = await RecordedServer.of({
    async GET({ signal }) {
      entered.resolve();
      await new Promise((_, fail) =>
        signal.addEventListener("abort", () => fail(signal.reason))
      );
      return new Response("never");
    },
  });
  const leaving = new AbortController();
  const { signal } = leaving;
  const left = server.fetch("/api", { signal }).catch(() => {});
  await entered.promise;
  leaving.abort();
  await left;
  assertEquals((await server.ended()).status, undefined);
});

Deno.test("a body is kept even if the program has looked at it", async () => {
  const BYTES = new TextEncoder().encode('"text"');
  const init = { status: 201, headers: { "x-b": "2", ...TYPED } };
  const responses = {
    json: () => Response.json("text"),
    text: () => new Response('"text"', { headers: TYPED }),
    bytes: () => new Response(BYTES, { headers: TYPED }),
    jsonHeaders: () => Response.json("text", init),
    textHeaders: () => new Response('"text"', init),
    bytesHeaders: () => new Response(BYTES, init),
  };
  const looking = Object.entries(responses).flatMap(([name, create]) =>
    [false, true].map((isChanged) => [`${name}/${isChanged}`, () => {
      const response = create();
      assert(response.body !== null);
      if (isChanged) response.headers.set("x-a", "1");
      return response;
    }])
  );
  await using server = await RecordedServer.by(Object.fromEntries(looking));
  for (const [name] of looking) {
    const { response, state } = await server.entryOf(`/api/${name}`);
    const { text, size } = response!.body!;
    assertEquals([name, text, size, state], [name, '"text"', 6, "done"]);
  }
});

Deno.test("a request with a long URL is repeated as it was", async () => {
  await using server = await RecordedServer.of({ GET: () => new Response() });
  const path = `/api?ids=${"12,".repeat(8_000)}last`;
  const entry = await server.entryOf(path);
  assertEquals(repeated(entry, {}).url, path);
});
