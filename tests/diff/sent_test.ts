import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { changesOf, get, sourceOf } from "./support.ts";

const FILE = "a/[id]/route.ts";

for (const part of ["params", "headers", "query"]) {
  const files = (id: () => z.ZodType) => ({
    [FILE]: get({ [part]: z.object({ id: id() }) }),
  });
  for (
    const [before, after] of [
      [() => z.string(), () => z.string().regex(/^[a-z ]+$/i)],
      [() => z.string(), () => z.string().min(2)],
      [() => z.string(), () => z.enum(["Text"])],
      [() => z.string(), () => z.string().max(3)],
      [() => z.coerce.number(), () => z.coerce.number().int()],
    ] as const
  ) {
    Deno.test(`HTTP carries the value that shows ${sourceOf(before)} became ${sourceOf(after)} in ${part}`, async () => {
      const changes = await changesOf(files(before), files(after));
      assert(changes.length > 0);
      for (const { verdict, request } of changes) {
        assertEquals(verdict, "breaking");
        const { target, headers } = request!;
        const url = `http://localhost${target}`;
        const { pathname } = new URL(new Request(url, { headers }).url);
        assertEquals(
          pathname.split("/").filter((each) => each !== "").length,
          3,
        );
      }
    });
  }
}

Deno.test("a path parameter is never empty", async () => {
  const files = (id: z.ZodType) => ({
    [FILE]: get({ params: z.object({ id }) }),
  });
  assertEquals(
    await changesOf(files(z.string()), files(z.string().min(1))),
    [],
  );
});
