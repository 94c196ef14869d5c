import { type ClientHttp2Session, connect } from "node:http2";
import type { Buffer } from "node:buffer";

/** A response over HTTP/2. */
export interface Http2Response {
  /** The status code, or 0 if the stream was closed without a response. */
  readonly status: number;
  /** The headers. */
  readonly headers: Headers;
  /** The body. */
  readonly body: string;
}

/**
 * A client that sends HTTP/2 without TLS, with the given pseudo-headers.
 * It connects again after the server has closed the connection.
 */
export class Http2Client implements Disposable {
  readonly #port: number;
  #session: ClientHttp2Session | undefined;

  /** Prepares to connect to a port of the loopback interface. */
  constructor(port: number) {
    this.#port = port;
  }

  /** Sends a request with these headers, and with a body if there is one. */
  request(
    headers: Readonly<Record<string, string>>,
    body = "",
  ): Promise<Http2Response> {
    const session = this.#connected();
    return new Promise((resolve) => {
      const endStream = body === "";
      const stream = session.request({ ...headers }, { endStream });
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

  #connected(): ClientHttp2Session {
    if (this.#session === undefined || this.#session.destroyed) {
      this.#session = connect(`http://127.0.0.1:${this.#port}`);
      // Each request reports a missing response itself.
      this.#session.on("error", () => {});
    }
    return this.#session;
  }

  [Symbol.dispose](): void {
    this.#session?.close();
  }
}
