import { assert, assertEquals } from "@std/assert";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { exchange, rawRequest } from "../../support/raw_http.ts";
import type { Reader } from "./support.ts";

const METHODS = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

async function read(request: Request): Promise<Response> {
  const name = new URL(request.url).searchParams.get("reader") ?? "text";
  const value = await request[name as Reader]();
  return Response.json(value.length);
}

const READ: TestModule = Object.fromEntries(
  METHODS.map((method) => [method, read]),
);
const LIMITED = { config: { bodyLimit: 100 } };

const ROUTES: Readonly<Record<string, TestModule>> = {
  "read/route.ts": { ...READ, ...LIMITED },
  "catch/route.ts": {
    ...LIMITED,
    POST: (request) =>
      request.text().then(
        () => new Response("read"),
        ({ name, status }) => Response.json([name, status]),
      ),
  },
  "stream/route.ts": {
    ...LIMITED,
    async POST(request) {
      let size = 0;
      for await (const chunk of request.body!) size += chunk.length;
      return Response.json(size);
    },
  },
  "default/route.ts": READ,
  "syntax/route.ts": {
    POST: (request) =>
      request.json().catch((error) => new Response(error.constructor.name)),
  },
  "failing/route.ts": {
    POST(request) {
      request.text().catch(() => {});
      throw new Error("in the meantime");
    },
  },
  "drained/route.ts": {
    async POST(request) {
      for await (const _ of request.body!);
      return new Response(await request.text());
    },
  },
  "locking/route.ts": {
    async POST(request) {
      request.body!.getReader();
      return Response.json(await request.json());
    },
  },
};

const application = TestApplication.of(ROUTES);

/** Sends a body in process. */
async function post(
  path: string,
  body: BodyInit,
  init: RequestInit = {},
  to: TestApplication = application,
): Promise<Response> {
  return await to.fetch(path, { method: "POST", body, ...init });
}

/** A stream of `count` chunks of `size` bytes that counts the chunks taken. */
function chunks(
  count: number,
  size: number,
): { stream: ReadableStream<Uint8Array>; taken: () => number } {
  let taken = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (taken === count) return controller.close();
      taken++;
      controller.enqueue(new Uint8Array(size).fill(97));
    },
  }, { highWaterMark: 0 });
  return { stream, taken: () => taken };
}

Deno.test("every method reads at most bodyLimit, in process and served (behaviour 7.3)", async () => {
  await using server = await application.serve();
  for (const method of METHODS) {
    for (const [size, status] of [[100, 200], [101, 413]] as const) {
      const init = { method, body: "a".repeat(size) };
      const responses = [
        await fetch(server.url("/api/read"), init),
        await application.fetch("/api/read", init),
      ];
      for (const response of responses) {
        const { detail } = await response.json();
        assertEquals(response.status, status, `${method} ${size}`);
        const text = "The body is larger than 100 bytes";
        assertEquals(detail, status === 413 ? text : undefined);
      }
    }
  }
});

Deno.test("the limit counts bytes as they arrive, whatever Content-Length says, even if no route matches (behaviour 7.3)", async () => {
  const other = TestApplication.of(ROUTES, {
    bodyLimit: 100,
    onNotFound: async (request) => Response.json((await request.text()).length),
  });
  const lengths = ["5", "5, 5", "", "-1", "x"];
  for (const path of ["read", "default", "nothing"]) {
    for (
      const [size, expected] of [[100, [200, 100]], [101, [413, 0]]] as const
    ) {
      for (const length of [undefined, ...lengths]) {
        const headers = length === undefined
          ? {}
          : { "content-length": length };
        const body = "a".repeat(size);
        const response = await post(`/api/${path}`, body, { headers }, other);
        const read = await response.json();
        const found = [response.status, response.ok ? read : 0];
        assertEquals<unknown>(found, expected, `${path} ${size} ${length}`);
      }
    }
  }
  for (const length of lengths) {
    const { stream, taken } = chunks(1_000, 30);
    const headers = { "content-length": length };
    const { status } = await post("/api/read", stream, { headers });
    assertEquals(status, 413);
    assertEquals(taken(), 4, "Bough reads only as much as shows the excess");
  }
});

Deno.test("the limit holds for a chunked body, and if Content-Length is sent twice (behaviour 7.3)", async () => {
  await using server = await application.serve();
  const send = async (head: string, body: string) => {
    const start = `POST /api/read HTTP/1.1\n${head}`;
    return (await rawRequest(server.port, start, body)).status;
  };
  const chunk = `65\r\n${"a".repeat(101)}\r\n0\r\n\r\n`;
  assertEquals(await send("Transfer-Encoding: chunked", chunk), 413);
  for (const [size, status] of [[100, 200], [101, 413]] as const) {
    const head = `Content-Length: ${size}\nContent-Length: ${size}`;
    assertEquals(await send(head, "a".repeat(size)), status);
  }
  // A declared length is enough: the body need not arrive.
  assertEquals(await send("Content-Length: 1000000", ""), 413);
});

Deno.test("a handler may catch the 413 (behaviour 7.3)", async () => {
  const response = await post("/api/catch", "a".repeat(101));
  assertEquals(await response.json(), ["HttpError", 413]);
});

Deno.test("request.body as a stream is unlimited (behaviour 7.3)", async () => {
  await using server = await application.serve();
  const { stream } = chunks(100, 1_000);
  const init = { method: "POST", body: stream };
  const response = await fetch(server.url("/api/stream"), init);
  assertEquals(await response.json(), 100_000);
});

Deno.test("bodyLimit is 1 MiB by default (behaviour 7.3)", async () => {
  for (const [size, status] of [[1_048_576, 200], [1_048_577, 413]] as const) {
    const response = await post("/api/default", "a".repeat(size));
    await response.body?.cancel();
    assertEquals(response.status, status, `${size}`);
  }
});

Deno.test("for malformed JSON or a malformed form, Bough responds with 400 unless the handler catches the SyntaxError (behaviour 6.5)", async () => {
  await using server = await application.serve();
  const multipart = "multipart/form-data; boundary=b";
  for (
    const [reader, body, type, detail] of [
      ["json", "{", "application/json", "The body is not valid JSON"],
      ["json", "{", "", "The body is not valid JSON"],
      ["formData", "x", multipart, "The body is not a valid form"],
    ] as const
  ) {
    const init = { method: "POST", body, headers: { "content-type": type } };
    const target = server.url(`/api/read?reader=${reader}`);
    const response = await fetch(target, init);
    const answer = await response.json();
    assertEquals([response.status, answer.detail], [400, detail]);
  }
  assertEquals(await (await post("/api/syntax", "{")).text(), "SyntaxError");
});

Deno.test("an incomplete body does not cause a 500", async () => {
  await using server = await application.serve();
  using connection = await Deno.connect({
    hostname: "127.0.0.1",
    port: server.port,
  });
  const head =
    "POST /api/default HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc";
  await connection.write(new TextEncoder().encode(head));
  await connection.closeWrite();
  const buffer = new Uint8Array(1_000);
  await connection.read(buffer);
  const text = new TextDecoder().decode(buffer);
  assert(!text.startsWith("HTTP/1.1 500"), text);
});

Deno.test("an empty body is read as empty", async () => {
  await using server = await application.serve();
  for (const init of [{}, { body: "" }]) {
    const sent = { method: "POST", ...init };
    const response = await fetch(server.url("/api/read"), sent);
    assertEquals(await response.json(), 0);
  }
  const head =
    "POST /api/read HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
  const bare = await exchange(server.port, [new TextEncoder().encode(head)]);
  assertEquals(JSON.parse(bare.body), 0);
});

Deno.test("an error during the reading of a body, and a reader of a locked or drained stream, cause a 500 at once (behaviour 6.3)", async () => {
  for (
    const [path, body, line] of [
      ["failing", new ReadableStream(), "in the meantime"],
      ["locking", "1", "TypeError"],
      ["drained", "1", "TypeError"],
    ] as const
  ) {
    using log = new CapturedLog();
    assertEquals((await post(`/api/${path}`, body)).status, 500);
    assertEquals(log.lines.length, 1);
    assert(log.lines[0]!.includes(line), log.lines[0]);
  }
});
