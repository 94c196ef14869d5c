import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import {
  type SavedFile,
  type StreamedFile,
  UploadFolder,
} from "@bough/framework/uploads";
import { filesIn } from "./support.ts";

function fileOf(text: string): StreamedFile {
  return { type: "text/plain", stream: new Blob([text]).stream() };
}

/** A folder for one test, removed at its end. */
class TestUploads implements AsyncDisposable {
  readonly folder: UploadFolder;

  private constructor(folder: UploadFolder) {
    this.folder = folder;
  }

  static async create(): Promise<TestUploads> {
    return new TestUploads(await UploadFolder.open(await Deno.makeTempDir()));
  }

  /** The contents of all files, by name. */
  contents(): Record<string, string> {
    const { path } = this.folder;
    return Object.fromEntries(
      filesIn(path).map((name) =>
        [name, Deno.readTextFileSync(join(path, name))] as const
      ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder.path, { recursive: true });
  }
}

async function assertTaken(
  save: () => Promise<SavedFile>,
  name: string,
): Promise<void> {
  await assertRejects(
    save,
    TypeError,
    `Cannot save an upload as "${name}": this request has already saved "`,
  );
}

Deno.test("a request saves each name once, and loses no file (behaviour 7.8)", async () => {
  await using uploads = await TestUploads.create();
  await Deno.writeTextFile(join(uploads.folder.path, "photo"), "old");
  await using saving = uploads.folder.begin();
  await saving.save(fileOf("one"), "photo");
  await assertTaken(() => saving.save(fileOf("two"), "photo"), "photo");
  assertEquals(uploads.contents().photo, "old");
  const saved = await saving.commit();
  assertEquals(saved.map(({ name, size }) => [name, size]), [["photo", 3]]);
  assertEquals(uploads.contents(), { photo: "one" });
  // The program may have reported the file as saved.
  await assertTaken(() => saving.save(fileOf("three"), "photo"), "photo");
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
  assertEquals(uploads.contents(), { photo: "one" });
});

for (
  const [what, first, second] of [
    ["case", "photo.JPG", "Photo.jpg"],
    ["the case of other letters", "straße", "STRASSE"],
    ["the case of a capital that no letter becomes", "ẞ", "ß"],
    ["the case of a symbol", "\u03f4", "\u03b8"],
    ["the order of marks", "\u03b1\u0345\u0301", "\u03b1\u0301\u0345"],
    ["Unicode composition", "caf\u00e9", "cafe\u0301"],
    ["a last dot", "photo", "photo."],
    ["last spaces", "photo", "photo  "],
  ] as const
) {
  Deno.test(`names that differ only in ${what} are one name (behaviour 7.8)`, async () => {
    await using uploads = await TestUploads.create();
    await using saving = uploads.folder.begin();
    await saving.save(fileOf("one"), first);
    await assertTaken(() => saving.save(fileOf("two"), second), second);
    await saving.save(fileOf("three"), "another");
    await saving.commit();
    assertEquals(uploads.contents(), { [first]: "one", another: "three" });
  });
}

Deno.test("a name is free again after a failed save (behaviour 7.8)", async () => {
  await using uploads = await TestUploads.create();
  await using saving = uploads.folder.begin();
  const stream = ReadableStream.from((async function* () {
    yield new Uint8Array(9);
    throw await new Error("The client disconnects");
  })());
  await assertRejects(() => saving.save({ type: "", stream }, "photo"));
  await saving.save(fileOf("one"), "photo");
  await saving.commit();
  assertEquals(uploads.contents(), { photo: "one" });
});

Deno.test("another request replaces a file (behaviour 7.8)", async () => {
  await using uploads = await TestUploads.create();
  for (const text of ["one", "two"]) {
    await using saving = uploads.folder.begin();
    await saving.save(fileOf(text), "photo");
    await saving.commit();
  }
  assertEquals(uploads.contents(), { photo: "two" });
});
