/** A status that declares several media types. */
import { assertEquals } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import { createClient } from "@bough/framework/client";
import {
  content,
  Framework,
  type FrameworkRequest,
  negotiate,
  respond,
} from "@bough/framework";
import { z } from "zod";
import { check, found } from "../../testing/support.ts";

const Book = z.object({ id: z.int(), title: z.string() });
const emma = { id: 1, title: "Emma" };
const CSV = "id,title\n1,Emma\n";
const get = {
  response: {
    200: [
      content("application/json", Book),
      content("text/csv", z.string().startsWith("id,")),
      content("image/png"),
    ],
  },
} as const;

Deno.test("the typed client reads each type; its data is a union (behaviour 8.11)", async () => {
  const routes = {
    "books/route.ts": {
      schema: { get },
      GET: (request: FrameworkRequest<typeof get>) => {
        const type = negotiate(request, get, 200, { strict: true });
        if (type === "text/csv") return respond(get, 200, CSV, { type });
        if (type === "image/png") return respond(get, 200, "", { type });
        return respond(get, 200, emma);
      },
    },
  };
  const api = createClient<typeof routes>({
    fetch: new Framework({ manifest: routes }).fetch,
  });
  const read = async (accept?: string) => {
    const result = await api.GET("/books", { headers: { accept } });
    if (result.status !== 200) return result.status;
    const { data } = result;
    assertType<
      IsExact<typeof data, { id: number; title: string } | string | Blob>
    >(true);
    return data;
  };
  assertEquals(await read(), emma);
  assertEquals(await read("text/csv"), CSV);
  assertEquals((await read("image/*") as Blob).type, "image/png");
  assertEquals(await read("audio/*"), 406);
});

Deno.test("contract tests ask for each declared type, and check its schema", async () => {
  const csv = (text: string) => ({
    "books/route.ts": {
      schema: { get },
      GET: (request: FrameworkRequest) => {
        const type = negotiate(request, get, 200);
        const headers = { "content-type": type };
        const bodies = { "text/csv": text, "image/png": "x" } as const;
        const body = type === "application/json"
          ? JSON.stringify(emma)
          : bodies[type];
        return new Response(body, { headers });
      },
    },
  });
  assertEquals(found(await check(csv(CSV))), []);
  assertEquals(found(await check(csv("title\n"))), ["declared GET /api/books"]);
});
