import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { type StreamedFile, UploadFolder } from "@bough/framework/uploads";
import { delay } from "../support/until.ts";
import { filesIn } from "./support.ts";

function fileOf(text: string): StreamedFile {
  return { type: "text/plain", stream: new Blob([text]).stream() };
}

Deno.test("commit() gives all files their names (behaviour 7.8)", async () => {
  const path = await Deno.makeTempDir();
  const folder = await UploadFolder.open(join(path, "a", "b"));
  {
    await using saving = folder.begin();
    const first = await saving.save(fileOf("one"));
    await saving.save(fileOf("two"), "second.txt");
    assertEquals(
      filesIn(folder.path).every((name) => name.startsWith(".unfinished/")),
      true,
    );
    const saved = await saving.commit();
    assertEquals(saved[0], first);
    assertEquals(filesIn(folder.path), [first.name, "second.txt"].sort());
    assertEquals(await Deno.readTextFile(saved[1]!.path), "two");
  }
  assertEquals(filesIn(folder.path).length, 2);
  await Deno.remove(path, { recursive: true });
});

Deno.test("files without a commit are removed (behaviour 7.8)", async () => {
  const folder = await UploadFolder.open(await Deno.makeTempDir());
  await assertRejects(async () => {
    await using saving = folder.begin();
    await saving.save(fileOf("one"));
    throw new Error("The handler fails");
  });
  assertEquals(filesIn(folder.path), []);
  await assertRejects(async () => {
    await using saving = folder.begin();
    await saving.save(fileOf("one"));
    const stream = ReadableStream.from((async function* () {
      yield new Uint8Array(9);
      throw await new Error("The client disconnects");
    })());
    await saving.save({ type: "", stream });
  });
  assertEquals(filesIn(folder.path), []);
  // A folder cannot be replaced by a file, so that the commit fails at the second file.
  await Deno.mkdir(join(folder.path, "taken"));
  await assertRejects(async () => {
    await using saving = folder.begin();
    await saving.save(fileOf("one"), "first");
    await saving.save(fileOf("two"), "taken");
    await saving.commit();
  });
  assertEquals(filesIn(folder.path), ["taken"]);
  await Deno.remove(folder.path, { recursive: true });
});

Deno.test("save() rejects a name that leads elsewhere", async () => {
  const folder = await UploadFolder.open(await Deno.makeTempDir());
  await using saving = folder.begin();
  for (const name of ["", ".", "..", "../a", "a/b", "a\\b", "a\0", ".hidden"]) {
    await assertRejects(
      () => saving.save(fileOf("x"), name),
      TypeError,
      "it is not a plain file name",
    );
  }
  assertEquals(filesIn(folder.path), []);
  await Deno.remove(folder.path, { recursive: true });
});

Deno.test("open() removes files that a crash left over a day ago, and reads no others (behaviour 7.8)", async () => {
  const path = await Deno.makeTempDir();
  await UploadFolder.open(path);
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
  assertEquals(filesIn(path), [".other", young, "kept"]);
  assertEquals(read, [join(path, ".unfinished")]);
  await Deno.remove(path, { recursive: true });
});

/** Runs the listeners of an exit, and asserts that no file is left or created later. */
async function assertExit(path: string): Promise<void> {
  globalThis.dispatchEvent(new Event("unload"));
  await delay(20);
  assertEquals(filesIn(path), []);
}

Deno.test("an exit removes a file that is just created (behaviour 7.8)", async () => {
  const folder = await UploadFolder.open(await Deno.makeTempDir());
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
  await using saving = folder.begin();
  const saved = saving.save({ type: "", stream: readable });
  await assertExit(folder.path);
  await writable.abort("The client disconnects");
  await assertRejects(() => saved);
  await Deno.remove(folder.path, { recursive: true });
});

Deno.test("an exit removes a file whose removal has begun (behaviour 7.8)", async () => {
  const folder = await UploadFolder.open(await Deno.makeTempDir());
  const { remove } = Deno;
  const begun = Promise.withResolvers<void>();
  const exited = Promise.withResolvers<void>();
  Deno.remove = async (path) => {
    begun.resolve();
    await exited.promise;
    await remove(path);
  };
  try {
    await using saving = folder.begin();
    const { readable, writable } = new TransformStream();
    const saved = saving.save({ type: "", stream: readable });
    await writable.abort("The client disconnects");
    await begun.promise;
    await assertExit(folder.path);
    exited.resolve();
    await assertRejects(() => saved);
  } finally {
    Deno.remove = remove;
  }
  await Deno.remove(folder.path, { recursive: true });
});

Deno.test("a save that ends after its block leaves no file (behaviour 7.8)", async () => {
  const folder = await UploadFolder.open(await Deno.makeTempDir());
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
  let late;
  {
    await using saving = folder.begin();
    late = saving.save({ type: "", stream: readable });
  }
  const rejected = assertRejects(() => late, TypeError, "await save()");
  const writer = writable.getWriter();
  await writer.write(new Uint8Array(9));
  await writer.close();
  await rejected;
  assertEquals(filesIn(folder.path), []);
  await Deno.remove(folder.path, { recursive: true });
});
