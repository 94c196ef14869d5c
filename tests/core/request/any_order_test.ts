/**
 * In whatever order a body is read, and however it arrives, every reader and every copy
 * of its request has all of it (behaviour 6.3). They share no bytes.
 */
import { assertEquals } from "@std/assert";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { rawRequest } from "../../support/raw_http.ts";
import { ARRIVALS, type Sent } from "./arrivals.ts";
import { type Reader, READERS } from "./support.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Joins chunks, and overwrites them, since no later reader may share their bytes. */
async function taken(chunks: AsyncIterable<Bytes>): Promise<Bytes> {
  const copies = [];
  for await (const chunk of chunks) {
    copies.push(chunk.slice());
    chunk.fill(0x30);
  }
  return await new Blob(copies).bytes();
}

/** The ways in which other libraries read a request, after something else has read it. */
const COPIES: Readonly<Record<string, (request: Request) => Promise<Bytes>>> = {
  body: (request) => new Response(request.body).bytes(),
  "chunks of body": (request) => taken(request.body!),
  textStream: async (request) =>
    await new Blob(await Array.fromAsync(request.textStream())).bytes(),
  clone: (request) => request.clone().bytes(),
  "body of a clone": (request) => new Response(request.clone().body).bytes(),
  "native bytes": (request) => Request.prototype.bytes.call(request),
  "new Request": (request) => new Request(request).bytes(),
  "new Request of a clone": (request) => new Request(request.clone()).bytes(),
  "new Request with its URL": (request) =>
    new Request(request.url, request).bytes(),
  "new Request with another URL": (request) =>
    new Request("http://localhost/other", request).bytes(),
};

/** The result of one reader as JSON. */
async function read(request: Request, name: Reader): Promise<unknown> {
  const reader: () => Promise<unknown> = () => request[name]();
  const value = await reader().catch((error) => error.message);
  if (value instanceof Blob) return [value.type, await value.text()];
  const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : value;
  if (bytes instanceof Uint8Array) {
    const shown = [...bytes];
    bytes.fill(0x30);
    return shown;
  }
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

/** Reads by all readers, then copies the request, then reads again. */
const POST: TestModule["POST"] = async (request) => {
  const { searchParams } = new URL(request.url);
  const all = await readAll(request);
  const bytes = await COPIES[searchParams.get("copy")!]!(request);
  const copy = new TextDecoder().decode(bytes);
  bytes.fill(0x30);
  const { body: validated } = request.validated;
  return Response.json({ validated, all, copy, again: await readAll(request) });
};

const application = TestApplication.of({
  "middleware.ts": {
    async default(request, next) {
      const first = new URL(request.url).searchParams.get("first");
      if (first !== null) await read(request, first as Reader);
      return await next();
    },
  },
  "plain/route.ts": { POST },
  "checked/route.ts": {
    schema: { post: { body: z.any().transform(() => "checked") } },
    POST,
  },
});

/** Sends a body in each way, to each order of readers. */
async function compare(
  sent: Sent,
  expected: Record<Reader, unknown>,
  copied: string,
): Promise<void> {
  await using server = await application.serve();
  const firsts = READERS.map((first) => `&first=${first}`);
  const orders = [
    ...firsts.map((first) => `checked?copy=clone${first}`),
    ...Object.keys(COPIES).flatMap((copy) => [
      `checked?copy=${copy}`,
      ...firsts.map((first) => `plain?copy=${copy}${first}`),
    ]),
  ];
  for (const [arrival, send] of Object.entries(ARRIVALS)) {
    await Promise.all(orders.map(async (order) => {
      const target = `/api/${order.replaceAll(" ", "%20")}`;
      const found = await send({ ...sent, target }, application, server);
      assertEquals(found, {
        ...order.startsWith("checked") && { validated: "checked" },
        ...{ all: expected, copy: copied, again: expected },
      }, `${arrival} ${order}`);
    }));
  }
}

Deno.test("every reader has all of a JSON body after every other, and validation (behaviour 6.3)", async () => {
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

Deno.test("if middleware has read malformed JSON, validation or every reader responds with 400", async () => {
  await using server = await application.serve();
  const send = ARRIVALS["with its head"]!;
  const invalid = "The body is not valid JSON";
  for (
    const [route, body, expected] of [
      ["checked", "{", { in: "body", pointer: "#", detail: invalid }],
      [
        "plain",
        new Uint8Array([0x22, 0xff, 0x22]),
        "The body is not valid UTF-8",
      ],
    ] as const
  ) {
    const target = `/api/${route}?first=json&copy=clone`;
    const received = await send({ body, target }, application, server);
    const { status, detail, errors } = received as Record<string, unknown>;
    const found = route === "plain" ? detail : errors;
    const wanted = route === "plain" ? expected : [expected];
    assertEquals([status, found], [400, wanted], route);
  }
});

/** Sends a JSON body in each way, and compares the responses. */
async function expectAll(
  application: TestApplication,
  sent: Sent,
  expected: (arrival: string) => unknown,
): Promise<void> {
  await using server = await application.serve();
  for (const [arrival, send] of Object.entries(ARRIVALS)) {
    const found = await send(sent, application, server);
    assertEquals(found, expected(arrival), `${arrival} ${sent.target}`);
  }
}

Deno.test("readers may run at the same time, and a body that is being read can be cloned", async () => {
  const reading = TestApplication.of({
    "route.ts": {
      async POST(request) {
        const text = request.text();
        const clones = [request.clone(), request.clone()];
        const texts = await Promise.all([
          clones[0]!.text(),
          new Response(clones[1]!.body).text(),
          ...[text, request.text(), request.json()],
        ]);
        return Response.json({ texts });
      },
    },
  });
  const texts = ['"a"', '"a"', '"a"', '"a"', "a"];
  await expectAll(reading, { body: '"a"' }, () => ({ texts }));
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
  await expectAll(changing, { body: '{"a":"sent"}' }, () => ({ a: "sent" }));
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
  const body = '{"a": 1}';
  for (const path of ["/api", "/api/same"]) {
    await expectAll(proxy, { body, target: path }, () => ({ sent: body }));
  }
  assertEquals(log.lines, []);
});

Deno.test("after a reader has rejected with 413, every reader rejects with the same error; request.body has the body, unless its bytes were counted", async () => {
  const streaming = TestApplication.of({
    "route.ts": {
      config: { bodyLimit: 10 },
      async POST(request) {
        const results = [];
        for (const name of ["json", "text", "json", "bytes"] as const) {
          results.push(await request[name]().catch(String));
        }
        const body = await new Response(request.body).text().catch(String);
        return Response.json({ results: [...results, body] });
      },
    },
  });
  const body = '"more than ten bytes"';
  const error = "HttpError: The body is larger than 10 bytes";
  await expectAll(streaming, { body }, (arrival) => ({
    results: [
      ...Array(4).fill(error),
      arrival.startsWith("in ") ? error : body,
    ],
  }));
});

Deno.test("readers work after the response", async () => {
  const sent = Promise.withResolvers<void>();
  const later = Promise.withResolvers<Record<string, unknown>>();
  await using server = await TestApplication.of({
    "route.ts": {
      async POST(request) {
        sent.promise.then(() => readAll(request)).then(later.resolve);
        return Response.json(await request.json());
      },
    },
  }).serve();
  const init = { method: "POST", body: "[1]" };
  const response = await fetch(server.url("/api"), init);
  assertEquals(await response.json(), [1]);
  // Deno closes the request soon after its response.
  await new Promise((resolve) => setTimeout(resolve, 50));
  sent.resolve();
  const { json, text } = await later.promise;
  assertEquals([json, text], [[1], "[1]"]);
});

Deno.test("middleware may read and then clone a request of any method", async () => {
  const clones: string[] = [];
  const application = TestApplication.of({ "route.ts": { POST } }, {
    middleware: [async (request, next) => {
      const text = await request.text();
      const clone = request.clone();
      assertEquals(await clone.text(), text);
      clones.push(clone.method);
      return next();
    }],
  });
  await using server = await application.serve();
  const statuses = {
    ...{ GET: 404, HEAD: 404, OPTIONS: 404, POST: 404, TRACE: 501, post: 501 },
  };
  for (const [method, status] of Object.entries(statuses)) {
    const head = `${method} /none HTTP/1.1\nContent-Length: 5`;
    const response = await rawRequest(server.port, head, "hello");
    assertEquals([response.status, clones.pop()], [status, method]);
  }
});

Deno.test("an empty body is empty for two applications that share its request", async () => {
  const create = () =>
    TestApplication.of({
      "route.ts": {
        async POST(request) {
          const json = await request.json().catch(({ name }) => name);
          return Response.json([json, await request.text()]);
        },
      },
    });
  const applications = [create(), create()];
  for (const { app } of applications) await app.start();
  const request = new Request("http://localhost/api", { method: "POST" });
  const responses = applications.map(({ app }) => app.fetch(request));
  for (const response of await Promise.all(responses)) {
    assertEquals(await response.json(), ["SyntaxError", ""]);
  }
});

Deno.test("the limit of an inner application counts the bytes of a body that was not read, or that the program made (behaviour 7.3)", async () => {
  const inner = TestApplication.of({
    "route.ts": { POST: async (request) => new Response(await request.text()) },
  }, { bodyLimit: 3 });
  await inner.app.start();
  const outer = TestApplication.of({
    "route.ts": {
      async POST(request) {
        if (request.url.endsWith("?read")) await request.text();
        return await inner.app.fetch(request, request.info);
      },
    },
    "made/route.ts": {
      POST: ({ url, info }) => {
        const headers = { "content-length": "1" };
        const init = { method: "POST", headers, body: "content" };
        return inner.app.fetch(
          new Request(url.replace("/made", ""), init),
          info,
        );
      },
    },
  });
  await using server = await outer.serve();
  for (const [path, status] of [["", 413], ["?read", 200], ["/made", 413]]) {
    const init = { method: "POST", body: "content" };
    const response = await fetch(server.url(`/api${path}`), init);
    await response.body?.cancel();
    assertEquals(response.status, status, `${path}`);
  }
});
