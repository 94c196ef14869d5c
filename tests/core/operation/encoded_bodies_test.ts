/** Requests over HTTP by type, encoding, schema and length (behaviour 7.2, 7.6, 7.8). */
import { assert, assertEquals } from "@std/assert";
import { file, form } from "@bough/framework/uploads";
import { deflateSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";
import { exchange } from "../../support/raw_http.ts";

const LIMIT = 1_000;
const Name = z.object({ name: z.string() });
const [json, maybe, any, png, needed, optional] = [
  Name,
  Name.optional(),
  file({ maxSize: LIMIT }),
  file({ maxSize: LIMIT, types: ["image/png"] }),
  form({ fields: Name, files: {} }),
  form({ files: { photo: file({ maxSize: LIMIT, count: [0, 1] }) } }),
].map((body) => ({ post: { body } }));

const config = { bodyLimit: LIMIT };

async function sizeOf(
  stream: ReadableStream<Uint8Array>,
): Promise<number> {
  let size = 0;
  for await (const { length } of stream) size += length;
  return size;
}

const APPLICATION = TestApplication.of({
  "json/route.ts": {
    schema: json!,
    config,
    POST: ({ validated }) => Response.json(validated.body),
  },
  "maybe/route.ts": {
    schema: maybe!,
    config,
    POST: ({ validated }) => Response.json(validated.body ?? null),
  },
  "any/route.ts": {
    schema: any!,
    async POST({ validated }) {
      const { type, stream } = validated.body as never;
      return Response.json({ type, size: await sizeOf(stream) });
    },
  },
  "png/route.ts": {
    schema: png!,
    async POST({ validated }) {
      return Response.json(await sizeOf((validated.body as never)["stream"]));
    },
  },
  "needed/route.ts": {
    schema: needed!,
    config,
    async POST({ validated }) {
      const { fields, files } = validated.body as never;
      await Array.fromAsync(files);
      return Response.json(fields);
    },
  },
  "optional/route.ts": {
    schema: optional!,
    config,
    async POST({ validated }) {
      const sizes = [];
      const { files } = validated.body as {
        files: AsyncIterable<{ stream: ReadableStream<Uint8Array> }>;
      };
      for await (const { stream } of files) sizes.push(await sizeOf(stream));
      return Response.json(sizes);
    },
  },
});

const ENCODER = new TextEncoder();

function multipart(head: string, content: string): string {
  return `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n--b--\r\n`;
}

const gzip = (text: string) => gzipSync(ENCODER.encode(text));

/** The bodies by name, as sent. */
const BODIES = {
  none: "",
  json: '{"name":"Ada"}',
  wrong: '{"name":1}',
  broken: '{"name":',
  fields: "name=Ada",
  multipart: multipart('name="name"', "Ada"),
  photo: multipart('name="photo"; filename="a"', "Ada"),
  large: JSON.stringify({ name: "x".repeat(LIMIT) }),
  largePhoto: multipart('name="photo"; filename="a"', "x".repeat(LIMIT + 1)),
};

const GZIP = "gzip";
const [JSON_TYPE, URL_TYPE, FORM_TYPE, PNG, TEXT] = [
  "application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=b",
  "image/png",
  "text/plain",
];

/** How the bytes of a row are changed after they were encoded. */
const CHANGES: Record<string, (bytes: Uint8Array, body: string) => Uint8Array> =
  {
    "": (bytes) => bytes,
    "not encoded": (_, body) => ENCODER.encode(body),
    "cut off": (bytes) => bytes.slice(0, -1),
    "more bytes": (bytes) => new Uint8Array([...bytes, 0]),
    "in members": (_, body) =>
      Uint8Array.from([body.slice(0, 5), "", body.slice(5)].flatMap((part) => [
        ...gzip(part),
      ])),
  };

/** Route, type, encoding, body, change, status. */
type Row = readonly [
  route: string,
  type: string,
  encoding: string,
  body: keyof typeof BODIES,
  change: string,
  status: number,
];

// deno-fmt-ignore
const ROWS: readonly Row[] = [
  // A body that must be there.
  ["json", JSON_TYPE, "", "json", "", 200],
  ["json", JSON_TYPE, "identity", "json", "", 200],
  ["json", JSON_TYPE, GZIP, "json", "", 200],
  ["json", JSON_TYPE, "GZip", "json", "", 200],
  ["json", JSON_TYPE, "x-gzip", "json", "", 200],
  ["json", JSON_TYPE, "deflate", "json", "", 200],
  ["json", JSON_TYPE, GZIP, "json", "in members", 200],
  ["json", JSON_TYPE, GZIP, "json", "cut off", 400],
  ["json", JSON_TYPE, GZIP, "json", "more bytes", 400],
  ["json", JSON_TYPE, GZIP, "json", "not encoded", 400],
  ["json", JSON_TYPE, "deflate", "json", "cut off", 400],
  ["json", JSON_TYPE, "deflate", "json", "more bytes", 400],
  ["json", JSON_TYPE, "deflate", "json", "in members", 400],
  ["json", JSON_TYPE, GZIP, "wrong", "", 400],
  ["json", JSON_TYPE, GZIP, "broken", "", 400],
  ["json", JSON_TYPE, GZIP, "none", "", 400],
  ["json", JSON_TYPE, GZIP, "none", "not encoded", 400],
  ["json", JSON_TYPE, GZIP, "large", "", 413],
  ["json", JSON_TYPE, "deflate", "large", "", 413],
  ["json", JSON_TYPE, "", "large", "", 413],
  ["json", JSON_TYPE, "br", "json", "", 415],
  ["json", JSON_TYPE, "gzip, gzip", "json", "", 415],
  ["json", JSON_TYPE, "identity, gzip", "json", "", 415],
  ["json", URL_TYPE, "", "fields", "", 200],
  ["json", URL_TYPE, GZIP, "fields", "", 200],
  ["json", URL_TYPE, GZIP, "fields", "cut off", 400],
  ["json", URL_TYPE, "br", "fields", "", 415],
  ["json", FORM_TYPE, "deflate", "multipart", "", 200],
  ["json", FORM_TYPE, GZIP, "largePhoto", "", 413],
  ["json", "", "", "json", "", 200],
  ["json", "", GZIP, "json", "", 200],
  ["json", "", "", "none", "", 400],
  ["json", TEXT, "", "none", "", 400],
  ["json", TEXT, "", "json", "", 415],
  ["json", TEXT, GZIP, "json", "", 415],
  // A body that may be absent.
  ["maybe", JSON_TYPE, "", "json", "", 200],
  ["maybe", JSON_TYPE, "", "none", "", 200],
  ["maybe", URL_TYPE, "", "none", "", 200],
  ["maybe", FORM_TYPE, "", "none", "", 200],
  ["maybe", TEXT, "", "none", "", 200],
  ["maybe", "", "", "none", "", 200],
  ["maybe", JSON_TYPE, GZIP, "none", "not encoded", 200],
  ["maybe", JSON_TYPE, GZIP, "none", "", 200],
  ["maybe", JSON_TYPE, "br", "none", "", 200],
  ["maybe", TEXT, "", "json", "", 415],
  // A file of any type, and of one type.
  ["any", "", "", "json", "", 200],
  ["any", "", "", "none", "", 200],
  ["any", TEXT, GZIP, "json", "", 200],
  ["any", "", "deflate", "json", "", 200],
  ["any", "", GZIP, "json", "in members", 200],
  ["any", "", GZIP, "json", "cut off", 400],
  ["any", "", GZIP, "json", "more bytes", 400],
  ["any", "", GZIP, "large", "", 413],
  ["any", "", "br", "json", "", 415],
  ["png", PNG, GZIP, "json", "", 200],
  ["png", "", "", "json", "", 415],
  ["png", TEXT, GZIP, "json", "", 415],
  // A form.
  ["needed", FORM_TYPE, GZIP, "multipart", "", 200],
  ["needed", FORM_TYPE, "deflate", "multipart", "cut off", 400],
  ["needed", FORM_TYPE, "", "none", "", 400],
  ["needed", "", "", "none", "", 400],
  ["needed", TEXT, "", "none", "", 400],
  ["needed", TEXT, "", "multipart", "", 415],
  ["needed", FORM_TYPE, "br", "multipart", "", 415],
  ["optional", FORM_TYPE, GZIP, "photo", "", 200],
  ["optional", FORM_TYPE, "deflate", "photo", "", 200],
  ["optional", FORM_TYPE, GZIP, "largePhoto", "", 413],
  ["optional", FORM_TYPE, "", "none", "", 200],
  ["optional", FORM_TYPE, GZIP, "none", "", 200],
  ["optional", TEXT, "", "none", "", 200],
  ["optional", "", "", "none", "", 200],
  ["optional", "", "", "photo", "", 415],
];

function bytesOf([, , encoding, name, change]: Row): Uint8Array {
  const body = BODIES[name];
  const bytes = /gzip/i.test(encoding)
    ? gzip(body)
    : encoding === "deflate"
    ? deflateSync(body)
    : ENCODER.encode(body);
  return CHANGES[change]!(bytes, body);
}

/** The parts of a request: its head and its body, of a known length or in chunks. */
function partsOf(row: Row, isChunked: boolean): Uint8Array[] {
  const [route, type, encoding] = row;
  const bytes = bytesOf(row);
  const lines = [`POST /api/${route} HTTP/1.1`, "Host: x", "Connection: close"];
  if (type !== "") lines.push(`Content-Type: ${type}`);
  if (encoding !== "") lines.push(`Content-Encoding: ${encoding}`);
  lines.push(
    isChunked
      ? "Transfer-Encoding: chunked"
      : `Content-Length: ${bytes.length}`,
  );
  const head = ENCODER.encode(lines.join("\r\n") + "\r\n\r\n");
  if (!isChunked) return [head, bytes];
  const middle = bytes.length >> 1;
  const chunks = [bytes.slice(0, middle), bytes.slice(middle), new Uint8Array()]
    .filter(({ length }, index) => index === 2 || length > 0);
  return [
    head,
    ...chunks.flatMap((chunk) => [
      ENCODER.encode(`${chunk.length.toString(16)}\r\n`),
      chunk,
      ENCODER.encode("\r\n"),
    ]),
  ];
}

Deno.test("a request gets the status of its type, encoding, schema and length, chunked or not", async () => {
  assert(ROWS.length >= 60);
  await using server = await APPLICATION.serve();
  const wrong: string[] = [];
  for (const row of ROWS) {
    for (const isChunked of [false, true]) {
      const { status, body, headers } = await exchange(
        server.port,
        partsOf(row, isChunked),
      );
      const found = `${row.join(" | ")} | ${isChunked ? "chunked " : ""}`;
      if (status !== row.at(-1)) wrong.push(`${found}| ${status} ${body}`);
      if (status === 415) {
        const accepted = headers.get("accept-encoding");
        const isTyped = headers.get("accept") !== null;
        assertEquals(accepted, isTyped ? null : "gzip, deflate", found);
      }
    }
  }
  assertEquals(wrong, []);
});

Deno.test("a file without a media type is application/octet-stream (behaviour 7.8)", async () => {
  await using server = await APPLICATION.serve();
  const row = ["any", "", GZIP, "json", "", 200] as const;
  const { body } = await exchange(server.port, partsOf(row, false));
  const { length } = BODIES.json;
  assertEquals(JSON.parse(body), {
    type: "application/octet-stream",
    size: length,
  });
});

/** Compares the bytes of each reader with those sent, before and after validation. */
Deno.test("readers get the bytes as sent, even after validation (behaviour 7.6)", async () => {
  const application = TestApplication.of({
    "middleware.ts": {
      async default(request, next) {
        if (request.headers.has("x-json")) {
          await request.json().catch(() => {});
        }
        if (request.headers.has("x-bytes")) await request.bytes();
        return await next();
      },
    },
    "raw/route.ts": {
      schema: json!,
      POST: async (request) =>
        Response.json([request.validated.body, (await request.bytes()).length]),
    },
    "plain/route.ts": {
      POST: async (request) => new Response((await request.bytes()).slice()),
    },
    "parse/route.ts": {
      POST: async (request) => Response.json(await request.json()),
    },
  });
  const body = new Uint8Array(gzip(BODIES.json));
  const post = (route: string, headers: Record<string, string>) =>
    application.fetch(`/api/${route}`, {
      method: "POST",
      body,
      headers: {
        "content-type": JSON_TYPE,
        "content-encoding": "gzip",
        ...headers,
      },
    });
  for (const headers of [{}, { "x-json": "1" }, { "x-bytes": "1" }]) {
    const response = await post("raw", headers as Record<string, string>);
    assertEquals(await response.json(), [{ name: "Ada" }, body.length]);
  }
  assertEquals(await (await post("plain", {})).bytes(), body);
  const parsed = await post("parse", {});
  assertEquals(parsed.status, 400);
  await parsed.body?.cancel();
});

Deno.test("onError can read a body of another type or encoding, chunked or not (behaviour 6.3)", async () => {
  const application = TestApplication.of(
    { "json/route.ts": { schema: json!, POST: () => new Response() } },
    {
      onError: async (_, request) => new Response(await request.text()),
    },
  );
  for (
    const headers of [{ "content-type": TEXT }, { "content-encoding": "br" }]
  ) {
    for (const length of [{}, { "content-length": "3" }]) {
      const response = await application.fetch("/api/json", {
        method: "POST",
        body: ReadableStream.from([ENCODER.encode("a"), ENCODER.encode("bc")]),
        headers: { ...headers, ...length } as Record<string, string>,
      });
      assertEquals(await response.text(), "abc");
    }
  }
});

Deno.test("Content-Digest covers the bytes as sent (behaviour 7.6)", async () => {
  const body = new Uint8Array(gzip(BODIES.json));
  const digest = async (bytes: Uint8Array<ArrayBuffer>) => {
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return `sha-256=:${hash.toBase64()}:`;
  };
  const put = async (contentDigest: string) => {
    const response = await APPLICATION.fetch("/api/any", {
      method: "POST",
      body,
      headers: { "content-encoding": "gzip", "content-digest": contentDigest },
    });
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await put(await digest(body)), 200);
  assertEquals(
    await put(await digest(ENCODER.encode(BODIES.json) as typeof body)),
    400,
  );
});

Deno.test("without a limit, a compressed body of any size is read", async () => {
  const application = TestApplication.of({
    "large/route.ts": {
      schema: { post: { body: z.string() } },
      config: { bodyLimit: Infinity },
      POST: ({ validated }) => Response.json(`${validated.body}`.length),
    },
  });
  const response = await application.fetch("/api/large", {
    method: "POST",
    body: new Uint8Array(gzip(JSON.stringify("x".repeat(5_000_000)))),
    headers: { "content-type": JSON_TYPE, "content-encoding": "gzip" },
  });
  assertEquals(await response.json(), 5_000_000);
});
