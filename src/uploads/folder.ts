import { join } from "@std/path/join";
import type { StreamedFile } from "./file.ts";

/** A file in an {@linkcode UploadFolder}. */
export interface SavedFile {
  /** The name in the folder. */
  readonly name: string;
  /** The path of the file, which exists after the commit. */
  readonly path: string;
  /** The size in bytes. */
  readonly size: number;
}

/** The folder of the files without a commit, in the folder of the uploads. */
const UNFINISHED = ".unfinished";

/** A younger file may belong to another process that is still saving. */
const DAY = 24 * 60 * 60 * 1000;

/**
 * A folder of uploaded files. Each file is in its subfolder `.unfinished` until the
 * handler commits all files of its request.
 *
 * The program needs `--allow-read` and `--allow-write` for the folder.
 *
 * @example Usage
 * ```ts
 * import {
 *   type FrameworkRequest,
 *   RequestState,
 *   type RouteSchema,
 * } from "@bough/framework";
 * import { file, form, type UploadFolder } from "@bough/framework/uploads";
 *
 * // `main.ts` opens the folder, and a middleware sets it for each request.
 * export const uploads = new RequestState<UploadFolder>("uploads");
 *
 * export const schema = {
 *   post: { body: form({ files: { photo: file({ count: [1, 20] }) } }) },
 * } satisfies RouteSchema;
 *
 * export async function POST(
 *   request: FrameworkRequest<typeof schema.post>,
 * ): Promise<Response> {
 *   await using saving = uploads.get(request).begin();
 *   for await (const file of request.validated.body.files) await saving.save(file);
 *   const saved = await saving.commit();
 *   return Response.json(saved.map(({ name, size }) => ({ name, size })));
 * }
 * ```
 */
export class UploadFolder {
  /** The path of the folder. */
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /**
   * Creates the folder if it is missing, and removes unfinished files that have not
   * changed for a day, since a crash left them over.
   */
  static async open(path: string): Promise<UploadFolder> {
    const unfinished = join(path, UNFINISHED);
    await Deno.mkdir(unfinished, { recursive: true });
    for await (const { name } of Deno.readDir(unfinished)) {
      const file = join(unfinished, name);
      // Another process may remove the file at the same time.
      const info = await Deno.stat(file).catch(() => undefined);
      const age = Date.now() - Number(info?.mtime ?? Infinity);
      if (age >= DAY) await Deno.remove(file).catch(() => {});
    }
    return new UploadFolder(path);
  }

  /** Begins to save the files of one request. */
  begin(): Saving {
    return new Saving(this.path);
  }
}

/** The files of one request, which get their names together. */
export class Saving implements AsyncDisposable {
  readonly #folder: string;
  /** The files that were saved, by their temporary path. */
  readonly #files = new Map<string, SavedFile>();
  /** The names that are saved or being saved, by the result of `comparable()`. */
  readonly #names = new Map<string, string>();
  #isOver = false;

  /** Begins to save; call {@linkcode UploadFolder.begin} instead. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Writes a file to the subfolder `.unfinished`.
   *
   * @param file The file that is arriving.
   * @param name The name in the folder; a random id by default. An existing file of this
   * name is replaced at the commit.
   * @throws {TypeError} If the name is not a plain name, such as `../main.ts`, or if this
   * request has already saved a file of this name.
   * @throws {HttpError} The error of the stream, such as 413 or 400.
   */
  async save(
    { stream }: StreamedFile,
    name: string = crypto.randomUUID(),
  ): Promise<SavedFile> {
    if (name.startsWith(".") || /[/\\:\0]/.test(name) || name === "") {
      throw new TypeError(
        `Cannot save an upload as "${name}": it is not a plain file name; choose a name without separators, such as an id`,
      );
    }
    const key = comparable(name);
    const taken = this.#names.get(key);
    if (taken !== undefined) {
      throw new TypeError(
        `Cannot save an upload as "${name}": this request has already saved "${taken}", which this file would replace; choose another name`,
      );
    }
    this.#names.set(key, name);
    const temporary = join(this.#folder, UNFINISHED, crypto.randomUUID());
    unfinished.add(temporary);
    // When a process exits, its handlers do not continue.
    globalThis.addEventListener("unload", removeUnfinished);
    try {
      const size = await write(stream, temporary);
      if (this.#isOver) {
        throw new TypeError(
          `Cannot save an upload as "${name}": its block has ended; await save() inside the block`,
        );
      }
      const saved = { name, path: join(this.#folder, name), size };
      this.#files.set(temporary, saved);
      return saved;
    } catch (error) {
      await remove(temporary);
      this.#names.delete(key);
      throw error;
    }
  }

  /**
   * Gives all saved files their names. If one file cannot get its name, removes all of
   * them. Files that they have replaced by then are lost.
   *
   * @returns The files, in the order of saving.
   */
  async commit(): Promise<SavedFile[]> {
    const named: string[] = [];
    try {
      for (const [temporary, { path }] of this.#files) {
        await Deno.rename(temporary, path);
        named.push(path);
      }
    } catch (error) {
      for (const path of named) await Deno.remove(path).catch(() => {});
      throw error;
    }
    const files = [...this.#files.values()];
    for (const temporary of this.#files.keys()) unfinished.delete(temporary);
    this.#files.clear();
    return files;
  }

  /** Removes all files that were not committed. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    for (const temporary of this.#files.keys()) await remove(temporary);
    this.#files.clear();
  }
}

/**
 * Returns one string for all names of a file. Some file systems ignore case, Unicode
 * composition, or dots and spaces at the end. No program should lose a file only there.
 */
function comparable(name: string): string {
  // Only both conversions together give `ẞ` and `ß` the same name.
  return name.normalize("NFD").toLowerCase().toUpperCase().normalize()
    .replace(/[. ]+$/, "");
}

/** Writes a stream to a new file; returns the number of bytes. */
async function write(
  stream: StreamedFile["stream"],
  path: string,
): Promise<number> {
  let size = 0;
  // An asynchronous open could create the file after `removeUnfinished()` has run.
  using file = Deno.openSync(path, { write: true, createNew: true });
  for await (const chunk of stream) {
    for (let written = 0; written < chunk.length;) {
      written += await file.write(chunk.subarray(written));
    }
    size += chunk.length;
  }
  // A name must not lead to bytes that a power failure could still lose.
  await file.sync();
  return size;
}

/** The temporary files that this process has not named or removed. */
const unfinished = new Set<string>();

async function remove(temporary: string): Promise<void> {
  await Deno.remove(temporary).catch(() => {});
  unfinished.delete(temporary);
}

function removeUnfinished(): void {
  for (const path of unfinished) {
    try {
      Deno.removeSync(path);
    } catch {
      // Another process has removed the file.
    }
  }
}
