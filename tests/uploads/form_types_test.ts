/** The types of a form for the client: run by `deno check`. */
import type { RouteSchema } from "@bough/framework";
import { Framework } from "@bough/framework";
import { createClient } from "@bough/framework/client";
import { file, type FileSchema, form } from "@bough/framework/uploads";
import { assertEquals } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import { z } from "zod";

const most: [number, number] = [0, 2];

const schema = {
  post: {
    body: form({
      fields: z.object({ title: z.string(), note: z.string().optional() }),
      files: {
        photo: file({ count: [1, 3] }),
        cover: file({ maxSize: "1MB" }),
        extra: file({ count: [0, 3] }),
        some: file({ count: most }),
      },
    }),
  },
  put: { body: form({ files: { photo: file() } }) },
  patch: { body: form({ files: { photo: file({ count: [0, 1] }) } }) },
} satisfies RouteSchema;

const single = file();
assertType<IsExact<typeof single, FileSchema<1>>>(true);
const all: Readonly<Record<string, FileSchema>> = {
  required: file(),
  optional: file({ count: [0, 1] }),
};

const respond = () => new Response(null, { status: 204 });
const routes = {
  "files/route.ts": { schema, POST: respond, PUT: respond, PATCH: respond },
};

Deno.test("the type of a form requires its fields and its required files", async () => {
  const { fetch } = new Framework({ manifest: routes });
  const api = createClient<typeof routes>({ fetch });
  const blob = new Blob(["a"]);
  const body = { title: "a", photo: [blob, blob], cover: blob };
  assertEquals((await api.POST("/files", { body })).status, 204);
  await api.POST("/files", { body: { ...body, extra: blob, some: [blob] } });
  await api.POST("/files", { body: { ...body, photo: blob, note: "b" } });

  // @ts-expect-error a file is missing
  await api.POST("/files", { body: { title: "a", photo: blob } });
  // @ts-expect-error a file is missing
  await api.POST("/files", { body: { title: "a", cover: blob } });
  // @ts-expect-error a field is missing
  await api.POST("/files", { body: { photo: blob, cover: blob } });
  // @ts-expect-error a file is not a string
  await api.POST("/files", { body: { ...body, extra: "text" } });
  // @ts-expect-error the body is missing
  await api.POST("/files");
  // @ts-expect-error no such file
  await api.POST("/files", { body: { ...body, other: blob } });

  assertEquals(
    (await api.PUT("/files", { body: { photo: blob } })).status,
    204,
  );
  // @ts-expect-error a file is missing
  assertEquals((await api.PUT("/files", { body: {} })).status, 415);
  // @ts-expect-error the body is missing
  await api.PUT("/files");
  await api.PATCH("/files", { body: {} });
  await api.PATCH("/files");
  assertEquals(Object.keys(all).length, 2);
});
