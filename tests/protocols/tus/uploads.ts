import { HttpError, RequestState } from "@bough/framework";
import { join } from "@std/path";
import { createHash } from "node:crypto";

/** The size of the largest upload, in bytes. */
export const MAX_SIZE = 10 * 2 ** 30;

/** How long an upload remains after its last byte, in milliseconds. */
const LIFETIME = 24 * 60 * 60 * 1000;

/** The declarations of a client that creates an upload. */
export interface NewUpload {
  /** The size of the complete file, in bytes. */
  readonly length: number;
  /** The header `Upload-Metadata`. */
  readonly metadata?: string | undefined;
}

/** An upload, complete or not. */
export interface Upload extends NewUpload {
  /** The number of bytes on disk. */
  readonly offset: number;
  /** When the upload expires, as an HTTP date. */
  readonly expires: string;
}

/** A part of a file that is arriving. */
export interface Part {
  readonly offset: number;
  readonly stream: ReadableStream<Uint8Array>;
  /** The header `Upload-Checksum`. */
  readonly checksum?: { readonly algorithm: string; readonly digest: string };
}

/** The uploads of the application. */
export const uploads: RequestState<Uploads> = new RequestState("uploads");

/** A folder of uploads: for each, its bytes, and a file that describes it. */
export class Uploads {
  readonly #folder: string;
  /** The last request for each upload that has not ended. */
  readonly #last = new Map<
    string,
    { readonly stop: AbortController; readonly ended: Promise<unknown> }
  >();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The path of the bytes of an upload. */
  path(id: string): string {
    return join(this.#folder, id);
  }

  /** Creates an empty upload, and returns its id. */
  async create({ length, metadata }: NewUpload): Promise<string> {
    await Deno.mkdir(this.#folder, { recursive: true });
    await this.#removeExpired();
    const id = crypto.randomUUID();
    const text = JSON.stringify({ length, metadata });
    await Deno.writeTextFile(`${this.path(id)}.json`, text);
    await Deno.create(this.path(id)).then((file) => file.close());
    return id;
  }

  /**
   * Returns the state of an upload, after the request that is writing it has ended.
   *
   * @throws {HttpError} 404 if there is no such upload.
   */
  find(id: string): Promise<Upload> {
    return this.#alone(id, () => this.#read(id));
  }

  /**
   * Appends a part. Keeps the bytes of a part that breaks off, unless it has a checksum.
   *
   * @throws {HttpError} 404 if there is no such upload, or 409 if its offset differs or a
   * later request stops this one.
   * @throws {HttpError} 400 if the part is too long, or 460 if its checksum differs.
   */
  append(id: string, part: Part): Promise<Upload> {
    return this.#alone(id, async (signal) => {
      const { offset, length } = await this.#read(id);
      if (part.offset !== offset) {
        throw new HttpError(409, `The upload has ${offset} bytes`);
      }
      try {
        await write(this.path(id), part, { room: length - offset, signal });
      } catch (error) {
        if (part.checksum) await Deno.truncate(this.path(id), offset);
        if (!signal.aborted) throw error;
        throw new HttpError(409, "A later request continues this upload");
      }
      return this.#read(id);
    });
  }

  /**
   * Removes an upload.
   *
   * @throws {HttpError} 404 if there is no such upload.
   */
  remove(id: string): Promise<void> {
    return this.#alone(id, async () => {
      await this.#read(id);
      await this.#remove(id);
    });
  }

  /**
   * Runs one request for an upload at a time. Each request stops the one before, and
   * waits for its end: when a client resumes, its aborted part may still be writing.
   */
  async #alone<Result>(
    id: string,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const before = this.#last.get(id);
    before?.stop.abort();
    const stop = new AbortController();
    const result = Promise.resolve(before?.ended).then(() => run(stop.signal));
    const request = { stop, ended: result.catch(() => {}) };
    this.#last.set(id, request);
    try {
      return await result;
    } finally {
      if (this.#last.get(id) === request) this.#last.delete(id);
    }
  }

  async #read(id: string): Promise<Upload> {
    try {
      const text = await Deno.readTextFile(`${this.path(id)}.json`);
      const { size, mtime } = await Deno.stat(this.path(id));
      const end = Number(mtime) + LIFETIME;
      if (end < Date.now()) throw new Deno.errors.NotFound();
      const expires = new Date(end).toUTCString();
      return { ...JSON.parse(text), offset: size, expires };
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      throw new HttpError(404, "There is no such upload");
    }
  }

  async #remove(id: string): Promise<void> {
    await Deno.remove(`${this.path(id)}.json`);
    await Deno.remove(this.path(id));
  }

  async #removeExpired(): Promise<void> {
    for await (const { name } of Deno.readDir(this.#folder)) {
      if (name.endsWith(".json")) continue;
      const { mtime } = await Deno.stat(this.path(name));
      if (Number(mtime) + LIFETIME < Date.now()) await this.#remove(name);
    }
  }
}

/** Appends a part to a file, until its end or until the signal stops it. */
async function write(
  path: string,
  { stream, checksum }: Part,
  { room, signal }: { room: number; signal: AbortSignal },
): Promise<void> {
  const hash = checksum && createHash(checksum.algorithm);
  // `file.writable` would keep the last bytes in memory until it is closed.
  using file = await Deno.open(path, { append: true });
  const sink = new WritableStream<Uint8Array>({
    async write(chunk) {
      room -= chunk.length;
      if (room < 0) throw new HttpError(400, "The file has fewer bytes");
      hash?.update(chunk);
      for (let written = 0; written < chunk.length;) {
        written += await file.write(chunk.subarray(written));
      }
    },
  });
  await stream.pipeTo(sink, { signal }); // ends with the last write
  if (hash?.digest("base64") !== checksum?.digest) {
    throw new HttpError(460, "The checksum differs");
  }
}
