import { Dicer } from "@fastify/busboy";
import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";
import { parametersOf } from "../body/form.ts";
import { type Bytes, MALFORMED } from "../body/read.ts";
import { mediaType } from "../common/media_type.ts";
import { HttpError, type InvalidRequest } from "../errors.ts";
import { type BodySource, invalid } from "./source.ts";

/** A field or a file of a form, while it arrives. */
export interface Part {
  /** The name of the field. */
  readonly field: string;
  /** The name of the file that the client sent; `undefined` for a field. */
  readonly name: string | undefined;
  readonly type: string;
  /** Reads the next bytes; `undefined` at the end of the part. */
  readonly read: () => Promise<Bytes | undefined>;
}

/** The size of the headers of a part, in bytes. */
export const MAX_HEADERS = 16 * 1024;

/**
 * Reads the parts of a form while they arrive. The caller reads each part to its end
 * before the next part.
 *
 * @param type The `Content-Type` of the form.
 * @param maxParts The number of parts.
 * @throws {HttpError} 400 for a malformed form, 413 for too many parts, and the errors
 * of the source.
 */
export async function* readParts(
  source: Pick<BodySource, "read">,
  type: string,
  maxParts: number,
): AsyncGenerator<Part, void> {
  const boundary = parametersOf(type).get("boundary");
  // The parser throws for a longer boundary; RFC 2046 allows 70 characters.
  if (!boundary || Buffer.byteLength(boundary) > 252) throw malformed();
  const arrived: Arriving[] = [];
  const finished = Promise.withResolvers<void>();
  let failure: unknown;
  let isOver = false;
  let isHeaded = true;
  let count = 0;
  /** The chunk that the parser reads. */
  let arriving: Bytes | undefined;
  let current: Arriving | undefined;
  let change = Promise.withResolvers<void>();

  /** Wakes the parser and the reader of the parts, which wait for each other. */
  function wake(): void {
    change.resolve();
    change = Promise.withResolvers();
  }

  function end(error?: unknown): void {
    failure ??= error;
    isOver = true;
    wake();
  }

  async function read(part: Arriving): Promise<Bytes | undefined> {
    for (;;) {
      if (failure !== undefined) throw failure;
      const chunk = part.chunks.shift();
      // Two readers of a part that both wake before waiting would wake each other forever.
      if (chunk !== undefined) wake();
      if (chunk !== undefined || part.isOver) return chunk;
      await change.promise;
    }
  }

  const parser = new Dicer(
    {
      boundary,
      maxHeaderPairs: 100,
      maxHeaderSize: MAX_HEADERS,
      // The parser of version 3.2.6 never continues if a part that has paused it ends at
      // the beginning of a chunk. `feed` waits for the reader of the parts instead.
      partHwm: 2 ** 30,
    } as ConstructorParameters<typeof Dicer>[0],
  );
  // Without listeners, an error of the parser or of a part would end the process.
  parser.on("error", () => end(malformed()));
  parser.on("finish", finished.resolve);
  parser.on("part", (stream: Readable) => {
    stream.on("error", () => {});
    if (!isHeaded) return end(malformed());
    if (++count > maxParts) {
      return end(
        new HttpError(413, `The form has more than ${maxParts} parts`),
      );
    }
    isHeaded = false;
    stream.on("header", (headers: Headers) => {
      isHeaded = true;
      const part: Arriving = {
        ...describe(headers),
        chunks: [],
        isOver: false,
      };
      arrived.push(current = part);
      stream.on("data", (chunk: Bytes) => {
        // The reader may change or transfer a chunk, so it must not get bytes that the
        // parser writes again, such as a "\r" at the end of a chunk.
        const isWhole = chunk.buffer === arriving?.buffer &&
          chunk.length === arriving.length;
        part.chunks.push(isWhole ? arriving! : new Uint8Array(chunk));
        wake();
      });
      stream.on("end", () => {
        part.isOver = true;
        wake();
      });
      wake();
    });
  });

  async function feed(): Promise<void> {
    try {
      while ((arriving = await source.read()) !== undefined && !isOver) {
        const { buffer, byteOffset, byteLength } = arriving;
        const bytes = Buffer.from(buffer, byteOffset, byteLength);
        // After the last delimiter, the parser is closed.
        if (!parser.writable) continue;
        await new Promise((resolve) => parser.write(bytes, resolve));
        // The next chunk arrives while the reader writes this one to a file.
        while (arrived.length > 0 || current?.chunks.length) {
          await change.promise;
        }
      }
      parser.end();
      await finished.promise;
      end();
    } catch (error) {
      end(error);
    }
  }

  void feed();
  for (;;) {
    if (failure !== undefined) throw failure;
    const part = arrived.shift();
    if (part !== undefined) {
      wake();
      yield { ...part, read: () => read(part) };
    } else if (isOver) return;
    else await change.promise;
  }
}

/** A part, and its bytes that wait to be read. */
interface Arriving extends Omit<Part, "read"> {
  readonly chunks: Bytes[];
  isOver: boolean;
}

/** The headers of a part by lowercase name, with one character for each byte. */
type Headers = Readonly<Record<string, readonly string[]>>;

function describe(headers: Headers): Omit<Part, "read"> {
  const header = (name: string): string =>
    new TextDecoder().decode(
      Buffer.from(headers[name]?.at(-1) ?? "", "latin1"),
    );
  const parameters = parametersOf(header("content-disposition"));
  const name = parameters.get("filename");
  const type = mediaType(header("content-type")) || "application/octet-stream";
  return { field: parameters.get("name") ?? "", name, type };
}

function malformed(): InvalidRequest {
  return invalid({ message: MALFORMED.formData });
}
