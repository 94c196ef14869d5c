import type { RawResponse } from "./raw_http.ts";

/**
 * A connection that sends one raw request after another, which is much faster
 * than a new one for each. It connects again after the server has closed it.
 */
export class KeptConnection implements Disposable {
  readonly #port: number;
  readonly #buffer = new Uint8Array(64 * 1024);
  #connection: Deno.TcpConn | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Sends a request without a body.
   *
   * @param head Its lines, sent unchanged; each character is a byte.
   */
  async send(head: string): Promise<RawResponse> {
    const connection = this.#connection ??= await Deno.connect({
      hostname: "127.0.0.1",
      port: this.#port,
    });
    const request = head + "\r\n\r\n";
    await connection.write(Uint8Array.from(request, (c) => c.charCodeAt(0)));
    const hasBody = !head.startsWith("HEAD ");
    let text = "";
    while (!isComplete(text, hasBody)) {
      const size = await connection.read(this.#buffer).catch(() => null);
      if (size === null) break;
      text += String.fromCharCode(...this.#buffer.subarray(0, size));
    }
    const [start, body = ""] = text.split("\r\n\r\n", 2);
    const [statusLine = "", ...lines] = start!.split("\r\n");
    const headers = new Headers(
      lines.map((line) => line.split(": ", 2) as [string, string]),
    );
    const status = Number(statusLine.split(" ")[1] ?? 0);
    if (status === 0 || headers.get("connection") === "close") this.close();
    return { status, headers, body };
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function isComplete(text: string, hasBody: boolean): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return false;
  const length = /^content-length: (\d+)/im.exec(text.slice(0, end))?.[1];
  return !hasBody || text.length >= end + 4 + Number(length ?? 0);
}
