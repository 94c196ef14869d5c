import { assert, assertEquals } from "@std/assert";
import { ChangedFolder } from "./support.ts";

function get(part: string, schema: string): string {
  return `
    import { z } from "zod";
    const ${part} = z.object({ "id": ${schema} });
    export const schema = { get: { ${part} } };
    export const GET = () => new Response();`;
}

for (const part of ["params", "headers", "query"]) {
  for (
    const [before, after] of [
      ["z.string()", "z.string().regex(/^[a-z ]+$/i)"],
      ["z.string()", "z.string().min(2)"],
      ["z.string()", 'z.enum(["Text"])'],
      ["z.string()", "z.string().max(3)"],
      ["z.coerce.number()", "z.coerce.number().int()"],
    ] as const
  ) {
    Deno.test(`HTTP carries the value that shows ${before} became ${after} in ${part}`, async () => {
      const file = "api/a/[id]/route.ts";
      await using folder = await ChangedFolder.create(
        { [file]: get(part, before) },
        { [file]: get(part, after) },
      );
      const changes = await folder.changes();
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
  const file = "api/a/[id]/route.ts";
  await using folder = await ChangedFolder.create(
    { [file]: get("params", "z.string()") },
    { [file]: get("params", "z.string().min(1)") },
  );
  assertEquals(await folder.changes(), []);
});
