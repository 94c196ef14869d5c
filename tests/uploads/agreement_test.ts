import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { readMultipart } from "../../src/core/request/form.ts";
import { readParts } from "../../src/uploads/parts.ts";

type Entry = [name: string, value: string | [string, string, number[]]];

const text = fc.string({ unit: "grapheme", maxLength: 12 })
  .map((text) => text.toWellFormed());
const tricky = fc.constantFrom(
  "--",
  "\r\n",
  "\r\n--",
  '"',
  "\\",
  ";",
  "%22",
  "",
);
const words = fc.array(fc.oneof(text, tricky), { maxLength: 4 })
  .map((words) => words.join(""));
const entry: fc.Arbitrary<Entry> = fc.tuple(
  words,
  fc.oneof(
    words,
    fc.tuple(
      words,
      fc.constantFrom("image/png", "text/plain", "application/x-y"),
      fc.array(fc.nat(255), { maxLength: 300 }),
    ),
  ),
);

Deno.test("the readers of buffered and of streamed forms agree on 500 forms (behaviour 7.2, 7.8)", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { maxLength: 8 }),
      fc.integer({ min: 1, max: 97 }),
      async (entries, step) => {
        const form = new FormData();
        for (const [name, value] of entries) {
          if (typeof value === "string") form.append(name, value);
          else {
            const [filename, type, bytes] = value;
            form.append(
              name,
              new File([new Uint8Array(bytes)], filename, { type }),
            );
          }
        }
        const response = new Response(form);
        const type = response.headers.get("content-type")!;
        const bytes = await response.bytes();
        const whole = await Promise.all(
          [...readMultipart(bytes, type)!].map(async ([name, value]) =>
            value instanceof File
              ? [name, value.name, value.type, [...await value.bytes()]]
              : [name, value]
          ),
        );
        assertEquals(await streamed(bytes, type, step), whole);
      },
    ),
    { numRuns: 500, seed: 7 },
  );
});

/** The parts of a form that arrives in small pieces. */
async function streamed(
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
  step: number,
): Promise<unknown[]> {
  let start = 0;
  const read = () =>
    Promise.resolve(
      start < bytes.length ? bytes.slice(start, start += step) : undefined,
    );
  const seen: unknown[] = [];
  for await (const part of readParts(read, type, 100)) {
    const content = [];
    for (let chunk; (chunk = await part.read()) !== undefined;) {
      content.push(...chunk);
    }
    seen.push(
      part.name === undefined
        ? [part.field, new TextDecoder().decode(new Uint8Array(content))]
        : [part.field, part.name, part.type, content],
    );
  }
  return seen;
}
