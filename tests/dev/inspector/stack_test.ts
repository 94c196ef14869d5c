import { assertEquals, assertMatch } from "@std/assert";
import { toFileUrl } from "@std/path";
import { entryError, withSource } from "../../../src/dev/inspector/stack.ts";
import { TestFolder } from "../../support/application.ts";
import { assertCpuTime } from "../../support/cpu_time.ts";

const HERE = new URL(import.meta.url).pathname;

/** An error whose stack has these frames. */
function errorAt(...frames: readonly string[]): Error {
  const error = new Error("Something is wrong");
  error.stack = ["Error: Something is wrong", ...frames]
    .join("\n    at ");
  return error;
}

Deno.test("only frames of the program have a location", () => {
  const { frames } = entryError(errorAt(
    "async GET (file:///app/api/my%20route.ts:12:9)",
    "file:///app/main.ts:3:1",
    "Object.parse (file:///app/node_modules/zod/index.js:1:2)",
    "respond (https://jsr.io/@bough/framework/1.0.0/src/core/request.ts:1:2)",
    "ext:deno_http/00_serve.ts:1:2",
    "Array.map (<anonymous>)",
  ));
  assertEquals(frames.map(({ file, line, column }) => [file, line, column]), [
    ["/app/api/my route.ts", 12, 9],
    ["/app/main.ts", 3, 1],
    ...Array(4).fill([undefined, undefined, undefined]),
  ]);
  assertEquals(
    frames[0]!.text,
    "async GET (file:///app/api/my%20route.ts:12:9)",
  );
});

Deno.test("a long message that looks like a frame takes little time", () => {
  const error = errorAt("file:///".repeat(50_000));
  // Trying each scheme would take half a minute.
  return assertCpuTime(5_000, () => entryError(error));
});

Deno.test("entryError() describes any thrown value", () => {
  const hostile = new Error("hidden");
  Object.defineProperty(hostile, "stack", {
    get() {
      throw new Error("a getter that throws");
    },
  });
  const circular = new Error("outer");
  circular.cause = circular;
  assertEquals(entryError("text"), { text: '"text"', frames: [] });
  assertEquals(entryError(undefined), { text: "undefined", frames: [] });
  assertEquals(entryError({ a: 1 }), { text: "{ a: 1 }", frames: [] });
  assertMatch(entryError(hostile).text, /./);
  assertEquals(entryError(new RangeError("")).text, "RangeError");
  let depth = 0;
  for (let at = entryError(circular).cause; at !== undefined; at = at.cause) {
    depth++;
  }
  assertEquals(depth, 5);
  assertEquals(
    entryError(new Error("x".repeat(50_000))).text.length,
    16 * 1024,
  );
});

Deno.test("a frame shows seven lines of source, fewer at the ends", async () => {
  const lines = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`);
  await using folder = await TestFolder.create({ "a.ts": lines.join("\n") });
  const url = toFileUrl(`${folder.path}/a.ts`);
  const sourceAt = (line: number) => {
    const error = entryError(errorAt(`GET (${url}:${line}:1)`));
    return withSource(error, Date.now() + 1_000).frames[0]!.source;
  };
  const shown = (line: number) => sourceAt(line)?.map(({ line }) => line);
  assertEquals(shown(5), [2, 3, 4, 5, 6, 7, 8]);
  assertEquals(shown(1), [1, 2, 3, 4]);
  assertEquals(shown(9), [6, 7, 8, 9]);
  assertEquals(sourceAt(5)?.[3], { line: 5, text: "line 5" });
});

Deno.test("withSource() adds source to causes", () => {
  const error = new Error("outer", {
    cause: errorAt(`GET (file://${HERE}:3:1)`),
  });
  const { cause } = withSource(entryError(error), Date.now());
  assertEquals(cause?.frames[0]?.source?.length, 6);
});

Deno.test("a file that changed after the error has no source", async () => {
  await using folder = await TestFolder.create({ "a.ts": "one\ntwo" });
  const error = entryError(
    errorAt(`GET (${toFileUrl(`${folder.path}/a.ts`)}:1:1)`),
  );
  assertEquals(withSource(error, Date.now() - 60_000), error);
  await Deno.remove(`${folder.path}/a.ts`);
  assertEquals(withSource(error, Date.now() + 60_000), error);
});

Deno.test("withSource() reads only files that the program may read", {
  permissions: { read: false },
}, () => {
  const error = entryError(errorAt(`GET (file://${HERE}:3:1)`));
  assertEquals(withSource(error, Date.now()), error);
});

Deno.test("entryError() names the errors of an AggregateError", () => {
  const refused = [
    new Error("connect ECONNREFUSED ::1:5432"),
    new Error("connect ECONNREFUSED 127.0.0.1:5432"),
    "a text",
  ];
  // Node reports a closed port without a message of its own.
  assertEquals(
    entryError(new AggregateError(refused)).text,
    'AggregateError\n- Error: connect ECONNREFUSED ::1:5432\n- Error: connect ECONNREFUSED 127.0.0.1:5432\n- "a text"',
  );
});
