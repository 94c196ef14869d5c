import { type ClientHttp2Session, connect } from "node:http2";
import type { Buffer } from "node:buffer";

/** A response over HTTP/2. */
export interface Http2Response {
  /** The status code, or 0 where the stream was closed without a response. */
  readonly status: number;
  /** The headers. */
  readonly headers: Headers;
  /** The body. */
  readonly body: string;
}

/** A client that sends HTTP/2 without TLS, pseudo-headers as they stand. */
export class Http2Client implements Disposable {
  readonly #session: ClientHttp2Session;

  /** Connects to a port of the loopback interface. */
  constructor(port: number) {
    this.#session = connect(`http://127.0.0.1:${port}`);
    this.#session.on("error", () => {});
  }

  /** Sends a request of these headers, and a body if there is one. */
  request(
    headers: Readonly<Record<string, string>>,
    body = "",
  ): Promise<Http2Response> {
    return new Promise((resolve) => {
      const endStream = body === "";
      const stream = this.#session.request({ ...headers }, { endStream });
      const received = { status: 0, headers: new Headers(), body: "" };
      stream.on("response", ({ ":status": status, ...rest }) => {
        received.status = Number(status);
        for (const [name, value] of Object.entries(rest)) {
          received.headers.set(name, String(value));
        }
      });
      stream.on("data", (data: Buffer) => received.body += data.toString());
      stream.on("error", () => resolve(received));
      stream.on("close", () => resolve(received));
      if (!endStream) stream.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#session.close();
  }
}
