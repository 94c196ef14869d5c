/** Requests over HTTP by type, encoding, schema and length (behaviour 7.2, 7.6, 7.8). */
import { assert, assertEquals } from "@std/assert";
import { file, form } from "@bough/framework/uploads";
import { deflateSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { TestApplication, type TestModule } from "../../support/application.ts";
import { exchange } from "../../support/raw_http.ts";
import { sizeOf } from "./support.ts";

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
const POST: TestModule["POST"] = ({ validated }) =>
  Response.json(validated.body ?? null);
/** Responds with the type of a file, and the bytes of a file or form. */
const stream: TestModule["POST"] = async ({ validated: { body } }) =>
  Response.json([body.type, await sizeOf(body)]);

const APPLICATION = TestApplication.of({
  "json/route.ts": { schema: json!, config, POST },
  "maybe/route.ts": { schema: maybe!, config, POST },
  "any/route.ts": { schema: any!, POST: stream },
  "png/route.ts": { schema: png!, POST: stream },
  "needed/route.ts": { schema: needed!, config, POST: stream },
  "optional/route.ts": { schema: optional!, config, POST: stream },
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
  const crlf = ENCODER.encode("\r\n");
  return [
    head,
    ...chunks.flatMap((chunk) => [
      ENCODER.encode(chunk.length.toString(16)),
      crlf,
      chunk,
      crlf,
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

const COMPRESSED = new Uint8Array(gzip(BODIES.json));

function send(
  { app }: TestApplication,
  path: string,
  headers: Record<string, string> = {},
  body: BodyInit = COMPRESSED,
): Promise<Response> {
  return Promise.resolve(app.fetch(
    new Request(`http://localhost/api/${path}`, {
      method: "POST",
      body,
      headers: {
        "content-type": JSON_TYPE,
        "content-encoding": "gzip",
        ...headers,
      },
    }),
  ));
}

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
    "parse/route.ts": { POST: async (request) => await request.json() },
  });
  for (const name of ["x-none", "x-json", "x-bytes"]) {
    const response = await send(application, "raw", { [name]: "1" });
    const expected = [{ name: "Ada" }, COMPRESSED.length];
    assertEquals(await response.json(), expected, name);
  }
  assertEquals(await (await send(application, "plain")).bytes(), COMPRESSED);
  assertEquals((await send(application, "parse")).status, 400);
});

Deno.test("onError can read a body of another type or encoding, chunked or not (behaviour 6.3)", async () => {
  const application = TestApplication.of(
    { "json/route.ts": { schema: json!, POST: () => new Response() } },
    {
      onError: async (_, request) => new Response(await request.text()),
    },
  );
  for (
    const headers of [
      { "content-type": TEXT },
      { "content-type": TEXT, "content-length": "3" },
      { "content-encoding": "br" },
      { "content-encoding": "br", "content-length": "3" },
    ] as Record<string, string>[]
  ) {
    const body = ReadableStream.from(["a", "bc"])
      .pipeThrough(new TextEncoderStream());
    const response = await send(application, "json", headers, body);
    assertEquals(await response.text(), "abc", JSON.stringify(headers));
  }
});

Deno.test("Content-Digest covers the bytes as sent; a file has their type or application/octet-stream (behaviour 7.6, 7.8)", async () => {
  for (
    const [bytes, status] of [
      [COMPRESSED, 200],
      [ENCODER.encode(BODIES.json), 400],
    ] as const
  ) {
    const hash = await crypto.subtle.digest("SHA-256", bytes);
    const response = await send(APPLICATION, "any", {
      "content-type": "",
      "content-digest": `sha-256=:${new Uint8Array(hash).toBase64()}:`,
    });
    const expected = ["application/octet-stream", BODIES.json.length];
    const value = await response.json();
    assertEquals(response.status, status);
    if (status === 200) assertEquals(value, expected);
  }
});

Deno.test("without a limit, a compressed body of any size is read (behaviour 7.6)", async () => {
  const application = TestApplication.of({
    "large/route.ts": {
      schema: { post: { body: z.string() } },
      config: { bodyLimit: Infinity },
      POST: ({ validated }) => Response.json(`${validated.body}`.length),
    },
  });
  const body = new Uint8Array(gzip(JSON.stringify("x".repeat(5_000_000))));
  const response = await send(application, "large", {}, body);
  assertEquals(await response.json(), 5_000_000);
});
