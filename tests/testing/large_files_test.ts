/** Large files are sent about once, since hundreds of them would be gigabytes. */
import { assert, assertEquals } from "@std/assert";
import { file } from "@bough/framework/uploads";
import { z } from "zod";
import { TestApplication, type TestModule } from "../support/application.ts";
import { checkFast, found } from "./support.ts";

const MAX = 200_000;

const BODIES = {
  "a streamed file": file({ maxSize: MAX }),
  // Bodies differ only by the size of their file.
  "a form": z.object({ photo: z.file().max(MAX), title: z.literal("Sea") }),
};

for (const [name, body] of Object.entries(BODIES)) {
  Deno.test(`${name}: each of the largest sizes is sent once`, async () => {
    const route: TestModule = {
      schema: { post: { body, response: { 201: z.object({ id: z.uuid() }) } } },
      POST: async ({ validated: { body } }) => {
        const { stream, photo = stream } = body as Record<string, Blob>;
        await new Response(photo).bytes();
        return Response.json({ id: crypto.randomUUID() }, { status: 201 });
      },
    };
    const sizes: number[] = [];
    let ordinary = 0;
    const { app } = TestApplication.of({
      "photos/route.ts": route,
      "photos/[id]/route.ts": {
        GET: ({ params: { id } }) => Response.json({ id }),
      },
    });
    const report = await checkFast({
      inspect: () => app.inspect(),
      fetch: async (request) => {
        const { length } = await request.clone().bytes();
        if (length > MAX / 2 && length < 3 * MAX) sizes.push(length);
        else if (request.method === "POST" && length > 0) ordinary++;
        return await app.fetch(request);
      },
    }, { seed: 7, runs: 40 });
    assertEquals(found(report), []);
    // The largest size, the one below, and the one above the limit.
    assert(new Set(sizes).size >= 3, `${sizes}`);
    assert(sizes.length < 6, `${sizes}`);
    assert(ordinary > 40, `${ordinary}`);
  });
}
