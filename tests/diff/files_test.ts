import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { z } from "zod";
import { boughIn, runProgram } from "../cli/support.ts";
import { ChangedFolder, changesOf, post } from "./support.ts";

const COMMAND = fromFileUrl(new URL("../../src/cli/mod.ts", import.meta.url));
const PACKAGE = fromFileUrl(new URL("../../", import.meta.url));

/** A route file with a `POST` whose body has a schema. */
const source = (body: string): string =>
  `import { z } from "npm:zod@^4.2.0";
export const schema = { post: { body: ${body} } };
export const POST = () => new Response();`;

const BEFORE = {
  "api/route.ts": source("z.object({ a: z.string().max(9) })"),
};
const AFTER = {
  "api/route.ts": source("z.object({ a: z.string().max(5) })"),
  "failing.ts": "throw new Error('no')",
};

for (
  const [name, app, message] of [
    ["a folder that does not exist", "none", "the folder does not exist"],
    ["a module that does not exist", "none.ts", 'file "none.ts" does not'],
    ["a module that throws", "failing.ts", "the import failed: no"],
  ] as const
) {
  Deno.test(`bough diff of ${name} exits with 2`, async () => {
    await using folder = await ChangedFolder.create(BEFORE, AFTER);
    const { code, stdout, stderr } = await folder.diff(app);
    assertEquals([code, stdout], [2, ""]);
    assertStringIncludes(stderr, message);
  });
}

Deno.test("bough routes of a folder that does not exist exits with 1", async () => {
  await using folder = await ChangedFolder.create(BEFORE, AFTER);
  assertEquals((await boughIn(folder.path, "routes", "none")).code, 1);
});

for (
  const [name, args, message] of [
    [
      "a folder as the file of accepted changes",
      ["--accepted=api"],
      /^bough diff: Cannot read "api": .*; or name another file with --accepted$/m,
    ],
    [
      "a file in a folder that does not exist",
      ["--accepted=none/a.json", "--accept=fine"],
      /^bough diff: Cannot write "none\/a\.json": .*--accepted$/m,
    ],
  ] as const
) {
  Deno.test(`bough diff explains ${name}`, async () => {
    await using folder = await ChangedFolder.create(BEFORE, AFTER);
    const { code, stdout, stderr } = await folder.diff(...args);
    assertEquals([code, stdout], [2, ""]);
    assertMatch(stderr, message);
  });
}

for (
  const [name, permissions, args, message] of [
    [
      "read accepted changes",
      [`--allow-read=${PACKAGE}`],
      [],
      'Cannot read "accepted_changes.json": Requires read access',
    ],
    [
      "write accepted changes",
      ["--allow-read", "--allow-env"],
      ["--accept=fine"],
      'Cannot write "accepted_changes.json": Requires write access',
    ],
    [
      "run git",
      ["--allow-read", "--allow-env"],
      ["--against=main:api.json"],
      'Cannot read "main:api.json": Requires run access to "git"',
    ],
  ] as const
) {
  Deno.test(`without permission to ${name}, bough diff prints no stack`, async () => {
    await using folder = await ChangedFolder.create(BEFORE, AFTER);
    const { code, stderr } = await runProgram(
      folder.path,
      ...["--no-prompt", ...permissions, COMMAND, "diff"],
      ...["--against=api.json", ...args],
    );
    assertEquals(code, 2);
    assertStringIncludes(stderr, message);
    assertEquals(stderr.includes("    at "), false);
  });
}

Deno.test("bough diff compares a document without components and responses", async () => {
  await using folder = await ChangedFolder.create(BEFORE, AFTER);
  const paths = { "/api": { post: { operationId: "postRoot" } }, "/b": null };
  await folder.write("old.json", JSON.stringify({ openapi: "3.1.0", paths }));
  const { code, stderr } = await folder.diff("--against=old.json");
  assertEquals([code, stderr], [1, ""]);
});

for (
  const [name, member] of [
    ["parameters", '"parameters": {}'],
    ["security", '"security": "bearer"'],
    // Optimized code would compare 3,000 levels.
    ["too many levels", '"inner": {'.repeat(1e5) + "}".repeat(1e5)],
  ] as const
) {
  Deno.test(`bough diff exits with 2 if the document has malformed ${name}`, async () => {
    await using folder = await ChangedFolder.create(BEFORE, AFTER);
    const paths = `{ "/api": { "post": { "operationId": "x", ${member} } } }`;
    const text = `{ "openapi": "3.1.0", "paths": ${paths} }`;
    await folder.write("old.json", text);
    const { code, stderr } = await folder.diff("--against=old.json");
    assertEquals(code, 2);
    assertStringIncludes(stderr, 'Cannot compare with "old.json": ');
  });
}

Deno.test("a schema that refuses old values is unknown, even if its document is wider", async () => {
  const wider = z.object({ a: z.string().max(99) })
    .refine(({ a }) => a === "", "must be empty");
  const changes = await changesOf(
    { "route.ts": post(z.object({ a: z.string().max(9) })) },
    { "route.ts": post(wider) },
  );
  const found = changes
    .map(({ verdict, place, message }) => `${verdict} ${place} ${message}`);
  assertEquals(found, [
    'unknown body the schema of the route refuses {"a":"A"}, which the document accepts: must be empty',
  ]);
});
