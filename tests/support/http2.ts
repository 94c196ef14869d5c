import { fromFileUrl } from "@std/path";
import { DenoProcess } from "./process.ts";

export interface Http2Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Http2Response {
  /** The status code, or 0 if the stream was closed without a response. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The code of the error that closed the stream (RFC 9113, section 7), or 0. */
  readonly error: number;
}

/**
 * A client that sends HTTP/2 without TLS, with the given pseudo-headers, from a process of
 * its own. Without them, `fetch` with `Deno.createHttpClient({ http1: false })` does.
 */
export class Http2Client implements AsyncDisposable {
  readonly #port: number;
  #process: DenoProcess;

  constructor(port: number) {
    this.#port = port;
    this.#process = this.#start();
  }

  async request(
    headers: Readonly<Record<string, string>>,
    body = "",
  ): Promise<Http2Response> {
    const process = this.#process;
    await process.printed(".");
    const url = `http://127.0.0.1:${/\d+/.exec(process.output)}/`;
    const request: Http2Request = { headers, body };
    const init = { method: "POST", body: JSON.stringify(request) };
    try {
      return await (await fetch(url, init)).json();
    } catch {
      // The process has aborted; the first request that notices it starts another.
      if (process === this.#process) this.#process = this.#start();
      return this.request(headers, body);
    }
  }

  #start(): DenoProcess {
    const folder = fromFileUrl(new URL(".", import.meta.url));
    const args = [`${this.#port}`];
    return new DenoProcess(folder, ["--allow-net"], "http2_client.ts", {
      args,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }
}
