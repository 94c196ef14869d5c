import { TestServer } from "../../support/application.ts";
import { createApp } from "./main.ts";

/** The application on a free port, with a folder of its own. */
export class TusServer extends TestServer {
  private constructor(
    readonly folder: string,
    server: TestServer["server"],
    readonly stop: AbortController,
  ) {
    super(server);
  }

  static async open(): Promise<TusServer> {
    const folder = await Deno.makeTempDir();
    const stop = new AbortController();
    const { signal } = stop;
    const { server } = await TestServer.start(createApp(folder), { signal });
    return new TusServer(folder, server, stop);
  }

  get endpoint(): string {
    return this.url("/api/uploads");
  }

  /** The bytes of an upload. */
  bytes(url: string): Promise<Uint8Array> {
    return Deno.readFile(this.path(url));
  }

  /** The file with the bytes of an upload. */
  path(url: string): string {
    return `${this.folder}/${url.split("/").at(-1)}`;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    // The client may keep connections of aborted requests, for which a shutdown waits.
    this.stop.abort();
    await this.server.finished;
    await Deno.remove(this.folder, { recursive: true });
  }
}
