import { assert, assertEquals, assertMatch } from "@std/assert";
import { toFileUrl } from "@std/path";
import type { EntryError } from "../../../src/dev/inspector/entry.ts";
import { entryError, withSource } from "../../../src/dev/inspector/stack.ts";
import { TestFolder } from "../../support/application.ts";
import { FakePermissions } from "../../support/permissions.ts";
import { HOSTILE, imitatedFrames, IMITATIONS } from "../../support/hostile.ts";

/** The error that a module throws. */
async function thrownBy(path: string): Promise<Error> {
  const { run } = await import(toFileUrl(path).href);
  try {
    return run();
  } catch (error) {
    return error as Error;
  }
}

/** The later time at which an error is shown. */
const later = () => Date.now() + 60_000;

Deno.test("only frames of the program have a location", async () => {
  await using folder = await TestFolder.create({
    "node_modules/x/index.mjs": `export const call = (run) => [0].map(run);`,
    "api/my route.ts": `import { call } from "../node_modules/x/index.mjs";
      class Fault { constructor() { throw new RangeError("odd"); } }
      export function run() { call(() => new Fault()); }`,
  });
  const file = `${folder.path}/api/my route.ts`;
  const { text, frames } = entryError(await thrownBy(file));
  assertEquals(text, "RangeError: odd");
  const at = (line: number) =>
    frames.findIndex((frame) => frame.file === file && frame.line === line);
  assertEquals([at(2), at(3)], [0, 1]);
  assertMatch(frames[0]!.text, /^new Fault \(file:.*my%20route\.ts:2:\d+\)$/);
  const others = frames.filter(({ file: other }) => other !== file);
  assert(others.some(({ text }) => text.startsWith("call (file:///")));
  assert(others.some(({ text }) => text === "map (<anonymous>)"));
  const located = others.map(({ file }) => file)
    .filter((file) => file !== undefined);
  assertEquals([...new Set(located)], [new URL(import.meta.url).pathname]);
});

Deno.test("entryError() describes any thrown value", () => {
  const refused = ["::1:5432", "127.0.0.1:5432"]
    .map((address) => new Error(`connect ECONNREFUSED ${address}`));
  for (
    const [value, text] of [
      ["text", '"text"'],
      [undefined, "undefined"],
      [{ a: 1 }, "{ a: 1 }"],
      [new RangeError(""), "RangeError"],
      // Node reports a closed port without a message of its own.
      [
        new AggregateError([...refused, "a text"]),
        "AggregateError\n- Error: connect ECONNREFUSED ::1:5432\n- Error: connect ECONNREFUSED 127.0.0.1:5432\n- a text",
      ],
    ] as const
  ) assertEquals(entryError(value).text, text);
  assertEquals(entryError("text").frames, []);
  for (const value of Object.values(HOSTILE)) {
    assertMatch(entryError(value).text, /./);
  }
  const circular = new Error("outer");
  circular.cause = circular;
  let depth = 0;
  for (let at = entryError(circular).cause; at !== undefined; at = at.cause) {
    depth++;
  }
  assertEquals(depth, 5);
});

/** All frames of an error and its causes. */
function framesIn({ frames, cause }: EntryError): EntryError["frames"] {
  return cause === undefined ? frames : [...frames, ...framesIn(cause)];
}

Deno.test("no text of an error opens a file", async (test) => {
  await using folder = await TestFolder.create({
    ".env": "KEY=hunter2",
    "secret.ts": "hunter2",
    "folder.ts/a": "hunter2",
    "node_modules/x.ts": "hunter2",
    "large.ts": "hunter2\n".repeat(200_000),
  });
  const { path } = folder;
  await Deno.symlink(`${path}/.env`, `${path}/link.ts`);
  const files = ["/etc/passwd", "/proc/self/environ", "/dev/zero"]
    .concat([...Deno.readDirSync(path)].map(({ name }) => `${path}/${name}`));
  if (Deno.build.os !== "windows") {
    // Reading this pipe would block the process for good.
    const pipe = `${path}/pipe.ts`;
    await new Deno.Command("mkfifo", { args: [pipe] }).output();
    files.push(pipe);
  }
  for (const [place, imitate] of Object.entries(IMITATIONS)) {
    await test.step(place, () => {
      for (const file of files) {
        const error = entryError(imitate(imitatedFrames(`file://${file}`)));
        const frames = framesIn(withSource(error, later()));
        const opened = frames.filter((frame) => frame.source !== undefined);
        // The frames of this program itself.
        const own = opened.every((frame) => /\/tests\//.test(frame.file!));
        assert(own, JSON.stringify(opened));
        assert(frames.every((frame) => frame.file !== file), file);
      }
    });
  }
});

Deno.test("a source map of a library opens only modules", async () => {
  const map = (file: string) =>
    btoa(JSON.stringify({
      version: 3,
      sources: [`file://${file}`],
      names: [],
      mappings: "AAAA",
    }));
  await using folder = await TestFolder.create({
    ".env": "KEY=hunter2",
  });
  const type = "application/json;base64";
  await folder.write(
    "a.js",
    `export const run = () => new Error("odd");
//# sourceMappingURL=data:${type},${map(`${folder.path}/.env`)}`,
  );
  const error = entryError(await thrownBy(`${folder.path}/a.js`));
  assertEquals(error.frames[0]!.file, `${folder.path}/.env`);
  assertEquals(withSource(error, later()).frames[0]!.source, undefined);
});

Deno.test("a frame shows seven lines of source, fewer at the ends", async () => {
  const lines = Array.from({ length: 9 }, (_, index) => `// ${index + 1}`);
  const code = `export const run = () => new Error("odd");`;
  for (
    const [line, ...shown] of [
      [5, 2, 3, 4, 5, 6, 7, 8],
      [1, 1, 2, 3, 4],
      [9, 6, 7, 8, 9],
    ] as const
  ) {
    const text = lines.with(line - 1, code);
    await using folder = await TestFolder.create({ "a.ts": text.join("\n") });
    const error = entryError(await thrownBy(`${folder.path}/a.ts`));
    assertEquals(
      withSource(error, later()).frames[0]!.source,
      shown.map((line) => ({ line, text: text[line - 1]! })),
    );
  }
});

Deno.test("withSource() adds source to causes, only of files that the program may read", () => {
  const inner = new Error("inner");
  const error = entryError(new Error("outer", { cause: inner }));
  const { cause } = withSource(error, Date.now());
  assertEquals(cause?.frames[0]?.source?.length, 7);
  using _permissions = new FakePermissions([]);
  assertEquals(withSource(error, Date.now()), error);
});

Deno.test("a file that changed after the error has no source", async () => {
  await using folder = await TestFolder.create({
    "a.ts": `export const run = () => new Error("odd");`,
  });
  const path = `${folder.path}/a.ts`;
  const error = entryError(await thrownBy(path));
  const source = () => withSource(error, later()).frames[0]!.source;
  assertEquals(source()?.length, 1);
  assertEquals(withSource(error, 0), error);
  await Deno.remove(path);
  assertEquals(source(), undefined);
  if (Deno.build.os === "windows") return;
  await new Deno.Command("mkfifo", { args: [path] }).output();
  assertEquals(source(), undefined);
});
