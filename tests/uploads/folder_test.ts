/** The files of an `UploadFolder` (behaviour 7.8). */
import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { type StreamedFile, UploadFolder } from "@bough/framework/uploads";
import { delay } from "../support/until.ts";
import { filesIn } from "./support.ts";

function fileOf(text: string): StreamedFile {
  return { type: "text/plain", stream: new Blob([text]).stream() };
}

/** A file that breaks off. */
function breakingOff(): StreamedFile {
  const stream = ReadableStream.from((async function* () {
    yield new Uint8Array(9);
    throw await new Error("The client disconnects");
  })());
  return { type: "", stream };
}

/** A folder for one test, removed at its end. */
class TestUploads implements AsyncDisposable {
  readonly folder: UploadFolder;

  private constructor(folder: UploadFolder) {
    this.folder = folder;
  }

  static async create(): Promise<TestUploads> {
    const path = await Deno.makeTempDir();
    return new TestUploads(await UploadFolder.open(join(path, "a", "b")));
  }

  get path(): string {
    return this.folder.path;
  }

  get files(): string[] {
    return filesIn(this.path);
  }

  /** The contents of all files, by name. */
  get contents(): Record<string, string> {
    return Object.fromEntries(
      this.files.map((name) =>
        [name, Deno.readTextFileSync(join(this.path, name))] as const
      ),
    );
  }

  /** Runs the listeners of an exit, and asserts that no file is left or created later. */
  async assertExit(): Promise<void> {
    globalThis.dispatchEvent(new Event("unload"));
    await delay(20);
    assertEquals(this.files, []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(join(this.path, "..", ".."), { recursive: true });
  }
}

Deno.test("commit() gives all files their names (behaviour 7.8)", async () => {
  await using uploads = await TestUploads.create();
  {
    await using saving = uploads.folder.begin();
    const first = await saving.save(fileOf("one"));
    await saving.save(fileOf("two"), "second.txt");
    const isHidden = uploads.files.map((name) =>
      name.startsWith(".unfinished/")
    );
    assertEquals(isHidden, [true, true]);
    const saved = await saving.commit();
    assertEquals(saved[0], first);
    assertEquals(saved[1]!.path, join(uploads.path, "second.txt"));
    assertEquals(uploads.contents, {
      [first.name]: "one",
      "second.txt": "two",
    });
  }
  assertEquals(uploads.files.length, 2);
  await using saving = uploads.folder.begin();
  await saving.save(fileOf("three"), "second.txt");
  await saving.commit();
  assertEquals(uploads.contents["second.txt"], "three", "of another request");
});

Deno.test("files without a commit are removed (behaviour 7.8)", async () => {
  await using uploads = await TestUploads.create();
  // A folder cannot be replaced by a file, so that a commit fails at the second file.
  await Deno.mkdir(join(uploads.path, "taken"));
  for (
    const [name, end] of [
      ["first", () => Promise.reject(new Error("The handler fails"))],
      ["second", (saving) => saving.save(breakingOff())],
      ["third", async (saving) => {
        await saving.save(fileOf("two"), "taken");
        await saving.commit();
      }],
    ] as readonly [
      string,
      (saving: ReturnType<UploadFolder["begin"]>) => Promise<unknown>,
    ][]
  ) {
    await assertRejects(async () => {
      await using saving = uploads.folder.begin();
      await saving.save(fileOf("one"), name);
      await end(saving);
    });
    assertEquals(uploads.files, ["taken"], name);
  }
});

Deno.test("save() rejects a name that leads elsewhere", async () => {
  await using uploads = await TestUploads.create();
  await using saving = uploads.folder.begin();
  for (const name of ["", ".", "..", "../a", "a/b", "a\\b", "a\0", ".hidden"]) {
    await assertRejects(
      () => saving.save(fileOf("x"), name),
      TypeError,
      "it is not a plain file name",
    );
  }
  assertEquals(uploads.files, []);
});

Deno.test("open() removes files that a crash left over a day ago, and reads no others (behaviour 7.8)", async () => {
  await using uploads = await TestUploads.create();
  const { path } = uploads;
  const [old, young] = [".unfinished/old", ".unfinished/young"];
  for (const name of [old, young, ".other", "kept"]) {
    await Deno.writeTextFile(join(path, name), "x");
    const time = Date.now() / 1000 - 24 * 60 * 60 - 5;
    if (name !== young) await Deno.utime(join(path, name), time, time);
  }
  const { readDir } = Deno;
  const read: (string | URL)[] = [];
  Deno.readDir = (folder) => (read.push(folder), readDir(folder));
  try {
    await UploadFolder.open(path);
  } finally {
    Deno.readDir = readDir;
  }
  assertEquals(uploads.files, [".other", young, "kept"]);
  assertEquals(read, [join(path, ".unfinished")]);
});

Deno.test("an exit removes a file that is just created, or whose removal has begun (behaviour 7.8)", async () => {
  const { remove } = Deno;
  for (const isRemoving of [false, true]) {
    await using uploads = await TestUploads.create();
    const begun = Promise.withResolvers<void>();
    const exited = Promise.withResolvers<void>();
    if (isRemoving) {
      Deno.remove = async (path) => {
        begun.resolve();
        await exited.promise;
        await remove(path);
      };
    }
    try {
      await using saving = uploads.folder.begin();
      const { readable, writable } = new TransformStream();
      const saved = saving.save({ type: "", stream: readable });
      const rejected = assertRejects(() => saved);
      if (isRemoving) {
        await writable.abort("The client disconnects");
        await begun.promise;
      }
      await uploads.assertExit();
      exited.resolve();
      if (!isRemoving) await writable.abort("The client disconnects");
      await rejected;
    } finally {
      Deno.remove = remove;
    }
  }
});

Deno.test("a save that ends after its block leaves no file (behaviour 7.8)", async () => {
  await using uploads = await TestUploads.create();
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
  let late;
  {
    await using saving = uploads.folder.begin();
    late = saving.save({ type: "", stream: readable });
  }
  const rejected = assertRejects(() => late, TypeError, "await save()");
  const writer = writable.getWriter();
  await writer.write(new Uint8Array(9));
  await writer.close();
  await rejected;
  assertEquals(uploads.files, []);
});

/** Two names, the second of which is the first one. */
const SAME = [
  ["photo", "photo"],
  ["photo.JPG", "Photo.jpg"],
  ["straße", "STRASSE"],
  // A capital that no letter becomes.
  ["ẞ", "ß"],
  ["\u03f4", "\u03b8"],
  ["\u03b1\u0345\u0301", "\u03b1\u0301\u0345"],
  ["caf\u00e9", "cafe\u0301"],
  ["photo", "photo."],
  ["photo", "photo  "],
] as const;

Deno.test("a request saves each name once, and loses no file (behaviour 7.8)", async () => {
  for (const [first, second] of SAME) {
    await using uploads = await TestUploads.create();
    await Deno.writeTextFile(join(uploads.path, first), "old");
    await using saving = uploads.folder.begin();
    const assertTaken = () =>
      assertRejects(
        () => saving.save(fileOf("two"), second),
        TypeError,
        `Cannot save an upload as "${second}": this request has already saved "`,
      );
    // A name is free again after a failed save.
    await assertRejects(() => saving.save(breakingOff(), first));
    await saving.save(fileOf("one"), first);
    await assertTaken();
    await saving.save(fileOf("three"), "another");
    assertEquals(uploads.contents[first], "old");
    const saved = await saving.commit();
    assertEquals(saved.map(({ name, size }) => [name, size]), [
      [first, 3],
      ["another", 5],
    ]);
    assertEquals(uploads.contents, { [first]: "one", another: "three" });
    // The program may have reported the file as saved.
    await assertTaken();
  }
});

Deno.test("two saves of one name at once keep one file (behaviour 7.8)", async () => {
  await using uploads = await TestUploads.create();
  await using saving = uploads.folder.begin();
  const results = await Promise.allSettled([
    saving.save(fileOf("one"), "photo"),
    saving.save(fileOf("two"), "photo"),
  ]);
  assertEquals(results.map(({ status }) => status), ["fulfilled", "rejected"]);
  assertEquals((await saving.commit()).length, 1);
  assertEquals(uploads.contents, { photo: "one" });
});
