/** A program in a process of its own, whose memory has nothing of its test. */
import type { Framework } from "@bough/framework";
import { fromFileUrl } from "@std/path";
import { getHeapSnapshot } from "node:v8";
import type { RequestEntry } from "../../../src/dev/inspector/entry.ts";
import { DenoProcess } from "../../support/process.ts";
import { delay } from "../../support/until.ts";

const FOLDER = fromFileUrl(new URL(".", import.meta.url));

/** Collects garbage until timers and promises of earlier requests have ended. */
export async function settle(): Promise<void> {
  const { gc: collect } = globalThis as { gc?: () => void };
  for (let n = 0; n < 5; n++) {
    await delay(50);
    collect!();
  }
}

/**
 * In the program: serves an application, and on a second port what a test reads of the
 * process. The path `/heap` is a snapshot of its memory.
 */
export async function serveMeasured(
  app: Framework,
  read: (path: string) => unknown = () => undefined,
): Promise<void> {
  const listen = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = await app.serve(listen);
  const control = Deno.serve(listen, async ({ url }) => {
    const { pathname } = new URL(url);
    if (pathname !== "/heap") return Response.json(await read(pathname));
    await settle();
    return new Response(ReadableStream.from(getHeapSnapshot()));
  });
  // A program may replace the methods of `console`.
  const ports = `ports ${server.addr.port} ${control.addr.port} end\n`;
  await Deno.stdout.write(new TextEncoder().encode(ports));
}

/** In the test: the program. */
export class MeasuredProgram implements AsyncDisposable {
  readonly #process: DenoProcess;
  readonly port: number;
  readonly #controlPort: number;

  constructor(process: DenoProcess) {
    this.#process = process;
    const [, port, controlPort] = /ports (\d+) (\d+)/.exec(process.output)!;
    this.port = Number(port);
    this.#controlPort = Number(controlPort);
  }

  /** Starts `measured_program.ts`, until it listens. */
  static async start<Program>(
    this: new (process: DenoProcess) => Program,
  ): Promise<Program> {
    const flags = ["-A", "--v8-flags=--expose-gc"];
    const process = new DenoProcess(FOLDER, flags, "measured_program.ts");
    await process.printed("end");
    return new this(process);
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  async fetch(path: string, init?: RequestInit): Promise<Response> {
    return await fetch(this.url(path), init);
  }

  async control(path: string): Promise<Response> {
    return await fetch(`http://127.0.0.1:${this.#controlPort}${path}`);
  }

  /** The recorded requests, newest first. */
  async requests(): Promise<RequestEntry[]> {
    return (await (await this.fetch("/_bough/api/requests")).json()).requests;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }
}
