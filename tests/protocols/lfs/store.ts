import { HttpError, RequestState } from "@bough/framework";
import { type StreamedFile, UploadFolder } from "@bough/framework/uploads";
import { join } from "@std/path";
import { createHash } from "node:crypto";

/** An object of a repository. */
export interface ObjectKey {
  readonly repository: string;
  readonly oid: string;
}

/** The objects of the application. */
export const store: RequestState<LfsStore> = new RequestState("objects");

/** The objects, in a folder for each repository. */
export class LfsStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the size of an object; `undefined` if it is missing. */
  async size(key: ObjectKey): Promise<number | undefined> {
    try {
      return (await Deno.stat(this.#path(key))).size;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  }

  /**
   * Opens an object.
   *
   * @throws {HttpError} 404 if it is missing.
   */
  async open(key: ObjectKey): Promise<Deno.FsFile> {
    try {
      return await Deno.open(this.#path(key));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      throw new HttpError(404, "There is no such object");
    }
  }

  /**
   * Saves an object, and compares its bytes with its oid before anyone can read it.
   *
   * @throws {HttpError} 422 if the bytes have another SHA-256.
   */
  async save(key: ObjectKey, file: StreamedFile): Promise<void> {
    const folder = await UploadFolder.open(this.#pathOf(key.repository));
    const hash = createHash("sha256");
    const hashing = new TransformStream<
      Uint8Array<ArrayBuffer>,
      Uint8Array<ArrayBuffer>
    >({
      transform(chunk, controller) {
        hash.update(chunk);
        controller.enqueue(chunk);
      },
    });
    const stream = file.stream.pipeThrough(hashing);
    await using saving = folder.begin();
    await saving.save({ ...file, stream }, key.oid);
    if (hash.digest("hex") !== key.oid) {
      throw new HttpError(422, "The bytes have another SHA-256");
    }
    await saving.commit();
  }

  #path({ repository, oid }: ObjectKey): string {
    return join(this.#pathOf(repository), oid);
  }

  #pathOf(repository: string): string {
    return join(this.#folder, encodeURIComponent(repository));
  }
}
