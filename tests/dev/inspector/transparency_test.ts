import { assertEquals } from "@std/assert";
import { Framework } from "@bough/framework";
import { CapturedLog, TestServer } from "../../support/application.ts";
import { closePayload, frame, OPCODE } from "../../support/raw_socket.ts";
import { InspectedServer } from "./support.ts";
import { variedApplication } from "./varied_application.ts";

/** The parts of a request: bytes, a pause in milliseconds, or the end of all bytes. */
type Parts = readonly (string | Uint8Array | number | "end")[];

const ENCODER = new TextEncoder();

/** Sends bytes, and returns the responses to requests with these methods. */
async function exchange(
  port: number,
  parts: Parts,
  methods: readonly string[],
): Promise<Received[]> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const writing = write(connection, parts).catch(() => {
    // The server closed the connection before the end of the body.
  });
  let text = "";
  let responses: Received[] = [];
  const buffer = new Uint8Array(64 * 1024);
  const decoder = new TextDecoder("latin1");
  // The server may keep the connection open, to read a body that never arrives.
  while (responses.filter(isFinal).length < methods.length) {
    const size = await connection.read(buffer).catch(() => null);
    if (size === null) break;
    text += decoder.decode(buffer.subarray(0, size));
    responses = responsesIn(text, methods);
  }
  await writing;
  return responses;
}

async function write(connection: Deno.TcpConn, parts: Parts): Promise<void> {
  for (const part of parts) {
    if (typeof part === "number") {
      await new Promise((go) => setTimeout(go, part));
    } else if (part === "end") {
      await connection.closeWrite();
    } else {
      let rest = typeof part === "string" ? ENCODER.encode(part) : part;
      while (rest.length > 0) {
        rest = rest.subarray(await connection.write(rest));
      }
    }
  }
}

function isFinal({ head, isComplete }: Received): boolean {
  return isComplete && !head[0]!.startsWith("HTTP/1.1 100 ");
}

/** A response as the client receives it, without its date. */
interface Received {
  readonly head: readonly string[];
  readonly body: string;
  /** Whether the body has its end, which a failed stream lacks. */
  readonly isComplete: boolean;
}

/** Splits what a server sent into responses; chunks may arrive in any sizes. */
function responsesIn(text: string, methods: readonly string[]): Received[] {
  const responses: Received[] = [];
  let rest = text;
  while (rest.includes("\r\n\r\n")) {
    const end = rest.indexOf("\r\n\r\n");
    const head = rest.slice(0, end).split("\r\n")
      .filter((line) => !/^date:/i.test(line));
    rest = rest.slice(end + 4);
    const status = Number(head[0]?.split(" ")[1]);
    const named = (name: string) =>
      head.find((line) => line.toLowerCase().startsWith(`${name}: `))
        ?.slice(name.length + 2);
    const isBodiless = status < 200 || status === 204 || status === 304 ||
      methods[responses.length] === "HEAD";
    let body = "";
    let isComplete = true;
    const length = named("content-length");
    if (isBodiless) {
      // The next response follows.
    } else if (named("transfer-encoding") === "chunked") {
      isComplete = false;
      for (;;) {
        const line = rest.indexOf("\r\n");
        if (line < 0) break;
        const size = parseInt(rest.slice(0, line), 16);
        body += rest.slice(line + 2, line + 2 + size);
        rest = rest.slice(line + 2 + size + 2);
        isComplete = size === 0;
        if (isComplete) break;
      }
    } else if (length !== undefined) {
      body = rest.slice(0, Number(length));
      isComplete = body.length === Number(length);
      rest = rest.slice(Number(length));
    }
    responses.push({ head, body, isComplete });
  }
  return responses;
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
  body: string | Uint8Array,
  { type = "application/json", method = "POST", headers = [] }: {
    type?: string;
    method?: string;
    headers?: readonly string[];
  } = {},
): Parts {
  const length = typeof body === "string"
    ? ENCODER.encode(body).length
    : body.length;
  return [
    head(
      `${method} /api/${path}`,
      "Connection: close",
      ...type === "" ? [] : [`Content-Type: ${type}`],
      `Content-Length: ${length}`,
      ...headers,
    ),
    body,
  ];
}

/** A request whose body has no declared length. */
function chunked(
  path: string,
  chunks: Parts,
  type = "application/json",
): Parts {
  return [
    head(
      `POST /api/${path}`,
      "Connection: close",
      `Content-Type: ${type}`,
      "Transfer-Encoding: chunked",
    ),
    ...chunks.flatMap((chunk): Parts =>
      typeof chunk === "number"
        ? [chunk]
        : [`${chunk.length.toString(16)}\r\n`, chunk, "\r\n"]
    ),
    "0\r\n\r\n",
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

/** Sends the body of a request after a pause. */
function slowly(parts: Parts): Parts {
  return parts.flatMap((part, index) => index === 1 ? [30, part] : [part]);
}

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  return await new Response(stream).bytes();
}

const LONG = "x".repeat(60_000);
const BOOK = '{"title":"Emma","cents":1200}';
const MULTIPART = {
  type: "multipart/form-data; boundary=b",
  body: (size: number) =>
    '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nEmma\r\n' +
    '--b\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\n' +
    `Content-Type: image/png\r\n\r\n${"p".repeat(size)}\r\n--b--\r\n`,
};
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
  const posts = (names: string, body: string, type?: string) =>
    Object.fromEntries(
      names.split(" ").map((name) => [
        `POST ${name}, ${body.length} bytes`,
        post(`post/${name}`, body, {
          headers: [from],
          ...(type && { type }),
        }),
      ]),
    );
  const every =
    "unread text json twice bytes blob looked stream byob locked partly cancelled tee clone clone-only copy echo proxy passed later";
  return {
    ...gets(
      "json json-headers text empty bytes long null no-content not-modified cookies redirect blob params stream stream-length stream-headers big-stream failing strings detached undefined events touched touched-headers copied cloned file fetched fetched-body fetched-copy fetched-gzip fetched-gzip-cloned gzip-through error http-error thrown-response thrown-text error-response used nothing body",
    ),
    ...posts(every, BOOK),
    ...posts(every, JSON.stringify(LONG)),
    ...posts(every, ""),
    ...posts("form", "a=1&b=2", "application/x-www-form-urlencoded"),
    ...posts("form text", MULTIPART.body(100), MULTIPART.type),
    ...Object.fromEntries(
      ["text", "json", "stream", "byob", "tee", "clone", "echo", "unread"]
        .flatMap((name) => [
          [`chunked ${name}`, chunked(`post/${name}`, ['{"a":', 30, "1}"])],
          [`empty chunked ${name}`, chunked(`post/${name}`, [])],
          [`slow ${name}`, slowly(post(`post/${name}`, BOOK))],
          [`kept after ${name}`, kept(post(`post/${name}`, BOOK))],
          [`kept after long ${name}`, kept(post(`post/${name}`, LONG))],
          [
            `cut off ${name}`,
            [...post(`post/${name}`, BOOK).slice(0, 1), '{"a"', 30, "end"],
          ],
        ]),
    ),
    "HEAD": [head("HEAD /api/get/json", "Connection: close")],
    "HEAD of a stream": [head("HEAD /api/get/stream", "Connection: close")],
    "HEAD of a file": [head("HEAD /api/get/file", "Connection: close")],
    "OPTIONS": [head("OPTIONS /api/books", "Connection: close")],
    "DELETE": [head("DELETE /api/post/text", "Connection: close")],
    "PUT": post("post/text", "text", { method: "PUT", type: "text/plain" }),
    "not found": get("nowhere"),
    "method not allowed": post("get/json", BOOK),
    "unknown method": [head("BREW /api/books", "Connection: close")],
    "unknown method with a body": post("books", BOOK, { method: "BREW" }),
    "bad path": get("%ff"),
    "GET with a body": post("get/json", BOOK, { method: "GET" }),
    "valid query": get("books?page=2"),
    "invalid query": get("books?page=two"),
    "valid body": post("books", BOOK),
    "invalid body": post("books", '{"title":7}'),
    "malformed JSON": post("books", '{"title":'),
    "wrong type": post("books", "<a/>", { type: "application/xml" }),
    "no type": post("books", BOOK, { type: "" }),
    "byte order mark": post("books", "\ufeff" + BOOK),
    "compressed": post("books", gzipped, {
      headers: ["Content-Encoding: gzip"],
    }),
    "not compressed": post("books", BOOK, {
      headers: ["Content-Encoding: gzip"],
    }),
    "too large": kept(post("books", "x".repeat(200_000))),
    "too large, not sent": post("books", "x".repeat(200_000)).slice(0, 1),
    "too large, chunked": chunked("books", ["x".repeat(200_000)]),
    "too large for a clone": post("post/clone", "x".repeat(200_000)),
    "too slow": post("books", BOOK).slice(0, 1),
    "raw body": post("raw", BOOK),
    "guarded": kept(post("guarded", BOOK)),
    "guarded, slow": slowly(post("guarded", BOOK)),
    "guarded, never sent": post("guarded", BOOK).slice(0, 1),
    "guarded, large": kept(post("guarded", LONG)),
    "guarded, expecting": post("guarded", BOOK, {
      headers: ["Expect: 100-continue"],
    }),
    "guarded, expecting, slow": slowly(post("guarded", BOOK, {
      headers: ["Expect: 100-continue"],
    })),
    "expecting": post("books", BOOK, { headers: ["Expect: 100-continue"] }),
    "stamped": get("stamped/json"),
    "stamped stream": get("stamped/stream"),
    "stamped text": get("stamped/text"),
    "form": post("form", MULTIPART.body(100), MULTIPART),
    "slow form": slowly(post("form", MULTIPART.body(60_000), MULTIPART)),
    "form, too large": post("form", MULTIPART.body(150_000), MULTIPART),
    "form, cut off": post("form", MULTIPART.body(100).slice(0, -10), MULTIPART),
    "upload": post("upload", LONG, { method: "PUT" }),
    "upload, too large": post("upload", LONG + LONG, { method: "PUT" }),
    "upload, too slow": post("upload", LONG, { method: "PUT" }).slice(0, 1),
    "upload, compressed": post("upload", gzipped, {
      method: "PUT",
      headers: ["Content-Encoding: gzip"],
    }),
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
      const sent = parts.filter((part) => typeof part === "string").join("");
      const methods = [...sent.matchAll(/^([A-Z]+) \/\S* HTTP\/1.1\r$/gm)]
        .map(([, method]) => method!);
      const [wanted, found] = await Promise.all(
        [plainServer, server].map(({ port }) => exchange(port, parts, methods)),
      );
      assertEquals(found, wanted);
    });
  }
});
