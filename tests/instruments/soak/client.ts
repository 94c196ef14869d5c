import { rawRequest } from "../../support/raw_http.ts";
import { assertResponse, type ExpectedResponse } from "./expected_response.ts";
import type { Random } from "./random.ts";

/** Sends requests to the application, and throws if a response is wrong. */
export type Exchange = (client: Client) => Promise<void>;

export type Exchanges = Readonly<Record<string, Exchange>>;

/** A client that sends requests to the application and checks the responses. */
export class Client {
  readonly port: number;
  readonly random: Random;
  readonly #http: Deno.HttpClient;

  /** @param http A client that keeps connections open for later exchanges. */
  constructor(port: number, http: Deno.HttpClient, random: Random) {
    this.port = port;
    this.#http = http;
    this.random = random;
  }

  get name(): string {
    return crypto.randomUUID();
  }

  /** Sends a request, perhaps on the connection of an earlier request. */
  async fetch(target: string, init: RequestInit = {}): Promise<Response> {
    return await fetch(`http://127.0.0.1:${this.port}${target}`, {
      ...init,
      client: this.#http,
    });
  }

  async expect(
    expected: ExpectedResponse,
    target: string,
    init?: RequestInit,
  ): Promise<void> {
    const response = await this.fetch(target, init);
    const { status, headers } = response;
    assertResponse({ status, headers, body: await response.text() }, expected);
  }

  async expectRaw(expected: ExpectedResponse, head: string): Promise<void> {
    assertResponse(await rawRequest(this.port, head), expected);
  }
}
