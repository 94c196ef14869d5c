import {
  boundaryOf,
  type FormEvent,
  MultipartParser,
  type PartHead,
} from "../core/request/form.ts";
import type { Bytes } from "../core/request/content.ts";
import { mediaType, OCTET_STREAM } from "../core/common/media_type.ts";
import { ownError } from "../core/own_errors.ts";
import { invalid, type ReadBytes } from "./source.ts";

/** A field or a file of a form, while it arrives. */
export interface Part extends PartHead {
  /** The media type; `application/octet-stream` by default. */
  readonly type: string;
  /** Reads the next bytes; `undefined` at the end of the part. */
  readonly read: ReadBytes;
}

/**
 * Reads the parts of a form while they arrive. The caller reads each part to its end
 * before the next part.
 *
 * @param type The `Content-Type` of the form.
 * @param maxParts The number of parts.
 * @throws {HttpError} 400 for a malformed form, 413 for too many parts, and the errors
 * of `read`.
 */
export async function* readParts(
  read: ReadBytes,
  type: string,
  maxParts: number,
): AsyncGenerator<Part, void> {
  const parser = parsed(() => new MultipartParser(boundaryOf(type)));
  /** The events that have arrived and wait for the reader. */
  const events: FormEvent[] = [];
  let isOver = false;
  let arriving: Promise<Bytes | undefined> | undefined;
  let filling: Promise<void> | undefined;
  let current = 0;

  /** Waits for the next event; after a failure, all later calls fail in the same way. */
  function fill(): Promise<void> {
    return filling ??= readChunk().then(() => filling = undefined);
  }

  async function readChunk(): Promise<void> {
    const chunk = await (arriving ?? read());
    if (chunk === undefined) {
      events.push(...parsed(() => parser.end()));
      isOver = true;
      return;
    }
    for (const event of parsed(() => parser.write(chunk))) {
      // A reader may change or transfer its bytes, so it gets its own.
      const isShared = event instanceof Uint8Array &&
        event.length < event.buffer.byteLength;
      events.push(isShared ? event.slice() : event);
    }
    // The next chunk arrives while the reader writes this one to a file.
    arriving = read();
    arriving.catch(() => {});
  }

  async function readPart(part: number): Promise<Bytes | undefined> {
    while (events.length === 0 && !isOver) await fill();
    const isContent = part === current && events[0] instanceof Uint8Array;
    return isContent ? events.shift() as Bytes : undefined;
  }

  for (;;) {
    while (events.length === 0 && !isOver) await fill();
    const head = events.shift() as PartHead | undefined;
    if (head === undefined) return;
    const part = ++current;
    if (part > maxParts) {
      const detail = `The form has more than ${maxParts} parts`;
      throw ownError("ContentTooLarge", detail);
    }
    yield {
      ...head,
      type: mediaType(head.type) || OCTET_STREAM,
      read: () => readPart(part),
    };
  }
}

function parsed<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw invalid({ message: (error as SyntaxError).message });
  }
}
