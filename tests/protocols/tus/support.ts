import { TestServer } from "../../support/application.ts";
import { createApp } from "./main.ts";

/** The application on a free port, with a folder of its own. */
export class TusServer implements AsyncDisposable {
  readonly folder: string;
  readonly #server: TestServer;

  private constructor(folder: string, server: TestServer) {
    this.folder = folder;
    this.#server = server;
  }

  static async start(): Promise<TusServer> {
    const folder = await Deno.makeTempDir();
    return new TusServer(folder, await TestServer.start(createApp(folder)));
  }

  get port(): number {
    return this.#server.port;
  }

  get endpoint(): string {
    return this.#server.url("/api/uploads");
  }

  /** The bytes of an upload. */
  bytes(url: string): Promise<Uint8Array> {
    return Deno.readFile(this.path(url));
  }

  /** The file with the bytes of an upload. */
  path(url: string): string {
    return `${this.folder}/${url.split("/").at(-1)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await Deno.remove(this.folder, { recursive: true });
  }
}
