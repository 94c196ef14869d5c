import { inspector, type InspectorOptions } from "@bough/framework/dev";
import type { Framework } from "@bough/framework";
import type { RequestEntry } from "../../../src/dev/inspector/entry.ts";
import { TestServer } from "../../support/application.ts";
import { postJson } from "./recorded.ts";

/** Collects the output of `console.log` until it is disposed. */
export class CapturedOutput implements Disposable {
  readonly lines: string[] = [];
  readonly #log: typeof console.log;

  constructor() {
    this.#log = console.log;
    console.log = (line: string) => void this.lines.push(line);
  }

  [Symbol.dispose](): void {
    console.log = this.#log;
  }
}

/** A server of an application with an inspector. */
export class InspectedServer extends TestServer {
  /** Adds the inspector, and serves on a free port of the loopback interface. */
  static async of(
    app: Framework,
    options: InspectorOptions = {},
  ): Promise<InspectedServer> {
    using _output = new CapturedOutput();
    await inspector(app, options);
    const { server } = await TestServer.start(app);
    return new InspectedServer(server);
  }

  /** Gets JSON from a path below the inspector. */
  // deno-lint-ignore no-explicit-any
  async get(path: string): Promise<any> {
    return await (await fetch(this.url(`/_bough/${path}`))).json();
  }

  /** Sends JSON to the application or the inspector. */
  async post(path: string, body: unknown): Promise<Response> {
    return await fetch(this.url(path), postJson(body));
  }

  /** Makes the inspector send a request, and returns its response. */
  // deno-lint-ignore no-explicit-any
  async send(request: object): Promise<{ status: number; body: any }> {
    const response = await this.post("/_bough/api/send", request);
    return { status: response.status, body: await response.json() };
  }

  /** The recorded requests, newest first. */
  async requests(): Promise<RequestEntry[]> {
    return (await this.get("api/requests")).requests;
  }
}
