import { assert, assertEquals, assertRejects } from "@std/assert";
import { deflateSync, gzipSync } from "node:zlib";
import { type FrameworkRequest, HttpError } from "@bough/framework";
import { file, form } from "@bough/framework/uploads";
import { TestApplication } from "../support/application.ts";
import { delay } from "../support/until.ts";

// Longer than the names that messages show whole.
const FIELD = "photo".repeat(30);
const schema = {
  post: { body: form({ files: { [FIELD]: file({ count: [1, 9] }) } }) },
  put: { body: file() },
};

type Files = FrameworkRequest<
  typeof schema.post
>["validated"]["body"]["files"];

/** Sends a form to a handler. */
async function send(
  handle: (files: Files) => Promise<unknown>,
  body: ReadableStream<Uint8Array>,
  boundary = "b",
): Promise<[number, unknown]> {
  const application = TestApplication.of({
    "files/route.ts": {
      schema: { post: schema.post },
      POST: async ({ validated }) =>
        Response.json(await handle(validated.body.files)),
    },
  }, { onError: () => {} });
  const headers = {
    "content-type": `multipart/form-data; boundary=${boundary}`,
  };
  const init = { method: "POST", body, headers };
  const response = await application.fetch("/api/files", init);
  return [response.status, await response.json()];
}

/** A form with two files, which arrives in pieces. */
function arriving(content: string, step: number): ReadableStream<Uint8Array> {
  const part =
    `--b\r\nContent-Disposition: form-data; name="${FIELD}"; filename="a"\r\n\r\n${content}\r\n`;
  const bytes = new TextEncoder().encode(part + part + "--b--\r\n");
  let start = 0;
  return new ReadableStream({
    async pull(controller) {
      await delay(0);
      if (start >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(start, start += step));
    },
  });
}

Deno.test("a handler that changes the bytes of a file does not change the form (behaviour 7.8)", async () => {
  const content = "x\r\n--\ry\r\r\n\r\n--z-\r" + "x".repeat(30);
  for (const step of [3, 7]) {
    const seen = await send(async (files) => {
      const texts = [];
      for await (const { stream } of files) {
        const bytes = [];
        for await (const chunk of stream) {
          for (const index of chunk.keys()) chunk[index]! ^= 0x55;
          // The parser continues while the handler holds the chunk.
          await delay(1);
          bytes.push(...chunk);
        }
        texts.push(String.fromCharCode(...bytes.map((byte) => byte ^ 0x55)));
      }
      return texts;
    }, arriving(content, step));
    assertEquals(seen, [200, [content, content]], `pieces of ${step} bytes`);
  }
});

Deno.test("reading a file that the loop has dropped fails (behaviour 7.8)", async () => {
  const read = async (stream: ReadableStream<Uint8Array>) => {
    try {
      return (await new Response(stream).bytes()).length;
    } catch (error) {
      return (error as Error).message.slice(0, 18);
    }
  };
  const failed: [number, unknown] = [200, Array(2).fill("Cannot read a file")];
  // All files are read after the loop.
  const later = await send(
    async (files) => {
      const all = await Array.fromAsync(files);
      return await Promise.all(all.map(({ stream }) => read(stream)));
    },
    arriving("x".repeat(100), 30),
  );
  assertEquals(later, failed);
  // The loop and the streams read at the same time.
  const together = await send(async (files) => {
    const reading = [];
    for await (const { stream } of files) reading.push(read(stream));
    return await Promise.all(reading);
  }, arriving("x".repeat(100), 30));
  assertEquals(together, failed);
});

Deno.test("a boundary that the parser rejects gets 400 (behaviour 7.8)", async () => {
  for (const boundary of ["x".repeat(253), "é".repeat(127)]) {
    const body = arriving("", 100);
    const [status] = await send(() => Promise.resolve(), body, boundary);
    assertEquals(status, 400);
  }
});

Deno.test("the schema of a form and its reader agree on fields in place of files (behaviour 7.8)", async () => {
  const body = form({ files: { photo: file({ count: [0, 2] }) } });
  const validate = async (photo: unknown) =>
    (await body["~standard"].validate({ photo })).issues === undefined;
  for (
    const photo of [undefined, "", [""], ["", ""], [], [
      "",
      new Blob([], { type: "a/b" }),
    ]]
  ) {
    assert(await validate(photo), JSON.stringify(photo));
  }
  for (const photo of [null, 0, false, "x", ["", "x"]]) {
    assert(!await validate(photo), JSON.stringify(photo));
  }
});

const echoing = {
  "files/route.ts": {
    schema: { put: schema.put },
    PUT: (
      { headers, validated: { body: { stream } } }: FrameworkRequest<
        typeof schema.put
      >,
    ) =>
      headers.has("x-late")
        ? new Response(stream)
        : new Response(stream).bytes().then((bytes) => new Response(bytes)),
  },
};

Deno.test("a missing body is compared with its digest (behaviour 7.8)", async () => {
  const headers = {
    "content-type": "video/mp4",
    "content-digest": "sha-256=:AAAA:",
  };
  const response = await TestApplication.of(echoing)
    .fetch("/api/files", { method: "PUT", headers });
  assertEquals(response.status, 400);
});

Deno.test("a file that is read on after its handler fails, compressed or not (behaviour 7.8)", async () => {
  // Without compression, so that the file has many pieces.
  const file = new Uint8Array(300_000);
  const bodies = {
    identity: file,
    gzip: new Uint8Array(gzipSync(file, { level: 0 })),
    deflate: new Uint8Array(deflateSync(file, { level: 0 })),
  };
  for (const [coding, body] of Object.entries(bodies)) {
    const headers = { "content-encoding": coding, "x-late": "1" };
    const response = await TestApplication.of(echoing)
      .fetch("/api/files", { method: "PUT", body, headers });
    const error = await assertRejects(() => response.bytes(), HttpError);
    assertEquals(error.detail, "The body could not be read to its end", coding);
  }
});

Deno.test("a streamed body that middleware has read has the same bytes (behaviour 7.8)", async () => {
  const application = TestApplication.of(echoing, {
    bodyLimit: 10,
    onError: (error) => Response.json(String(error), { status: 500 }),
    middleware: [async (request, next) => {
      const name = request.headers.get("x-reader");
      if (name === "body") await request.body!.getReader().read();
      else await request[name as "text" | "json"]().catch(() => {});
      return await next();
    }],
  });
  const send = async (reader: string) => {
    const response = await application.fetch("/api/files", {
      method: "PUT",
      body: ReadableStream.from([new Uint8Array(10).fill(0xff)]),
      headers: { "x-reader": reader },
    });
    const bytes = await response.bytes();
    return [response.status, bytes.length, bytes[0]];
  };
  for (const reader of ["text", "json"]) {
    assertEquals(await send(reader), [200, 10, 0xff], reader);
  }
  assertEquals((await send("body"))[0], 500);
});
