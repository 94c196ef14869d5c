import { rawRequest } from "../support/raw_http.ts";
import { type Answer, assertAnswer } from "./answer.ts";
import type { Random } from "./random.ts";

/** Sends something to the application and fails if the answer is wrong. */
export type Exchange = (client: Client) => Promise<void>;

/** Exchanges by name. */
export type Exchanges = Readonly<Record<string, Exchange>>;

/** One who sends a request to the application and looks at what comes back. */
export class Client {
  /** Where the application listens, on the loopback interface. */
  readonly port: number;
  /** What the values of requests are made of. */
  readonly random: Random;
  readonly #http: Deno.HttpClient;

  /**
   * Prepares one exchange.
   *
   * @param http Keeps connections, for the next exchanges too.
   */
  constructor(port: number, http: Deno.HttpClient, random: Random) {
    this.port = port;
    this.#http = http;
    this.random = random;
  }

  /** Sends a request on a connection that may have served others. */
  async fetch(target: string, init: RequestInit = {}): Promise<Response> {
    return await fetch(`http://127.0.0.1:${this.port}${target}`, {
      ...init,
      client: this.#http,
    });
  }

  /** Sends a request and fails unless the answer is the expected one. */
  async expect(
    expected: Answer,
    target: string,
    init?: RequestInit,
  ): Promise<void> {
    const response = await this.fetch(target, init);
    const { status, headers } = response;
    assertAnswer({ status, headers, body: await response.text() }, expected);
  }

  /** Does the same with a request as it stands, on a connection of its own. */
  async expectRaw(expected: Answer, head: string): Promise<void> {
    assertAnswer(await rawRequest(this.port, head), expected);
  }
}
