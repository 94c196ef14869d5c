import { HttpError } from "../core/errors.ts";

/** Bytes that are elsewhere, such as in an object store. */
export interface ReadableSource {
  /** The number of bytes. */
  readonly size: number;
  /**
   * Reads the bytes from the position `start` up to the position `end`, which is not
   * included.
   */
  readonly read: (start: number, end: number) => FilePart | Promise<FilePart>;
}

/** The bytes of a part of a file. */
export type FilePart =
  | ReadableStream<Uint8Array<ArrayBuffer>>
  | Uint8Array<ArrayBuffer>;

/** The path or the `file:` URL of a file, bytes, or the reader of bytes elsewhere. */
export type FileSource =
  | string
  | URL
  | Uint8Array<ArrayBuffer>
  | ReadableSource;

/** A file to send. Its disposal closes the file, unless a part is read. */
interface OpenedSource extends ReadableSource, Disposable {
  /** The name, for its extension; `""` for bytes. */
  readonly name: string;
  readonly etag?: string;
  readonly lastModified?: Date;
}

/** @throws {HttpError} 404 if the path leads to no file. */
export async function open(source: FileSource): Promise<OpenedSource> {
  if (typeof source === "string" || source instanceof URL) {
    return await openFile(source);
  }
  const { size, read } = source instanceof Uint8Array
    ? { size: source.length, read: source.subarray }
    : source;
  return {
    name: "",
    size,
    read: read.bind(source as never),
    [Symbol.dispose]() {},
  };
}

async function openFile(path: string | URL): Promise<OpenedSource> {
  // Opening a FIFO would wait for a writer.
  const found = await Deno.stat(path).catch(asMissing);
  if (!found.isFile) throw new HttpError(404);
  const file = await Deno.open(path).catch(asMissing);
  // By now, the path may lead to another file.
  const { size, mtime } = await file.stat();
  let isRead = false;
  return {
    name: String(path),
    size,
    ...(mtime && { etag: tagOf(path, size, mtime), lastModified: mtime }),
    async read(start, end) {
      if (start > 0) await file.seek(start, Deno.SeekMode.Start);
      isRead = true;
      // Deno itself sends the bytes of an unchanged stream.
      return end === size
        ? file.readable
        : file.readable.pipeThrough(first(end - start));
    },
    [Symbol.dispose]() {
      if (!isRead) file.close();
    },
  };
}

/** The codes of errors that mean that a path leads to no file. */
const MISSING = ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EINVAL"];

/** Whether an error means that a path leads to no file. */
export function isMissing(error: unknown): boolean {
  return MISSING.includes((error as { readonly code?: string }).code!);
}

/** @throws {HttpError} 404 if a path leads to no file. */
function asMissing(cause: unknown): never {
  throw isMissing(cause) ? new HttpError(404, undefined, { cause }) : cause;
}

/**
 * The tag of a version, with the extension, since `app.js` and `app.js.br` are at one
 * URL. The tag is weak for a second after a change, since another change could follow
 * within the precision of `mtime` (RFC 9110, section 8.8.1).
 */
function tagOf(path: string | URL, size: number, mtime: Date): string {
  const [extension = ""] = /\.\w+$/.exec(String(path)) ?? [];
  const time = mtime.getTime();
  const weak = Date.now() - time < 1_000 ? "W/" : "";
  return `${weak}"${time.toString(36)}-${size.toString(36)}${extension}"`;
}

/** Passes the first bytes on, and then cancels the source. */
function first(
  count: number,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let left = count;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.terminate();
    },
  });
}
