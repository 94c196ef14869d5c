import { rawRequest } from "../../support/raw_http.ts";
import { assertResponse, type ExpectedResponse } from "./expected_response.ts";
import type { Random } from "./random.ts";

/** Sends something to the application, and fails if the response is wrong. */
export type Exchange = (client: Client) => Promise<void>;

/** Exchanges by name. */
export type Exchanges = Readonly<Record<string, Exchange>>;

/** A client that sends requests to the application and checks the responses. */
export class Client {
  /** Where the application listens, on the loopback interface. */
  readonly port: number;
  /** Generates the values of requests. */
  readonly random: Random;
  readonly #http: Deno.HttpClient;

  /** @param http Keeps connections open for later exchanges. */
  constructor(port: number, http: Deno.HttpClient, random: Random) {
    this.port = port;
    this.#http = http;
    this.random = random;
  }

  /** A name that no other exchange has. */
  get name(): string {
    return crypto.randomUUID();
  }

  /** Sends a request, on a connection that may have served others. */
  async fetch(target: string, init: RequestInit = {}): Promise<Response> {
    return await fetch(`http://127.0.0.1:${this.port}${target}`, {
      ...init,
      client: this.#http,
    });
  }

  /** Sends a request, and fails unless the response is the expected one. */
  async expect(
    expected: ExpectedResponse,
    target: string,
    init?: RequestInit,
  ): Promise<void> {
    const response = await this.fetch(target, init);
    const { status, headers } = response;
    assertResponse({ status, headers, body: await response.text() }, expected);
  }

  /** Does the same with a raw request, on a connection of its own. */
  async expectRaw(expected: ExpectedResponse, head: string): Promise<void> {
    assertResponse(await rawRequest(this.port, head), expected);
  }
}
