/** The inspector changes neither globals and objects of Deno, nor the pace of a stream. */
import { assert, assertEquals } from "@std/assert";
import { Framework } from "@bough/framework";
import { TestServer } from "../../support/application.ts";
import { InspectedServer } from "./support.ts";

/** Objects by name. */
type Objects = Readonly<Record<string, object>>;

/** Deno's inner object of a request or a response, whose key is a symbol. */
function innerOf(message: Request | Response): object {
  return Object.getOwnPropertySymbols(message)
    .map((key) => Reflect.get(message, key))
    .find((value) => value !== null && "headerList" in Object(value));
}

/** An application that collects inner objects of requests and responses. */
function collecting(found: Objects[]): Framework {
  const POST = async (request: Request) => {
    const inner = innerOf(request);
    await request.text();
    const response = new Response(ReadableStream.from([]));
    const sent = innerOf(response);
    found.push({
      request: inner,
      requestBody: Reflect.get(inner, "body"),
      response: sent,
      responseBody: Reflect.get(sent, "body"),
      stream: Reflect.get(Reflect.get(sent, "body"), "streamOrStatic"),
    });
    return response;
  };
  return new Framework({ manifest: { "route.ts": { POST } } });
}

async function post(server: TestServer): Promise<void> {
  const init = { method: "POST", body: "sent" };
  await (await fetch(server.url("/api"), init)).text();
}

/** The members of each object, by name and key: descriptors with functions. */
function membersOf(objects: Objects): Map<string, PropertyDescriptor> {
  const all = Object.entries(objects).flatMap(([name, object]) =>
    Reflect.ownKeys(object).map((key) =>
      [
        `${name} ${String(key)}`,
        Object.getOwnPropertyDescriptor(object, key)!,
      ] as const
    )
  );
  return new Map(all);
}

const CLASSES = { Request, Response, Headers, ReadableStream, WebSocket, URL };

/** The members that an inspector might patch: of globals, and of prototypes. */
function patchable(inner: Objects): Map<string, PropertyDescriptor> {
  const prototypes = [
    ...Object.values({ ...CLASSES, Promise }).map((each) => each.prototype),
    ...Object.values(inner).map(Object.getPrototypeOf),
  ];
  return membersOf({
    ...CLASSES,
    ...{ console, JSON, Deno, globalThis },
    ...Object.fromEntries(prototypes.map((it, at) => [`prototype ${at}`, it])),
  });
}

Deno.test("an inspector changes no global, and no object of Deno", async () => {
  const found: Objects[] = [];
  await using plain = await TestServer.start(collecting(found));
  await post(plain);
  const before = patchable(found[0]!);
  await using server = await InspectedServer.of(collecting(found));
  await post(server);
  await (await fetch(server.url("/_bough"))).text();
  assertEquals((await server.requests()).length, 1);

  const after = patchable(found[1]!);
  // Zod and the log of Bough have globals, and Deno adds `console.Console`.
  const added = [...after.keys()].filter((name) =>
    !before.has(name) && !/^(?:globalThis|console) /.test(name)
  );
  assertEquals(added, []);
  for (const [name, descriptor] of before) {
    for (const [part, value] of Object.entries(descriptor)) {
      const now = Reflect.get(after.get(name)!, part);
      assert(Object.is(value, now), `${name} has another ${part}`);
    }
  }
  const [plainKeys, keys] = found.map((inner) => [...membersOf(inner).keys()]);
  assertEquals(keys, plainKeys);
  const { responseBody, stream } = found[1]!;
  assert(Object.is(Reflect.get(responseBody!, "streamOrStatic"), stream));
});

Deno.test("a stream is pulled at the pace of its client", async () => {
  const pulls: number[] = [];
  const application = () => {
    const index = pulls.push(0) - 1;
    const pull = (controller: ReadableStreamDefaultController) => {
      pulls[index]!++;
      controller.enqueue(new Uint8Array(1024 * 1024));
    };
    const GET = () =>
      new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
    return new Framework({ manifest: { "route.ts": { GET } } });
  };
  await using plain = await TestServer.start(application());
  await using server = await InspectedServer.of(application());
  for (const { port } of [plain, server]) {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const head = "GET /api HTTP/1.1\r\nHost: a\r\n\r\n";
    await connection.write(new TextEncoder().encode(head));
    await connection.read(new Uint8Array(1_000));
    // The client reads no more, so the buffers of the connection fill up.
    await new Promise((go) => setTimeout(go, 300));
  }
  const [without = 0, inspected = 0] = pulls;
  assert(without > 0 && Math.abs(inspected - without) <= 2, `${pulls}`);
});
