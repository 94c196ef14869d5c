import { HttpError } from "@bough/framework";
import { join } from "@std/path";

/** In bytes and milliseconds: those of Bough are for readers of whole bodies. */
const MAX_BYTES = 10_000_000;
const MAX_TIME = 10 * 60 * 1000;
const PART = ".part";

let folder = "";

/** Opens the folder of the uploads, and removes what a crash left half done. */
export async function openFolder(path: string): Promise<void> {
  await Deno.mkdir(path, { recursive: true });
  for await (const { name } of Deno.readDir(path)) {
    if (name.endsWith(PART)) await Deno.remove(join(path, name));
  }
  folder = path;
}

/** Where an upload is. Its name is an id of ours: never one that a client chose. */
export function pathOf(id: string): string {
  return join(folder, id);
}

/**
 * Streams a body to disk. A file gets its name only when it is complete. Uploads
 * that are too large, too slow or cut off leave no files behind.
 *
 * @returns The id of the upload, and its size in bytes.
 * @throws {HttpError} 413 if the body is too large, 408 if it takes too long, 400 if
 * the client disconnects.
 */
export async function saveUpload(
  request: Request,
  { maxBytes = MAX_BYTES, maxTime = MAX_TIME } = {},
): Promise<{ id: string; bytes: number }> {
  const declared = Number(request.headers.get("content-length"));
  assertSize(declared, maxBytes); // rejects the body before it arrives
  const id = crypto.randomUUID();
  const part = pathOf(id) + PART;
  const reader = (request.body ?? new Blob().stream()).getReader();
  const signal = AbortSignal.timeout(maxTime);
  signal.onabort = () => reader.cancel(); // ends the reading below
  using file = await Deno.open(part, { write: true, createNew: true });
  try {
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read().catch(brokeOff);
      if (signal.aborted) throw new HttpError(408, "The upload took too long");
      if (done) break;
      assertSize(bytes += value.length, maxBytes);
      for (let written = 0; written < value.length;) {
        written += await file.write(value.subarray(written));
      }
    }
    await file.sync(); // the bytes are on the disk before the file gets its name
    file.close();
    await Deno.rename(part, pathOf(id));
    return { id, bytes };
  } catch (error) {
    await Deno.remove(part).catch(() => {});
    throw error;
  } finally {
    signal.onabort = null;
    reader.cancel().catch(() => {}); // the rest of a rejected body is not needed
  }
}

function assertSize(bytes: number, maxBytes: number): void {
  if (bytes > maxBytes) throw new HttpError(413, `More than ${maxBytes} bytes`);
}

function brokeOff(cause: unknown): never {
  throw new HttpError(400, "The upload broke off", { cause });
}
