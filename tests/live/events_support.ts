import { dirname, fromFileUrl } from "@std/path";
import { ServingProcess } from "../core/server/support.ts";

/** An event, as a client reads it. */
export interface ReadEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id: string | undefined;
}

/** Reads a stream of events as the HTML standard describes, and parses their data. */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ReadEvent> {
  let text = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (
      let end = text.indexOf("\n\n");
      end !== -1;
      end = text.indexOf("\n\n")
    ) {
      const fields = fieldsOf(text.slice(0, end));
      text = text.slice(end + 2);
      if (!fields.has("data")) continue;
      yield {
        event: fields.get("event") ?? "message",
        data: JSON.parse(fields.get("data")!),
        id: fields.get("id"),
      };
    }
  }
}

function fieldsOf(lines: string): Map<string, string> {
  return new Map(
    lines.split("\n").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
    }),
  );
}

/** A connection that sends a request by hand, and reads only on demand. */
export class HandClient implements Disposable {
  readonly #connection: Deno.TcpConn;
  readonly #decoder = new TextDecoder();

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  static async get(port: number, path: string): Promise<HandClient> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(
      new TextEncoder().encode(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      ),
    );
    return new HandClient(connection);
  }

  /** Reads once; `undefined` at the end. */
  async read(): Promise<string | undefined> {
    const buffer = new Uint8Array(64 * 1024);
    const size = await this.#connection.read(buffer);
    return size === null
      ? undefined
      : this.#decoder.decode(buffer.subarray(0, size), { stream: true });
  }

  /** Reads until a string has come, and returns all that was read. */
  async readUntil(text: string): Promise<string> {
    let read = "";
    while (!read.includes(text)) {
      const more = await this.read();
      if (more === undefined) {
        throw new Error(`It ended without ${text}: ${read}`);
      }
      read += more;
    }
    return read;
  }

  [Symbol.dispose](): void {
    try {
      this.#connection.close();
    } catch {
      // It was closed before.
    }
  }
}

/** Starts `restart_program.ts`. */
export function startServer(
  options: Deno.ServeTcpOptions & {
    readonly shutdownDelay?: number;
    readonly shutdownTimeout?: number;
  },
): Promise<ServingProcess> {
  return new ServingProcess(
    dirname(fromFileUrl(import.meta.url)),
    ["--allow-net"],
    "restart_program.ts",
    { args: [JSON.stringify({ hostname: "127.0.0.1", port: 0, ...options })] },
  ).listen();
}
