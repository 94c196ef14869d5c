import {
  Client,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { TestApplication } from "../support/application.ts";

/** The newest revision of the protocol, which a client must ask for. */
export const NEWEST = "2026-07-28";

/** The revisions, as the option of the official client that chooses them. */
export const REVISIONS = [
  { name: "2025-11-25", options: {} },
  { name: NEWEST, options: { versionNegotiation: { mode: { pin: NEWEST } } } },
];

/** The options of a client. */
export interface Connection {
  /** A member of `REVISIONS`; by default, the newest revision. */
  readonly options?: object;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A connected official client, closed at the end of its test. */
export class TestClient implements AsyncDisposable {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  /** Connects over HTTP to a URL, or to an application in this process. */
  static async connect(
    to: string | TestApplication,
    { options = REVISIONS[1]!.options, token, headers }: Connection = {},
  ): Promise<TestClient> {
    const client = new Client({ name: "test", version: "1.0.0" }, options);
    const url = typeof to === "string" ? to : "http://localhost/mcp";
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), {
        requestInit: {
          headers: {
            ...headers,
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
          },
        },
        ...(typeof to !== "string" && {
          fetch: async (url: string | URL, init?: RequestInit) =>
            await to.app.fetch(new Request(url, init)),
        }),
      }),
    );
    return new TestClient(client);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}
