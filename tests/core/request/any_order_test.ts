/**
 * In whatever order a body is read, and however it arrives, every reader and every copy
 * of its request has all of it (behaviour 6.3).
 */
import { Framework } from "@bough/framework";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
  TestServer,
} from "../../support/application.ts";
import { ARRIVALS, type Sent } from "./arrivals.ts";
import { type Reader, READERS } from "./support.ts";

/** The ways in which other libraries read a request, after something else has read it. */
const COPIES: Readonly<Record<string, (request: Request) => Promise<string>>> =
  {
    body: (request) => new Response(request.body).text(),
    textStream: async (request) =>
      (await Array.fromAsync(request.textStream())).join(""),
    clone: (request) => request.clone().text(),
    "body of a clone": (request) => new Response(request.clone().body).text(),
    "new Request": (request) => new Request(request).text(),
    "new Request of a clone": (request) => new Request(request.clone()).text(),
    "new Request with its URL": (request) =>
      new Request(request.url, request).text(),
    "new Request with another URL": (request) =>
      new Request("http://localhost/other", request).text(),
  };

/** The result of one reader as JSON. */
async function read(request: Request, name: Reader): Promise<unknown> {
  const reader: () => Promise<unknown> = () => request[name]();
  const value = await reader().catch((error) => error.message);
  if (value instanceof Blob) return [value.type, await value.text()];
  if (value instanceof ArrayBuffer) return [...new Uint8Array(value)];
  if (value instanceof Uint8Array) return [...value];
  if (!(value instanceof FormData)) return value;
  const entries = [...value].map(async ([field, content]) => [
    field,
    typeof content === "string" ? content : await content.text(),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

async function readAll(request: Request): Promise<Record<string, unknown>> {
  const results: Record<string, unknown> = {};
  for (const name of READERS) results[name] = await read(request, name);
  return results;
}

/** Reads by one reader, then by all, then copies the request, then reads again. */
const POST: TestModule["POST"] = async (request) => {
  const { searchParams } = new URL(request.url);
  const first = searchParams.get("first");
  if (first !== null) await read(request, first as Reader);
  const all = await readAll(request);
  const copy = await COPIES[searchParams.get("copy")!]!(request);
  return Response.json({ all, copy, again: await readAll(request) });
};

const application = TestApplication.of({
  "plain/route.ts": { POST },
  "checked/route.ts": { schema: { post: { body: z.unknown() } }, POST },
});

/** Sends a body in each way, to each order of readers. */
async function compare(
  sent: Sent,
  expected: Record<Reader, unknown>,
  copied: string,
): Promise<void> {
  await using server = await application.serve();
  const orders = Object.keys(COPIES).flatMap((copy) => [
    `checked?copy=${copy}`,
    ...READERS.map((first) => `plain?copy=${copy}&first=${first}`),
  ]);
  for (const [arrival, send] of Object.entries(ARRIVALS)) {
    await Promise.all(orders.map(async (order) => {
      const target = `/api/${order.replaceAll(" ", "%20")}`;
      const found = await send({ ...sent, target }, application, server);
      assertEquals(
        found,
        { all: expected, copy: copied, again: expected },
        `${arrival} ${order}`,
      );
    }));
  }
}

Deno.test("every reader has all of a JSON body after every other", async () => {
  const body = '\ufeff{ "a": "é🙂\ufffd" }';
  const text = body.slice(1);
  const bytes = [...new TextEncoder().encode(body)];
  await compare({ body }, {
    json: JSON.parse(text),
    text,
    bytes,
    arrayBuffer: bytes,
    blob: ["application/json", text],
    formData: "The body is not a valid form",
  }, text);
});

Deno.test("every reader has all of a form with a binary file, even after json()", async () => {
  const text =
    '--b\r\nContent-Disposition: form-data; name="a"; filename="x"\r\n\r\n\xff\xfe{}\r\n--b--';
  const body = Uint8Array.from(text, (each) => each.charCodeAt(0));
  const type = "multipart/form-data; boundary=b";
  const decoded = new TextDecoder().decode(body);
  await compare({ body, type }, {
    json: "The body is not valid UTF-8",
    text: decoded,
    bytes: [...body],
    arrayBuffer: [...body],
    blob: [type, decoded],
    formData: { a: "\ufffd\ufffd{}" },
  }, decoded);
});

Deno.test("if JSON was read before other bytes than UTF-8 were kept, every reader blames the client", async () => {
  await using server = await application.serve();
  const body = new Uint8Array([0x22, 0xff, 0x22]);
  const send = ARRIVALS["with its head"]!;
  const target = "/api/plain?first=json&copy=clone";
  const received = await send({ body, target }, application, server);
  const { status, detail } = received as { status: number; detail: string };
  assertEquals([status, detail], [400, "The body is not valid UTF-8"]);
});

Deno.test("a body that is being read can be cloned", async () => {
  const reading = TestApplication.of({
    "route.ts": {
      async POST(request) {
        const text = request.text();
        const clones = [request.clone(), request.clone()];
        const texts = await Promise.all([
          clones[0]!.text(),
          new Response(clones[1]!.body).text(),
          text,
          request.text(),
        ]);
        return Response.json({ texts });
      },
    },
  });
  await using server = await reading.serve();
  for (const [arrival, send] of Object.entries(ARRIVALS)) {
    assertEquals(
      await send({ body: '"a"' }, reading, server),
      { texts: ['"a"', '"a"', '"a"', '"a"'] },
      arrival,
    );
  }
});

Deno.test("each call of json() returns its own value", async () => {
  const changing = TestApplication.of({
    "middleware.ts": {
      async default(request, next) {
        (await request.json()).a = "changed";
        return await next();
      },
    },
    "route.ts": {
      schema: { post: { body: z.object({ a: z.string() }) } },
      POST: (request) => Response.json(request.validated.body),
    },
  });
  await using server = await changing.serve();
  for (const [arrival, send] of Object.entries(ARRIVALS)) {
    assertEquals(
      await send({ body: '{"a":"sent"}' }, changing, server),
      { a: "sent" },
      arrival,
    );
  }
});

Deno.test("a handler that passes its request to fetch() sends the body, after a guard and a schema have read it", async () => {
  using log = new CapturedLog();
  await using target = await TestApplication.of({
    "route.ts": {
      POST: async (request) => Response.json({ sent: await request.text() }),
    },
  }).serve();
  const proxy = TestApplication.of({
    "middleware.ts": {
      async default(request, next) {
        await request.text();
        return await next();
      },
    },
    "route.ts": {
      schema: { post: { body: z.object({ a: z.number() }) } },
      POST: (request) => fetch(new Request(target.url("/api"), request)),
    },
    "same/route.ts": {
      schema: { post: { body: z.object({ a: z.number() }) } },
      POST: (request) => fetch(target.url("/api"), new Request(request)),
    },
  });
  await using server = await proxy.serve();
  for (const path of ["/api", "/api/same"]) {
    for (const [arrival, send] of Object.entries(ARRIVALS)) {
      assertEquals(
        await send({ body: '{"a": 1}', target: path }, proxy, server),
        { sent: '{"a": 1}' },
        `${path} ${arrival}`,
      );
    }
  }
  assertEquals(log.lines, []);
});

Deno.test("after a reader has rejected with 413, request.body has the body, unless its bytes were counted", async () => {
  const streaming = TestApplication.of({
    "route.ts": {
      config: { bodyLimit: 10 },
      async POST(request) {
        const status = await request.json().catch(({ status }) => status);
        const again = await request.text().catch(({ status }) => status);
        const body = await COPIES.body!(request)
          .catch(({ status }) => status);
        return Response.json({ results: [status, again, body] });
      },
    },
  });
  await using server = await streaming.serve();
  const body = '"more than ten bytes"';
  for (const [arrival, send] of Object.entries(ARRIVALS)) {
    const isCounted = arrival.startsWith("in ");
    assertEquals(
      await send({ body }, streaming, server),
      { results: [413, 413, isCounted ? 413 : body] },
      arrival,
    );
  }
});

Deno.test("no value and no copy of a body shares its bytes with later readers (behaviour 6.3)", async () => {
  const overwrite = (bytes: Uint8Array) => void bytes.fill(0x30);
  const takers: Record<string, (request: Request) => Promise<void>> = {
    bytes: async (request) => overwrite(await request.bytes()),
    arrayBuffer: async (request) =>
      overwrite(new Uint8Array(await request.arrayBuffer())),
    body: async (request) => {
      for await (const chunk of request.body!) overwrite(chunk);
    },
    "Response of body": async (request) =>
      overwrite(await new Response(request.body).bytes()),
    clone: async (request) => overwrite(await request.clone().bytes()),
    "Request of a clone": async (request) =>
      overwrite(await new Request(request.clone()).bytes()),
    "Request with its URL": async (request) =>
      overwrite(await new Request(request.url, request).bytes()),
    "native bytes": async (request) =>
      overwrite(await Request.prototype.bytes.call(request)),
    "Request of the request": async (request) =>
      overwrite(await new Request(request).bytes()),
  };
  const sharing = TestApplication.of({
    "route.ts": {
      async POST(request) {
        const { searchParams } = new URL(request.url);
        await read(request, searchParams.get("first") as Reader);
        await takers[searchParams.get("taker")!]!(request);
        return Response.json({ text: await request.text() });
      },
    },
  });
  await using server = await sharing.serve();
  for (const [arrival, send] of Object.entries(ARRIVALS)) {
    for (const taker of Object.keys(takers)) {
      for (const first of ["json", "text", "bytes"]) {
        const target = `/api?${new URLSearchParams({ first, taker })}`;
        assertEquals(
          await send({ body: '"content"', target }, sharing, server),
          { text: '"content"' },
          `${arrival} ${first} ${taker}`,
        );
      }
    }
  }
});

Deno.test("readers work after the response", async () => {
  const sent = Promise.withResolvers<void>();
  const later = Promise.withResolvers<Record<string, unknown>>();
  const app = new Framework({
    manifest: {
      "route.ts": {
        async POST(request: Request) {
          sent.promise.then(() => readAll(request)).then(later.resolve);
          return Response.json(await request.json());
        },
      },
    },
  });
  await using server = await TestServer.start(app);
  const response = await fetch(`http://localhost:${server.port}/api`, {
    method: "POST",
    body: "[1]",
  });
  assertEquals(await response.json(), [1]);
  // Deno closes the request soon after its response.
  await new Promise((resolve) => setTimeout(resolve, 50));
  sent.resolve();
  const { json, text } = await later.promise;
  assertEquals([json, text], [[1], "[1]"]);
});
