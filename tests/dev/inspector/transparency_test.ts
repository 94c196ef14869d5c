import { assert, assertEquals } from "@std/assert";
import { Framework } from "@bough/framework";
import { CapturedLog, TestServer } from "../../support/application.ts";
import { closePayload, frame, OPCODE } from "../../support/raw_socket.ts";
import { InspectedServer } from "./support.ts";
import { variedApplication } from "./varied_application.ts";

/** The parts of a request: bytes, or a pause in milliseconds. */
type Parts = readonly (string | Uint8Array | number)[];

const ENCODER = new TextEncoder();

/** Sends requests, of which the last one closes the connection; returns the responses. */
async function exchange(port: number, parts: Parts): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const writing = write(connection, parts).catch(() => {
    // The server closed the connection before the end of the body.
  });
  let text = "";
  const buffer = new Uint8Array(64 * 1024);
  const decoder = new TextDecoder("latin1");
  for (;;) {
    const size = await connection.read(buffer).catch(() => null);
    if (size === null) break;
    text += decoder.decode(buffer.subarray(0, size));
  }
  await writing;
  // Chunks arrive in any sizes; the end of a stream is a chunk without a size.
  return text.replaceAll(/^date: .*\r\n/gim, "")
    .replaceAll(/\r\n[1-9a-f][\da-f]*\r\n/g, "");
}

async function write(connection: Deno.TcpConn, parts: Parts): Promise<void> {
  for (const part of parts) {
    if (typeof part === "number") {
      await new Promise((go) => setTimeout(go, part));
      continue;
    }
    let rest = typeof part === "string" ? ENCODER.encode(part) : part;
    while (rest.length > 0) {
      rest = rest.subarray(await connection.write(rest));
    }
  }
}

const CLOSE = "Connection: close\r\n";

function head(line: string, ...headers: readonly string[]): string {
  return [`${line} HTTP/1.1`, "Host: localhost", ...headers, "", ""].join(
    "\r\n",
  );
}

function get(path: string, ...headers: readonly string[]): Parts {
  return [head(`GET /api/${path}`, "Connection: close", ...headers)];
}

function post(
  path: string,
  body: string,
  method = "POST",
  ...headers: readonly string[]
): Parts {
  return [
    head(
      `${method} /api/${path}`,
      "Connection: close",
      "Content-Type: application/json",
      `Content-Length: ${ENCODER.encode(body).length}`,
      ...headers,
    ),
    body,
  ];
}

/** Lets another request follow on the same connection. */
function kept(parts: Parts): Parts {
  const [first, ...others] = parts;
  return [
    (first as string).replace(CLOSE, ""),
    ...others,
    ...get("get/json"),
  ];
}

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  return await new Response(stream).bytes();
}

const LONG = "x".repeat(60_000);
const BOOK = '{"title":"Emma","cents":1200}';
const CLOSE_FRAME = frame(OPCODE.close, closePayload(1000));
const KEYS = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

function requests(upstream: string): Readonly<Record<string, Parts>> {
  const from = `X-Upstream: ${upstream}`;
  const gets = (names: string) =>
    Object.fromEntries(
      names.split(" ").map((name) => [
        `GET ${name}`,
        get(`get/${name}`, from),
      ]),
    );
  const posts = (names: string, body: string) =>
    Object.fromEntries(
      names.split(" ").map((name) => [
        `POST ${name}, ${body.length} bytes`,
        post(`post/${name}`, body, "POST", from),
      ]),
    );
  const every = "unread text json bytes looked stream clone echo proxy passed";
  return {
    ...gets(
      "json json-headers text empty bytes long null no-content not-modified cookies redirect blob params stream stream-length stream-headers big-stream failing strings detached undefined events touched touched-headers copied cloned file fetched fetched-body fetched-copy fetched-gzip fetched-gzip-cloned gzip-through error http-error thrown-response thrown-text error-response used nothing body",
    ),
    ...posts(every, BOOK),
    ...posts(every, JSON.stringify(LONG)),
    ...posts(every, ""),
    ...Object.fromEntries(
      ["text", "stream", "echo", "unread"].flatMap((name) => [
        [`kept after ${name}`, kept(post(`post/${name}`, BOOK))],
        [`kept after long ${name}`, kept(post(`post/${name}`, LONG))],
      ]),
    ),
    "HEAD": [head("HEAD /api/get/json", "Connection: close")],
    "HEAD of a stream": [head("HEAD /api/get/stream", "Connection: close")],
    "HEAD of a file": [head("HEAD /api/get/file", "Connection: close")],
    "not found": get("nowhere"),
    "bad path": get("%ff"),
    "unknown method with a body": post("books", BOOK, "BREW"),
    "GET with a body": post("get/json", BOOK, "GET"),
    "valid query": get("books?page=2"),
    "valid body": post("books", BOOK),
    "invalid body": post("books", '{"title":7}'),
    "too large": kept(post("books", "x".repeat(200_000))),
    "stamped": get("stamped/json"),
    "stamped stream": get("stamped/stream"),
    "stamped text": get("stamped/text"),
    "upload": post("upload", LONG, "PUT"),
    "upload, too large": post("upload", LONG + LONG, "PUT"),
    "two requests at once": kept(get("get/stream")),
    "kept after an error": kept(get("get/error")),
    "kept after a failing stream": kept(get("get/failing")),
    "socket without an upgrade": get("socket"),
    "socket": [head("GET /api/socket", ...KEYS), 20, CLOSE_FRAME],
    "plain socket": [head("GET /api/plain-socket", ...KEYS), 20, CLOSE_FRAME],
  };
}

const gzipped = await gzip(BOOK);

Deno.test("responses are the same with and without an inspector", async (test) => {
  using _log = new CapturedLog();
  await using upstream = await TestServer.start(
    new Framework({
      manifest: {
        "route.ts": {
          GET: () => new Response("from upstream"),
          POST: async (request: Request) =>
            Response.json([
              await request.text(),
              request.headers.get("content-length"),
            ]),
        },
        "gzip/route.ts": {
          GET: () =>
            new Response(gzipped, { headers: { "content-encoding": "gzip" } }),
        },
      },
    }),
  );
  await using plainServer = await TestServer.start(variedApplication());
  await using server = await InspectedServer.of(variedApplication());
  const all = Object.entries(requests(upstream.url("/api")));
  for (const [name, parts] of all) {
    await test.step(name, async () => {
      const [wanted, found] = await Promise.all(
        [plainServer, server].map(({ port }) => exchange(port, parts)),
      );
      assert(wanted!.startsWith("HTTP/1.1 "), wanted);
      assertEquals(found, wanted);
    });
  }
});
