/** An application whose requests are recorded. */
import { assert } from "@std/assert";
import { observe } from "../../../src/core/framework.ts";
import type { RequestHandler } from "../../../src/core/request/application.ts";
import type { RequestEntry } from "../../../src/dev/inspector/entry.ts";
import { Recorder } from "../../../src/dev/inspector/recorder.ts";
import type { Framework } from "@bough/framework";
import type { CommonOptions } from "@bough/framework/types";
import {
  TestApplication,
  type TestModule,
  TestServer,
} from "../../support/application.ts";
import { until } from "../../support/until.ts";

/** Makes a recorder observe the servers of an application. */
export function record(app: Framework, recorder: Recorder): void {
  const around = (handler: RequestHandler) =>
    Promise.resolve({ handle: recorder.record(handler), listens() {} });
  assert(observe(app, Object.assign(recorder, { around })));
}

/** The options of a `fetch` that sends JSON. */
export function postJson(value: unknown, headers = {}): RequestInit {
  return {
    method: "POST",
    body: JSON.stringify(value),
    headers: { "content-type": "application/json", ...headers },
  };
}

/** A server and the recorder of its requests. */
export class RecordedServer implements AsyncDisposable {
  readonly recorder: Recorder;
  readonly #server: TestServer;

  private constructor(recorder: Recorder, server: TestServer) {
    this.recorder = recorder;
    this.#server = server;
  }

  /** Serves files, given by their exports, on a free port. */
  static async start(
    files: Readonly<Record<string, TestModule>>,
    { secrets = [], ...options }: CommonOptions & { secrets?: string[] } = {},
  ): Promise<RecordedServer> {
    const { app } = TestApplication.of(files, options);
    const recorder = new Recorder({ secrets });
    record(app, recorder);
    return new RecordedServer(recorder, await TestServer.start(app));
  }

  /** Serves one route file at `/api`. */
  static async of(
    route: TestModule,
    options?: CommonOptions & { secrets?: string[] },
  ): Promise<RecordedServer> {
    return await RecordedServer.start({ "route.ts": route }, options);
  }

  /** Serves handlers of `GET` and `POST`, each at `/api/` and its name. */
  static async by(
    handlers: Readonly<Record<string, TestModule["GET"]>>,
    options?: CommonOptions & { secrets?: string[] },
  ): Promise<RecordedServer> {
    const files = Object.entries(handlers).map(([name, handler]) => [
      `${name}/route.ts`,
      { GET: handler, POST: handler },
    ]);
    return await RecordedServer.start(Object.fromEntries(files), options);
  }

  get port(): number {
    return this.#server.port;
  }

  /** Sends a request, reads the response, and returns the newest entry. */
  async entryOf(path: string, init?: RequestInit): Promise<RequestEntry> {
    await (await this.fetch(path, init)).body?.pipeTo(new WritableStream());
    return this.newest();
  }

  async fetch(path: string, init?: RequestInit): Promise<Response> {
    return await fetch(this.url(path), init);
  }

  url(path: string): string {
    return this.#server.url(path);
  }

  newest(): RequestEntry {
    const [newest] = this.recorder.list().requests;
    return this.recorder.get(newest!.id)!;
  }

  /** Waits until the newest request has ended, and returns its entry. */
  async ended(): Promise<RequestEntry> {
    await until(() => this.newest().state === "done");
    return this.newest();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}
