/** Files and bodies that may be absent, in both kinds of the map of the routes. */
import { type Subjects, writeUses } from "./compiler.ts";

const UPLOADS = `import { z } from "npm:zod@^4.2.0";
import { file, form } from "@bough/framework/uploads";
export const schema = {
  post: { body: form({
    fields: z.object({ title: z.string(), tags: z.array(z.string()).optional() }),
    files: {
      photo: file({ count: [1, 3] }), cover: file(), extra: file({ count: [0, 1] }),
    },
  }) },
  put: { body: file({ types: ["video/mp4"] }) },
  patch: { body: z.object({ photo: z.file(), more: z.array(z.file()) }) },
};
export const POST = () => new Response();
export const PUT = POST;
export const PATCH = POST;
`;

const BODIES = `import { z } from "npm:zod@^4.2.0";
const Note = z.object({ text: z.string() });
export const schema = {
  post: { body: Note.optional() },
  put: { body: Note.default({ text: "" }) },
  patch: { body: Note.nullish() },
  delete: { body: Note },
};
export const POST = () => new Response();
export const PUT = POST;
export const PATCH = POST;
export const DELETE = POST;
`;

const USE = `
const blob = new Blob(["a"]);
const file = new File(["a"], "a.txt");
const body = { title: "a", photo: [blob, file], cover: blob };
export async function use() {
  await api.POST("/uploads", { body });
  await api.POST("/uploads", { body: { ...body, photo: file, cover: [file], extra: blob, tags: ["a"] } });
  // @ts-expect-error a file is missing
  await api.POST("/uploads", { body: { title: "a", photo: blob } });
  // @ts-expect-error a file is not a string
  await api.POST("/uploads", { body: { ...body, cover: "a" } });
  await api.PUT("/uploads", { body: blob });
  // @ts-expect-error one file
  await api.PUT("/uploads", { body: [blob] });
  // @ts-expect-error the body is missing
  await api.PUT("/uploads");
  await api.PATCH("/uploads", { body: { photo: file, more: [file] } });
  // @ts-expect-error several files
  await api.PATCH("/uploads", { body: { photo: file, more: file } });

  const note = { text: "a" };
  await api.POST("/bodies");
  await api.POST("/bodies", { body: undefined });
  await api.POST("/bodies", { body: note });
  // @ts-expect-error a text is missing
  await api.POST("/bodies", { body: {} });
  // @ts-expect-error null is not absent
  await api.POST("/bodies", { body: null });
  await api.PUT("/bodies");
  await api.PUT("/bodies", { body: note });
  await api.PATCH("/bodies");
  await api.PATCH("/bodies", { body: null });
  await api.DELETE("/bodies", { body: note });
  // @ts-expect-error the body is missing
  await api.DELETE("/bodies");
}
`;

export const STANDALONE_BODIES: Subjects = {
  "bodies of files, and absent bodies, have the types of their schemas": {
    write: (folder) =>
      writeUses(folder, {
        "api/uploads/route.ts": UPLOADS,
        "api/bodies/route.ts": BODIES,
      }, USE),
  },
};
