import { assert, assertEquals } from "@std/assert";
import { CapturedLog, FolderApplication } from "../support/application.ts";
import { exchange, rawRequest, sendAndLeave } from "../support/raw_http.ts";

const READERS = `
  const readers = ["json", "text", "arrayBuffer", "bytes", "blob", "formData"];
  export async function POST(request) {
    const name = new URL(request.url).searchParams.get("reader");
    const value = await request[name]();
    return Response.json({
      kind: value.constructor.name,
      size: value.byteLength ?? value.size ?? value.length,
      bodyUsed: request.bodyUsed,
    });
  }
  export const PUT = POST, PATCH = POST, DELETE = POST, OPTIONS = POST;
`;

const CATCHING = `
  export async function POST(request) {
    try {
      await request.text();
    } catch (error) {
      return Response.json([error.name, error.status], { status: 200 });
    }
    return new Response("read");
  }
`;

const STREAMING = `
  export async function POST(request) {
    let size = 0;
    for await (const chunk of request.body) size += chunk.length;
    return Response.json(size);
  }
`;

const ROUTES = {
  "read/route.js": READERS + "export const config = { bodyLimit: 100 };",
  "catch/route.js": CATCHING + "export const config = { bodyLimit: 100 };",
  "stream/route.js": STREAMING + "export const config = { bodyLimit: 100 };",
  "default/route.js": READERS,
  "ignore/route.js": "export const POST = () => new Response('ignored');",
  "twice/route.js":
    "export const POST = async (r) => new Response(await r.text() + await r.text());",
};

const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** A stream of `count` chunks of `size` bytes that counts what is taken. */
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

for (
  const reader of ["json", "text", "arrayBuffer", "bytes", "blob", "formData"]
) {
  Deno.test(`request.${reader}() reads up to bodyLimit and refuses more (behaviour 7.3)`, async () => {
    await using application = await FolderApplication.create(ROUTES);
    await using server = await application.serve();
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const fits = reader === "json"
        ? JSON.stringify("a".repeat(98))
        : "a".repeat(100);
      const target = `/api/read?reader=${reader}`;
      for (const body of [fits, fits + "a"]) {
        const expected = body === fits ? 200 : 413;
        const served = await fetch(server.url(target), {
          method,
          body,
          headers: FORM,
        });
        const answer = await served.json();
        assertEquals(served.status, expected, `${method} ${body.length}`);
        if (expected === 413) {
          assertEquals(answer.detail, "The body is larger than 100 bytes");
        }
        const inProcess = await application.fetch(target, {
          method,
          body,
          headers: FORM,
        });
        assertEquals(inProcess.status, expected);
        await inProcess.body?.cancel();
      }
    }
  });
}

Deno.test("the limit counts bytes as they arrive, whatever Content-Length says (behaviour 7.3)", async () => {
  await using application = await FolderApplication.create(ROUTES);
  for (const length of ["5", "5, 5", "", "-1", "x"]) {
    const { stream, taken } = chunks(1_000, 30);
    const answer = await application.fetch("/api/read?reader=text", {
      method: "POST",
      body: stream,
      headers: { "content-length": length },
    });
    assertEquals(answer.status, 413);
    assertEquals(taken(), 4, "no more is read than shows the excess");
  }
});

Deno.test("the limit holds where no route matches, whatever Content-Length says (behaviour 7.3)", async () => {
  await using application = await FolderApplication.create(ROUTES, {
    bodyLimit: 100,
    onNotFound: async (request) => new Response(await request.text()),
  });
  const answer = async (size: number) => {
    const response = await application.fetch("/api/nothing", {
      method: "POST",
      body: "a".repeat(size),
      headers: { "content-length": "5" },
    });
    return [response.status, (await response.text()).length];
  };
  assertEquals(await answer(100), [200, 100]);
  assertEquals((await answer(101))[0], 413);
});

Deno.test("a chunked body is limited over HTTP, as is a length sent twice (behaviour 7.3)", async () => {
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  const chunked = await rawRequest(
    server.port,
    "POST /api/read?reader=text HTTP/1.1\nTransfer-Encoding: chunked",
    "65\r\n" + "a".repeat(101) + "\r\n0\r\n\r\n",
  );
  assertEquals(chunked.status, 413);
  const twice = (size: number) =>
    rawRequest(
      server.port,
      `POST /api/read?reader=text HTTP/1.1\nContent-Length: ${size}\nContent-Length: ${size}`,
      "a".repeat(size),
    );
  assertEquals((await twice(100)).status, 200);
  assertEquals((await twice(101)).status, 413);
});

Deno.test("a declared length over the limit is refused before the body comes", async () => {
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  const answer = await rawRequest(
    server.port,
    "POST /api/read?reader=text HTTP/1.1\nContent-Length: 1000000",
  );
  assertEquals(answer.status, 413);
});

Deno.test("a handler may catch the 413 (behaviour 7.3)", async () => {
  await using application = await FolderApplication.create(ROUTES);
  const answer = await application.fetch("/api/catch", {
    method: "POST",
    body: "a".repeat(101),
  });
  assertEquals(await answer.json(), ["HttpError", 413]);
});

Deno.test("request.body as a stream is unlimited (behaviour 7.3)", async () => {
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  const { stream } = chunks(100, 1_000);
  const answer = await fetch(server.url("/api/stream"), {
    method: "POST",
    body: stream,
  });
  assertEquals(await answer.json(), 100_000);
});

Deno.test("bodyLimit is 1 MiB by default, and an option sets it (behaviour 7.3)", async () => {
  await using application = await FolderApplication.create(ROUTES);
  await using small = await FolderApplication.create(ROUTES, { bodyLimit: 10 });
  const send = async (to: FolderApplication, size: number) => {
    const answer = await to.fetch("/api/default?reader=text", {
      method: "POST",
      body: "a".repeat(size),
    });
    await answer.body?.cancel();
    return answer.status;
  };
  assertEquals(await send(application, 1_048_576), 200);
  assertEquals(await send(application, 1_048_577), 413);
  assertEquals(await send(small, 10), 200);
  assertEquals(await send(small, 11), 413);
});

Deno.test("a body that a handler does not look at does no harm", async () => {
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  for (let round = 0; round < 3; round++) {
    const answer = await fetch(server.url("/api/ignore"), {
      method: "POST",
      body: "a".repeat(3_000_000),
    });
    assertEquals(await answer.text(), "ignored");
  }
});

Deno.test("malformed JSON or form data that a handler lets through is a 400", async () => {
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  const post = (reader: string, body: string, type: string) =>
    fetch(server.url(`/api/read?reader=${reader}`), {
      method: "POST",
      body,
      headers: { "content-type": type },
    });
  const json = await post("json", "{", "application/json");
  assertEquals(json.status, 400);
  assertEquals((await json.json()).detail, "The body is not valid JSON");
  const form = await post("formData", "x", "multipart/form-data; boundary=b");
  assertEquals(form.status, 400);
  assertEquals((await form.json()).detail, "The body is not a valid form");
  const inProcess = await application.fetch("/api/read?reader=json", {
    method: "POST",
    body: "{",
  });
  assertEquals(inProcess.status, 400);
});

Deno.test("request.json() rejects with a SyntaxError that a handler may catch (behaviour 6.5)", async () => {
  await using application = await FolderApplication.create({
    "route.js": `export async function POST(request) {
      try { await request.json(); }
      catch (error) { return new Response(error.constructor.name); }
    }`,
  });
  const answer = await application.fetch("/api", { method: "POST", body: "{" });
  assertEquals(await answer.text(), "SyntaxError");
});

Deno.test("a body cut short is no fault of the handler", async () => {
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  using connection = await Deno.connect({
    hostname: "127.0.0.1",
    port: server.port,
  });
  const head =
    "POST /api/default?reader=text HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc";
  await connection.write(new TextEncoder().encode(head));
  await connection.closeWrite();
  const buffer = new Uint8Array(1_000);
  await connection.read(buffer);
  const text = new TextDecoder().decode(buffer);
  assert(!text.startsWith("HTTP/1.1 500"), text);
});

Deno.test("a body may be read twice (behaviour 6.3)", async () => {
  await using application = await FolderApplication.create(ROUTES);
  const response = await application.fetch("/api/twice", {
    method: "POST",
    body: "x",
  });
  assertEquals(await response.text(), "xx");
});

Deno.test("an empty body is read as empty", async () => {
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  for (const init of [{}, { body: "" }]) {
    const answer = await fetch(server.url("/api/read?reader=text"), {
      method: "POST",
      ...init,
    });
    assertEquals((await answer.json()).size, 0);
  }
  const bare = await exchange(server.port, [
    new TextEncoder().encode(
      "POST /api/read?reader=text HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
    ),
  ]);
  assertEquals(JSON.parse(bare.body).size, 0);
});

Deno.test("a failure while a body is still read is answered at once", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create({
    "route.js": `export function POST(request) {
      request.text().catch(() => {});
      throw new Error("in the meantime");
    }`,
  });
  const answer = await application.fetch("/api", {
    method: "POST",
    body: new ReadableStream(),
  });
  assertEquals(answer.status, 500);
  assert(log.lines[0]!.includes("in the meantime"), log.lines[0]);
});

Deno.test("a body that a handler locked is its own slip: 500", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create({
    "route.js": `export async function POST(request) {
      request.body.getReader();
      return Response.json(await request.json());
    }`,
  });
  const answer = await application.fetch("/api", { method: "POST", body: "1" });
  assertEquals(answer.status, 500);
  assertEquals(log.lines.length, 1);
});

Deno.test("a chunked body cut short is no fault of the handler", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create(ROUTES);
  await using server = await application.serve();
  await sendAndLeave(
    server.port,
    "POST /api/default?reader=text HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
  );
  await new Promise((go) => setTimeout(go, 100));
  assertEquals(log.lines, []);
});
