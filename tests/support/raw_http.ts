/** A response, parsed from its bytes. */
export interface RawResponse {
  /** The status code, or 0 if the connection was closed without a response. */
  readonly status: number;
  readonly headers: Headers;
  /** The body, with the chunks of a chunked one put together. */
  readonly body: string;
}

/**
 * Sends a request over a socket unchanged; `fetch` would normalize its path.
 *
 * @param head The request line and headers, one a line; `Host` and
 * `Connection: close` are added, unless the head names a `Host` of its own.
 */
export async function rawRequest(
  port: number,
  head: string,
  body: string | Uint8Array = "",
): Promise<RawResponse> {
  const lines = head.split("\n");
  if (!/^host:/im.test(head)) lines.push("Host: localhost");
  lines.push("Connection: close", "", "");
  return await exchange(port, [
    encode(lines.join("\r\n")),
    typeof body === "string" ? encode(body) : body,
  ]);
}

export async function sendAndLeave(
  port: number,
  beginning: string,
): Promise<void> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await writeAll(connection, encode(beginning));
  await new Promise((go) => setTimeout(go, 50));
}

/**
 * Sends bytes over a socket and reads one response, until its body is complete or
 * the server closes the connection.
 */
export async function exchange(
  port: number,
  parts: readonly Uint8Array[],
): Promise<RawResponse> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const writing = (async () => {
    for (const part of parts) await writeAll(connection, part);
  })().catch(() => {
    // The server may close early, for example after refusing a large body.
  });
  let text = "";
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  while (!isComplete(text)) {
    const size = await connection.read(buffer).catch(() => null);
    if (size === null) break;
    text += decoder.decode(buffer.subarray(0, size), { stream: true });
  }
  await writing;
  return parse(text);
}

async function writeAll(writer: Deno.Conn, bytes: Uint8Array): Promise<void> {
  let rest = bytes;
  while (rest.length > 0) rest = rest.subarray(await writer.write(rest));
}

/** Whether a body of a declared length has arrived; others end with the connection. */
function isComplete(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return false;
  const length = /^content-length: (\d+)/im.exec(text.slice(0, end))?.[1];
  return length !== undefined &&
    new TextEncoder().encode(text.slice(end + 4)).length >= Number(length);
}

function parse(text: string): RawResponse {
  const end = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = new Headers(lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  }));
  const rest = text.slice(end + 4);
  return {
    status: Number(statusLine.split(" ")[1] ?? 0),
    headers,
    body: headers.get("transfer-encoding") === "chunked" ? unchunk(rest) : rest,
  };
}

function unchunk(text: string): string {
  let body = "";
  let rest = text;
  for (;;) {
    const line = rest.indexOf("\r\n");
    const size = parseInt(rest.slice(0, line), 16);
    if (!(size > 0)) return body;
    body += rest.slice(line + 2, line + 2 + size);
    rest = rest.slice(line + 2 + size + 2);
  }
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
