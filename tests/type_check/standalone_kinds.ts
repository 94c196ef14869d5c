/** The types that `bough types --standalone` writes for all kinds of schemas. */
import { assert, assertEquals } from "@std/assert";
import { SCHEMA_KINDS } from "../cli/generate/schema_kinds.ts";
import { boughIn } from "../cli/support.ts";
import type { TestFolder } from "../support/application.ts";
import { type Subjects, writeFiles } from "./compiler.ts";

/** The kinds that allow all values, or have no JSON Schema on one side. */
const UNKNOWN = [
  "arktype/unknown",
  "valibot/any",
  "valibot/brand",
  "valibot/readonly",
  "valibot/unknown",
  "zod/any",
  "zod/unknown",
];

/** Values that the types of recursive schemas take, and some that they refuse. */
const USE = `import type { Routes } from "./standalone.ts";
type Body<File extends keyof Routes> = NonNullable<
  Routes[File]["schema"]["post"]["body"]["~standard"]["types"]
>["input"];
const json = { a: [1, null, { b: "c" }], d: { e: [[true]] } };
const nested = ["a", ["b", ["c"]], { d: "e", f: ["g"] }];
export const good: [
  Body<"zod/json/route.ts">,
  Body<"zod/value/route.ts">,
  Body<"valibot/value/route.ts">,
  Body<"arktype/value/route.ts">,
] = [json, nested, nested, nested];
const date = new Date();
export const bad: [
  Body<"zod/json/route.ts">,
  Body<"zod/value/route.ts">,
  Body<"valibot/value/route.ts">,
  Body<"arktype/value/route.ts">,
] = [
  // @ts-expect-error A function is no JSON.
  () => 1,
  // @ts-expect-error A date is no text.
  ["a", [date]],
  // @ts-expect-error A date is no text.
  ["a", { b: date }],
  // @ts-expect-error A date is no text.
  [[[date]]],
];
const leaf = { kind: "number", value: 1 } as const;
export const sums: [
  Body<"zod/expression/route.ts">,
  Body<"valibot/expression/route.ts">,
  Body<"arktype/expression/route.ts">,
] = [
  { kind: "sum", left: leaf, right: { kind: "sum", left: leaf, right: leaf } },
  { kind: "sum", left: leaf, right: leaf },
  // @ts-expect-error A sum has a right side.
  { kind: "sum", left: leaf },
];
export const ids: [
  Body<"zod/fileId/route.ts">,
  Body<"zod/classId/route.ts">,
  Body<"zod/upperId/route.ts">,
] = [{ file: new File([], "a"), list: ["b"] }, { a: "c" }, { b: "d" }];
// @ts-expect-error Two ids differ only in case.
export const lower: Body<"zod/classId/route.ts"> = { b: "d" };
export const object: Body<"arktype/anyObject/route.ts"> = { any: 1 };
`;

/** The routes of an application with all kinds of schemas. */
async function kindFiles(): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const [library, text] of Object.entries(SCHEMA_KINDS)) {
    const { kinds } = await import(
      `data:text/javascript,${encodeURIComponent(text)}`
    );
    const names = Object.keys(kinds);
    assert(names.length >= 50, `${library} has ${names.length} kinds`);
    files[`${library}.ts`] = text;
    for (const name of names) {
      files[`api/${library}/${name}/route.ts`] =
        `import { kinds } from "../../../${library}.ts";
        export const schema = { post: { body: kinds.${name}, response: kinds.${name} } };
        export const POST = () => new Response();`;
    }
  }
  return files;
}

async function write(folder: TestFolder): Promise<string[]> {
  await writeFiles(folder, await kindFiles());
  await folder.write("use.ts", USE);
  const args = ["types", "--standalone", "-o", "standalone.ts"];
  const { code, stderr } = await boughIn(folder.path, ...args);
  assertEquals([code, stderr], [0, ""]);
  const text = await Deno.readTextFile(`${folder.path}/standalone.ts`);
  const unknown = text.split(/^ {2}"/m).slice(1)
    .filter((each) => each.includes("Schema<unknown>"))
    .map((each) => each.slice(0, each.indexOf("/route.ts")));
  assertEquals(unknown, UNKNOWN);
  return ["use.ts", "standalone.ts"];
}

export const STANDALONE_KINDS: Subjects = {
  "standalone types of all kinds of schemas compile, in every library": {
    write,
  },
};
